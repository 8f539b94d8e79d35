//! What each role is asked, with the example agents: they really explore, plan, review, edit and commit.

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox};

/// A repository with a bug, an issue that says what to change, and the example agents.
fn buggy(sandbox: &Sandbox) -> Repo {
    let repo = sandbox.repo("code");
    repo.wf(&["init", "--hooks"]).ok();
    let agents = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/agents");
    for name in ["planner", "executor"] {
        repo.git(&["config", &format!("wf.agent.{name}.command"), &format!("'{agents}/{name}.py'")]).ok();
    }
    repo.commit("calc.py", "def add(a, b):\n    return a - b\n", "Begin");
    let test =
        "python3 -c 'import sys; sys.dont_write_bytecode = True; import calc; assert calc.add(1, 2) == 3'";
    let text = format!("In calc.py replace \"return a - b\" with \"return a + b\"\nTest: {test}\n");
    repo.wf(&["new", "Sums are differences", "--id", "ISS-001", "-m", &text]).ok();
    repo
}

/// Whether there is a Python here.
fn has_python(repo: &Repo) -> bool {
    let has = repo.sh(&["-c", "command -v python3"]).code == 0;
    if !has {
        eprintln!("skipped: there is no `python3` for the example agents");
    }
    has
}

/// The answer of an agent to the request for a role.
#[track_caller]
fn asked(repo: &Repo, agent: &str, role: &str, of: &str) -> Value {
    tested(repo, agent, role, of)["answer"].clone()
}

#[track_caller]
fn tested(repo: &Repo, agent: &str, role: &str, of: &str) -> Value {
    let input = repo.wf(&["--json", "context", of, "--for", role]).ok().stdout;
    let args = ["--json", "agents", "test", agent, "--role", role, "--input", "-"];
    repo.wf_in(input, &args).ok().json()
}

#[test]
fn the_example_pair_explores_plans_reviews_and_builds() {
    let sandbox = Sandbox::new();
    let repo = buggy(&sandbox);
    if !has_python(&repo) {
        return;
    }
    repo.wf(&["agents", "test", "planner"]).ok();
    let explored = asked(&repo, "planner", "explorer", "ISS-001");
    assert_eq!(explored["key_findings"][0], "calc.py has \"return a - b\" 1 time");
    let plan = asked(&repo, "planner", "planner", "ISS-001");
    repo.wf_in(plan.to_string(), &["solution", "add", "ISS-001", "-"]).ok();
    let solution = repo.json(&["solution", "list", "ISS-001"])[0]["id"].as_str().unwrap().to_owned();
    let review = asked(&repo, "planner", "reviewer", &solution);
    let bea = repo.as_person("Bea", "bea@example.org");
    bea.wf_in(review.to_string(), &["solution", "review", &solution, "--from-json", "-"]).ok();
    if repo.json(&["show", "ISS-001"])["bound_solution_id"].is_null() {
        repo.wf(&["bind", "ISS-001"]).ok();
    }
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    repo.wf(&["next"]).ok();
    let tested = tested(&repo, "executor", "executor", "S-1");
    assert_eq!(tested["answer"]["status"], "completed", "{tested:#}");
    let branch = &tested["branch"];
    assert_eq!((branch["commits"].as_array().unwrap().len(), &branch["refused"]), (1, &Value::Null));
    assert_eq!(tested["prepared"]["slot"], 0);
    // It worked in a place of its own.
    assert_eq!(repo.read("calc.py"), "def add(a, b):\n    return a - b\n");
    assert_eq!(repo.status("ISS-001"), "executing");
}

#[test]
fn a_builder_that_fails_leaves_the_code_as_it_was() {
    let sandbox = Sandbox::new();
    let repo = buggy(&sandbox);
    if !has_python(&repo) {
        return;
    }
    let mut plan = asked(&repo, "planner", "planner", "ISS-001");
    plan["tasks"][0]["test"]["commands"] = json!(["echo no; exit 3"]);
    repo.wf_in(plan.to_string(), &["solution", "add", "ISS-001", "-"]).ok();
    let solution = repo.json(&["solution", "list", "ISS-001"])[0]["id"].as_str().unwrap().to_owned();
    let built = asked(&repo, "executor", "executor", &solution);
    assert_eq!((&built["status"], &built["errors"][0]["task_id"]), (&json!("failed"), &json!("T1")));
    assert_eq!(repo.git(&["status", "--porcelain"]).ok().stdout, "");
}

#[test]
fn an_answer_of_the_wrong_kind_says_what_is_wrong_where() {
    let sandbox = Sandbox::new();
    let repo = buggy(&sandbox);
    let asked = |role: &str, answer: &str| {
        let agent = format!("sh:cat >&2; printf '%s' '{answer}'");
        let args = ["--json", "agents", "test", &agent, "--role", role, "--input", "-"];
        let error = repo.wf_in("{}", &args).fails(1).json_error();
        assert_eq!(error["code"], "unfit-answer", "{error}");
        error["details"][0].as_str().unwrap().to_owned()
    };
    assert_eq!(asked("explorer", r#"{"issue_id": "ISS-001"}"#), "$: `relevant_files` is missing");
    assert!(asked("planner", r#"{"tasks": [{"id": "T1"}]}"#).starts_with("$.description: expected "));
    assert!(asked("reviewer", r#"{"technical": 900}"#).contains('$'));
    assert_eq!(asked("executor", r#"{"status": "great"}"#).split(':').next(), Some("$.status"));
    let error =
        repo.wf_in("{}", &["--json", "agents", "test", "planner", "--role", "coordinator", "--input", "-"]);
    assert_eq!(error.fails(2).json_error()["code"], "usage");
    repo.refused(2, &["context", "ISS-001", "--for", "executor"]);
}

#[test]
fn an_adapter_answers_a_ping_and_passes_the_rest_on() {
    let sandbox = Sandbox::new();
    let repo = buggy(&sandbox);
    let agents = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/agents");
    let mut adapters = vec!["adapter.sh"];
    if has_python(&repo) {
        adapters.push("adapter.py");
    }
    for adapter in adapters {
        repo.wf(&["agents", "test", &format!("'{agents}/{adapter}' false")]).ok();
        let model = "sh -c 'cat > ../prompt; echo \"{}\"'";
        let agent = format!("'{agents}/{adapter}' {model}");
        let args = ["--json", "agents", "test", &agent, "--role", "explorer", "--input", "-"];
        repo.wf_in(r#"{"issue_id": "ISS-001"}"#, &args).fails(1);
        let prompt = repo.read("../prompt");
        assert!(
            prompt.contains("Explore the code") && prompt.contains("\"issue_id\": \"ISS-001\""),
            "{prompt}"
        );
    }
}
