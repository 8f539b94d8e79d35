//! What is wrong with a plan is said at once, each with its place, the value, and what is allowed; nothing is stored.

use serde_json::{Value, json};

use crate::support::{Sandbox, column, plan};

/// Paths and what must stand in the line of each.
fn findings(error: &Value) -> Vec<String> {
    error["details"].as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned()).collect()
}

#[test]
fn all_faults_of_a_plan_are_named_at_once() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let bent = json!({
        "id": "SOL-ISS-002-1",
        "issue_id": "ISS-002",
        "description": " ",
        "analysis": {"risk": "huge"},
        "score": 1.5,
        "tasks": [
            {
                "id": "1",
                "title": "",
                "action": "Ponder",
                "implementation": "do it",
                "acceptance": {"criteria": []},
                "depends_on": ["T9"],
                "priority": 9
            },
            {
                "id": "T2",
                "title": "two",
                "action": "Fix",
                "implementation": ["a", 2],
                "files": [{"path": "../../etc/passwd"}],
                "depends_on": ["T3"],
                "commit": {"type": "wip"}
            },
            {"id": "T3", "title": "three", "action": "Fix", "implementation": ["y"], "acceptance": {"criteria": ["x"]},
             "depends_on": ["T2"]},
            {"id": "T3", "title": "again", "action": "Fix", "implementation": ["y"], "acceptance": {"criteria": ["x"]}},
            "five"
        ]
    });
    let error = repo.refused_in(bent.to_string(), 1, &["solution", "add", "ISS-001"]);
    assert_eq!(error["code"], "invalid-plan");
    let lines = findings(&error);
    for (path, found, allowed) in [
        ("id", "\"SOL-ISS-002-1\"", "SOL-ISS-001-<uid>"),
        ("issue_id", "\"ISS-002\"", "`ISS-001`"),
        ("description", "\" \"", "not empty"),
        ("analysis.risk", "\"huge\"", "low, medium, high"),
        ("score", "1.5", "0 to 1"),
        ("tasks[0].id", "\"1\"", "T1, T2"),
        ("tasks[0].title", "\"\"", "not empty"),
        ("tasks[0].action", "\"Ponder\"", "Create, Modify"),
        ("tasks[0].implementation", "\"do it\"", "a list of texts"),
        ("tasks[0].acceptance.criteria", "[]", "at least one"),
        ("tasks[0].priority", "9", "1 (critical) to 5"),
        ("tasks[0].depends_on[0]", "\"T9\"", "T2, T3"),
        ("tasks[1].implementation[1]", "2", "a text"),
        ("tasks[1].acceptance", "nothing", "criteria"),
        ("tasks[1].files[0].path", "passwd", "inside"),
        ("tasks[1].commit.type", "\"wip\"", "feat, fix"),
        ("tasks[1].depends_on", "T2 → T3 → T2", "without a cycle"),
        ("tasks[3].id", "\"T3\"", "of its own"),
        ("tasks[4]", "\"five\"", "object"),
    ] {
        let line = lines.iter().find(|line| line.starts_with(&format!("{path}: ")));
        let line = line.unwrap_or_else(|| panic!("nothing is said of {path} in {lines:#?}"));
        assert!(line.contains(found) && line.contains(allowed), "{line}");
    }
    assert_eq!(lines.len(), 19, "{lines:#?}");
    assert_eq!(error["message"], "the plan has 19 faults; nothing was stored");
    // `check` says the same and stores nothing either.
    let checked =
        repo.wf_in(bent.to_string(), &["solution", "check", "-", "--issue", "ISS-001", "--json"]).fails(1);
    let answer = checked.json();
    assert_eq!(answer["valid"], false);
    let severities = column(&answer["findings"], "severity");
    assert_eq!(severities.iter().filter(|it| *it == "error").count(), 19);
    let keys: Vec<&String> = answer["findings"][0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["path", "found", "rule", "allowed", "remedy", "severity"]);
}

#[test]
fn one_bad_plan_of_several_stops_all_and_is_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let mut bad = plan();
    bad["tasks"] = json!([]);
    repo.write("plans.jsonl", format!("{}\n{}\n", plan(), bad));
    let error = repo.refused(1, &["solution", "add", "ISS-001", "plans.jsonl"]);
    assert_eq!(findings(&error), ["plans.jsonl[1] tasks: found \"0 tasks\"; 1 to 10 tasks"]);
    assert_eq!(repo.json(&["solution", "list", "ISS-001"]), json!([]));
    let many: Vec<Value> = (1..=11).map(|n| json!({"id": format!("T{n}")})).collect();
    bad["tasks"] = json!(many);
    let error = repo.refused_in(bad.to_string(), 1, &["solution", "add", "ISS-001"]);
    assert!(findings(&error)[0].contains("11 tasks"), "{error}");
}

#[test]
fn input_that_is_no_plan() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let half = plan().to_string();
    let code = |stdin: &[u8]| {
        repo.refused_in(stdin, 1, &["solution", "add", "ISS-001"])["code"].as_str().unwrap().to_owned()
    };
    assert_eq!(code(&half.as_bytes()[..half.len() / 2]), "invalid-json");
    assert_eq!(code(b""), "empty");
    assert_eq!(code(b"[]"), "empty");
    assert_eq!(code(b"\xff"), "invalid-utf8");
    assert_eq!(code(b"17"), "invalid-plan");
    assert_eq!(code(b"plan"), "invalid-json");
    assert_eq!(repo.refused(1, &["solution", "add", "ISS-001", "missing.json"])["code"], "cannot-read");
    assert_eq!(repo.refused_in(half, 1, &["solution", "add", "ISS-404"])["code"], "not-found");
}

#[test]
fn check_takes_a_file_stdin_or_an_id() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.write("plan.json", plan().to_string());
    // Without an issue it needs no store.
    let bare = sandbox.repo("b");
    bare.write("plan.json", plan().to_string());
    let answer = bare.json(&["solution", "check", "plan.json"]);
    assert_eq!((&answer["valid"], &answer["findings"]), (&json!(true), &json!([])));
    assert_eq!((&answer["quality"], &answer["plans"][0]["plan"]), (&json!(1.0), &json!("plan.json")));
    let id = repo.planned("ISS-001", &plan());
    repo.changes_nothing(&["solution", "check", &id]);
    repo.changes_nothing(&["solution", "check", "plan.json", "--issue", "ISS-001"]);
    repo.refused(1, &["solution", "check", "missing.json"]);
    // What it advises is not what was just done.
    repo.write("bad.json", "{}");
    let ran = repo.wf(&["solution", "check", "bad.json"]).fails(1);
    assert!(
        ran.stderr.ends_with("hint: `git wf schema solution` says what a plan holds\n"),
        "{}",
        ran.stderr
    );
    repo.write("half.json", "{\n  \"tasks\": [");
    let error = repo.refused(1, &["solution", "check", "half.json"]);
    assert_eq!(error["message"], "`half.json` is not JSON: the JSON ends half-way, at line 2, column 12");
}
