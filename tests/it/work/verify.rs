//! `verify` and `accept`: the results of the plan's tests, recorded with the commit that they ran on.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{REF, Repo, Sandbox, plan_on};

/// A plan with these tests, claimed in this worktree with hooks, and one commit made for it.
pub(super) fn claimed(sandbox: &Sandbox, tests: &[(&str, &[&str])]) -> Repo {
    sandbox.begin(tests, |sandbox| {
        let repo = sandbox.begin(&(), |sandbox| {
            let repo = sandbox.repo("code");
            repo.wf(&["init", "--hooks"]).ok();
            repo.commit("a.txt", "one\n", "start");
            repo
        });
        let mut plan = plan_on("a.txt");
        let mut tasks = Vec::new();
        for (id, commands) in tests {
            let mut task = plan["tasks"][0].clone();
            task["id"] = json!(id);
            task["test"] = json!({ "commands": commands });
            tasks.push(task);
        }
        plan["tasks"] = json!(tasks);
        repo.planned("ISS-001", &plan);
        repo.wf(&["queue", "add", "ISS-001"]).ok();
        repo.wf(&["next"]).ok();
        repo.commit("a.txt", "two\n", "change");
        repo
    })
}

pub(super) fn checks(repo: &Repo) -> Vec<Value> {
    let shown = repo.json(&["show", "ISS-001"]);
    shown["executions"][0]["checks"].as_array().unwrap().clone()
}

#[test]
fn each_test_is_recorded_with_what_it_ran_on() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["echo hello; exit 3", "true"]), ("T2", &["true"])]);
    let head = repo.git(&["rev-parse", "HEAD"]).ok().line().to_owned();
    let ran = repo.wf(&["verify", "--yes"]).fails(1);
    assert!(ran.stdout.contains("hello") && ran.stdout.contains("failed with exit code 3"), "{}", ran.stdout);
    let checks = checks(&repo);
    let told: Vec<_> = checks
        .iter()
        .map(|it| {
            (it["task_id"].as_str().unwrap(), it["command"].as_str().unwrap(), it["exit_code"].as_i64())
        })
        .collect();
    assert_eq!(
        told,
        [("T1", "echo hello; exit 3", Some(3)), ("T1", "true", Some(0)), ("T2", "true", Some(0))]
    );
    assert_eq!(checks[0]["output_tail"], "hello\n");
    assert_eq!(
        checks[0]["output_sha256"],
        "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
    );
    assert_eq!((&checks[0]["commit"], &checks[0]["dirty"]), (&json!(head), &json!(false)));
}

#[test]
fn a_change_that_is_in_no_commit_makes_a_check_dirty() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["true"])]);
    repo.write("new.txt", "x");
    let ran = repo.wf(&["verify", "--yes"]).ok();
    assert!(ran.stderr.contains("are not evidence"), "{}", ran.stderr);
    assert_eq!(checks(&repo)[0]["dirty"], true);
}

#[test]
fn what_a_test_leaves_behind_does_not_taint_the_next() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["touch report.xml", "true"])]);
    repo.wf(&["verify", "--yes"]).ok();
    assert!(checks(&repo).iter().all(|check| check["dirty"] == false));
}

#[test]
fn only_the_tasks_asked_for_are_tested() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["false"]), ("T2", &["true"])]);
    repo.wf(&["verify", "--yes", "--task", "T2"]).ok();
    assert_eq!(checks(&repo).len(), 1);
    let error = repo.refused(1, &["verify", "--yes", "--task", "T9"]);
    assert!(error["hint"].as_str().unwrap().contains("T1, T2"), "{error}");
}

#[test]
fn nothing_runs_before_somebody_agreed() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["touch ran"])]);
    let error = repo.refused(1, &["verify"]);
    assert_eq!(error["code"], "not-agreed");
    assert!(error["details"][0].as_str().unwrap().contains("touch ran"), "{error}");
    assert!(!repo.path().join("ran").exists());
}

