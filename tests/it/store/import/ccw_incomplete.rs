//! Stores of ccw of which a file is missing in one of two clones: the complete one stands, whatever the order and the bytes.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::ccw::{AT, import, issue, item, queue, statuses, write};
use super::store;
use crate::support::{Repo, Sandbox, Two};

/// A store with one queued issue, whose record is greater by its bytes the later the assignee's name is.
fn project(at: &Path, assignee: &str, is_complete: bool) {
    let issues = [issue(1, "queued", &json!({"assignee": assignee}))];
    write(at, &issues, &[], &[queue(&[item(1, 1, "pending", &json!({}))], AT)]);
    if !is_complete {
        fs::remove_file(at.join(".workflow/issues/solutions/ISS-001.jsonl")).unwrap();
    }
}

/// The issue without its stamps, and the items of the queue.
fn said(repo: &Repo) -> Value {
    let mut issue = super::issue(repo, "ISS-001");
    issue.as_object_mut().unwrap().remove("clock");
    let queue = repo.json(&["queue", "show", "QUE-20260101080000"]);
    json!([issue, queue["items"][0]["item_id"], queue["items"][0]["status"], statuses(repo)])
}

#[test]
fn of_a_complete_and_an_incomplete_store_the_complete_one_stands_in_all_clones() {
    let sandbox = Sandbox::new();
    for (whole, part) in [("Ada", "Zoe"), ("Zoe", "Ada")] {
        let [complete, incomplete] = ["complete", "incomplete"].map(|name| sandbox.root().join(name));
        project(&complete, whole, true);
        project(&incomplete, part, false);
        let alone = store(&sandbox, &format!("alone {whole}"));
        import(&alone, &complete);
        let expected = said(&alone);
        assert_eq!(expected[0]["bound_solution_id"], "SOL-ISS-001-1");
        for (ada, bea) in [(&complete, &incomplete), (&incomplete, &complete)] {
            let two = Two::new();
            import(&two.ada, ada);
            import(&two.bea, bea);
            two.meet();
            two.assert_one_state();
            assert_eq!(said(&two.ada), expected, "{whole}");
            // Whatever is imported next, nothing is lost.
            for (repo, project) in [(&two.bea, bea), (&two.ada, ada), (&two.bea, &incomplete)] {
                import(repo, project);
                two.meet();
                assert_eq!(said(repo), expected, "{whole}");
            }
            two.assert_one_state();
            assert_eq!(two.ada.json(&["conflicts"]), json!([]));
            assert_eq!(two.bea.wf(&["fsck"]).ok().stdout.trim(), "0 errors, 0 notes");
        }
    }
}

#[test]
fn a_later_store_that_lost_a_plan_takes_no_item_away() {
    let sandbox = Sandbox::new();
    let [complete, later] = ["complete", "later"].map(|name| sandbox.root().join(name));
    let at = "2026-01-02T08:00:00.000Z";
    let write_later = |is_complete: bool| {
        let issues = [issue(1, "queued", &json!({"updated_at": at}))];
        write(&later, &issues, &[], &[queue(&[item(1, 1, "pending", &json!({}))], at)]);
        if !is_complete {
            fs::remove_file(later.join(".workflow/issues/solutions/ISS-001.jsonl")).unwrap();
        }
    };
    project(&complete, "Ada", true);
    write_later(false);
    let two = Two::new();
    import(&two.ada, &complete);
    import(&two.bea, &later);
    two.meet();
    two.assert_one_state();
    let items = two.bea.json(&["queue", "show", "QUE-20260101080000"])["items"].clone();
    assert_eq!(items[0]["item_id"], "S-1", "{items:#}");
    // The source is repaired, without a later time of change.
    write_later(true);
    import(&two.bea, &later);
    two.meet();
    two.assert_one_state();
    assert_eq!(two.ada.json(&["show", "ISS-001"])["bound_solution_id"], "SOL-ISS-001-1");
    assert_eq!(two.ada.json(&["queue", "show"])["items"][0]["item_id"], "S-1");
    assert_eq!(two.ada.wf(&["fsck"]).ok().stdout.trim(), "0 errors, 0 notes");
}

#[test]
fn what_is_said_of_a_plan_is_true_of_the_record_that_stands() {
    let sandbox = Sandbox::new();
    let [complete, incomplete] = ["complete", "incomplete"].map(|name| sandbox.root().join(name));
    project(&complete, "Ada", true);
    project(&incomplete, "Ada", false);
    let missing = "its plan `SOL-ISS-001-1` is missing";
    let notes = |repo: &Repo, project: &Path| import(repo, project)["notes"].to_string();
    let repo = store(&sandbox, "a");
    import(&repo, &complete);
    let lesser = notes(&repo, &incomplete);
    assert!(lesser.contains("the same time of change") && !lesser.contains(missing), "{lesser}");

    // Here, a later record stands, which lacks the plan.
    let later = sandbox.root().join("later");
    let updated = json!({"updated_at": "2026-01-02T08:00:00.000Z"});
    write(&later, &[issue(1, "planned", &updated)], &[], &[]);
    fs::remove_file(later.join(".workflow/issues/solutions/ISS-001.jsonl")).unwrap();
    let repo = store(&sandbox, "b");
    assert!(notes(&repo, &later).contains(missing));
    let older = import(&repo, &complete);
    assert_eq!(older["left_out"][0]["reason"], "older than what was last imported");
    assert!(older["notes"].to_string().contains(missing), "{older:#}");
}
