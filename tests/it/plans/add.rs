//! `solution add`: every form of input, and what is bound automatically.

use serde_json::{Value, json};

use crate::support::{Sandbox, column, plan, plan_on};

#[test]
fn an_object_an_array_and_lines_of_json_are_taken() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for id in ["A-1", "B-1", "C-1", "D-1"] {
        repo.issue(id);
    }
    let (one, two) = (plan_on("src/a.rs"), plan_on("src/b.rs"));
    let pretty = serde_json::to_string_pretty(&one).unwrap();
    repo.write("plan.json", &pretty);
    let added = repo.json(&["solution", "add", "A-1", "plan.json"]);
    let id = added["added"][0].as_str().unwrap();
    assert!(id.starts_with("SOL-A-1-") && id.len() == 16, "{id}");
    assert_eq!(added["bound"], json!([{"issue_id": "A-1", "solution_id": id, "task_count": 1}]));
    assert_eq!(added["pending_selection"], json!([]));
    assert_eq!(repo.status("A-1"), "planned");

    let added = repo.json_in(json!([one, two]).to_string(), &["solution", "add", "B-1", "-"]);
    assert_eq!(added["added"].as_array().unwrap().len(), 2);
    assert_eq!(added["bound"], json!([]));
    let pending = &added["pending_selection"][0];
    assert_eq!(pending["issue_id"], "B-1");
    let ids = added["added"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned());
    let ids: Vec<String> = std::collections::BTreeSet::from_iter(ids).into_iter().collect();
    assert_eq!(column(&pending["solutions"], "id"), ids);
    let candidate = &pending["solutions"][0];
    assert_eq!(
        (&candidate["task_count"], &candidate["score"], &candidate["risk"]),
        (&json!(1), &json!(0.9), &json!("low"))
    );
    assert_eq!(candidate["files_touched"].as_array().unwrap().len(), 1);
    assert_eq!(repo.status("B-1"), "planning");

    let lines = format!("{one}\n\n{two}\n");
    let ran = repo.wf_in(lines, &["solution", "add", "C-1"]).ok();
    assert_eq!(ran.stdout.lines().count(), 2, "the bare ids when piped: {}", ran.stdout);

    repo.write("second.json", two.to_string());
    repo.wf(&["solution", "add", "D-1", "plan.json", "second.json"]).ok();
    assert_eq!(repo.json(&["solution", "list", "D-1"]).as_array().unwrap().len(), 2);
    assert_eq!(repo.json(&["solution", "list"]).as_array().unwrap().len(), 7);
}

#[test]
fn the_only_plan_is_bound_unless_told_otherwise() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let added = repo.json_in(plan().to_string(), &["solution", "add", "ISS-001", "--no-bind"]);
    assert_eq!(added["bound"], json!([]));
    assert_eq!(added["pending_selection"][0]["solutions"].as_array().unwrap().len(), 1);
    assert_eq!(repo.status("ISS-001"), "planning");
    // With a second plan, someone must choose; if one is bound, another changes nothing.
    let ran = repo.wf_in(plan_on("x").to_string(), &["solution", "add", "ISS-001"]).ok();
    assert!(
        ran.stderr.contains("2 plans, and none is bound; `git wf plan choose ISS-001 PLAN`"),
        "{}",
        ran.stderr
    );
    assert_eq!(repo.json(&["show", "ISS-001"])["bound_solution_id"], Value::Null);
    let bound = repo.planned("ISS-002", &plan());
    let ran = repo.wf_in(plan_on("x").to_string(), &["solution", "add", "ISS-002"]).ok();
    let (second, says) = (ran.line(), &ran.stderr);
    assert!(says.contains(&format!("{second} is not bound: {bound} stays bound")), "{says}");
    assert!(says.contains(&format!("git wf plan choose ISS-002 {second}")), "{says}");
    let ran = repo.wf_in(plan_on("y").to_string(), &["solution", "add", "ISS-002", "--no-bind"]).ok();
    assert_eq!(ran.stderr, "", "nobody asked for it to be bound");
    assert_eq!(repo.json(&["show", "ISS-002"])["bound_solution_id"], bound.as_str());
}