#[test]
fn an_agreement_holds_for_the_plan_that_was_shown() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["true"])]);
    let state = sandbox.root().join("state");
    let asked = |answer: &str| {
        let call = format!("{} verify", env!("CARGO_BIN_EXE_git-wf"));
        let repo = repo.with_env("XDG_STATE_HOME", state.to_str().unwrap());
        repo.sh_in(answer, &["-c", &format!("script -qec '{call}' /dev/null")])
    };
    if repo.sh(&["-c", "command -v script"]).code != 0 {
        eprintln!("skipped: there is no `script` to make a terminal");
        return;
    }
    assert_eq!(asked("n\n").code, 1);
    assert!(!state.exists() && checks(&repo).is_empty());
    assert_eq!(asked("y\n").code, 0);
    assert_eq!(checks(&repo).len(), 1);
    // From now on it does not ask, in a script either.
    let known = repo.with_env("XDG_STATE_HOME", state.to_str().unwrap());
    known.wf(&["verify"]).ok();
    // In another repository with the same plan, it asks again.
    assert_eq!(repo.refused(1, &["verify"])["code"], "not-agreed");
}

#[test]
fn a_slow_command_is_stopped_with_all_that_it_started() {
    let sandbox = Sandbox::new();
    let background = "setsid sleep 1000 & echo $! > pids; sleep 1000 & echo $! >> pids; wait";
    let repo = claimed(&sandbox, &[("T1", &[background])]);
    repo.wf(&["verify", "--yes", "--timeout", "1s"]).fails(1);
    let check = &checks(&repo)[0];
    assert!(check["exit_code"].is_null(), "{check}");
    assert!(check["output_tail"].as_str().unwrap().contains("[stopped after"), "{check}");
    assert_none_runs(&repo);
}

#[test]
fn a_command_that_forks_leaves_no_process() {
    let sandbox = Sandbox::new();
    let forks =
        "(setsid sh -c 'echo $$ >> pids; sleep 1000' >/dev/null 2>&1 &) ; while ! [ -s pids ]; do :; done";
    let repo = claimed(&sandbox, &[("T1", &[forks])]);
    repo.wf(&["verify", "--yes"]).ok();
    assert_none_runs(&repo);
}

#[test]
fn an_interrupt_is_recorded_and_stops_the_rest() {
    let sandbox = Sandbox::new();
    let repo =
        claimed(&sandbox, &[("T1", &["true", "echo $$ > pids; echo started; sleep 1000", "touch late"])]);
    let mut child = repo
        .command(env!("CARGO_BIN_EXE_git-wf"), &["verify", "--yes", "--verbose"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut lines = lines.map_while(Result::ok);
    assert!(lines.any(|line| line == "started"));
    repo.sh(&["-c", &format!("kill -INT {}", child.id())]).ok();
    assert!(lines.any(|line| line.contains("1 not run")));
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let checks = checks(&repo);
    assert_eq!(checks.len(), 2);
    assert!(checks[1]["output_tail"].as_str().unwrap().contains("[interrupted]"));
    assert!(!repo.path().join("late").exists());
    assert_none_runs(&repo);
}

/// No process whose id is in `pids` exists any more.
#[track_caller]
fn assert_none_runs(repo: &Repo) {
    let pids = std::fs::read_to_string(repo.path().join("pids")).unwrap();
    assert!(!pids.trim().is_empty());
    for pid in pids.split_whitespace() {
        assert_ne!(repo.sh(&["-c", &format!("kill -0 {pid}")]).code, 0, "process {pid} is left");
    }
}

#[test]
fn a_secret_in_the_output_is_not_stored() {
    let sandbox = Sandbox::new();
    let token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let repo = claimed(
        &sandbox,
        &[("T1", &["printenv MY_TOKEN; printf 'ghp_%s\\n' $REST; printf '\\033[31mred\\033[0m\\n'"])],
    );
    let secret = repo.with_env("MY_TOKEN", "opensesame").with_env("REST", &token[4..]);
    secret.wf(&["verify", "--yes"]).ok();
    assert_eq!(checks(&repo)[0]["output_tail"], "[masked]\n[masked]\nred\n");
    let stored = repo.git(&["log", "-p", "refs/wf/main"]).ok().stdout;
    assert!(!stored.contains("opensesame") && !stored.contains(token));
}

#[test]
fn done_asks_for_evidence_where_the_policy_does() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["test -f good"])]);
    repo.wf(&["settings", "evidence=required"]).ok();
    repo.wf(&["verify", "--yes"]).fails(1);
    let error = repo.refused(1, &["done"]);
    assert_eq!(error["code"], "no-evidence");
    assert!(error["details"][0].as_str().unwrap().contains("test -f good"), "{error}");
    repo.write("good", "");
    repo.git(&["add", "."]).ok();
    repo.git(&["commit", "-qm", "good"]).ok();
    // The check must be one of the last commit.
    repo.refused(1, &["done"]);
    repo.wf(&["verify", "--yes"]).ok();
    repo.done();
    assert_eq!(repo.status("ISS-001"), "completed");
}

