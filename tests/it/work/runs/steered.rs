//! Runs that are steered from elsewhere while they are at work.

use std::process::Stdio;

use serde_json::json;

use super::live::{Live, WAITS, gate, latest, open};
use super::resolved::{BOTH, conflicting};
use super::sessions;
use super::world::{BUILDS, PLANS, World};
use crate::support::{Ends, column, plan_on, record};

/// Runs git-wf in the repository of the user, as a person would in another terminal.
fn person(world: &World, words: &str) -> String {
    let (program, repo) = (env!("CARGO_BIN_EXE_git-wf"), world.repo.path().display());
    format!(
        "(cd '{repo}' && unset WF_ROLE WF_ACTOR WF_RUN WF_RUN_FILES && '{program}' {words} >> \"$HERE/told\" 2>&1)"
    )
}

fn told(world: &World) -> String {
    std::fs::read_to_string(world.sandbox.root().join("told")).unwrap_or_default()
}

#[test]
fn the_work_on_one_issue_is_stopped_and_the_run_goes_on() {
    let world = World::new();
    world.repo.issue("ISS-2");
    // Plans that share a file would wait for each other.
    let mut other = plan_on("b.txt");
    other["tasks"][0]["test"]["commands"] = json!(["test -s a.txt"]);
    std::fs::write(world.sandbox.root().join("other.json"), other.to_string()).unwrap();
    world.agent("planner", &format!("case $PWD in *ISS-2) cat \"$HERE/other.json\";; *) {PLANS};; esac"));
    world.repo.sh(&["-c", "mkfifo ../never"]).ok();
    let stops = person(&world, "run stop ISS-1");
    let works = format!("date >> a.txt; git add a.txt; git commit -q -m Half; {stops}; cat \"$HERE/never\"");
    world.agent("executor", &format!("if once stopped; then {works}; fi; {BUILDS}"));
    let state = world.run(1, &["ISS-1", "ISS-2"]);
    let (kind, message) = World::error(&state);
    assert_eq!(kind, "stopped", "{state:#}");
    assert!(message.contains("stopped it"), "{message}");
    assert!(told(&world).contains("stops the work on ISS-1"), "{}", told(&world));
    // Its claim is given back, and its work is kept.
    assert_eq!(
        (world.repo.status("ISS-1"), world.repo.status("ISS-2")),
        ("queued".into(), "completed".into())
    );
    assert!(message.contains("its work is on the branch"), "{message}");
    world.repo.wf(&["fsck"]).ok();
    assert!(world.repo.wf(&["run", "stop", "ISS-1"]).code != 0);
}

/// Nothing is left of an agent that had not begun.
#[test]
fn a_setup_that_hangs_ends_when_its_issue_is_stopped() {
    let world = World::new();
    let (shows, stops) = (person(&world, "run show"), person(&world, "run stop ISS-1"));
    let root = world.sandbox.root().display().to_string();
    let setup = format!("export HERE='{root}'; case $PWD in *SOL-*) {shows}; {stops}; sleep 1000 ;; esac");
    world.repo.git(&["config", "wf.workplace.setup", &setup]).ok();
    let state = world.run(1, &["ISS-1"]);
    assert_eq!(World::error(&state).0, "stopped", "{state:#}");
    assert!(told(&world).contains("ISS-1: the setup command export HERE="), "{}", told(&world));
    assert_eq!(world.repo.status("ISS-1"), "queued");
    assert_eq!(world.repo.git(&["worktree", "list"]).ok().stdout.lines().count(), 1);
    assert_eq!(world.repo.git(&["branch", "--list", "wf/*"]).ok().stdout, "");
    let beside = std::fs::read_dir(world.sandbox.root()).unwrap();
    let names: Vec<_> = beside.map(|entry| entry.unwrap().file_name()).collect();
    assert!(!names.iter().any(|name| name.to_string_lossy().starts_with("code-")), "{names:?}");
}

#[test]
fn an_issue_is_added_while_the_run_is_at_work() {
    let world = World::new();
    world.repo.issue("ISS-2");
    let adds = person(&world, "run add ISS-2");
    world.agent("executor", &format!("if once added; then {adds}; fi; {BUILDS}"));
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["context"]["completed_count"], 2, "{state:#}");
    let run = world.repo.json(&["run", "show"]);
    assert_eq!(run["issue_ids"], json!(["ISS-1", "ISS-2"]));
    world.repo.wf(&["fsck"]).ok();
}

