//! The index follows the ref wherever it moves.

use serde_json::json;

use super::{is_fresh, reflected};
use crate::support::{Sandbox, column};

#[test]
fn only_reading_brings_it_up_to_date() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let reflected = || reflected(&repo.path().join(".git/wf/index.db"));
    assert_eq!(reflected(), None);
    let first = repo.tip();
    repo.wf(&["list"]).ok();
    assert_eq!(reflected(), first);
    repo.issue("A-1");
    assert_eq!(reflected(), first, "writing leaves it as it is");
    repo.wf(&["list"]).ok();
    assert!(is_fresh(&repo));
    repo.wf(&["edit", "A-1", "-p", "1"]).ok();
    assert!(!is_fresh(&repo));
    repo.changes_nothing(&["fsck", "--reindex"]);
    assert!(is_fresh(&repo));
}

#[test]
fn whoever_asks_after_a_large_sync_does_not_wait_for_it() {
    let sandbox = Sandbox::new();
    let origin = sandbox.bare("origin.git");
    let here = sandbox.store("here");
    here.git(&["remote", "add", "origin", origin.path().to_str().unwrap()]).ok();
    here.wf(&["sync"]).ok();
    let there = sandbox.clone(origin.path(), "there");
    there.wf(&["init"]).ok();
    let is_fresh = || is_fresh(&there);
    let brought = |name: &str, count: usize| {
        let issue =
            |n| format!("{}\n", json!({"id": format!("{name}-{n}"), "title": name, "status": "open"}));
        here.wf_in((0..count).map(issue).collect::<String>(), &["import", "beads", "-"]).ok();
        here.wf(&["sync"]).ok();
    };
    // An index that nobody has queried is not created.
    brought("first", 600);
    there.wf(&["sync"]).ok();
    assert!(!there.path().join(".git/wf/index.db").exists());
    assert_eq!(there.json(&["search", "first"])["total"], 600);
    // A few changes are left to the next query.
    brought("few", 3);
    there.wf(&["sync"]).ok();
    assert!(!is_fresh());
    for (name, verb) in [("second", "sync"), ("third", "pull")] {
        brought(name, 600);
        there.wf(&[verb]).ok();
        assert!(is_fresh(), "{verb}");
        assert_eq!(there.json(&["search", name])["total"], 600);
    }
}

#[test]
fn it_follows_a_ref_that_goes_back_or_elsewhere() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let ids = || column(&repo.json(&["list"]), "id").join(" ");
    repo.issue("A-1");
    let first = repo.tip().unwrap();
    repo.issue("A-2");
    repo.wf(&["edit", "A-1", "--title", "New"]).ok();
    assert_eq!(ids(), "A-1 A-2");
    assert_eq!(repo.json(&["log"]).as_array().unwrap().len(), 4);
    assert_eq!(repo.json(&["search", "about OR new"])["total"], 2);
    repo.git(&["update-ref", "refs/wf/main", &first]).ok();
    assert_eq!(ids(), "A-1");
    assert_eq!(repo.json(&["log"]).as_array().unwrap().len(), 2);
    assert_eq!(repo.json(&["search", "about OR new"])["total"], 1);
    assert_eq!(repo.json(&["search", "about"])["hits"][0]["title"], "About A-1");
    repo.issue("A-3");
    assert_eq!(ids(), "A-1 A-3");
    assert_eq!(column(&repo.json(&["log", "A-3"]), "op"), ["new"]);
    // The state that it reflects no longer exists.
    repo.git(&["update-ref", "refs/wf/main", &first]).ok();
    repo.git(&["reflog", "expire", "--expire=now", "--all"]).ok();
    repo.git(&["gc", "--quiet", "--prune=now"]).ok();
    assert_eq!(ids(), "A-1");
    assert_eq!(repo.json(&["log"]).as_array().unwrap().len(), 2);
}

#[test]
fn full_text_has_what_went_and_came_back_before_it_followed() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("A-1");
    let first = repo.tip().unwrap();
    repo.issue("A-2");
    let second = repo.tip().unwrap();
    assert_eq!(repo.json(&["search", "about"])["total"], 2);
    for tip in [&first, &second] {
        repo.git(&["update-ref", "refs/wf/main", tip]).ok();
        repo.wf(&["list"]).ok();
    }
    assert_eq!(repo.json(&["search", "about"])["total"], 2);
}

#[test]
fn what_is_ready_goes_by_the_issue_wherever_the_ref_went() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let ready = || column(&repo.json(&["list", "--ready"]), "id").join(" ");
    let first = repo.tip().unwrap();
    // Numbered one by one as they come, and all at once, in the order of the tree, when the ref comes back.
    for n in 1..6 {
        repo.issue(&format!("A-{n}"));
        repo.wf(&["list"]).ok();
    }
    repo.queued("A-6", "a.txt");
    let queued = repo.tip().unwrap();
    assert_eq!(ready(), "A-6");
    for tip in [&first, &queued] {
        repo.git(&["update-ref", "refs/wf/main", tip]).ok();
        repo.wf(&["list"]).ok();
    }
    assert_eq!(ready(), "A-6");
}

#[test]
fn a_queue_that_cannot_be_read_is_in_the_way_of_no_other() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("A-1", "a.txt");
    let other = repo.json(&["queue", "manage", "new", "Other"])["id"].as_str().unwrap().to_owned();
    repo.plumb(&[(&format!("queues/{other}/queue.json"), "{\n")]);
    assert_eq!(column(&repo.json(&["list", "--ready"]), "id"), ["A-1"]);
    repo.wf(&["fsck", "--reindex"]).ok();
    assert_eq!(column(&repo.json(&["list", "--ready"]), "id"), ["A-1"]);
    repo.wf(&["fsck"]).fails(1);
}

#[test]
fn a_redacted_text_is_in_no_answer() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["new", "Wasserfall", "--id", "A-1", "-m", "the password is Hunderttausend"]).ok();
    assert_eq!(repo.json(&["search", "hunderttausend"])["total"], 1);
    repo.wf(&["redact", "A-1", "context", "-m", "secret"]).ok();
    assert_eq!(repo.json(&["search", "hunderttausend"])["total"], 0);
    assert!(!repo.wf(&["list", "--json"]).ok().stdout.contains("Hunderttausend"));
    repo.wf(&["redact", "A-1", "title", "-m", "secret"]).ok();
    assert_eq!(repo.json(&["search", "wasserfall"])["total"], 0);
    for args in [&["list"][..], &["list", "--json"], &["log", "--json"], &["log", "A-1"]] {
        assert!(!repo.wf(args).ok().stdout.contains("Wasserfall"), "{args:?}");
    }
}