#[test]
fn done_without_evidence_warns() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["true"])]);
    let ran = repo.done();
    assert!(ran.stderr.contains("git wf verify ISS-001"), "{}", ran.stderr);
}

#[test]
fn the_tests_of_another_worktree_run_there() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["pwd"])]);
    let other = repo.worktree("other", "side");
    other.wf(&["verify", "--yes", "ISS-001"]).ok();
    let tail = checks(&repo)[0]["output_tail"].as_str().unwrap().trim().to_owned();
    assert_eq!(std::path::Path::new(&tail).file_name().unwrap(), "code");
    repo.done();
    let ran = other.wf(&["verify", "--yes", "ISS-001"]).ok();
    assert!(ran.stderr.contains("no work tree here executes"), "{}", ran.stderr);
}

#[test]
fn a_criterion_is_ticked_once_with_what_shows_it() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &[])]);
    let accept = ["accept", "T1", "1", "-m", "seen on the staging page"];
    let ran = repo.wf(&accept).ok();
    assert!(ran.stdout.starts_with("confirmed criterion 1 of T1: "), "{}", ran.stdout);
    repo.changes_nothing(&accept);
    let error = repo.refused(1, &["accept", "T1", "99", "-m", "x"]);
    assert!(error["message"].as_str().unwrap().contains("no criterion 99"), "{error}");
    repo.refused(1, &["accept", "T7", "1", "-m", "x"]);
    repo.refused(2, &["accept", "T1", "1", "-m", " "]);
    let log = repo.git(&["log", "-p", "refs/wf/main"]).ok().stdout;
    assert!(log.contains("seen on the staging page"));
    // There is no test to run, and that is not a failure.
    repo.refused(3, &["verify", "--yes"]);
}

#[test]
fn a_rewritten_commit_is_tested_again_and_it_says_why() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["true"])]);
    repo.wf(&["settings", "evidence=required"]).ok();
    repo.wf(&["verify", "--yes"]).ok();
    let old = repo.git(&["rev-parse", "--short=10", "HEAD"]).ok().line().to_owned();
    repo.write("a.txt", "better\n");
    repo.git(&["commit", "-qa", "--amend", "-m", "Better work"]).ok();
    let error = repo.refused(1, &["done"]);
    let detail = error["details"][0].as_str().unwrap();
    assert!(detail.contains(&format!("passed at {old}, which was rewritten since")), "{error}");
    repo.wf(&["verify", "--yes"]).ok();
    repo.done();
}

#[test]
fn the_last_check_of_a_commit_is_the_one_that_counts() {
    let sandbox = Sandbox::new();
    let flag = sandbox.root().join("flag");
    let test = format!("test ! -e '{}'", flag.display());
    let repo = claimed(&sandbox, &[("T1", &[&test])]);
    repo.wf(&["settings", "evidence=required"]).ok();
    repo.wf(&["verify", "--yes"]).ok();
    std::fs::write(&flag, "").unwrap();
    repo.wf(&["verify", "--yes"]).fails(1);
    assert_eq!(repo.refused(1, &["done"])["code"], "no-evidence");
}

#[test]
fn a_reader_that_goes_away_loses_no_check() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["seq 100000", "echo second"])]);
    let binary = env!("CARGO_BIN_EXE_git-wf");
    repo.sh(&["-c", &format!("{binary} verify --yes | head -n 1")]).ok();
    let checks = checks(&repo);
    assert!(checks.len() == 2 && checks.iter().all(|check| check["exit_code"] == 0), "{checks:?}");
}

#[test]
fn of_a_huge_output_the_end_is_kept() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["head -c 20000000 /dev/zero; echo; echo the end"])]);
    let binary = env!("CARGO_BIN_EXE_git-wf");
    // With limited memory: it could not keep all the output.
    let limited = format!("ulimit -v 1000000 2>/dev/null; {binary} verify --yes > /dev/null");
    repo.sh(&["-c", &limited]).ok();
    let check = &checks(&repo)[0];
    assert_eq!(check["output_tail"], "\nthe end\n", "{check}");
}

