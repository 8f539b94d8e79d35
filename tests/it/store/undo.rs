//! Undoing one's last command.

use serde_json::json;

use crate::support::{Sandbox, plan_on};

#[test]
fn fields_are_restored_one_command_after_the_other() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.wf(&["init"]).ok();
    repo.wf(&["new", "One", "--id", "ISS-001", "--tag", "a"]).ok();
    repo.wf(&["edit", "ISS-001", "--title", "Two", "--tag", "b,-a"]).ok();
    repo.wf(&["close", "ISS-001", "-m", "done"]).ok();
    let shown = || {
        let it = repo.wf(&["show", "ISS-001", "--json"]).json();
        (it["title"].clone(), it["tags"].clone(), it["status"].clone())
    };
    assert_eq!(shown(), (json!("Two"), json!(["b"]), json!("closed")));
    let undone = repo.wf(&["undo", "--json"]).json();
    assert!(undone["subject"].as_str().unwrap().starts_with("issue: close ISS-001"), "{undone}");
    assert_eq!(shown(), (json!("Two"), json!(["b"]), json!("registered")));
    repo.wf(&["undo"]).ok();
    assert_eq!(shown(), (json!("One"), json!(["a"]), json!("registered")));
    let refused = repo.wf(&["undo", "--json"]);
    assert_eq!((refused.code, refused.json_error()["code"].clone()), (1, json!("cannot-undo")));
    assert_eq!(repo.wf(&["fsck"]).code, 0);
}

#[test]
fn what_others_changed_since_stays() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.wf(&["init"]).ok();
    repo.wf(&["new", "One", "--id", "ISS-001"]).ok();
    repo.wf(&["edit", "ISS-001", "--title", "Two", "--assignee", "me"]).ok();
    let bob = repo.as_person("Bob", "bob@example.com");
    bob.wf(&["edit", "ISS-001", "--title", "Three"]).ok();
    let undone = repo.wf(&["undo", "--json"]).json();
    assert_eq!(undone["restored"], json!([{"record": "ISS-001", "field": "assignee"}]));
    assert!(
        undone["kept"][0]["why"].as_str().unwrap().contains("`title` has been changed since"),
        "{undone}"
    );
    let it = repo.wf(&["show", "ISS-001", "--json"]).json();
    assert_eq!((&it["title"], &it["assignee"]), (&json!("Three"), &json!(null)));
}

#[test]
fn a_comment_is_withdrawn_and_an_item_leaves_its_queue() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.wf(&["init"]).ok();
    repo.commit("src/a.rs", "one\n", "Begin");
    repo.planned("ISS-001", &plan_on("src/a.rs"));
    repo.wf(&["queue", "manage", "new"]).ok();
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    repo.wf(&["comment", "ISS-001", "a mistake"]).ok();
    let said = repo.wf(&["undo"]).ok().stdout;
    assert!(said.contains("withdrew comment ") && said.contains(" of ISS-001\n"), "{said}");
    let comments = repo.wf(&["show", "ISS-001", "--json"]).json()["comments"].clone();
    assert_eq!((&comments[0]["body"], &comments[0]["is_withdrawn"]), (&json!(""), &json!(true)));
    let said = repo.wf(&["undo"]).ok().stdout;
    assert!(said.contains("removed SOL-") && said.contains(" from QUE-"), "{said}");
    assert_eq!(repo.wf(&["show", "ISS-001", "--json"]).json()["status"], "planned");
}

#[test]
fn a_claim_is_released_and_not_taken_back() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.wf(&["init"]).ok();
    repo.commit("src/a.rs", "one\n", "Begin");
    repo.planned("ISS-001", &plan_on("src/a.rs"));
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    repo.wf(&["next", "--local"]).ok();
    let refused = repo.wf(&["undo"]);
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("git wf lease release"), "{}", refused.stderr);
}

#[test]
fn an_edited_comment_gets_its_text_back() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.wf(&["init"]).ok();
    repo.wf(&["new", "One", "--id", "ISS-001"]).ok();
    repo.wf(&["comment", "ISS-001", "-m", "as it was"]).ok();
    let id = repo.wf(&["show", "ISS-001", "--json"]).json()["comments"][0]["id"].as_str().unwrap().to_owned();
    repo.wf(&["comment", "ISS-001", "--withdraw", &id]).ok();
    let undone = repo.wf(&["undo", "--json"]).json();
    let restored = &undone["restored"][0];
    assert_eq!((&restored["record"], &restored["field"]), (&json!("ISS-001"), &json!("body")), "{undone}");
    assert!(restored["comment"].is_string() && restored["item"].is_null(), "{undone}");
    assert_eq!(repo.wf(&["show", "ISS-001", "--json"]).json()["comments"][0]["body"], "as it was");
    repo.wf(&["comment", "ISS-001", "--withdraw", &id]).ok();
    let said = repo.wf(&["undo"]).ok().stdout;
    assert!(said.contains("restored `body` of comment ") && !said.contains("withdrew"), "{said}");
    // Now the comment itself is the last command that was not undone.
    repo.wf(&["undo"]).ok();
    let comment = repo.wf(&["show", "ISS-001", "--json"]).json()["comments"][0].clone();
    assert_eq!((&comment["body"], &comment["is_withdrawn"]), (&json!(""), &json!(true)));
}

