//! All that is wrong with a plan is reported at once, with the place, the value, and what is allowed; nothing is
//! stored.

use serde_json::{Value, json};

use crate::support::{Sandbox, column, plan, plan_on};

/// The paths, and what the line of each must contain.
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
        ("description", "\" \"", "a non-empty string"),
        ("analysis.risk", "\"huge\"", "low, medium, high"),
        ("score", "1.5", "0 to 1"),
        ("tasks[0].id", "\"1\"", "T1, T2"),
        ("tasks[0].title", "\"\"", "a non-empty string"),
        ("tasks[0].action", "\"Ponder\"", "Create, Modify"),
        ("tasks[0].implementation", "\"do it\"", "a list of strings"),
        ("tasks[0].acceptance.criteria", "[]", "at least one"),
        ("tasks[0].priority", "9", "1 (critical) to 5"),
        ("tasks[0].depends_on[0]", "\"T9\"", "T2, T3"),
        ("tasks[1].implementation[1]", "2", "a string"),
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
    assert_eq!(error["message"], "the plan has 19 errors; nothing was stored");
    // `check` reports the same and stores nothing either.
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
    assert_eq!(findings(&error), ["plans.jsonl[1] tasks: expected 1 to 10 tasks; found nothing"]);
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
    // It does not advise what was just done.
    repo.write("bad.json", "{}");
    let ran = repo.wf(&["solution", "check", "bad.json"]).fails(1);
    assert!(ran.stderr.ends_with("hint: `git wf schema solution` describes a plan\n"), "{}", ran.stderr);
    repo.write("half.json", "{\n  \"tasks\": [");
    let error = repo.refused(1, &["solution", "check", "half.json"]);
    assert_eq!(error["message"], "`half.json` is not JSON: the JSON is cut off, at line 2, column 12");
}

#[test]
fn without_an_issue_the_ids_of_a_plan_must_agree() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    let errors = |id: &str, value: &str| {
        let mut plan = plan();
        (plan["issue_id"], plan[id]) = (json!("ISS-001"), json!(value));
        let ran = repo.wf_in(plan.to_string(), &["solution", "check", "-", "--json"]);
        column(&ran.json()["findings"], "path")
    };
    assert_eq!(errors("id", "SOL-ISS-002-1"), ["id"]);
    assert_eq!(errors("id", "SOL-ISS-001-1"), [""; 0]);
    assert_eq!(errors("solution_id", "SOL-ISS-002-1"), ["solution_id"]);
    assert_eq!(errors("solution_id", "SOL-ISS-001-1"), [""; 0]);
    let mut both = plan();
    (both["id"], both["solution_id"]) = (json!("SOL-ISS-001-1"), json!("SOL-ISS-001-2"));
    let ran = repo.wf_in(both.to_string(), &["solution", "check", "-", "--json"]).fails(1);
    assert_eq!(column(&ran.json()["findings"], "path"), ["solution_id"]);
}

#[test]
fn a_planner_s_solution_id_is_the_id() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let mut named = plan();
    named["solution_id"] = json!("SOL-ISS-001-1");
    repo.wf_in(named.to_string(), &["solution", "add", "ISS-001"]).ok();
    let shown = repo.json(&["solution", "show", "SOL-ISS-001-1"]);
    assert_eq!((&shown["id"], &shown["solution_id"]), (&json!("SOL-ISS-001-1"), &Value::Null));
}

