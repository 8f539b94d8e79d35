//! Whatever a source holds, an import makes no store that `fsck` calls faulty.

use serde_json::json;

use super::{dependency, import, issue, lines, record, store};
use crate::support::{Sandbox, Two, column};

#[test]
fn a_cycle_of_the_source_is_noted_and_a_strict_import_refuses_it() {
    let repo = store(&Sandbox::new(), "a");
    let on = |id: &str, other: &str| record(id, &json!({"dependencies": [dependency(id, other, "blocks")]}));
    let source = lines(&[on("zoo-1", "zoo-2"), on("zoo-2", "zoo-1")]);
    let refused = repo.refused_in(&source, 1, &["import", "beads", "--strict", "-"]);
    assert_eq!(refused["code"], "not-strict");
    assert_eq!(import(&repo, &source)["created"], 2);
    let ran = repo.wf(&["fsck", "--verbose"]).ok();
    assert!(ran.stdout.contains("zoo-1 → zoo-2 → zoo-1"), "{}", ran.stdout);
}

#[test]
fn a_cycle_of_the_source_that_is_over_is_none() {
    let repo = store(&Sandbox::new(), "a");
    let on = |id: &str, other: &str, status: &str| {
        let dependencies = [dependency(id, other, "blocks")];
        record(id, &json!({"dependencies": dependencies, "status": status}))
    };
    let source = lines(&[on("zoo-1", "zoo-2", "closed"), on("zoo-2", "zoo-1", "open")]);
    let report = import(&repo, &source);
    assert_eq!(report["notes"], json!([]), "{report}");
    assert_eq!(repo.wf(&["fsck", "--verbose"]).ok().stdout.matches("cycle").count(), 0);
}

#[test]
fn a_relation_that_leads_back_is_left_out_and_named() {
    let repo = store(&Sandbox::new(), "a");
    let at = "2026-01-05T08:00:00Z";
    let on = |id: &str, other: &str| {
        record(id, &json!({"dependencies": [dependency(id, other, "parent-child")], "updated_at": at}))
    };
    let source =
        lines(&[on("zoo-1", "zoo-2"), on("zoo-2", "zoo-3"), on("zoo-3", "zoo-1"), on("zoo-4", "zoo-1")]);
    let refused = repo.refused_in(&source, 1, &["import", "beads", "--strict", "-"]);
    assert_eq!(refused["code"], "not-strict");
    let report = import(&repo, &source);
    assert_eq!((&report["created"], &report["relations"]), (&json!(4), &json!(3)));
    assert_eq!(
        report["notes"],
        json!([{"id": "zoo-3", "note": "`parent-child:zoo-1` was left out: it would lead back to `zoo-3` itself"}])
    );
    assert_eq!(issue(&repo, "zoo-1")["relations"], json!(["parent-child:zoo-2"]));
    assert_eq!(issue(&repo, "zoo-3")["relations"], json!(null));
    repo.wf(&["fsck"]).ok();
    let tip = repo.tip();
    assert_eq!(import(&repo, &source)["notes"], json!([]));
    assert_eq!(repo.tip(), tip, "a second import changes nothing");
    // What is here stays, whichever of them the source turns round.
    let later = |id: &str, other: &str| {
        let dependencies = [dependency(id, other, "parent-child")];
        record(id, &json!({"dependencies": dependencies, "updated_at": "2026-01-06T08:00:00Z"}))
    };
    repo.wf(&["new", "--id", "P-1", "Part"]).ok();
    repo.wf(&["edit", "P-1", "--relation", "parent-child:zoo-4"]).ok();
    let report = import(&repo, &lines(&[later("zoo-1", "P-1")]));
    assert_eq!(
        report["notes"][0]["note"],
        "`parent-child:P-1` was left out: it would lead back to `zoo-1` itself"
    );
    repo.wf(&["fsck"]).ok();
    // The source may turn a relation round.
    let flipped = [later("zoo-2", "zoo-1"), record("zoo-1", &json!({"updated_at": "2026-01-07T08:00:00Z"}))];
    assert_eq!(import(&repo, &lines(&flipped))["notes"], json!([]));
    assert_eq!(issue(&repo, "zoo-2")["relations"], json!(["parent-child:zoo-1"]));
    repo.wf(&["fsck"]).ok();
}

#[test]
fn two_clones_that_import_a_relation_each_keep_no_circle_that_one_source_made() {
    let two = Two::new();
    let record = |id: &str, other: Option<&str>, day: u8| {
        let dependencies: Vec<_> =
            other.map(|other| dependency(id, other, "parent-child")).into_iter().collect();
        record(
            id,
            &json!({"dependencies": dependencies, "updated_at": format!("2026-01-{day:02}T08:00:00Z")}),
        )
    };
    let first = [record("zoo-1", Some("zoo-2"), 5), record("zoo-2", None, 5)];
    let second = [record("zoo-1", Some("zoo-2"), 5), record("zoo-2", Some("zoo-1"), 6)];
    import(&two.ada, &lines(&first));
    import(&two.bea, &lines(&second));
    two.meet();
    two.ada.wf(&["fsck"]).ok();
    two.bea.wf(&["fsck"]).ok();
}

#[test]
fn what_changed_in_the_future_counts_as_changed_now() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let comment = json!({"id": 1, "author": "Ada", "text": "Hm.", "created_at": "2026-01-03T09:00:00Z"});
    let future = json!({"updated_at": "2990-01-01T08:00:00Z", "comments": [comment], "labels": ["a"]});
    let born = json!({"created_at": "2990-01-01T08:00:00Z"});
    let source = lines(&[record("zoo-1", &future), record("zoo-2", &born)]);
    let report = import(&repo, &source);
    assert_eq!((&report["created"], column(&report["skipped"], "id")), (&json!(1), vec!["zoo-2".to_owned()]));
    assert!(report["notes"][0]["note"].as_str().unwrap().contains("counts as changed now"), "{report}");
    assert_eq!(issue(&repo, "zoo-1")["imported"]["updated_at"], "2990-01-01T08:00:00Z");
    repo.wf(&["fsck"]).ok();
    let tip = repo.tip();
    import(&repo, &source);
    assert_eq!(repo.tip(), tip, "a second import changes nothing");
    repo.wf(&["edit", "zoo-1", "--title", "Mine"]).ok();
    assert_eq!(repo.json(&["show", "zoo-1"])["title"], "Mine");
    // The source corrects its time.
    sandbox.advance(24 * 3600);
    let now = json!({"updated_at": "2026-11-22T01:00:00Z", "comments": [comment], "labels": ["b"]});
    import(&repo, &lines(&[record("zoo-1", &now)]));
    assert_eq!(issue(&repo, "zoo-1")["tags"], json!(["b"]));
}
