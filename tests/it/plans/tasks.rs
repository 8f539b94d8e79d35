//! `task add`, `task edit` and `task list`.

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox, column, plan, plan_on};

fn digest(repo: &Repo, id: &str) -> Value {
    repo.json(&["show", id])["plan_digest"].clone()
}

#[test]
fn a_task_is_changed_field_by_field_and_the_plan_as_a_whole() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let id = repo.planned("ISS-001", &plan());
    let before = digest(&repo, &id);
    let args = [
        "task",
        "edit",
        &id,
        "t2",
        "--title",
        "Answer 429",
        "--action",
        "implement",
        "--scope",
        "src/limit",
        "--description",
        "",
        "--step",
        "One",
        "--step",
        "Two",
        "--path",
        "src/middleware/mod.rs",
        "--path",
        "src/new.rs",
        "--done-when",
        "101 requests end in a 429",
        "--verify",
        "Run: cargo test limit",
        "--test",
        "cargo test limit",
        "--after",
        "",
        "--minutes",
        "50",
        "--priority",
        "high",
        "--commit-type",
        "feat",
        "--commit-message",
        "feat: limit",
    ];
    let shown = repo.json(&args);
    let task = &shown["tasks"][1];
    assert_eq!(
        *task,
        json!({
            "id": "T2", "title": "Answer 429", "action": "implement", "scope": "src/limit",
            "modification_points": [plan()["tasks"][1]["modification_points"][0], {"file": "src/new.rs"}],
            "implementation": ["One", "Two"],
            "test": {"commands": ["cargo test limit"], "unit": [],
                "integration": plan()["tasks"][1]["test"]["integration"]},
            "acceptance": {"criteria": ["101 requests end in a 429"], "verification": ["Run: cargo test limit"]},
            "commit": {"type": "feat", "message_template": "feat: limit"},
            "depends_on": [], "estimated_minutes": 50, "priority": "high"
        })
    );
    assert_eq!(shown["tasks"][0], plan()["tasks"][0]);
    assert_ne!(shown["plan_digest"], before);
    assert!(repo.last_message().starts_with(&format!("solution: edit task T2 of {id}\n")));
    assert!(repo.wf(&["log", &id]).ok().stdout.contains("solution: edit task T2 of"));
    repo.changes_nothing(&args);
    // JSON is merged, and flags take precedence. A byte order mark is no part of it.
    repo.write(
        "task.json",
        "\u{feff}".to_owned() + r#"{"scope": null, "title": "x", "test": {"unit": ["u"]}}"#,
    );
    let shown = repo.json(&["task", "edit", "ISS-001", "T2", "--from-json", "task.json", "--title", "y"]);
    let task = &shown["tasks"][1];
    assert_eq!(
        (&task["title"], &task["scope"], &task["test"]["unit"]),
        (&json!("y"), &Value::Null, &json!(["u"]))
    );
    assert_eq!(task["test"]["commands"], json!(["cargo test limit"]));
}

#[test]
fn a_task_is_added_under_the_next_id() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let id = repo.planned("ISS-001", &plan());
    let add = [
        "task",
        "add",
        &id,
        "--title",
        "Write it down",
        "--action",
        "Modify",
        "--step",
        "Name the limit",
        "--step",
        "Name the header",
        "--done-when",
        "README.md names Retry-After",
        "--verify",
        "Run: grep Retry-After README.md",
        "--test",
        "grep -q Retry-After README.md",
        "--after",
        "T1,T2",
    ];
    assert_eq!(repo.wf(&add).ok().line(), "T3");
    assert!(repo.last_message().starts_with(&format!("solution: add task T3 of {id}\n")));
    let tasks = repo.json(&["task", "list", &id]);
    assert_eq!(column(&tasks, "id"), ["T1", "T2", "T3"]);
    assert_eq!(tasks[2]["depends_on"], json!(["T1", "T2"]));
    let listed = repo.wf(&["task", "list", "ISS-001"]).ok().stdout;
    assert!(listed.lines().nth(3).unwrap().starts_with("T3  Modify  T1, T2"), "{listed}");
    assert_eq!(repo.json(&["show", &id])["quality"], 1.0);
}

