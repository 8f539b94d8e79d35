//! Runs in which issues, agents or clones meet each other.

use serde_json::{Value, json};

use super::resolved::{REFUSES, on_resolve};
use super::world::{BUILDS, World};
use crate::support::{Repo, Two, column, plan_on};

/// Plans to change a file that is called after the issue, which is in the name of the worktree that the planner reads.
const PLANS_OWN_FILE: &str = "sed \"s/a\\\\.txt/${PWD##*/read-}.txt/g\" \"$HERE/plan.json\"";

#[test]
fn two_plans_that_change_the_same_line_end_in_one_merge_and_one_conflict() {
    let world = World::new();
    world.repo.issue("ISS-2");
    // Each plan names a file of its own, so nothing keeps them apart; both agents change `a.txt`.
    world.repo.sh(&["-c", "mkfifo ../meet"]).ok();
    world.agent("planner", &format!("HERE='{}'; {PLANS_OWN_FILE}", world.sandbox.root().display()));
    // The first at work waits until the second is, too.
    let meet = "if once first; then cat \"$HERE/meet\" >/dev/null; else echo > \"$HERE/meet\"; fi";
    let work = "n=$(git branch --show-current); echo $n > a.txt; echo $n > \"$(echo $n | grep -o 'ISS-[0-9]').txt\"; git add .; git commit -q -m Change; echo '{\"status\": \"completed\"}'";
    world.agent("executor", &format!("{}\n{meet}\n{work}", on_resolve(REFUSES)));
    let state = world.run(1, &["ISS-1", "ISS-2", "--jobs", "2", "--plan-jobs", "2"]);
    let (lost, won) =
        if state["issues"]["ISS-1"]["status"] == "failed" { ("ISS-1", "ISS-2") } else { ("ISS-2", "ISS-1") };
    assert_eq!(state["issues"][won]["status"], "completed", "{state:#}");
    let last = state["errors"].as_array().unwrap().iter().rfind(|it| it["issue_id"] == lost).unwrap();
    let message = last["message"].as_str().unwrap();
    assert!(last["error_type"] == "merge-conflict" && message.contains("a.txt"), "{last:#}");
    // Its work is complete, and stays on its branch; the branch of the run has the other's.
    let branch = message.split("branch ").nth(1).unwrap().split(' ').next().unwrap();
    assert_eq!(world.repo.git(&["show", &format!("{branch}:a.txt")]).ok().line(), branch);
    let run = world.repo.json(&["run", "show"]);
    let of_run = world.repo.git(&["show", &format!("{}:a.txt", run["branch"].as_str().unwrap())]).ok();
    assert!(of_run.stdout.starts_with(&format!("wf/SOL-{won}")), "{}", of_run.stdout);
    assert_eq!(world.repo.status(lost), "completed");
    let report = world.repo.json(&["run", "report"]);
    let waiting = report["waiting"].as_array().unwrap();
    assert!(waiting.iter().any(|it| it["issue_id"] == lost), "{waiting:#?}");
    world.is_untouched();
}

/// A hook that refuses every commit.
fn refusing_hook(world: &World) -> std::path::PathBuf {
    let hook = world.repo.path().join(".git/hooks/pre-commit");
    let script = "printf '#!/bin/sh\\necho no >&2\\nexit 1\\n'";
    world.repo.sh(&["-c", &format!("{script} > '{0}' && chmod +x '{0}'", hook.display())]).ok();
    hook
}

#[test]
fn why_the_run_cannot_commit_for_an_agent_is_told() {
    let world = World::new();
    refusing_hook(&world);
    world.agent("executor", "date >> a.txt; echo '{\"status\": \"completed\"}'");
    world.repo.git(&["config", "wf.agent.executor.commits", "false"]).ok();
    let told = world.repo.wf(&["run", "--yes", "ISS-1"]).fails(1).stderr;
    assert!(told.contains("warning: ISS-1: its changes cannot be committed: "), "{told}");
}

#[test]
fn a_commit_that_a_hook_refuses_leaves_a_snapshot() {
    let world = World::new();
    let hook = refusing_hook(&world);
    world.repo.wf(&["settings", "commits=required", "evidence=required"]).ok();
    let state = world.run(1, &["ISS-1"]);
    let (kind, message) = World::error(&state);
    assert_eq!(kind, "commit_failed", "{state:#}");
    let branch = message.split("on the branch ").nth(1).unwrap().trim_end_matches(')');
    assert_ne!(world.repo.git(&["show", &format!("{branch}:a.txt")]).ok().stdout, "one\n");
    std::fs::remove_file(hook).unwrap();
    world.is_untouched();
}

