//! `edit`, `comment`, `close`, `reopen`: what they change, which transitions are legal, and that repeating a command
//! changes nothing.

use serde_json::json;

use crate::support::{Repo, Sandbox, Two, plan_on};

#[test]
fn edit_changes_what_is_named_and_nothing_else() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["new", "--id", "ISS-001", "Old", "-m", "text", "-t", "a", "-t", "b", "--component", "api"])
        .ok();
    repo.issue("ISS-002");
    let args = ["-t=-a", "-t", "c", "--component=-api", "--depends-on", "002", "--assignee", "Bo", "-p", "1"];
    let issue = repo.json(&[&["edit", "ISS-001", "--title", "New"], &args[..]].concat());
    assert_eq!(issue["title"], "New");
    assert_eq!(issue["context"], "text");
    assert_eq!(issue["tags"], json!(["b", "c"]));
    assert_eq!(issue["affected_components"], json!(null));
    assert_eq!(issue["depends_on"], json!(["ISS-002"]));
    assert_eq!((&issue["assignee"], &issue["priority"]), (&json!("Bo"), &json!(1)));
    repo.changes_nothing(&[&["edit", "ISS-001", "--title", "New"], &args[..]].concat());
    let issue = repo.json(&["edit", "ISS-001", "--assignee", "", "--depends-on=-ISS-002", "-F", "-"]);
    assert_eq!(
        (&issue["assignee"], &issue["depends_on"], &issue["context"]),
        (&json!(null), &json!(null), &json!(null))
    );
    assert_eq!(
        repo.json_in(r#"{"tags": ["z"]}"#, &["edit", "ISS-001", "--from-json", "-"])["tags"],
        json!(["z"])
    );
    repo.write("editor", "sed -i -e 's/^New/Newer/' \"$1\"\n");
    let issue = repo.with_env("GIT_EDITOR", "sh ./editor").json(&["edit", "ISS-001", "-e", "-m", "body"]);
    assert_eq!((&issue["title"], &issue["context"]), (&json!("Newer"), &json!("body")));
    assert_eq!(repo.refused(1, &["edit", "ISS-001", "--title", " "])["code"], "empty-title");
    // Another id means another issue.
    let error = repo.refused_in(r#"{"id": "ISS-002"}"#, 1, &["edit", "ISS-001", "--from-json", "-"]);
    assert_eq!(error["code"], "other-issue");
    repo.wf_in(r#"{"id": "ISS-001", "title": "Same"}"#, &["edit", "ISS-001", "--from-json", "-"]).ok();
}

#[test]
fn an_author_and_a_date_in_the_input_are_ignored_aloud() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let input = r#"{"id": "ISS-001", "title": "T", "author": "Bo <bo@x.org>", "created_at": "2020-01-01T00:00:00.000Z"}"#;
    let said = repo.wf_in(input, &["new", "--from-json", "-"]).ok().stderr;
    assert!(said.contains("`author` and `created_at` were ignored: `ISS-001` keeps its own"), "{said}");
    assert!(said.contains("git wf import jsonl FILE"), "{said}");
    let input = r#"{"author": "Bo <bo@x.org>"}"#;
    let said = repo.wf_in(input, &["edit", "ISS-001", "--from-json", "-"]).ok().stderr;
    assert!(said.contains("`author` was ignored"), "{said}");
    // What `show --json` prints can be read again in silence.
    let shown = repo.wf(&["show", "ISS-001", "--json"]).ok().stdout;
    assert_eq!(repo.wf_in(shown, &["edit", "ISS-001", "--from-json", "-"]).ok().stderr, "");
}

#[test]
fn dependencies_have_no_cycle_and_exist() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("A-1");
    repo.wf(&["new", "B", "--id", "B-1", "--depends-on", "A-1"]).ok();
    repo.wf(&["new", "C", "--id", "C-1", "--depends-on", "B-1"]).ok();
    let error = repo.refused(1, &["edit", "A-1", "--depends-on", "C-1"]);
    assert_eq!(error["code"], "cycle");
    assert_eq!(error["message"], "the issues would depend on each other in a cycle: A-1 → C-1 → B-1 → A-1");
    assert_eq!(repo.refused(1, &["edit", "A-1", "--depends-on", "A-1"])["code"], "self-dependency");
    assert_eq!(repo.refused(1, &["edit", "A-1", "--depends-on", "ISS-404"])["code"], "not-found");
    let input = r#"{"depends_on": ["ISS-404"]}"#;
    assert_eq!(repo.refused_in(input, 1, &["edit", "A-1", "--from-json", "-"])["code"], "not-found");
}

