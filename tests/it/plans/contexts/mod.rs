//! What agents are given: `context`, the project context, and the task that answers on GitHub.

mod attempts;
mod project;
mod replies;

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox, Two, column, plan, plan_on};

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn a_planner_is_given_the_issue_the_project_and_what_failed() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["new", "--id", "ISS-001", "Tokens expire", "-m", "After an hour.", "-t", "auth"]).ok();
    repo.wf(&["comment", "ISS-001", "-m", "me too"]).ok();
    repo.wf(&["settings", "tech_stack=Rust"]).ok();
    repo.wf_in("# Style\n\nOne change, one commit.\n", &["settings", "guidelines", "-F", "-"]).ok();
    let input = repo.json(&["context", "ISS-001"]);
    assert_eq!(
        keys(&input),
        [
            "issue_id",
            "title",
            "description",
            "status",
            "priority",
            "tags",
            "source",
            "project_context",
            "complexity",
            "candidates",
            "failure_analysis",
            "comments"
        ]
    );
    assert_eq!((&input["title"], &input["description"]), (&json!("Tokens expire"), &json!("After an hour.")));
    assert_eq!(
        input["project_context"],
        json!({"tech_stack": "Rust", "guidelines": "# Style\n\nOne change, one commit."})
    );
    assert_eq!(input["failure_analysis"]["has_failures"], false);
    for (error, fails) in [("timeout", 2), ("compilation", 1)] {
        for _ in 0..fails {
            let reason = json!({"error_type": error, "message": "m"}).to_string();
            repo.wf(&["feedback", "ISS-001", &reason, "--type", "failure"]).ok();
        }
    }
    let input = repo.json(&["context", "ISS-001"]);
    assert_eq!(input["failure_analysis"]["failure_count"], 3);
    assert_eq!(input["failure_analysis"]["patterns"]["repeated_errors"], json!(["timeout"]));
    repo.screen("plans/context-after-failures", &["context", "ISS-001"]);
}

/// Every text in a document, at any depth.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(fields) => fields.values().flat_map(texts).collect(),
        _ => vec![],
    }
}

#[test]
fn all_that_an_issue_says_reaches_planner_and_executor() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("GH-1");
    let issue = json!({"id": "GH-2", "title": "Tokens expire", "context": "After an hour.", "priority": 2,
        "issue_type": "bug", "tags": ["auth"], "affected_components": ["login"], "depends_on": ["GH-1"],
        "relations": ["relates-to:GH-9"], "source_url": "https://example.org/2",
        "expected_behavior": "They last a day.", "actual_behavior": "They last an hour.",
        "extended_context": {"location": "src/token.rs:12", "suggested_fix": "Add a day.", "notes": {"seen": "on Tuesday"}},
        "lifecycle_requirements": {"test_strategy": "integration"}});
    repo.wf_in(issue.to_string(), &["new", "--from-json", "-"]).ok();
    repo.wf(&["comment", "GH-2", "-m", "Only behind the proxy."]).ok();
    let plan =
        repo.wf_in(plan_on("src/a.rs").to_string(), &["solution", "add", "GH-2"]).ok().line().to_owned();
    repo.wf(&["queue", "add", "GH-2"]).ok();
    let said = [
        "After an hour.",
        "bug",
        "auth",
        "login",
        "They last a day.",
        "They last an hour.",
        "src/token.rs:12",
        "Add a day.",
        "on Tuesday",
        "Only behind the proxy.",
        "integration",
        "https://example.org/2",
        "relates-to:GH-9",
        "GH-1",
    ];
    for args in [["context", "GH-2"], ["context", &plan], ["detail", "S-1"]] {
        let answer = repo.json(&args);
        let told = texts(&answer);
        let people = repo.wf(&args).ok().stdout;
        for part in said {
            assert!(
                told.iter().any(|text| text.contains(part)),
                "{args:?} --json lacks `{part}`: {answer:#}"
            );
            assert!(people.contains(part), "{args:?} lacks `{part}`: {people}");
        }
        assert!(people.contains("GH-1 (registered) About GH-1"), "{people}");
    }
    let dependency =
        json!({"issue_id": "GH-1", "title": "About GH-1", "status": "registered", "is_met": false});
    for input in [repo.json(&["context", "GH-2"]), repo.json(&["context", &plan])["issue"].clone()] {
        assert_eq!(input["depends_on"], json!([dependency]));
    }
    repo.wf(&["close", "GH-1"]).ok();
    assert_eq!(repo.json(&["context", "GH-2"])["depends_on"][0]["is_met"], true);
}