#[test]
fn a_run_whose_workers_all_fail_says_so() {
    let world = World::new();
    world.repo.issue("ISS-2");
    world.agent("executor", "exit 3");
    let state = world.run(1, &["ISS-1", "ISS-2", "--jobs", "2"]);
    let last = state["errors"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&last["error_type"], &last["phase"]),
        (&json!("all-workers-failed"), &json!("complete")),
        "{state:#}"
    );
    for issue in ["ISS-1", "ISS-2"] {
        assert_eq!(
            (world.repo.status(issue), &state["issues"][issue]["status"]),
            ("failed".into(), &json!("failed"))
        );
    }
    let shown = world.repo.wf(&["run", "show"]).ok().stdout;
    assert!(shown.contains("exit code 3"), "{shown}");
    world.is_untouched();
}

#[test]
fn what_depends_on_a_failed_issue_is_a_stall_with_the_chain() {
    let world = World::new();
    world.repo.issue("ISS-2");
    world.repo.issue("ISS-3");
    world.repo.wf(&["edit", "ISS-1", "--depends-on", "ISS-2"]).ok();
    let fails = "case $(git branch --show-current) in *ISS-2*) exit 3 ;; esac";
    world.agent("executor", &format!("{fails}\n{BUILDS}"));
    let state = world.run(1, &["ISS-1", "ISS-2", "ISS-3"]);
    assert_eq!(state["issues"]["ISS-3"]["status"], "completed", "{state:#}");
    assert!(World::error(&state).1.contains("ISS-2"), "{state:#}");
    let last = state["errors"].as_array().unwrap().last().unwrap();
    assert_eq!(last["error_type"], "stalled", "{state:#}");
    world.is_untouched();
}

/// The shell agents of a clone: each plan and its work are about a file of its own.
fn agents(repo: &Repo) {
    let here = repo.path().parent().unwrap().display().to_string();
    repo.wf(&["hooks", "install"]).ok();
    let builds = "n=$(git branch --show-current | grep -o 'ISS-[0-9]'); echo x > $n.txt; git add $n.txt; \
                  git commit -q -m Change; echo '{\"status\": \"completed\"}'";
    for (role, script) in [("planner", PLANS_OWN_FILE), ("executor", builds)] {
        let path = format!("{here}/{role}.sh");
        std::fs::write(&path, format!("HERE='{here}'\n{script}\n")).unwrap();
        repo.git(&["config", &format!("wf.agent.{role}.command"), &format!("sh '{path}'")]).ok();
        repo.git(&["config", &format!("wf.run.{role}"), role]).ok();
    }
    let mut plan = plan_on("a.txt");
    plan["tasks"][0]["test"]["commands"] = json!(["test -s a.txt"]);
    std::fs::write(format!("{here}/plan.json"), plan.to_string()).unwrap();
}

#[test]
fn two_clones_that_run_the_same_issues_execute_each_once() {
    let two = Two::new();
    let ids = ["ISS-1", "ISS-2", "ISS-3", "ISS-4"];
    for id in ids {
        two.ada.issue(id);
    }
    two.ada.commit("a.txt", "one\n", "Begin");
    two.ada.git(&["push", "-q", "origin", "HEAD:refs/heads/main"]).ok();
    two.bea.git(&["fetch", "-q"]).ok();
    two.bea.git(&["checkout", "-q", "-B", "main", "origin/main"]).ok();
    agents(&two.ada);
    agents(&two.bea);
    two.ada.wf(&[&["run", "--plan-only", "--yes"][..], &ids].concat()).ok();
    two.meet();
    let runs: Vec<std::process::Child> = [&two.ada, &two.bea]
        .map(|repo| {
            let args = [&["run", "--execute-only", "--yes"][..], &ids].concat();
            let mut command = repo.command(env!("CARGO_BIN_EXE_git-wf"), &args);
            command.stderr(std::process::Stdio::piped()).stdout(std::process::Stdio::null()).spawn().unwrap()
        })
        .into();
    let told: Vec<String> = runs
        .into_iter()
        .map(|run| String::from_utf8_lossy(&run.wait_with_output().unwrap().stderr).into_owned())
        .collect();
    two.meet();
    for id in ids {
        let issue = two.ada.json(&["show", id]);
        assert_eq!(issue["status"], "completed", "{told:#?}\n{issue:#}");
        let executions: Vec<&Value> = issue["executions"].as_array().unwrap().iter().collect();
        assert_eq!(executions.len(), 1, "{told:#?}\n{issue:#}");
    }
    two.assert_one_state();
}