#[test]
fn an_issue_that_failed_is_taken_up_again() {
    let world = World::new();
    world.repo.issue("ISS-2");
    let adds = person(&world, "run add ISS-1");
    // The first execution fails, the second one takes the first issue up again.
    let second = format!("if once second; then {adds}; fi");
    world.agent(
        "executor",
        &format!("if once first; then exit 3; fi; if once again; then exit 3; fi; {second}; {BUILDS}"),
    );
    let state = world.run(0, &["ISS-1", "ISS-2"]);
    assert_eq!(state["context"]["completed_count"], 2, "{state:#}\n{}", told(&world));
    let executions = world.repo.json(&["show", "ISS-1"])["executions"].clone();
    assert_eq!(column(&executions, "status"), ["failed", "completed"]);
}

#[test]
fn a_paused_run_begins_nothing_until_it_goes_on() {
    let world = World::new();
    world.repo.issue("ISS-2");
    let pauses = person(&world, "run pause");
    world.agent("executor", &format!("if once paused; then {pauses}; fi; {BUILDS}"));
    let program = env!("CARGO_BIN_EXE_git-wf");
    let budget = ["--budget", "9000000 tokens"];
    let mut run = world.repo.command(program, &[&["run", "ISS-1", "ISS-2", "--yes"][..], &budget].concat());
    let mut run = Ends(run.stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap());
    // The step in hand comes to its end, and no other one begins.
    while world.repo.json(&["show", "ISS-1"])["status"] != "completed" {
        assert!(run.0.try_wait().unwrap().is_none(), "{}", told(&world));
    }
    let shown = world.repo.json(&["run", "show"]);
    assert_eq!(shown["is_paused"], true, "{shown:#}");
    assert_eq!(world.repo.json(&["show", "ISS-2"])["executions"], json!([]));
    let refused = world.repo.refused(3, &["run", "pause"]);
    assert!(refused["message"].as_str().unwrap().contains("is already paused"), "{refused}");
    // It goes on where it is, with the agents that it has.
    let refused = world.repo.refused(2, &["run", "resume", "--planner", "nobody"]);
    assert!(refused["message"].as_str().unwrap().contains("goes on with its agents"), "{refused}");
    let goes = world.repo.wf(&["run", "resume", "--budget", "50 USD"]).ok().stdout;
    assert!(goes.contains("continues"), "{goes}");
    assert!(run.0.wait().unwrap().success());
    assert_eq!(world.repo.status("ISS-2"), "completed");
    let log = world.repo.json(&["run", "log"]);
    let goes_on = log.as_array().unwrap().iter().find(|entry| entry["order"] == "resume").unwrap();
    assert!(goes_on["budget"].to_string().contains("50"), "{goes_on:#}");
    assert_eq!(goes_on["budget"]["tokens"], 9_000_000, "{goes_on:#}");
}

#[test]
fn only_a_run_at_work_can_be_steered() {
    let world = World::new();
    for args in [&["run", "pause"][..], &["run", "stop", "ISS-1"], &["run", "add", "ISS-1"]] {
        assert_eq!(world.repo.refused(3, args)["message"], "no run is at work");
    }
    world.run(0, &["ISS-1"]);
    let id = world.repo.json(&["run", "show"])["id"].as_str().unwrap().to_owned();
    assert_eq!(world.repo.refused(1, &["run", "pause", &id])["code"], "run-ended");
}

#[test]
fn what_agents_used_before_the_run_was_killed_is_recorded() {
    for (role, steps) in [("planner", "spent"), ("executor", "session")] {
        let world = World::new();
        let kills = "time.sleep(1); os.kill(int(open(os.path.join(HERE, 'run')).read()), 9); sys.stdin.readline(); sys.exit()";
        let later = "sys.exit(1)";
        let kills = format!("import time; {kills}");
        let first = format!("if once('killed'): {kills}\n            sys.exit(1)");
        if !sessions::agent(&world, role, "{}", &first, later) {
            return;
        }
        let root = world.sandbox.root().display().to_string();
        let program = env!("CARGO_BIN_EXE_git-wf");
        let call = format!("echo $$ > '{root}/run'; exec '{program}' run ISS-1 --yes");
        world.repo.sh(&["-c", &call]);
        assert_eq!(world.repo.json(&["run", "show"])["driven"], "interrupted", "{role}");
        world.repo.wf(&["run", "resume", "--yes"]).fails(1);
        let spent = match steps {
            "spent" => {
                let log = world.repo.json(&["run", "log"]);
                log.as_array().unwrap().iter().find(|entry| entry["type"] == "spent").unwrap()["tokens"]
                    .clone()
            }
            _ => world.repo.json(&["show", "ISS-1"])["executions"][0]["sessions"][0]["tokens"].clone(),
        };
        assert!(spent.as_u64().is_some_and(|tokens| tokens > 0), "{role}: {spent}");
    }
}

