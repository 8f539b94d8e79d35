//! The cost of finding who set entries aside, counted instead of timed.

use serde_json::json;

use crate::git::{ObjectId, bounded};
use crate::model::fixtures::entry;
use crate::store::history::lineage::tests::{History, path};

/// One commit that adds this many redactions, followed by this many commits that each add one file.
fn history(asides: usize, commits: usize) -> (History, ObjectId) {
    let mut history = History::new();
    let folder = path(1).replace("/issue.json", "");
    let files: Vec<(String, Option<String>)> = (0..asides)
        .map(|n| {
            let target = format!("comments/19710101T{n:09}Z-00000-{:0>26}.json", 0);
            let redaction = json!({"target": target, "field": "-", "reason": "r", "author": "a",
                "created_at": "1970-01-01T00:00:00.000Z"});
            let (id, redaction) = entry(&format!("19700101T{n:09}Z-00000"), redaction);
            (format!("{folder}/redactions/{id}.json"), Some(format!("{redaction:#}\n")))
        })
        .collect();
    let mut tip = history.commit(&[history.first()], &files);
    for n in 0..commits {
        let file = (format!("issues/aa/GH-{n}/notes"), Some(n.to_string()));
        tip = history.commit(&[tip], &[file]);
    }
    (history, tip)
}

#[test]
fn the_work_does_not_multiply_asides_with_commits() {
    let read = |asides: usize, commits: usize| {
        let (history, tip) = history(asides, commits);
        bounded::READ.set(0);
        // By the date of that commit, these entries are a year in the future.
        assert_eq!(history.store.wrongly_aside(None, tip).unwrap(), []);
        bounded::READ.get()
    };
    let (few, more) = (read(5, 20), read(105, 20));
    assert!(more - few <= 3 * 100, "{few} {more}");
    let long = read(105, 40);
    assert!(long - more <= 20 * 8, "{more} {long}");
}

#[test]
fn each_commit_that_brought_one_is_named() {
    let mut history = History::new();
    let folder = path(1).replace("/issue.json", "");
    let redaction = json!({"target": format!("comments/19700103T000000000Z-00000-{:0>26}.json", 0), "field": "-",
        "reason": "r", "author": "a", "created_at": "1970-01-01T00:00:00.000Z"});
    let (id, redaction) = entry("19700101T000000000Z-00000", redaction);
    let place = format!("{folder}/redactions/{id}.json");
    let file = [(place.clone(), Some(format!("{redaction:#}\n")))];
    // The commit is dated the first day, and two days later is the future.
    let fine = history.commit(&[history.first()], &file);
    assert_eq!(history.store.wrongly_aside(None, fine).unwrap(), []);
    for _ in 0..3 {
        history.commits.extend(std::iter::repeat_n((fine, vec![]), 100_000));
    }
    // The date of this commit is more than two days later, so the entry was not in the future.
    let one = history.commit(&[history.first()], &file);
    let two = history.commit(&[history.first()], &[file[0].clone(), ("x".into(), Some("x".into()))]);
    let tip = history.commit(&[one, two], &file);
    let found = history.store.wrongly_aside(None, tip).unwrap();
    let commits: Vec<&str> = found.iter().map(|aside| aside.commit.as_str()).collect();
    let mut expected = [one.to_string(), two.to_string()];
    expected.sort();
    let mut sorted = commits.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    assert!(found.iter().all(|it| it.path == place));
}