#[test]
fn cycles_that_a_merge_made_can_be_taken_apart() {
    let two = Two::new();
    for id in ["P-1", "Q-1", "R-1"] {
        two.ada.issue(id);
    }
    two.meet();
    let edit = |repo: &Repo, issue: &str, option: &str, value: &str| {
        repo.wf(&["edit", issue, &format!("--{option}={value}")]).ok();
    };
    for other in ["Q-1", "R-1"] {
        edit(&two.ada, "P-1", "depends-on", other);
        edit(&two.ada, "P-1", "relation", &format!("parent-child:{other}"));
        edit(&two.bea, other, "depends-on", "P-1");
        edit(&two.bea, other, "relation", "parent-child:P-1");
    }
    two.meet();
    edit(&two.ada, "P-1", "relation", "relates-to:Q-1");
    edit(&two.ada, "P-1", "depends-on", "-Q-1");
    edit(&two.ada, "P-1", "relation", "-parent-child:R-1");
    let add = ["edit", "P-1", "--depends-on=Q-1"];
    assert_eq!(two.ada.refused(1, &add)["code"], "cycle");
    let add = ["edit", "P-1", "--relation=parent-child:R-1"];
    assert_eq!(two.ada.refused(1, &add)["code"], "cycle");
}

#[test]
fn dependencies_on_missing_issues_can_be_removed_one_by_one() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let blocks = |id: &str| json!({"issue_id": "bd-1", "depends_on_id": id, "type": "blocks"});
    let issue = json!({"id": "bd-1", "title": "bead", "status": "open", "priority": 2, "issue_type": "bug",
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
        "dependencies": [blocks("bd-8"), blocks("bd-9")]});
    repo.wf_in(issue.to_string(), &["import", "beads", "-"]).ok();
    assert_eq!(repo.json(&["edit", "bd-1", "--depends-on=-bd-8"])["depends_on"], json!(["bd-9"]));
}

#[test]
fn moves_are_legal_illegal_or_forced() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    for status in ["planning", "registered", "paused"] {
        assert_eq!(repo.json(&["edit", "ISS-001", "--status", status])["status"], status);
        repo.changes_nothing(&["edit", "ISS-001", "--status", status]);
    }
    let error = repo.refused(1, &["edit", "ISS-001", "--status", "planning"]);
    assert_eq!(error["code"], "illegal-move");
    let message = "issue `ISS-001` is paused; only a registered or planned issue can be moved to `planning`";
    assert_eq!(error["message"], message);
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains("`git wf reopen ISS-001`") && !hint.contains("--force"), "{hint}");
    let args = ["edit", "ISS-001", "--status", "planning", "--force", "--reason", "we are sure"];
    assert_eq!(repo.json(&args)["status"], "planning");
    assert_eq!(repo.json(&["log", "-n", "1"])[0]["force"], "we are sure");
    // If no gate is in the way, --force is accepted, too, and needs a reason.
    repo.wf(&["edit", "ISS-001", "--status", "registered", "--force", "--reason", "again"]).ok();
    repo.refused(2, &["edit", "ISS-001", "--status", "planning", "--force"]);
    repo.refused(2, &["edit", "ISS-001", "--status", "planning", "--reason", "x"]);
    repo.refused(2, &["edit", "ISS-001", "--status", "lost"]);
    // An issue is planned only if a plan is bound.
    repo.wf(&["edit", "ISS-001", "--status", "planning"]).ok();
    assert_eq!(repo.refused(1, &["edit", "ISS-001", "--status", "planned"])["code"], "not-bound");
    for (derived, way) in
        [("queued", "plan"), ("executing", "plan"), ("completed", "done"), ("failed", "fail")]
    {
        let error = repo.refused(1, &["edit", "ISS-001", "--status", derived]);
        assert_eq!(error["code"], "derived-status");
        assert!(error["hint"].as_str().unwrap().contains(&format!("git wf {way}")), "{error}");
    }
    for word in ["completed", "resolved"] {
        let error = repo.refused(1, &["edit", "ISS-001", "--status", word]);
        assert_eq!(error["message"], "`completed` cannot be set");
        assert!(error["hint"].as_str().unwrap().contains("git wf close ISS-001"), "{error}");
    }
    let error = repo.refused(1, &["edit", "ISS-001", "--status", "closed"]);
    assert!(error["hint"].as_str().unwrap().contains("git wf close ISS-001"), "{error}");
    // `in-progress` is read as `planning`.
    repo.changes_nothing(&["edit", "ISS-001", "--status", "in-progress"]);
}

