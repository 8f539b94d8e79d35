//! Roles: what a role does not allow is refused before anything has happened.

use serde_json::json;

use crate::support::{Repo, Sandbox, plan_on};

/// A claimed plan, whose test leaves a file behind, and one commit for it, with hooks.
fn claimed(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.repo("code");
        repo.wf(&["init", "--hooks"]).ok();
        repo.commit("a.txt", "one\n", "start");
        let mut plan = plan_on("a.txt");
        plan["tasks"][0]["test"] = json!({ "commands": ["touch tested"] });
        repo.planned("ISS-001", &plan);
        repo.wf(&["queue", "add", "ISS-001"]).ok();
        repo.wf(&["next"]).ok();
        repo
    })
}

#[track_caller]
fn refused(repo: &Repo, role: &str, args: &[&str]) {
    let error = repo.with_env("WF_ROLE", role).refused(1, args);
    assert_eq!(error["code"], "not-your-role", "{args:?}: {error}");
}

#[test]
fn a_planner_runs_no_tests() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox);
    refused(&repo, "planner", &["verify", "--yes"]);
    assert!(!repo.path().join("tested").exists());
    repo.with_env("WF_ROLE", "executor").wf(&["verify", "--yes"]).ok();
    assert!(repo.path().join("tested").exists());
}

#[test]
fn a_planner_claims_nothing_and_leaves_no_worktree() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("code");
    repo.wf(&["init"]).ok();
    repo.commit("a.txt", "one\n", "start");
    repo.queued("ISS-001", "a.txt");
    let worktrees = || repo.git(&["worktree", "list", "--porcelain"]).ok().stdout;
    let (before, steps) = (worktrees(), repo.steps());
    let path = sandbox.root().join("there");
    refused(&repo, "planner", &["next", "--worktree", path.to_str().unwrap()]);
    assert_eq!((worktrees(), repo.steps()), (before, steps));
    assert!(!path.exists());
    // There is nothing to claim, but the role is still the error.
    refused(&repo, "reviewer", &["next", "S-9"]);
}

#[test]
fn a_role_is_refused_before_its_arguments_are_looked_at() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for args in [
        &["close", "ISS-9"][..],
        &["done"],
        &["fail", "-m", "no"],
        &["link", "HEAD", "ISS-9"],
        &["fsck", "--repair"],
    ] {
        refused(&repo, "planner", args);
    }
    for args in [&["fsck"][..], &["list"], &["link", "--find", "--dry-run"]] {
        repo.with_env("WF_ROLE", "planner").wf(args).ok();
    }
}

#[test]
fn only_an_executor_starts_a_task() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox);
    refused(&repo, "planner", &["task", "start", "T1"]);
    repo.with_env("WF_ROLE", "executor").wf(&["task", "start", "T1"]).ok();
}

#[test]
fn a_role_that_nobody_knows_exchanges_nothing() {
    let sandbox = Sandbox::new();
    let origin = sandbox.bare("origin");
    let repo = sandbox.store("a");
    repo.git(&["remote", "add", "origin", origin.path().to_str().unwrap()]).ok();
    for command in ["sync", "pull", "push"] {
        let error = repo.with_env("WF_ROLE", "planer").refused(1, &[command]);
        assert_eq!(error["code"], "unknown-role");
    }
    assert_eq!(origin.tip(), None);
    repo.with_env("WF_ROLE", "reviewer").wf(&["sync"]).ok();
    assert_eq!(origin.tip(), repo.tip());
}

#[test]
fn only_an_owner_purges() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    repo.wf(&["redact", "ISS-001", "title", "-m", "secret"]).ok();
    let tip = repo.tip();
    refused(&repo, "integrator", &["redact", "--purge", "--yes"]);
    assert_eq!(repo.tip(), tip);
}

/// `commit-msg` refuses it, but it can be passed over. An existing commit is a fact: the hook records it with the role, and
/// the audit reports it.
#[test]
fn a_commit_of_the_wrong_role_is_linked_and_named_by_the_audit() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox);
    let planner = repo.with_env("WF_ROLE", "planner");
    planner.write("a.txt", "two\n");
    planner.git(&["commit", "--quiet", "--no-verify", "-a", "-m", "change"]).ok();
    let shown = repo.json(&["show", "ISS-001"]);
    assert_eq!(shown["executions"][0]["commits"].as_array().map(Vec::len), Some(1));
    let audit = repo.json(&["audit"]);
    let named = audit["findings"].as_array().unwrap().iter().any(|it| it["kind"] == "role");
    assert!(named, "{audit}");
}