#[test]
fn plans_that_share_a_file_are_executed_in_the_order_of_the_queue() {
    let world = World::new();
    world.repo.issue("ISS-2");
    for order in [["ISS-2", "ISS-1"], ["ISS-1", "ISS-2"]] {
        let args = [&order[..], &["--mode", "batch", "--skip-review", "--jobs", "2"]].concat();
        let state = world.run(0, &args);
        assert_eq!(state["context"]["completed_count"], 2, "{order:?}: {state:#}");
        assert_eq!(state["errors"], json!([]), "{order:?}: {state:#}");
        for issue in order {
            world.repo.wf(&["reopen", issue]).ok();
        }
    }
}

#[test]
fn an_item_outside_of_the_run_that_comes_first_is_waited_for() {
    let world = World::new();
    let plan = std::fs::read_to_string(world.sandbox.root().join("plan.json")).unwrap();
    world.repo.planned("ISS-9", &serde_json::from_str(&plan).unwrap());
    world.repo.wf(&["edit", "ISS-9", "--priority", "critical"]).ok();
    world.repo.wf(&["queue", "add", "ISS-9"]).ok();
    let state = world.run(1, &["ISS-1"]);
    let (kind, message) = World::error(&state);
    assert!(message.contains("(`ISS-9`) comes first in the queue, and shares `a.txt`"), "{kind}: {state:#}");
    assert_eq!(world.repo.status("ISS-1"), "queued");
    assert_eq!(world.repo.json(&["show", "ISS-1"])["executions"], json!([]));
    world.run(0, &["ISS-9", "ISS-1", "--execute-only"]);
}

#[test]
fn what_an_agent_commits_is_linked_without_hooks() {
    let world = World::new();
    world.repo.wf(&["hooks", "uninstall"]).ok();
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    let commits = world.repo.json(&["show", "ISS-1"])["executions"][0]["commits"].clone();
    assert_eq!(commits.as_array().unwrap().len(), 1, "{commits:#}");
    assert_eq!(
        (&commits[0]["linked_by"], &commits[0]["task_id"]),
        (&json!("run"), &json!("T1")),
        "{commits:#}"
    );
}

#[test]
fn the_tests_of_a_plan_see_what_its_executor_sees() {
    let world = World::new();
    let seen = world.sandbox.root().join("seen");
    world.plan("plan.json", "sh t.sh");
    let test = format!("echo \"${{SECRET_TOKEN-none}} $WF_ROLE\" > '{}'", seen.display());
    let writes = format!("cat > t.sh <<'END'\n{test}\nEND\ngit add t.sh; git commit -q -m Test");
    world.agent("executor", &format!("{writes}\necho '{{\"status\": \"completed\"}}'"));
    let repo = world.repo.with_env("SECRET_TOKEN", "hunter2");
    repo.wf(&["run", "ISS-1", "--yes"]).ok();
    assert_eq!(std::fs::read_to_string(seen).unwrap(), "none executor\n");
}

#[test]
fn a_dry_run_says_what_it_would_do_for_each_issue_in_each_phase() {
    let world = World::new();
    let plan = std::fs::read_to_string(world.sandbox.root().join("plan.json")).unwrap();
    world.repo.planned("ISS-2", &serde_json::from_str(&plan).unwrap());
    let args = ["run", "ISS-1", "ISS-2", "--dry-run"];
    let dry = world.repo.json(&args);
    let steps = |n: usize| column(&dry["issues"][n]["steps"], "action");
    assert_eq!(steps(0), ["plan", "queue", "execute", "integrate"], "{dry:#}");
    assert_eq!(steps(1), ["queue", "execute", "integrate"]);
    assert_eq!(
        dry["issues"][0]["steps"][0],
        json!({"action": "plan", "phase": "planning", "agent": "planner"})
    );
    let said = world.repo.wf(&args).ok().stdout;
    let line = said.lines().find(|line| line.starts_with("ISS-1")).unwrap();
    assert!(line.contains("plan, queue") && line.contains("execute, merge"), "{said}");
    assert_eq!(world.repo.json(&["run", "list"]), json!([]));
    // A reviewer that is named reviews, whatever the number of issues.
    let reviewed = world.repo.json(&[&args[..], &["--reviewer", "planner"]].concat());
    assert_eq!(column(&reviewed["issues"][0]["steps"], "action")[..2], ["plan", "review"], "{reviewed:#}");
}