#[test]
fn a_planner_is_told_of_other_plans_on_the_same_files() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let other = repo.queued("ISS-001", "src/token.rs");
    repo.queued("ISS-002", "src/else.rs");
    let issue = json!({"id": "ISS-003", "title": "t", "extended_context": {"location": "./src/token.rs:12"}});
    repo.wf_in(issue.to_string(), &["new", "--from-json", "-"]).ok();
    let own = repo.planned("ISS-004", &plan_on("src/token.rs"));
    for id in ["ISS-003", "ISS-004"] {
        let told = repo.json(&["context", id]);
        assert_eq!(
            told["other_plans"].as_array().unwrap()[0],
            json!({"solution_id": other, "issue_id": "ISS-001", "title": "About ISS-001",
                "queue_id": told["other_plans"][0]["queue_id"], "item_id": "S-1", "status": "ready", "files": ["src/token.rs"]})
        );
        let people = repo.wf(&["context", id]).ok().stdout;
        assert!(people.contains("touches src/token.rs") && people.contains(&other), "{people}");
    }
    let plans = &repo.json(&["context", "ISS-004"])["plans"];
    assert_eq!((&plans[0]["solution_id"], &plans[0]["is_bound"]), (&json!(own), &json!(true)));
    // Neither its own plan nor one that left the queue is listed.
    repo.wf(&["queue", "remove", "ISS-001"]).ok();
    repo.wf(&["queue", "add", "ISS-004"]).ok();
    assert_eq!(repo.json(&["context", "ISS-004"])["other_plans"], Value::Null);
}

#[test]
fn what_agents_are_given_is_bounded_and_the_rest_is_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf_in("d".repeat(20_000), &["new", "t", "--id", "ISS-001", "-F", "-"]).ok();
    for n in 0..23 {
        repo.wf(&["comment", "ISS-001", "-m", &format!("comment {n}")]).ok();
    }
    repo.wf_in("é".repeat(5_000), &["comment", "ISS-001", "-F", "-"]).ok();
    repo.wf(&["feedback", "ISS-001", "one"]).ok();
    repo.wf(&["feedback", "ISS-001", "two"]).ok();
    let plan =
        repo.wf_in(plan_on("src/a.rs").to_string(), &["solution", "add", "ISS-001"]).ok().line().to_owned();
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    for args in [["context", "ISS-001"], ["context", &plan], ["detail", "S-1"]] {
        let told = repo.json(&args);
        let comments = told["comments"].as_array().unwrap();
        assert_eq!((comments.len(), &comments[1]["body"]), (20, &json!("comment 22")), "the newest first");
        let body = comments[0]["body"].as_str().unwrap();
        assert!(body.chars().count() == 4_001 && body.ends_with('…'));
        assert_eq!(column(&told["feedback"], "content"), ["two", "one"]);
        let left = told["left_out"].as_array().unwrap();
        let of = |what: &str| left.iter().find(|it| it["what"] == what).unwrap_or(&Value::Null).clone();
        assert_eq!(
            of("comments"),
            json!({"what": "comments", "entries": 4, "shortened": 1, "command": "git wf show ISS-001"})
        );
        let people = repo.wf(&args).ok().stdout;
        assert!(
            people.contains("comments: 4 more entries, 1 text cut; `git wf show ISS-001` shows all"),
            "{people}"
        );
        assert!(people.contains("description: 1 text cut"), "{people}");
        assert!(people.len() < 60_000);
        if args[0] == "context" {
            assert_eq!(of("description")["shortened"], 1, "{left:?}");
        }
        for it in left {
            let words: Vec<&str> = it["command"].as_str().unwrap().split(' ').collect();
            repo.git(&words[1..]).ok();
        }
    }
}

#[test]
fn what_is_redacted_reaches_no_agent() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let plan = repo.queued("ISS-001", "src/a.rs");
    repo.wf(&["edit", "ISS-001", "-m", "the secret is here"]).ok();
    repo.wf(&["comment", "ISS-001", "-m", "a secret comment"]).ok();
    repo.wf(&["feedback", "ISS-001", "a secret word"]).ok();
    repo.wf(&["next"]).ok();
    repo.wf(&["fail", "-m", "secret failure"]).ok();
    let shown = repo.json(&["show", "ISS-001"]);
    repo.wf(&["redact", "ISS-001", "context", "-m", "leak"]).ok();
    for path in repo.store_paths() {
        let Some(at) =
            ["comments/", "feedback/", "log/"].iter().find_map(|folder| path.find(&format!("/{folder}")))
        else {
            continue;
        };
        let name = path[at + 1..].trim_end_matches(".json").to_owned();
        let target = if name.starts_with("log/") {
            shown["executions"][0]["id"].as_str().unwrap().to_owned()
        } else {
            "ISS-001".to_owned()
        };
        // Some have no text that could be hidden.
        repo.wf(&["redact", &target, &name, "-m", "leak"]);
    }
    for args in [["context", "ISS-001"], ["context", &plan], ["detail", "S-1"]] {
        for more in [&[][..], &["--json"]] {
            let told = repo.wf(&[&args[..], more].concat()).ok().stdout;
            assert!(!told.contains("secret"), "{args:?}: {told}");
            assert!(told.contains("[redacted]"), "{args:?}: {told}");
        }
    }
}