#[test]
fn what_a_planner_used_before_it_was_stopped_is_recorded() {
    let world = World::new();
    let stop = person(&world, "run stop ISS-1");
    let root = world.sandbox.root().display().to_string();
    let stops = format!(
        "subprocess.call({stop:?}, shell=True, env=dict(os.environ, HERE={root:?})); sys.stdin.readline(); sys.exit()"
    );
    if !sessions::agent(&world, "planner", "{}", &stops, "sys.exit(1)") {
        return;
    }
    let state = world.run(1, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["error"], "Ada <ada@example.org> stopped it", "{state:#}");
    let log = world.repo.json(&["run", "log"]);
    let entry = |kind: &str| log.as_array().unwrap().iter().find(|entry| entry["type"] == kind);
    let spent = entry("spent").unwrap();
    assert_eq!(spent["action"], "plan", "{log:#}");
    assert!(spent["tokens"].as_u64().is_some_and(|tokens| tokens > 0), "{log:#}");
    // It does not count as a failed attempt.
    assert_eq!(entry("setback"), None, "{log:#}");
    let report = world.repo.json(&["run", "report"]);
    assert_eq!(report["totals"]["tokens"], spent["tokens"], "{report:#}");
}

/// A world whose plan has a test that says when it runs, by opening `up`, and never ends.
fn hanging_test() -> World {
    let world = World::new();
    world.repo.sh(&["-c", "mkfifo ../up ../never"]).ok();
    let here = world.sandbox.root().display().to_string();
    world.plan("plan.json", &format!("echo > '{here}/up'; cat '{here}/never'"));
    world
}

#[test]
fn a_test_ends_when_the_work_on_its_issue_is_stopped() {
    let world = hanging_test();
    let live = Live::until("execution by executor", &world.repo, &["run", "ISS-1", "--land", "--yes"]);
    std::fs::read(world.sandbox.root().join("up")).unwrap();
    world.repo.wf(&["run", "stop", "ISS-1"]).ok();
    let (code, told) = live.ends();
    assert_eq!(code, 1, "{told}");
    assert_eq!(world.repo.status("ISS-1"), "queued", "{told}");
    let state = world.repo.json(&["run", "show"])["state"].clone();
    assert_eq!(World::error(&state).0, "stopped", "{state:#}");
    // Nothing of it is merged, and the run itself did not fail.
    assert_eq!(world.repo.git(&["for-each-ref", "refs/heads/wf/RUN-*"]).ok().stdout, "");
    world.is_untouched();
    let log = world.repo.json(&["run", "log"]);
    let last = log.as_array().unwrap().last().unwrap();
    assert_eq!((&last["type"], &last["error"]), (&json!("phase"), &json!(null)), "{last:#}");
}

#[test]
fn what_is_told_while_a_run_ends_is_done_first() {
    let world = World::new();
    world.repo.issue("ISS-2");
    let (program, repo) = (env!("CARGO_BIN_EXE_git-wf"), world.repo.path().display().to_string());
    let adds = format!("cd '{repo}' && '{program}' run add ISS-2");
    let ran = world.repo.with_env("WF_FAULT", "ending").with_env("WF_FAULT_RUN", &adds);
    ran.wf(&["run", "ISS-1", "--yes"]).ok();
    assert_eq!(
        (world.repo.status("ISS-1"), world.repo.status("ISS-2")),
        ("completed".into(), "completed".into())
    );
    // Once it has ended, nobody is told that it takes something.
    world.repo.issue("ISS-3");
    let run = latest(&world.repo);
    assert_eq!(world.repo.refused(1, &["run", "add", "ISS-3", "--run", &run])["code"], "run-ended");
}