#[test]
fn a_dry_run_says_what_an_issue_waits_for_that_cannot_be_executed() {
    let world = World::new();
    for id in ["ISS-2", "ISS-3"] {
        world.repo.issue(id);
    }
    world.repo.wf(&["edit", "ISS-2", "--depends-on", "ISS-1"]).ok();
    world.repo.wf(&["edit", "ISS-3", "--depends-on", "ISS-2"]).ok();
    let args = ["run", "ISS-2", "ISS-3", "--dry-run"];
    let dry = world.repo.json(&args);
    let said = world.repo.wf(&args).ok().stdout;
    for (n, needed, words) in [
        (0, "ISS-1", "ISS-1, which is registered and not in this run"),
        (1, "ISS-2", "ISS-2, which is itself waiting"),
    ] {
        let issue = &dry["issues"][n];
        assert_eq!(column(&issue["steps"], "action"), ["plan", "queue"], "{dry:#}");
        assert_eq!((&issue["waits_for"], &issue["blocked"]), (&json!([needed]), &json!(words)), "{dry:#}");
        assert!(said.contains(words), "{said}");
    }
    // What waits only for others of the run comes to its end.
    let args = ["run", "ISS-1", "ISS-2", "ISS-3", "--dry-run"];
    let dry = world.repo.json(&args);
    for (n, waits_for) in [json!([]), json!(["ISS-1"]), json!(["ISS-2"])].into_iter().enumerate() {
        let issue = &dry["issues"][n];
        assert_eq!((&issue["waits_for"], issue.get("blocked")), (&waits_for, None), "{dry:#}");
        assert!(column(&issue["steps"], "action").contains(&"integrate".into()), "{dry:#}");
    }
    let said = world.repo.wf(&args).ok().stdout;
    let line = said.lines().find(|line| line.starts_with("ISS-2")).unwrap();
    assert!(line.contains(" ISS-1 "), "{said}");
}

#[test]
fn a_dry_run_tells_what_a_person_must_do_from_the_issues_that_one_waits_for() {
    let world = World::new();
    let plan = std::fs::read(world.sandbox.root().join("plan.json")).unwrap();
    world.repo.wf_in(plan, &["solution", "add", "ISS-1", "--no-bind"]).ok();
    world.repo.issue("ISS-2");
    world.repo.wf(&["edit", "ISS-2", "--depends-on", "ISS-1"]).ok();
    let args = ["run", "ISS-1", "ISS-2", "--dry-run"];
    let dry = world.repo.json(&args);
    let [first, second] = [&dry["issues"][0], &dry["issues"][1]];
    let words = "a choice of one of its plans";
    assert_eq!((&first["waits_for"], &first["person"]), (&json!([]), &json!(words)), "{dry:#}");
    assert_eq!((&second["waits_for"], second.get("person")), (&json!(["ISS-1"]), None), "{dry:#}");
    let said = world.repo.wf(&args).ok().stdout;
    assert!(said.lines().any(|line| line.starts_with("ISS-1") && line.contains(words)), "{said}");
}

#[test]
fn an_issue_without_a_plan_is_skipped_by_a_run_that_makes_none() {
    let world = World::new();
    let ran = world.repo.wf(&["run", "ISS-1", "--execute-only", "--yes"]).fails(3);
    assert!(ran.stderr.contains("skipped `ISS-1`: it has no bound plan"), "{}", ran.stderr);
    assert!(ran.stderr.contains("`git wf run ISS-1`"), "{}", ran.stderr);
    assert_eq!(world.repo.json(&["run", "list"]), json!([]));
}