#[test]
fn a_plan_that_was_there_is_not_among_those_that_were_added() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let known = repo.planned("A-1", &plan_on("src/a.rs"));
    let both = json!([plan_on("src/a.rs"), plan_on("src/b.rs")]).to_string();
    let added = repo.json_in(&both, &["solution", "add", "A-1"]);
    assert_eq!(added["already_there"], json!([known]));
    assert_eq!(added["added"].as_array().unwrap().len(), 1);
    let new = added["added"][0].clone();
    let again = repo.json_in(&both, &["solution", "add", "A-1"]);
    assert_eq!((&again["added"], &again["already_there"]), (&json!([]), &json!([known, new])));
    let ran = repo.wf_in(&both, &["solution", "add", "A-1"]).ok();
    assert_eq!(ran.stdout.lines().count(), 2, "the bare ids, as ever: {}", ran.stdout);
    assert!(ran.stderr.contains(&format!("{known} is already stored")), "{}", ran.stderr);
}

#[test]
fn an_issue_stands_for_its_plan() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("A-1");
    let error = repo.refused(1, &["solution", "show", "A-1"]);
    assert_eq!(error["code"], "no-solution");
    let add = ["solution", "add", "A-1", "--no-bind"];
    let one = repo.wf_in(plan_on("src/a.rs").to_string(), &add).ok().line().to_owned();
    assert_eq!(repo.json(&["solution", "show", "A-1"])["id"], one.as_str());
    let two = repo.wf_in(plan_on("src/b.rs").to_string(), &add).ok().line().to_owned();
    let error = repo.refused(1, &["solution", "show", "A-1"]);
    assert_eq!(error["code"], "choice-needed");
    for id in [&one, &two] {
        assert!(error["details"].to_string().contains(id), "{error}");
    }
    repo.wf(&["bind", "A-1", &two]).ok();
    for command in ["show", "check", "diff"] {
        let ran = repo.wf(&["solution", command, "A-1"]).ok();
        assert!(command == "diff" || ran.stdout.contains(&two), "{}", ran.stdout);
    }
}

#[test]
fn a_misspelt_field_beside_the_right_one_is_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("A-1");
    let mut plan = plan_on("src/a.rs");
    plan["desciption"] = json!("more");
    plan["tasks"][0]["modification_point"] = json!([{"file": "src/b.rs"}]);
    plan["tasks"][0]["modification_points"][0]["fil"] = json!("src/c.rs");
    let checked = repo.json_in(plan.to_string(), &["solution", "check", "-"]);
    let paths: Vec<String> = column(&checked["findings"], "path");
    for path in ["desciption", "tasks[0].modification_point", "tasks[0].modification_points[0].fil"] {
        assert!(paths.iter().any(|found| found == path), "{path}: {paths:?}");
    }
    // In inputs whose fields are known, unknown fields are refused.
    for (args, document) in [
        (&["new", "--from-json", "-"][..], json!({"title": "t", "tag": ["x"], "tags": ["y"]})),
        (&["feedback", "A-1", "--type", "failure", "-"], json!({"message": "m", "mesage": "n"})),
    ] {
        let error = repo.refused_in(document.to_string(), 1, args);
        assert_eq!(error["code"], "invalid-json", "{args:?}: {error}");
    }
}

#[test]
fn the_same_plan_again_is_no_commit() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.write("plan.json", plan().to_string());
    let mut named = plan();
    named["id"] = json!("SOL-ISS-001-1");
    repo.write("named.json", named.to_string());
    let id = repo.planned("ISS-001", &plan());
    let again = repo.changes_nothing(&["solution", "add", "ISS-001", "plan.json"]);
    assert_eq!(again.line(), id);
    repo.wf(&["solution", "add", "ISS-001", "named.json"]).ok();
    let again = repo.changes_nothing(&["solution", "add", "ISS-001", "named.json"]);
    assert_eq!(again.line(), "SOL-ISS-001-1");
    // The order of keys and white space do not matter.
    let mut shuffled = serde_json::Map::new();
    for (key, value) in named.as_object().unwrap().iter().rev() {
        shuffled.insert(key.clone(), value.clone());
    }
    repo.write("named.json", serde_json::to_string_pretty(&shuffled).unwrap());
    repo.changes_nothing(&["solution", "add", "ISS-001", "named.json"]);
    named["description"] = json!("Another plan under the same name");
    let error = repo.refused_in(named.to_string(), 1, &["solution", "add", "ISS-001"]);
    assert_eq!(error["code"], "exists");
    let twice = json!([named, named]).to_string();
    repo.issue("ISS-002");
    assert_eq!(repo.refused_in(twice, 1, &["solution", "add", "ISS-002"])["code"], "invalid-plan");
}