#[test]
fn plans_of_several_issues_are_compared_with_each_other() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    let on = |issue: &str, uid: &str, file: &str| {
        let mut plan = plan_on(file);
        plan["id"] = json!(format!("SOL-{issue}-{uid}"));
        plan
    };
    let check = |plans: &[Value]| {
        repo.wf_in(json!(plans).to_string(), &["solution", "check", "-", "--json"]).ok().json()["shared_files"].clone()
    };
    let (a1, a2, b) = (on("A-1", "1", "src/x.ts"), on("A-1", "2", "src/x.ts"), on("B-1", "1", "./src"));
    assert_eq!(
        check(&[a1.clone(), a2.clone(), b]),
        json!([{"file": "src", "plans": ["stdin[0]", "stdin[1]", "stdin[2]"]}])
    );
    assert_eq!(check(&[a1.clone(), a2]), Value::Null, "at most one of them is carried out");
    assert_eq!(check(&[a1, on("B-1", "1", "doc/x")]), json!([]));
}

#[test]
fn what_a_planner_found_out_has_types() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    for (field, value, path) in [
        ("relevant_files", json!("src/a.ts"), "exploration_context.relevant_files"),
        ("relevant_files", json!(["a", 1]), "exploration_context.relevant_files[1]"),
        ("relevant_files", json!([{"relevance": "high"}]), "exploration_context.relevant_files[0]"),
        ("patterns", json!({"a": 1}), "exploration_context.patterns"),
        ("patterns", json!(["a", 2]), "exploration_context.patterns[1]"),
        ("integration_points", json!(7), "exploration_context.integration_points"),
    ] {
        let mut plan = plan();
        plan["exploration_context"][field] = value;
        let ran = repo.wf_in(plan.to_string(), &["solution", "check", "-", "--json"]).fails(1);
        let findings = ran.json()["findings"].clone();
        assert_eq!(
            (column(&findings, "path"), column(&findings, "rule")),
            (vec![path.into()], vec!["type".into()])
        );
    }
    let mut sound = plan();
    sound["exploration_context"] = json!({"relevant_files": [{"path": "a", "relevance": "high"}, "b"],
        "patterns": ["a", "b"], "integration_points": null, "key_findings": [{"any": "thing"}]});
    assert_eq!(
        repo.wf_in(sound.to_string(), &["solution", "check", "-", "--json"]).ok().json()["findings"],
        json!([])
    );
    sound["exploration_context"] = json!("nothing much");
    repo.wf_in(sound.to_string(), &["solution", "check", "-"]).fails(1);
}

#[test]
fn unknown_words_and_misspelt_fields_are_warned_of() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    let mut odd = plan();
    odd["strategy_type"] = json!("magic");
    odd["explorationContext"] = odd["exploration_context"].take();
    let task = &mut odd["tasks"][0];
    task["effort"] = json!("some");
    task["files"] = json!([{"path": "src/x.ts", "action": "ponder", "conflict_risk": "huge", "chnages": ["a"]},
        {"path": "src/y.ts", "action": "MODIFY", "conflict_risk": "Low"}]);
    task["regresion"] = json!(["x"]);
    task["acceptance"]["verificaton"] = json!(["x"]);
    task["x-note"] = json!(1);
    let answer = repo.wf_in(odd.to_string(), &["solution", "check", "-", "--json"]).ok().json();
    let mut found: Vec<(String, String, String)> = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| ["path", "rule", "allowed"].map(|name| it[name].as_str().unwrap().to_owned()).into())
        .collect();
    found.sort();
    let rules: Vec<(&str, &str)> =
        found.iter().map(|(path, rule, _)| (path.as_str(), rule.as_str())).collect();
    assert_eq!(
        rules,
        [
            ("explorationContext", "misspelt"),
            ("strategy_type", "unknown-word"),
            ("tasks[0].acceptance.verificaton", "misspelt"),
            ("tasks[0].effort", "unknown-word"),
            ("tasks[0].files[0].action", "unknown-word"),
            ("tasks[0].files[0].chnages", "misspelt"),
            ("tasks[0].files[0].conflict_risk", "unknown-word"),
            ("tasks[0].regresion", "misspelt"),
        ]
    );
    assert!(found[5].2.contains("`changes`") && found[1].2.contains("bugfix, feature"), "{found:?}");
    assert_eq!(answer["quality"], json!(1.0), "they cost nothing");
}