#[test]
fn a_time_limit_has_a_unit() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["true"])]);
    for wrong in ["5", "0s", "-1s", "1.5h", "s", "", "99999999999999999999s"] {
        repo.refused(2, &["verify", "--yes", &format!("--timeout={wrong}")]);
    }
    assert_eq!(checks(&repo).len(), 0);
}

#[test]
fn an_execution_that_has_ended_takes_no_more_acceptance() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &[])]);
    repo.done();
    let error = repo.refused(1, &["accept", "T1", "1", "--item", "ISS-001", "-m", "late"]);
    assert_eq!(error["code"], "ended", "{error}");
}

#[test]
fn one_call_tests_confirms_and_completes() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["test -e a.txt"])]);
    let args = ["done", "--verify", "--yes", "--accept", "T1.1=seen in the log", "-m", "It holds"];
    let ended = repo.wf(&[&args[..], &["--json"]].concat()).ok().json();
    assert_eq!((&ended["status"], &ended["result"]["summary"]), (&json!("completed"), &json!("It holds")));
    assert_eq!(checks(&repo)[0]["exit_code"], 0);
    let subjects = repo.git(&["log", "--format=%s", REF]).ok().stdout;
    assert!(subjects.contains("\nexecution: accept T1 1 of SOL-ISS-001-"), "{subjects}");
}

#[test]
fn a_failed_test_completes_nothing_but_is_recorded() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["exit 3"])]);
    let ran = repo.wf(&["done", "--verify", "--yes", "--accept", "T1.1=seen"]).fails(1);
    assert!(ran.stderr.contains("tests failed, so nothing was completed"), "{}", ran.stderr);
    assert!(ran.stderr.contains("T1: exit 3"), "{}", ran.stderr);
    assert_eq!(repo.status("ISS-001"), "executing");
    assert_eq!(checks(&repo)[0]["exit_code"], 3);
    assert!(!repo.json(&["show", "ISS-001"]).to_string().contains("seen"));
    // Overriding the gate completes the execution.
    let force = ["--force", "--reason", "a flaky test"];
    repo.wf(&[&["done", "--verify", "--yes"][..], &force].concat()).ok();
    assert_eq!(repo.status("ISS-001"), "completed");
}

#[test]
fn a_criterion_that_the_plan_lacks_is_refused_before_anything_runs() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["touch ran"])]);
    let error = repo.refused(1, &["done", "--verify", "--yes", "--accept", "T1.9=seen"]);
    assert_eq!(error["code"], "not-found");
    assert!(!repo.path().join("ran").exists());
    for wrong in ["T1", "T1=seen", "T1.1=", "T1.0=seen", ".1=seen"] {
        repo.wf(&["done", "--accept", wrong]).fails(2);
    }
}

/// With `git -p wf verify`, git shows the output in a pager; a test writes to a pipe all the same.
#[test]
fn a_test_does_not_know_of_the_pager() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["test -z \"$GIT_PAGER_IN_USE\""])]);
    repo.with_env("GIT_PAGER_IN_USE", "true").wf(&["verify", "--yes"]).ok();
}

#[test]
fn what_runs_in_a_workplace_sees_no_token() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox, &[("T1", &["test -z \"$API_TOKEN\" && test \"$DATABASE_URL\" = here"])]);
    let config = "wf.workplace.env";
    repo.git(&["config", config, "DATABASE_URL"]).ok();
    repo.git(&["config", "wf.run.sandbox", "off"]).ok();
    let seen = sandbox.root().join("seen");
    let setup = format!("echo \"$API_TOKEN $DATABASE_URL\" >> '{}'", seen.display());
    for key in ["wf.workplace.setup", "wf.workplace.teardown"] {
        repo.git(&["config", key, &setup]).ok();
    }
    let repo = repo.with_env("API_TOKEN", "secret").with_env("DATABASE_URL", "here");
    // Somebody agrees to the setup.
    repo.queued("ISS-002", "src/b.rs");
    repo.wf(&["next", "--worktree", "../w", "--yes"]).ok();
    assert_eq!(std::fs::read_to_string(&seen).unwrap(), "secret here\n", "the worktree is the user's own");
    std::fs::remove_file(&seen).unwrap();
    repo.wf(&["verify", "--yes", "--fresh"]).ok();
    assert_eq!(std::fs::read_to_string(&seen).unwrap(), " here\n here\n");
    repo.git(&["config", "--unset", config]).ok();
    repo.wf(&["verify", "ISS-001", "--yes", "--fresh"]).fails(1);
}
