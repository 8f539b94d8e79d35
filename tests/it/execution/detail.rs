//! `detail`: what an executor reads.

use serde_json::json;

use crate::support::Sandbox;

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
