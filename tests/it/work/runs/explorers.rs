//! Runs with an explorer: what it finds out is kept, and given to those who plan and review.

use serde_json::{Value, json};

use super::world::{PLANS, World};
use crate::support::{Two, column};

const REVIEWS: &str = "echo '{\"technical\": 90, \"risk\": 90, \"completeness\": 90}'";

/// An exploration of an issue that finds one thing in a file.
fn found(issue: &str, file: &str, complexity: &str) -> String {
    json!({
        "issue_id": issue, "issue": {"id": issue, "title": "a copy of its title"},
        "relevant_files": [{"path": file, "relevance": 0.9, "rationale": "it is the one"}],
        "dependencies": [], "impact_scope": "low", "existing_patterns": ["one line a file"],
        "key_findings": [format!("{file} has one line")], "complexity_assessment": complexity,
    })
    .to_string()
}

impl World {
    /// Sets an agent that keeps what it is asked in a file for each time, `$HERE/ROLE-1` and so on, and then does as told
    /// with that in `$ASKED`.
    fn agent_that_keeps(&self, role: &str, script: &str) {
        let keep = format!(
            "n=1; while test -e \"$HERE/{role}-$n\"; do n=$((n + 1)); done; ASKED=\"$HERE/{role}-$n\"; cat > \"$ASKED\""
        );
        self.agent(role, &format!("{keep}\n{script}"));
    }

    /// What an agent was asked the n-th time.
    fn asked(&self, role: &str, n: usize) -> Value {
        let text = std::fs::read_to_string(self.sandbox.root().join(format!("{role}-{n}"))).unwrap();
        serde_json::from_str(&text).unwrap()
    }
}

#[test]
fn an_issue_is_explored_first_and_everybody_is_told() {
    let world = World::new();
    world.agent_that_keeps("explorer", &format!("echo '{}'", found("ISS-1", "a.txt", "High")));
    world.agent_that_keeps("planner", PLANS);
    world.agent_that_keeps("reviewer", REVIEWS);
    let state = world.run(0, &["ISS-1", "--mode", "full"]);
    let run = world.repo.json(&["run", "show"]);
    assert_eq!(run["steps"], json!(["explore", "plan", "review", "queue", "execute", "integrate"]));
    assert_eq!(run["agents"]["explorer"], "explorer");
    assert_eq!(state["completed_actions"][0], "explore:ISS-1", "{state:#}");
    let asked = world.asked("explorer", 1);
    assert_eq!((&asked["kind"], &asked["role"]), (&json!("explore"), &json!("explorer")));
    assert_eq!((&asked["input"]["complexity"], &asked["input"]["depth"]), (&json!("low"), &json!("search")));
    // It is kept without the copy of the issue.
    let shown = world.repo.json(&["show", "ISS-1"]);
    let kept = &shown["explorations"][0];
    assert_eq!(kept["key_findings"], json!(["a.txt has one line"]), "{shown:#}");
    assert_eq!((&kept["run_id"], &kept["depth"]), (&run["id"], &json!("search")));
    assert_eq!((&kept["complexity_assessment"], kept.get("issue")), (&json!("high"), None));
    let found = world.repo.json(&["search", "explorations: \"has one line\""]);
    assert!(found.to_string().contains("ISS-1"), "{found:#}");
    let people = world.repo.wf(&["show", "ISS-1"]).ok().stdout;
    assert!(people.contains("explorations") && people.contains("a.txt has one line"), "{people}");
    // Planners and reviewers get it.
    let input = &world.asked("planner", 1)["input"];
    assert_eq!(input["exploration"]["relevant_files"][0]["path"], "a.txt", "{input:#}");
    assert_eq!((&input["complexity"], &input["candidates"]), (&json!("high"), &json!({"min": 2, "max": 3})));
    let input = &world.asked("reviewer", 1)["input"];
    assert_eq!(input["exploration"]["key_findings"], json!(["a.txt has one line"]), "{input:#}");
    assert_eq!(input.get("no_context"), None);
    for args in [&["context", "ISS-1"][..], &["context", "ISS-1", "--for", "explorer"]] {
        let told = world.repo.wf(args).ok().stdout;
        assert!(told.contains("exploration") && told.contains("it is the one"), "{told}");
    }
    let log = world.repo.wf(&["log", "-p", "ISS-1"]).ok().stdout;
    assert!(log.contains("exploration of ISS-1 (search) by "), "{log}");
    world.is_untouched();
}