#[test]
fn what_the_store_makes_is_ignored_in_the_input() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let mut input = plan();
    input["issue_id"] = json!("ISS-001");
    input["created_at"] = json!("2001-01-01T00:00:00Z");
    input["is_bound"] = json!(false);
    input["quality"] = json!("splendid");
    input["author"] = json!("someone else");
    input["x_own"] = json!({"kept": [1, 2]});
    let id = repo.json_in(input.to_string(), &["solution", "add", "ISS-001"])["added"][0].clone();
    let shown = repo.json(&["solution", "show", id.as_str().unwrap()]);
    assert_eq!((&shown["is_bound"], &shown["author"]), (&json!(true), &json!("Ada <ada@example.org>")));
    assert!(shown["created_at"].as_str().unwrap().starts_with("2026-11-21T"), "{shown}");
    assert_eq!(shown["quality"], 1.0);
    assert_eq!(shown["x_own"], input["x_own"]);
    assert_eq!(shown["tasks"], input["tasks"]);
    // A plan as shown can be added elsewhere once its ids are removed, and is the same plan.
    let mut copy = shown.clone();
    copy.as_object_mut().unwrap().retain(|key, _| key != "id" && key != "issue_id");
    let other = repo.planned("ISS-002", &copy);
    assert_eq!(repo.json(&["show", &other])["plan_digest"], shown["plan_digest"]);
}

/// Field names of the other family of planners.
#[test]
fn both_families_of_names_are_read_and_kept() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let input = json!({
        "description": "The other names",
        "approach": "Step by step",
        "tasks": [{
            "id": "T1",
            "title": "One",
            "action": "create",
            "files": [{"path": "src/new.rs", "action": "create", "change": "all", "conflict_risk": "low"}],
            "implementation": ["Write it"],
            "convergence": {"criteria": ["It is 3"], "verification": "Run: make test", "definition_of_done": "3"},
            "effort": "1h",
            "priority": "high"
        }]
    });
    let id = repo.planned("ISS-001", &input);
    let shown = repo.json(&["show", &id]);
    assert_eq!(shown["tasks"], input["tasks"]);
    assert_eq!(shown["files_touched"], json!(["src/new.rs"]));
    repo.screen("plans/show-other-names", &["show", &id]);
}

#[test]
fn the_example_of_the_planners_handbook_is_taken() {
    let example: Value = serde_json::from_str(include_str!("../../fixtures/planner-plan.json")).unwrap();
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let added = repo.json_in(example.to_string(), &["solution", "add", "ISS-001"]);
    assert_eq!(added["bound"][0]["solution_id"], example["id"]);
    assert_eq!(repo.json(&["show", example["id"].as_str().unwrap()])["tasks"], example["tasks"]);
}

#[test]
fn the_example_plan_is_added_bound_and_queued_in_one_commit() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("code");
    repo.wf(&["init"]).ok();
    repo.issue("ISS-001");
    let example = repo.wf(&["schema", "solution", "--example"]).ok().stdout;
    let checked = repo.wf_in(&example, &["solution", "check", "-", "--json"]).ok();
    assert!(!checked.stdout.trim().contains('\n'), "not compact: {}", checked.stdout);
    assert!(checked.json()["quality"].to_string().contains("1.0"), "{}", checked.stdout);
    let before = repo.tip();
    let added = repo.json_in(&example, &["solution", "add", "ISS-001", "--queue"]);
    assert!(added["queued_in"].is_string(), "{added:#}");
    assert_eq!(repo.git(&["rev-parse", &format!("{}~1", repo.tip().unwrap())]).ok().line(), before.unwrap());
    assert_eq!(repo.status("ISS-001"), "queued");
}

#[test]
fn a_plan_that_a_gate_keeps_out_of_the_queue_is_stored_nevertheless() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("code");
    repo.wf(&["init"]).ok();
    repo.wf(&["settings", "review=required"]).ok();
    repo.issue("ISS-001");
    let example = repo.wf(&["schema", "solution", "--example"]).ok().stdout;
    let ran = repo.wf_in(&example, &["solution", "add", "ISS-001", "--queue"]).ok();
    assert!(ran.stderr.contains("not queued: "), "{}", ran.stderr);
    assert_eq!(repo.status("ISS-001"), "planned");
}
