//! What is written and what can be read has one limit, and no merge goes beyond it.

use serde_json::json;

use crate::support::{is_long, plan};
use crate::sync::{Two, file};

#[test]
fn two_records_near_the_limits_join_into_one_that_can_be_read() {
    let two = Two::new();
    two.ada.wf(&["new", "as it was", "--id", "GH-1"]).ok();
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    // With `WF_LONG=1` 9 MiB in each clone, so that the two together are more than what is written once may hold.
    let count = if is_long() { 9 } else { 2 };
    let text = "0123456789".repeat(104_000);
    let known = ["context", "expected_behavior", "actual_behavior", "assignee"];
    for (repo, known, by) in [(&two.ada, &known[..2], "ada"), (&two.bea, &known[2..], "bea")] {
        let mut record = repo.stored_json(&file("GH-1"));
        for field in known {
            record[field] = json!(text);
        }
        for n in known.len()..count {
            record[format!("zoo_{by}_{n}")] = json!(text);
        }
        repo.plumb(&[(&file("GH-1"), &format!("{record:#}\n"))]);
    }
    for repo in [&two.ada, &two.bea, &two.ada] {
        repo.wf(&["sync"]).ok();
    }
    two.assert_one_state();
    let shown = two.bea.wf(&["show", "GH-1", "--json"]).ok().json();
    assert_eq!((&shown["context"], &shown["actual_behavior"]), (&json!(text), &json!(text)));
    two.bea.wf(&["edit", "GH-1", "--title", "it can be written"]).ok();
    let found = two.bea.wf(&["fsck", "--json"]).ok().json();
    assert!(found.as_array().unwrap().iter().all(|it| it["severity"] == "note"), "{found}");
}

#[test]
fn a_value_that_is_too_large_is_refused_by_name_and_size() {
    let two = Two::new();
    let repo = &two.ada;
    repo.wf(&["new", "small", "--id", "GH-1"]).ok();
    let tip = repo.tip();
    let text = "x".repeat((1 << 20) - 1);
    repo.write("large.txt", &text);
    let mut large = plan();
    large["exploration_context"] = json!({"notes": text});
    repo.write("plan.json", large.to_string());
    for (args, field) in [
        (&["new", "large", "-F", "large.txt", "--json"][..], "`context`"),
        (&["edit", "GH-1", "--from-json", "-", "--json"], "`context`"),
        (&["solution", "add", "GH-1", "plan.json", "--json"], "`plan`"),
    ] {
        let error = repo.wf_in(json!({"context": text}).to_string(), args).fails(1).json_error();
        let message = error["message"].as_str().unwrap();
        assert_eq!(error["code"], "too-large", "{error}");
        assert!(message.contains(field) && message.contains("10") && message.contains("1048576"), "{error}");
        assert_eq!(repo.tip(), tip, "nothing was written");
    }
}
