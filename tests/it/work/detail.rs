//! `detail`: what an executor reads.

use serde_json::json;

use crate::support::{Sandbox, plan};

#[test]
fn the_plan_is_shown_as_it_was_claimed() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    assert_eq!(repo.refused(1, &["detail"])["code"], "no-claim");
    let solution = repo.queued("ISS-001", "src/a.rs");
    let before = repo.json(&["detail", "S-1"]);
    let claim = repo.json(&["next"]);
    let path = repo.store_path("/solution.json");
    let text = repo.stored(&path).replace("Add a token bucket", "Do something else");
    repo.plumb(&[(&path, &text)]);
    let detail = repo.json(&["detail"]);
    assert_eq!(detail["plan_digest"], claim["plan_digest"]);
    assert_eq!(detail["solution"]["tasks"], before["solution"]["tasks"]);
    assert_eq!(detail["execution_id"], claim["execution_id"]);
    for field in ["queue_id", "item_id", "issue_id", "solution_id"] {
        assert_eq!(detail[field], claim[field], "{field}");
    }
    assert_eq!((&detail["status"], &detail["issue"]["id"]), (&json!("executing"), &json!("ISS-001")));
    for item in ["S-1", "ISS-001", &solution] {
        assert_eq!(repo.json(&["detail", item]), detail, "{item}");
    }
    let people = repo.wf(&["detail"]).ok().stdout;
    assert!(people.contains("Add a token bucket") && !people.contains("Do something else"), "{people}");
    assert!(repo.json(&["show", &solution])["tasks"].to_string().contains("Do something else"));
    assert_eq!(repo.refused(1, &["detail", "S-9"])["code"], "not-found");
}

#[test]
fn people_read_all_that_a_task_says() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let mut plan = plan();
    let task = &mut plan["tasks"][0];
    task["files"] = json!([{"path": "src/new.rs", "action": "create", "target": "struct New", "change": "Hold the state",
        "changes": ["derive Debug"], "conflict_risk": "low"}]);
    task["test"]["manual_checks"] = json!(["Look at the log"]);
    task["test"]["coverage_target"] = json!(85);
    task["regression"] = json!(["cargo test --all"]);
    task["convergence"] = json!({"criteria": ["No warning is printed"], "verification": "Run: cargo clippy",
        "definition_of_done": "Merged"});
    task["commit"] =
        json!({"type": "feat", "scope": "limit", "message_template": "add a token bucket", "breaking": true});
    let id = repo.planned("ISS-001", &plan);
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    repo.screen("work/detail-everything", &["detail", "S-1"]);
    repo.screen("plans/show-everything", &["solution", "show", &id]);
    // The numbers are those that `accept` takes.
    repo.wf(&["next"]).ok();
    let accepted = repo.wf(&["accept", "T1", "3", "-m", "seen"]).ok().stdout;
    assert!(accepted.contains("No warning is printed"), "{accepted}");
}