#[test]
fn an_import_brings_only_what_the_role_may_write() {
    let sandbox = Sandbox::new();
    let from = sandbox.store("from");
    from.issue("ISS-001");
    let export = |name: &str| {
        let file = sandbox.root().join(name);
        from.wf(&["export", "jsonl", "-o", file.to_str().unwrap()]).ok();
        file.to_str().unwrap().to_owned()
    };
    let issues = export("issues.jsonl");
    from.wf(&["settings", "review=required"]).ok();
    let policy = export("policy.jsonl");
    let repo = sandbox.store("a");
    let tip = repo.tip();
    for args in [&["import", "jsonl", &policy][..], &["import", "jsonl", "--dry-run", &policy]] {
        let error = repo.with_env("WF_ROLE", "explorer").refused(1, args);
        assert_eq!(error["message"], "an explorer may not import policies");
        assert!(error["hint"].as_str().unwrap().starts_with("only an owner may;"), "{error}");
    }
    assert_eq!(repo.tip(), tip);
    repo.with_env("WF_ROLE", "explorer").wf(&["import", "jsonl", &issues]).ok();
    repo.wf(&["import", "jsonl", &policy]).ok();

    // A store of ccw has plans and queues, too.
    let project = sandbox.root().join("project");
    std::fs::create_dir_all(project.join(".workflow/issues/solutions")).unwrap();
    let at = "2026-01-01T08:00:00.000Z";
    let issue = json!({"id": "ISS-009", "title": "T", "status": "planned", "priority": 3, "created_at": at,
        "updated_at": at, "bound_solution_id": "SOL-ISS-009-1"});
    let plan = json!({"id": "SOL-ISS-009-1", "description": "Change it", "is_bound": true, "created_at": at,
        "tasks": [{"id": "T1", "title": "Change", "scope": "src", "action": "Fix", "implementation": ["change it"],
            "acceptance": {"criteria": ["it works"], "verification": ["cargo test"]}}]});
    let folder = project.join(".workflow/issues");
    std::fs::write(folder.join("issues.jsonl"), format!("{issue}\n")).unwrap();
    let path = project.to_str().unwrap();
    let explorer = repo.with_env("WF_ROLE", "explorer");
    std::fs::write(folder.join("solutions/ISS-009.jsonl"), format!("{plan}\n")).unwrap();
    let tip = repo.tip();
    let error = explorer.refused(1, &["import", "ccw", path]);
    assert!(error["message"].as_str().unwrap().starts_with("an explorer may not import "), "{error}");
    assert_eq!(repo.tip(), tip);
    repo.with_env("WF_ROLE", "planner").wf(&["import", "ccw", path]).ok();

    from.planned("ISS-002", &plan_on("a.txt"));
    let plans = export("plans.jsonl");
    refused(&repo, "explorer", &["import", "jsonl", &plans]);
    repo.with_env("WF_ROLE", "planner").wf(&["import", "jsonl", &plans]).ok();
    from.wf(&["queue", "add", "ISS-002", "--force", "--reason", "urgent"]).ok();
    let queues = export("queues.jsonl");
    refused(&repo, "planner", &["import", "jsonl", &queues]);
    repo.with_env("WF_ROLE", "integrator").wf(&["import", "jsonl", &queues]).ok();

    for (args, what) in [
        (&["close", "ISS-001", "-m", "done"][..], "the closing of issues"),
        (&["reopen", "ISS-001", "-m", "not yet"], "the reopening of issues"),
    ] {
        from.wf(args).ok();
        let file = export(&format!("{}.jsonl", args[0]));
        let error = repo.with_env("WF_ROLE", "integrator").refused(1, &["import", "jsonl", &file]);
        assert_eq!(error["message"], format!("an integrator may not import {what}"));
        repo.wf(&["import", "jsonl", &file]).ok();
    }
}

#[test]
fn a_role_that_cannot_be_read_is_not_none() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["new", "--id", "ISS-001", "One"]).ok();
    let ran = repo.sh(&["-c", "WF_ROLE=$(printf 'planner\\377') git wf close ISS-001"]);
    assert!(ran.code == 1 && ran.stderr.contains("which is not a role"), "{}", ran.stderr);
    assert_eq!(repo.status("ISS-001"), "registered");
}

#[test]
fn only_an_owner_changes_what_is_installed() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox);
    let hooks = || repo.json(&["hooks", "status"]);
    let before = hooks();
    for role in ["planner", "executor", "coordinator"] {
        for args in [
            &["hooks", "uninstall"][..],
            &["hooks", "install"],
            &["agents", "setup", "claude"],
            &["agents", "setup", "--remove", "claude"],
            &["setup"],
        ] {
            refused(&repo, role, args);
        }
    }
    assert_eq!(hooks(), before);
    repo.with_env("WF_ROLE", "planner").wf(&["agents", "setup", "--check", "claude"]);
    repo.with_env("WF_ROLE", "planner").wf(&["hooks", "status"]).ok();
}

#[test]
fn who_changes_nothing_edits_no_issue() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    for role in ["explorer", "reviewer"] {
        refused(&repo, role, &["edit", "ISS-001", "--priority", "1"]);
        repo.with_env("WF_ROLE", role).wf(&["comment", "ISS-001", "-m", "seen"]).ok();
    }
    repo.with_env("WF_ROLE", "planner").wf(&["edit", "ISS-001", "--priority", "1"]).ok();
}

#[test]
fn a_role_undoes_only_what_was_done_in_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    repo.wf(&["edit", "ISS-001", "--title", "Two"]).ok();
    let planner = repo.with_env("WF_ROLE", "planner");
    assert_eq!(planner.refused(3, &["undo"])["code"], "nothing-to-do");
    planner.wf(&["edit", "ISS-001", "--title", "Three"]).ok();
    planner.wf(&["undo"]).ok();
    assert_eq!(repo.json(&["show", "ISS-001"])["title"], "Two");
}

#[test]
fn the_role_is_looked_at_before_a_run() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for args in [&["run"][..], &["run", "ISS-9", "--yes"], &["run", "resume"], &["run", "resume", "RUN-9"]] {
        refused(&repo, "executor", args);
    }
}