#[test]
fn close_and_reopen() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let issue = repo.json(&["close", "ISS-001", "-m", "not ours"]);
    assert_eq!((&issue["status"], &issue["close_reason"]), (&json!("closed"), &json!("not ours")));
    repo.changes_nothing(&["close", "ISS-001"]);
    repo.changes_nothing(&["close", "ISS-001", "-m", "not ours"]);
    assert_eq!(repo.json(&["close", "ISS-001", "-m", "theirs"])["close_reason"], "theirs");
    let issue = repo.json(&["reopen", "ISS-001", "-m", "it is ours"]);
    assert_eq!((&issue["status"], &issue["close_reason"]), (&json!("registered"), &json!(null)));
    assert!(repo.last_message().starts_with("issue: reopen ISS-001: it is ours\n"));
    repo.changes_nothing(&["reopen", "ISS-001"]);
    // Moved elsewhere by force, it is no longer closed either.
    repo.wf(&["close", "ISS-001", "-m", "again"]).ok();
    repo.wf(&["edit", "ISS-001", "--status", "planning", "--force", "--reason", "x"]).ok();
    assert_eq!(repo.json(&["show", "ISS-001"])["close_reason"], json!(null));
    // What waited in a queue waits there again.
    repo.queued("ISS-002", "src/a.rs");
    repo.wf(&["edit", "ISS-002", "--status", "paused"]).ok();
    assert_eq!(repo.items(), [("S-1".into(), "blocked".into())]);
    assert_eq!(repo.json(&["reopen", "ISS-002"])["status"], "queued");
    // With a plan, it becomes planned again.
    repo.planned("ISS-003", &plan_on("src/c.rs"));
    repo.wf(&["edit", "ISS-003", "--status", "cancelled"]).ok();
    assert_eq!(repo.json(&["reopen", "ISS-003"])["status"], "planned");
    // An issue that someone executes cannot be closed.
    repo.wf(&["next"]).ok();
    assert_eq!(repo.refused(1, &["close", "ISS-002"])["code"], "illegal-move");
    assert_eq!(repo.json(&["close", "ISS-002", "--force", "--reason", "stop"])["status"], "closed");
    // Its item waits for nothing any more, until the issue is reopened.
    assert_eq!(repo.items(), [("S-1".into(), "completed".into())]);
    assert!(!repo.wf(&[]).ok().stdout.contains("not ready ("));
    assert_eq!(repo.refused(3, &["next"])["code"], "nothing-to-do");
    repo.wf(&["reopen", "ISS-002"]).ok();
    assert_eq!(repo.items(), [("S-1".into(), "ready".into())]);
}

#[test]
fn comments_come_from_flag_file_stdin_or_editor() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let comment = repo.json(&["comment", "ISS-001", "-m", "one"]);
    assert_eq!(repo.json(&["comment", "ISS-001", "-m", "- a point"])["body"], "- a point");
    assert_eq!((&comment["body"], &comment["author"]), (&json!("one"), &json!("Ada <ada@example.org>")));
    repo.write("text.md", "two\n");
    repo.wf(&["comment", "ISS-001", "-F", "text.md"]).ok();
    repo.wf_in("three", &["comment", "ISS-001", "-F", "-"]).ok();
    repo.write("editor", "printf four >\"$1\"\n");
    repo.with_env("GIT_EDITOR", "sh ./editor").wf(&["comment", "ISS-001", "-e"]).ok();
    let shown = repo.json(&["show", "ISS-001"]);
    assert_eq!(
        crate::support::column(&shown["comments"], "body"),
        ["one", "- a point", "two", "three", "four"]
    );
    repo.refused(2, &["comment", "ISS-001"]);
    assert_eq!(repo.refused(1, &["comment", "ISS-001", "-m", " \n "])["code"], "empty-comment");
    assert_eq!(repo.refused(1, &["comment", "ISS-404", "-m", "x"])["code"], "not-found");
    assert_eq!(repo.refused_in(b"\xff", 1, &["comment", "ISS-001", "-F", "-"])["code"], "invalid-utf8");
}