#[test]
fn a_change_that_makes_no_plan_is_refused() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let id = repo.planned("ISS-001", &plan());
    let code =
        |args: &[&str]| repo.refused(1, &[&["task"], args].concat())["code"].as_str().unwrap().to_owned();
    assert_eq!(code(&["edit", &id, "T1", "--action", "Ponder"]), "invalid-plan");
    assert_eq!(code(&["edit", &id, "T1", "--step", ""]), "invalid-plan");
    assert_eq!(code(&["edit", &id, "T1", "--after", "T2"]), "invalid-plan");
    assert_eq!(code(&["edit", &id, "T1", "--path", "../x"]), "invalid-plan");
    assert_eq!(code(&["edit", &id, "T1", "--priority", "urgent"]), "invalid-plan");
    assert_eq!(code(&["edit", &id, "T1", "--minutes=-1"]), "invalid-plan");
    assert_eq!(code(&["add", &id, "--title", "only that"]), "invalid-plan");
    assert_eq!(code(&["edit", &id, "T9", "--title", "x"]), "not-found");
    assert_eq!(code(&["list", "SOL-ISS-404-1"]), "not-found");
    // An edit cannot turn a bound plan into one that could not be bound.
    let vague = ["edit", &id, "T1", "--done-when", "works", "--verify", "", "--step", "do it"];
    let vague = [&vague[..], &["--from-json", "worse.json"]].concat();
    repo.write("worse.json", r#"{"test": null}"#);
    let two = [&["task"], &vague[..]].concat();
    let mut second = vague.clone();
    second[2] = "T2";
    repo.wf(&[&["task"], &second[..]].concat()).fails(1);
    repo.wf(&[&two[..], &["--force", "--reason", "a trial"]].concat()).ok();
    for (json, code_of) in [(r#"{"id": "T7"}"#, "other-task"), ("[1]", "invalid-json"), ("{", "invalid-json")]
    {
        let error = repo.refused_in(json, 1, &["task", "edit", &id, "T1", "--from-json", "-"]);
        assert_eq!(error["code"], code_of);
    }
    assert_eq!(repo.refused(2, &["task", "edit", &id, "T1"])["code"], "usage");
    assert_eq!(repo.refused(2, &["task", "add", &id])["code"], "usage");
}

#[test]
fn a_plan_that_is_queued_or_in_work_is_left_alone_but_by_force() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.commit("a.txt", "a\n", "start");
    let id = repo.queued("ISS-001", "src/a.rs");
    let edit = |title: &'static str| ["task", "edit", "ISS-001", "T1", "--title", title];
    let error = repo.refused(1, &edit("new"));
    assert_eq!(error["code"], "queued");
    assert!(error["hint"].as_str().unwrap().contains("queue remove QUE-"), "{error}");
    let same = plan_on("src/a.rs")["tasks"][0]["title"].as_str().unwrap().to_owned();
    repo.changes_nothing(&["task", "edit", &id, "T1", "--title", &same]);
    let forced = repo.wf(&[&edit("new")[..], &["--force", "--reason", "a slip"]].concat()).ok();
    assert!(forced.stderr.contains("git wf queue add ISS-001"), "{}", forced.stderr);
    assert!(repo.last_message().contains("Wf-Force: a slip"));
    // The digest shows it: `next` refuses the item until it is queued again.
    assert_eq!(repo.items(), [("S-1".into(), "blocked".into())]);
    let ran = repo.wf(&["next"]).fails(3);
    assert!(ran.stderr.contains("the plan has changed since it was queued"), "{}", ran.stderr);
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    assert_eq!(repo.items(), [("S-1".into(), "ready".into())]);
    let claim = repo.json(&["next"]);
    assert_eq!(claim["plan_digest"], digest(&repo, &id));
    assert_eq!(repo.refused(1, &edit("newer"))["code"], "in-work");
    repo.wf(&[&edit("newer")[..], &["--force", "--reason", "a slip"]].concat()).ok();
    // The plan as claimed is executed.
    assert_eq!(repo.json(&["detail"])["solution"]["tasks"][0]["title"], "new");
    repo.done();
    assert_eq!(repo.refused(1, &edit("newest"))["code"], "in-work");
}

/// Two clones edit the same plan: the later plan wins as a whole, and the other one is shown.
#[test]
fn plans_edited_apart_are_not_mixed() {
    let sandbox = Sandbox::new();
    let remote = sandbox.bare("remote");
    let repo = sandbox.store("a");
    repo.git(&["remote", "add", "origin", remote.path().to_str().unwrap()]).ok();
    let id = repo.planned("ISS-001", &plan());
    repo.wf(&["sync", "origin"]).ok();
    let other = sandbox.repo("b");
    other.git(&["remote", "add", "origin", remote.path().to_str().unwrap()]).ok();
    other.wf(&["init"]).ok();
    repo.wf(&["task", "edit", &id, "T1", "--title", "One"]).ok();
    other.wf(&["task", "edit", &id, "T2", "--title", "Two"]).ok();
    repo.wf(&["sync", "origin"]).ok();
    other.wf(&["sync", "origin"]).ok();
    repo.wf(&["sync", "origin"]).ok();
    let titles = |repo: &Repo| column(&repo.json(&["task", "list", &id]), "title");
    assert_eq!(titles(&repo), titles(&other));
    let as_given = |n: usize| plan()["tasks"][n]["title"].as_str().unwrap().to_owned();
    let either = [vec!["One".to_owned(), as_given(1)], vec![as_given(0), "Two".to_owned()]];
    assert!(either.contains(&titles(&repo)), "{:?}", titles(&repo));
}