#[test]
fn the_claim_of_an_issue_that_is_stopped_in_an_interrupted_run_is_given_back() {
    let world = World::new();
    let repo = &world.repo;
    repo.sh(&["-c", "mkfifo ../up ../never"]).ok();
    let works = "date >> a.txt; git commit -q -a -m Half; echo > \"$HERE/up\"; cat \"$HERE/never\"";
    world.agent("executor", works);
    let live = Live::until("execution by executor", repo, &["run", "ISS-1", "--yes"]);
    std::fs::read(world.sandbox.root().join("up")).unwrap();
    live.kill();
    assert_eq!(repo.status("ISS-1"), "executing");
    let run = latest(repo);
    repo.wf(&["run", "stop", "ISS-1", "--run", &run]).ok();
    let ran = repo.wf(&["run", "resume", "--yes"]).fails(1);
    assert_eq!(repo.status("ISS-1"), "queued", "{}", ran.stderr);
    let state = repo.json(&["run", "show"])["state"].clone();
    assert!(World::error(&state).1.contains("stopped it"), "{state:#}");
    let kept =
        ran.stderr.split_once("its work is on the branch ").unwrap_or_else(|| panic!("{}", ran.stderr)).1;
    let kept = kept.split_whitespace().next().unwrap();
    assert_eq!(repo.git(&["log", "-1", "--format=%s", kept]).ok().stdout, "Half\n");
    repo.wf(&["next", "ISS-1", "--worktree", "../mine"]).ok();
}

#[test]
fn an_agent_that_resolves_a_conflict_can_be_stopped() {
    // The place of the repository is known only once it is there.
    let world = conflicting("sh \"$HERE/stop.sh\"; cat \"$HERE/never\"");
    world.repo.sh(&["-c", "mkfifo ../never"]).ok();
    let here = world.sandbox.root();
    let stops = ["ISS-1", "ISS-2"].map(|issue| person(&world, &format!("run stop {issue}"))).join("; ");
    std::fs::write(here.join("stop.sh"), format!("HERE='{}'\n{stops}\n", here.display())).unwrap();
    let ran = world.repo.wf(&[&["run"], &BOTH[..], &["--yes"]].concat()).fails(1);
    let run = world.repo.json(&["run", "show"]);
    let issues = run["state"]["issues"].to_string();
    assert_eq!(issues.matches("stopped it").count(), 1, "{}\n{}\n{run:#}", told(&world), ran.stderr);
    // The other one is merged.
    assert_eq!(issues.matches("\"completed\"").count(), 1, "{run:#}");
}

/// As one that a newer version wrote.
#[test]
fn an_entry_of_the_log_that_cannot_be_read_does_not_keep_a_run_from_its_end() {
    let world = World::new();
    gate(&world);
    world.agent("executor", &format!("{WAITS}; {BUILDS}"));
    let live = Live::until("execution by executor", &world.repo, &["run", "ISS-1", "--yes"]);
    let run = latest(&world.repo);
    let entry = json!({"type": "later", "actor": "Ada", "at": "2026-11-21T01:05:00.000Z"});
    let (id, entry) = record::entry("20261121T010500000Z-00000", entry);
    world.repo.plumb_records(&[(format!("runs/{run}/log/{id}.json"), entry)]);
    open(&world);
    let (code, told) = live.ends();
    assert_eq!((code, world.repo.status("ISS-1").as_str()), (0, "completed"), "{told}");
    assert_eq!(world.repo.json(&["run", "show"])["state"]["status"], "completed");
}

/// The landing of the first issue takes until both are merged.
#[test]
fn work_that_waits_to_land_does_not_land_once_it_is_stopped() {
    let world = World::new();
    let repo = &world.repo;
    repo.issue("ISS-2");
    let here = world.sandbox.root().display();
    let test = format!("n=0; until test -e '{here}/go' || test $n = 600; do n=$((n+1)); sleep 0.1; done");
    repo.git(&["config", "wf.land.test", &test]).ok();
    let args = ["run", "ISS-1", "ISS-2", "--land", "--jobs", "2", "--yes"];
    let live = Live::until("ISS-2 About ISS-2: merged into", repo, &args);
    repo.wf(&["run", "stop", "ISS-2"]).ok();
    std::fs::write(world.sandbox.root().join("go"), "").unwrap();
    let (_, told) = live.ends();
    assert_eq!(column(&repo.json(&["list", "--unlanded"]), "id"), ["ISS-2"], "{told}");
    let issues = repo.json(&["run", "show"])["state"]["issues"].clone();
    assert!(issues["ISS-2"]["error"].as_str().unwrap().contains("stopped it"), "{issues:#}");
}
