//! Whatever a source holds, an import makes no store that `fsck` calls faulty.

use serde_json::json;

use super::{dependency, import, issue, lines, record, store};
use crate::support::{Sandbox, column};

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