#[test]
fn a_field_that_was_edited_twice_is_undone_twice() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.wf(&["init"]).ok();
    repo.wf(&["new", "One", "--id", "ISS-001"]).ok();
    repo.wf(&["edit", "ISS-001", "--title", "Two"]).ok();
    repo.wf(&["edit", "ISS-001", "--title", "Three"]).ok();
    let title = || repo.wf(&["show", "ISS-001", "--json"]).json()["title"].clone();
    repo.wf(&["undo"]).ok();
    assert_eq!(title(), "Two");
    repo.wf(&["undo"]).ok();
    assert_eq!(title(), "One");
}

#[test]
fn a_command_before_one_that_cannot_be_undone_is_named_and_undone() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.wf(&["init"]).ok();
    repo.wf(&["new", "One", "--id", "ISS-001"]).ok();
    repo.wf(&["edit", "ISS-001", "--title", "Two"]).ok();
    repo.wf(&["new", "Another", "--id", "ISS-002"]).ok();
    let refused = repo.wf(&["undo"]).fails(1).stderr;
    let again = refused.split('`').find(|it| it.starts_with("git wf undo ")).expect("a command");
    let commit = again.rsplit(' ').next().unwrap();
    assert!(refused.contains("undoes `issue: edit ISS-001"), "{refused}");
    repo.wf(&["undo", commit]).ok();
    assert_eq!(repo.wf(&["show", "ISS-001", "--json"]).json()["title"], "One");
    let refused = repo.wf(&["undo", commit]).fails(1).stderr;
    assert!(refused.contains("git wf log --author"), "{refused}");
}

#[test]
fn what_was_undone_and_what_stays_is_said_in_words() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("work");
    let plan = repo.planned("ISS-001", &plan_on("src/a.rs"));
    repo.wf(&["edit", "ISS-001", "--tag", "x"]).ok();
    let said = repo.wf(&["undo"]).ok().stdout;
    assert!(said.contains("  removed `x` from the tags of ISS-001\n"), "{said}");
    repo.wf(&["plan", "choose", "ISS-001", "--none"]).ok();
    repo.wf(&["solution", "withdraw", &plan, "-m", "no"]).ok();
    let said = repo.wf(&["undo"]).ok().stdout;
    assert!(said.contains(", which was withdrawn\n"), "{said}");
    repo.wf(&["feedback", "ISS-001", "-m", "too vague"]).ok();
    let refused = repo.wf(&["undo"]).fails(1).stderr;
    assert!(refused.contains("the feedback on ISS-001: entries of a log"), "{refused}");
    repo.wf(&["bind", "ISS-001", &plan]).ok();
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    repo.wf(&["next", "--local"]).ok();
    repo.commit("src/a.rs", "one\n", "One");
    repo.commit("src/a.rs", "two\n", "Two");
    repo.wf(&["link", "HEAD~2..HEAD", "ISS-001"]);
    repo.done();
    let refused = repo.wf(&["undo"]).fails(1).stderr;
    assert!(refused.contains("`git wf reopen ISS-001`"), "{refused}");
    assert_eq!(refused.matches("entries of a log").count(), 1, "{refused}");
}

#[test]
fn a_role_is_told_that_a_command_was_made_in_another() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("work");
    repo.wf(&["new", "One", "--id", "ISS-001"]).ok();
    repo.wf(&["edit", "ISS-001", "--title", "Two"]).ok();
    let commit = repo.tip().unwrap();
    let planner = repo.with_env("WF_ROLE", "planner");
    let refused = planner.wf(&["undo", &commit]).fails(1).stderr;
    assert!(refused.contains(&format!("`{commit}` was not made as a planner")), "{refused}");
    let refused = planner.wf(&["undo"]).fails(3).stderr;
    assert!(refused.contains("you have no command to undo as a planner"), "{refused}");
    repo.wf(&["undo", &commit]).ok();
    assert_eq!(repo.json(&["show", "ISS-001"])["title"], "One");
}

/// An earlier command is only offered if something of it can be undone.
#[test]
fn a_plan_is_withdrawn_and_no_remedy_leads_to_the_next_refusal() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("work");
    repo.wf(&["new", "One", "--id", "ISS-001"]).ok();
    repo.wf(&["edit", "ISS-001", "--title", "Two"]).ok();
    for task in ["a", "b", "c"] {
        repo.wf(&["plan", "ISS-001", "--task", task]).ok();
    }
    let refused = repo.wf(&["undo"]).fails(1).stderr;
    let plan =
        refused.split('`').find_map(|it| it.strip_prefix("git wf plan withdraw -m WHY ")).expect("a plan");
    repo.wf(&["plan", "withdraw", plan, "-m", "a mistake"]).ok();
    repo.wf(&["undo"]).ok();
    let again = refused.split('`').find(|it| it.starts_with("git wf undo ")).expect("a command");
    repo.wf(&again.split(' ').skip(2).collect::<Vec<_>>()).ok();
}
