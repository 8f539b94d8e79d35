//! Gates, roles and reviews, as they were in force when the work was done.

use super::*;

#[test]
fn evidence_that_is_missing_counts_as_the_policy_says() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    claimed(&repo, "ISS-001", &tested("a.txt", &["true"]));
    commit(&repo, "a.txt", "two\n");
    repo.done();
    let audit = repo.json(&["audit", "--strict"]);
    assert_eq!(findings(&audit)[0].1, "note");
    assert_eq!((&audit["task_count"], &audit["evidenced_count"]), (&json!(1), &json!(0)));
    repo.wf(&["settings", "evidence=required"]).ok();
    let audit = repo.wf(&["audit", "--strict", "--json"]).fails(1).json();
    assert_eq!(findings(&audit)[0].0, "missing_check");
}

#[test]
fn a_test_that_failed_is_a_fault_whatever_the_policy_says() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    claimed(&repo, "ISS-1", &tested("a.txt", &["exit 3"]));
    commit(&repo, "a.txt", "a");
    repo.wf(&["verify", "--yes"]).fails(1);
    repo.wf(&["done", "--force", "--reason", "the runner is broken"]).ok();
    let ran = repo.wf(&["audit", "--strict"]).fails(1);
    assert!(ran.stdout.contains("T1: `exit 3` failed at commit"), "{}", ran.stdout);
}

#[test]
fn the_plan_that_was_reviewed_is_the_one_that_counts() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let solution = repo.planned("ISS-001", &tested("a.txt", &[]));
    let reviewer = repo.as_person("Rita", "rita@example.org");
    let scores = ["--technical", "90", "--risk", "90", "--completeness", "90"];
    reviewer.wf(&[&["solution", "review", &solution], &scores[..]].concat()).ok();
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    repo.wf(&["next"]).ok();
    commit(&repo, "a.txt", "two\n");
    repo.done();
    let audit = repo.json(&["audit"]);
    assert_eq!(audit["commits"][0]["bound_to"][0]["review"], "approved", "{audit:#}");
    assert_eq!(audit["findings"], json!([]));
    // A policy that was set later finds plans that nobody reviewed.
    claimed(&repo, "ISS-002", &tested("b.txt", &[]));
    commit(&repo, "b.txt", "two\n");
    repo.done();
    repo.wf(&["settings", "review=required"]).ok();
    assert_eq!(kinds(&repo.json(&["audit"])), ["unreviewed"]);
}

#[test]
fn overrides_are_notes_with_their_reasons_and_roles_are_kept_to() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    claimed(&repo, "ISS-001", &tested("a.txt", &[]));
    commit(&repo, "a.txt", "two\n");
    let forced = ["done", "--force", "--reason", "it is late"];
    let refused = repo.with_env("WF_ROLE", "planner").refused(1, &forced);
    assert_eq!(refused["code"], "not-your-role");
    repo.wf(&forced).ok();
    repo.made_as("planner");
    let told = findings(&repo.json(&["audit"]));
    assert_eq!(told[0].0, "override");
    assert!(told[0].2.contains("it is late"), "{told:?}");
    assert!(told[1].0 == "role" && told[1].2.contains("role planner"), "{told:?}");
}

#[test]
fn a_policy_that_was_changed_in_a_role_meanwhile_is_a_fault() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    // Also before anything was claimed: a role is never allowed to do it.
    repo.wf(&["settings", "review=required"]).ok();
    repo.made_as("executor");
    repo.wf(&["settings", "review=none"]).ok();
    let later = repo.ahead(10);
    claimed(&later, "ISS-001", &tested("a.txt", &[]));
    commit(&later, "a.txt", "two\n");
    later.wf(&["settings", "commits=required"]).ok();
    later.made_as("executor");
    later.done();
    let told = findings(&later.json(&["audit"]));
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told.iter().all(|it| it.0 == "role" && it.2.contains("settings")), "{told:?}");
}

#[test]
fn a_role_is_kept_to_on_issues_without_commits_too() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    repo.planned("ISS-009", &tested("c.txt", &[]));
    repo.wf(&["queue", "add", "ISS-009"]).ok();
    repo.made_as("planner");
    // Before anyone executed anything.
    let audit = repo.json(&["audit"]);
    assert_eq!((&audit["range"], &audit["commit_count"]), (&json!("no commits"), &json!(0)));
    let breach = &audit["findings"][0];
    assert_eq!((&breach["kind"], &breach["severity"]), (&json!("role"), &json!("fault")));
    assert_eq!(breach["issue_id"], "ISS-009");
    repo.wf(&["audit", "--strict"]).fails(1);

    repo.wf(&["queue", "hold", "ISS-009", "-m", "later"]).ok();
    claimed(&repo, "ISS-001", &tested("a.txt", &[]));
    commit(&repo, "a.txt", "two\n");
    repo.done();
    let whole = repo.json(&["audit"]);
    assert_eq!(findings(&whole).iter().map(|it| (&*it.0, &*it.1)).collect::<Vec<_>>(), [("role", "fault")]);
    // In a range it is only a note: no change of that range can correct it.
    let part = findings(&repo.json(&["audit", "HEAD~1..HEAD", "--strict"]));
    assert_eq!((&*part[0].0, &*part[0].1), ("role", "note"));
    assert!(part[0].2.contains("(outside the range)"), "{part:?}");
}

#[test]
fn a_gate_that_was_overridden_without_a_commit_is_told() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    claimed(&repo, "ISS-001", &tested("a.txt", &[]));
    commit(&repo, "a.txt", "two\n");
    repo.done();
    claimed(&repo, "ISS-002", &tested("b.txt", &[]));
    repo.wf(&["done", "--force", "--reason", "answered by mail"]).ok();
    repo.wf(&["close", "ISS-002", "-m", "over", "--force", "--reason", "tidy up"]).ok();
    let overrides = |args: &[&str]| -> Vec<(String, Value)> {
        let audit = repo.json(args);
        let all = audit["findings"].as_array().unwrap();
        let text = |it: &Value| it["message"].as_str().unwrap().to_owned();
        all.iter()
            .filter(|it| it["kind"] == "override")
            .map(|it| (text(it), it["issue_id"].clone()))
            .collect()
    };
    let whole = overrides(&["audit"]);
    assert!(whole[0].0.contains("overrode a gate: answered by mail"), "{whole:?}");
    assert_eq!(whole.iter().map(|it| &it.1).collect::<Vec<_>>(), [&json!("ISS-002"), &json!("ISS-002")]);
    let part = overrides(&["audit", "HEAD~1..HEAD"]);
    assert_eq!(part.len(), 1, "{part:?}");
    assert!(part[0].0.ends_with("answered by mail (outside the range)"), "{part:?}");
}