/// Runs the commands that an executor is given.
fn follow(repo: &Repo, input: &Value) {
    for (name, command) in input["load"].as_object().unwrap() {
        let words: Vec<&str> = command.as_str().unwrap().split(' ').collect();
        assert_eq!(words[0], "git", "{name}");
        repo.git(&words[1..]).ok().json();
    }
}

/// Clones number their items independently, and what an executor is given means its own plan all the same.
#[test]
fn an_executor_finds_its_plan_whose_number_another_clone_gave_as_well() {
    let two = Two::new();
    let plans = [two.ada.queued("ISS-1", "a.txt"), two.bea.queued("ISS-2", "b.txt")];
    two.meet();
    for plan in &plans {
        let input = two.ada.json(&["context", plan]);
        assert_eq!(input["item_id"], "S-1", "{input}");
        follow(&two.ada, &input);
        assert!(input["load"]["solution"].as_str().unwrap().contains(plan.as_str()), "{input}");
    }
}

#[test]
fn an_executor_is_given_ids_and_where_the_rest_is() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let plan = repo.planned("ISS-001", &plan());
    let input = repo.json(&["context", &plan]);
    assert_eq!(keys(&input), ["solution_id", "issue_id", "plan_digest", "title", "issue", "load"]);
    assert!(!input.to_string().contains("token bucket"), "not the plan itself: {input}");
    follow(&repo, &input);
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    let claim = repo.json(&["next"]);
    let input = repo.json(&["context", "S-1"]);
    for field in ["solution_id", "issue_id", "plan_digest", "queue_id", "item_id", "execution_id", "branch"] {
        assert_eq!(input[field], claim[field], "{field}");
    }
    follow(&repo, &input);
    assert_eq!(repo.json(&["context", claim["execution_id"].as_str().unwrap()]), input);
    assert_eq!(repo.json(&["context", &plan]), input);
    let text = repo.wf(&["context", &plan]).ok().stdout;
    assert!(text.contains(&format!("git wf show {plan} --json")), "{text}");
}

#[test]
fn nobody_has_the_context_of_a_queue_or_of_nothing() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "src/a.rs");
    let queue = repo.json(&["queue", "show"])["id"].as_str().unwrap().to_owned();
    repo.refused(2, &["context", &queue]);
    assert_eq!(repo.refused(1, &["context", "ISS-404"])["code"], "not-found");
    for role in ["integrator", "coordinator"] {
        let error = repo.refused(2, &["context", &queue, "--for", role]);
        let message = error["message"].as_str().unwrap();
        assert!(message.ends_with("expected one of planner, explorer, executor, reviewer"), "{message}");
    }
}

#[test]
fn the_size_of_a_plan_shows() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let small = repo.planned("ISS-001", &plan_on("src/a.rs"));
    let larger = repo.planned("ISS-002", &plan());
    assert_eq!(repo.json(&["solution", "show", &small])["computed_complexity"], "low");
    assert_eq!(repo.json(&["solution", "show", &larger])["computed_complexity"], "medium");
    let text = repo.wf(&["solution", "show", &larger]).ok().stdout;
    assert!(text.contains("2 tasks on 3 files: medium complexity (by size)"), "{text}");
}

#[test]
fn the_examples_of_inputs_fit_their_schemas() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for kind in ["planner-input", "executor-input", "review-input"] {
        let schema = repo.wf(&["schema", kind]).ok().json();
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        let examples = schema["examples"].as_array().unwrap();
        assert!(!examples.is_empty(), "{kind}");
        for example in examples {
            let faults: Vec<String> = validator.iter_errors(example).map(|fault| fault.to_string()).collect();
            assert!(faults.is_empty(), "{kind}: {faults:?}");
        }
    }
    // Entries of other programs have fewer members.
    for (kind, least) in [
        (
            "planner-input",
            json!({"issue_id": "ISS-001", "title": "t", "description": "d",
                "project_context": {"tech_stack": "Rust", "guidelines": "g"}}),
        ),
        (
            "executor-input",
            json!({"solution_id": "SOL-ISS-001-1", "issue_id": "ISS-001",
                "solution": {"tasks": [], "exploration_context": {}}}),
        ),
    ] {
        let schema = repo.wf(&["schema", kind]).ok().json();
        assert!(jsonschema::draft202012::new(&schema).unwrap().is_valid(&least), "{kind}");
    }
}
