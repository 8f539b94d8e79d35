//! Changing many issues at once, saved queries, and groups.

use serde_json::json;

use crate::support::Sandbox;

#[test]
fn many_issues_are_changed_in_one_commit_or_not_at_all() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.wf(&["init"]).ok();
    for (id, tag) in [("ISS-001", "old"), ("ISS-002", "old"), ("ISS-003", "new")] {
        repo.wf(&["new", id, "--id", id, "--tag", tag]).ok();
    }
    let commits = || repo.git(&["rev-list", "--count", "refs/wf/main"]).ok().stdout;
    let before = commits();
    let preview = repo.wf(&["close", "--where", "--tag old", "--dry-run"]).ok().stdout;
    assert!(preview.contains("2 issues would be closed"), "{preview}");
    let refused = repo.wf(&["close", "--where", "--tag old", "stale"]);
    assert_eq!((refused.code, commits()), (2, before.clone()), "nobody can be asked: {}", refused.stderr);

    repo.wf(&["edit", "--where", "--tag old", "--priority", "1", "--yes"]).ok();
    repo.wf(&["comment", "--where", "--tag old", "--yes", "is this still wanted?"]).ok();
    repo.wf(&["close", "--where", "--tag old", "--yes", "stale"]).ok();
    let count = |text: &str| text.trim().parse::<usize>().unwrap();
    assert_eq!(count(&commits()), count(&before) + 3);
    for id in ["ISS-001", "ISS-002"] {
        let it = repo.wf(&["show", id, "--json"]).json();
        assert_eq!((&it["status"], &it["priority"]), (&json!("closed"), &json!(1)));
        assert_eq!(
            (&it["close_reason"], &it["comments"][0]["body"]),
            (&json!("stale"), &json!("is this still wanted?"))
        );
    }
    assert_eq!(repo.wf(&["show", "ISS-003", "--json"]).json()["status"], "registered");
    // A single `undo` undoes all of it.
    repo.wf(&["undo"]).ok();
    assert_eq!(repo.wf(&["show", "ISS-002", "--json"]).json()["status"], "registered");
    assert_eq!(repo.wf(&["close", "--where", "--tag none", "--yes"]).code, 3, "no issue matches");
    let refused = repo.wf(&["close", "--where", "--frob", "--yes"]).fails(2).stderr;
    assert!(refused.contains("`--where` has no argument `--frob`"), "{refused}");
    let refused = repo.wf(&["close", "--where", "--tag old", "ISS-001", "-m", "x"]).fails(2).stderr;
    assert!(refused.contains("--where and an issue cannot be given together"), "{refused}");
}

#[test]
fn a_saved_query_stands_for_its_options() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.wf(&["init"]).ok();
    repo.wf(&["new", "One", "--id", "ISS-001", "--tag", "a", "--type", "bug"]).ok();
    repo.wf(&["new", "Two", "--id", "ISS-002", "--tag", "b", "--priority", "1"]).ok();
    repo.git(&["config", "wf.query.a", "--tag a"]).ok();
    let listed = repo.wf(&["list", "@a", "--json"]).json();
    assert_eq!((&listed[0]["id"], listed.as_array().unwrap().len()), (&json!("ISS-001"), 1));
    let unknown = repo.wf(&["list", "@b"]);
    assert!(unknown.code == 2 && unknown.stderr.contains("git config wf.query.b"), "{}", unknown.stderr);
    repo.wf(&["edit", "--where", "@a", "--assignee", "me", "--yes"]).ok();
    assert_eq!(repo.wf(&["show", "ISS-001", "--json"]).json()["assignee"], "me");
    // In a pipe, groups only affect the order.
    let grouped = repo.wf(&["list", "--group-by", "type"]).ok().stdout;
    let ids: Vec<&str> = grouped.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(ids, ["ID", "ISS-001", "ISS-002"]);
    repo.git(&["config", "wf.query.grouped", "--group-by type"]).ok();
    for shape in [&["--json"][..], &["--count"], &["--brief"], &["--fields", "id"], &["--format", "%(id)"]] {
        let refused = repo.wf(&[&["list", "@grouped"][..], shape].concat()).fails(2);
        assert!(refused.stderr.contains("out of the saved query that has it"), "{}", refused.stderr);
    }
}

#[test]
fn what_is_printed_follows_the_options() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.wf(&["init"]).ok();
    repo.wf(&["new", "One", "--id", "ISS-001"]).ok();
    assert!(!repo.wf(&["list"]).ok().stdout.contains('\u{1b}'), "a pipe gets no colour");
    assert!(repo.wf(&["list", "--color", "always"]).ok().stdout.contains('\u{1b}'));
    assert!(repo.wf(&["show", "ISS-001", "--date", "iso"]).ok().stdout.contains(" +0000"));
    let said = repo.wf(&["edit", "ISS-001", "--title", "Two", "--verbose"]);
    assert!(said.stderr.contains("of the store records it"), "{}", said.stderr);
}