#[test]
fn an_explorer_that_fails_is_asked_for_less_and_then_left_out() {
    let world = World::new();
    world.repo.wf(&["edit", "ISS-1", "--title", "Refactor all modules across the API"]).ok();
    world.repo.wf(&["comment", "ISS-1", "-m", "be quick"]).ok();
    world.agent_that_keeps("explorer", "echo no idea >&2; exit 3");
    world.agent_that_keeps("planner", PLANS);
    world.agent_that_keeps("reviewer", REVIEWS);
    let state = world.run(0, &["ISS-1", "--mode", "full"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
    assert_eq!(column(&state["errors"], "error_type"), ["agent-failed", "agent-failed"]);
    let (first, second) =
        (world.asked("explorer", 1)["input"].clone(), world.asked("explorer", 2)["input"].clone());
    assert_eq!((&first["depth"], &second["depth"]), (&json!("deep"), &json!("search")));
    assert_eq!(first["comments"][0]["body"], "be quick");
    assert_eq!((second.get("comments"), &second["title"]), (None, &first["title"]));
    let log = world.repo.wf(&["run", "log"]).ok().stdout;
    assert!(log.contains("exploration of ISS-1 skipped"), "{log}");
    assert_eq!(world.asked("planner", 1)["input"].get("exploration"), None);
    let told = world.asked("reviewer", 1)["input"]["no_context"].as_str().unwrap().to_owned();
    assert!(told.contains("technical score of 70"), "{told}");
    assert_eq!(world.repo.json(&["show", "ISS-1"])["explorations"], json!([]));
}

#[test]
fn an_exploration_is_checked_strictly() {
    let world = World::new();
    let other = found("ISS-2", "a.txt", "low");
    let more = found("ISS-1", "a.txt", "low").replace("\"0.9\"", "\"0.9\", \"plan\": 1").replacen(
        '{',
        "{\"plan\": {}, ",
        1,
    );
    world.agent_that_keeps("explorer", &format!("if once told; then echo '{more}'; else echo '{other}'; fi"));
    let state = world.run(0, &["ISS-1"]);
    let messages = column(&state["errors"], "message");
    assert!(messages[0].contains("$.plan: is not a known field"), "{messages:?}");
    assert!(messages[1].contains("`issue_id` is `ISS-2`"), "{messages:?}");
    assert_eq!(world.asked("explorer", 2)["faults"], json!(["$.plan: is not a known field"]));
    assert_eq!(world.repo.json(&["show", "ISS-1"])["explorations"], json!([]));
}

#[test]
fn an_exploration_can_be_left_out_on_the_record() {
    let world = World::new();
    world.agent("explorer", "exit 3");
    world.run(0, &["ISS-1", "--skip-explore", "--mode", "full", "--skip-review"]);
    let run = world.repo.json(&["run", "show"]);
    assert_eq!(run["steps"], json!(["plan", "queue", "execute", "integrate"]));
    assert_eq!(run["agents"].get("explorer"), None);
    let log = world.repo.wf(&["run", "log"]).ok().stdout;
    assert!(log.contains("exploration skipped: --skip-explore"), "{log}");
    assert!(log.contains("review skipped: --skip-review"), "{log}");
}

#[test]
fn the_issues_of_a_batch_know_the_files_of_each_other() {
    let world = World::new();
    world.repo.issue("ISS-2");
    world.agent(
        "explorer",
        &format!(
            "if grep -q 'ISS-1'; then echo '{}'; else echo '{}'; fi",
            found("ISS-1", "a.txt", "low"),
            found("ISS-2", "b.txt", "low")
        ),
    );
    world.agent_that_keeps("planner", PLANS);
    world.run(0, &["ISS-1", "ISS-2", "--mode", "batch", "--skip-review", "--plan-jobs", "1", "--plan-only"]);
    let batch = |n| {
        let asked = world.asked("planner", n)["input"].clone();
        (asked["issue_id"].clone(), asked["batch"].clone())
    };
    let ((first, others), (second, planned)) = (batch(1), batch(2));
    assert_eq!((&first, &others[0]["issue_id"]), (&json!("ISS-1"), &second));
    assert_eq!((&others[0]["files"], others[0].get("solution_id")), (&json!(["b.txt"]), None), "{others:#}");
    assert_eq!((&planned[0]["issue_id"], &planned[0]["files"]), (&first, &json!(["a.txt"])), "{planned:#}");
    assert!(planned[0]["solution_id"].is_string(), "{planned:#}");
}

#[test]
fn explorations_are_merged_exported_and_hidden() {
    let two = Two::new();
    let (ada, bea) = (&two.ada, &two.bea);
    ada.issue("ISS-1");
    for repo in [ada, bea] {
        repo.wf(&["sync"]).ok();
        repo.git(&["config", "wf.agent.planner.command", "sh -c 'exit 3'"]).ok();
        let secret = found("ISS-1", "a.txt", "low").replace("has one line", "has the password hunter2");
        let script = two.sandbox.root().join("explorer.sh");
        std::fs::write(&script, format!("echo '{secret}'\n")).unwrap();
        repo.git(&["config", "wf.agent.explorer.command", &format!("sh '{}'", script.display())]).ok();
        repo.commit("a.txt", "one\n", "Begin");
        let run = ["run", "ISS-1", "--explorer", "explorer", "--planner", "planner", "--plan-only"];
        repo.wf(&run).fails(1);
    }
    for repo in [bea, ada, bea] {
        repo.wf(&["sync"]).ok();
    }
    let kept = ada.json(&["show", "ISS-1"])["explorations"].clone();
    assert_eq!(kept.as_array().unwrap().len(), 2, "{kept:#}");
    assert_eq!(kept, bea.json(&["show", "ISS-1"])["explorations"]);
    for entry in column(&kept, "id") {
        ada.wf(&["redact", "ISS-1", &format!("explorations/{entry}"), "-m", "a password"]).ok();
    }
    for repo in [ada, bea] {
        repo.wf(&["sync"]).ok();
        let shown = repo.wf(&["show", "ISS-1", "--json"]).ok().stdout;
        assert!(shown.contains("[redacted]") && !shown.contains("hunter2"), "{shown}");
        assert!(!repo.wf(&["export", "jsonl"]).ok().stdout.contains("hunter2"));
        repo.wf(&["fsck"]).ok();
    }
    let other = two.sandbox.store("other");
    let exported = ada.wf(&["export", "jsonl"]).ok().stdout;
    other.wf_in(exported, &["import", "jsonl", "-"]).ok();
    assert_eq!(
        column(&other.json(&["show", "ISS-1"])["explorations"], "depth"),
        column(&ada.json(&["show", "ISS-1"])["explorations"], "depth")
    );
    other.wf(&["fsck"]).ok();
}
