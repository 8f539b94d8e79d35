//! Histories of several clones: honest ones, and forged ones in which someone writes another value under an existing
//! stamp.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::git::ObjectId;
use crate::model::{ISSUE, Stamp, Stamper, Uid};
use crate::store::Lineage;
use crate::store::history::lineage::tests::{History, issue, path};

/// A stamper for each clone; all clocks are right.
fn by(history: &History, who: u8) -> Stamper {
    Stamper::new(Time::from_seconds(history.now()).unwrap(), Uid::from_bits([0, 0, 0, 0, who]))
}

fn file(doc: &Doc) -> (String, Option<String>) {
    (path(1), Some(String::from_utf8(doc.to_bytes()).unwrap()))
}

fn born(history: &History, is_import: bool) -> Doc {
    let data = json!({"id": "GH-1", "author": "Ada", "created_at": "2026-11-01T00:00:00.000Z", "title": "as it was",
        "status": "registered", "priority": 3, "tags": ["auth"],
        "imported": if is_import { json!({"n": 1}) } else { json!(null) }});
    let birth = by(history, 0).fresh();
    if is_import {
        let birth = Stamp::import(birth.time());
        Doc::imported(&ISSUE, &data, birth.clone(), &birth)
    } else {
        Doc::born(&ISSUE, &data, birth)
    }
}

fn edit(history: &History, doc: &Doc, who: u8, what: u8) -> Doc {
    let mut new = doc.clone();
    let mut data = new.fields();
    match what % 4 {
        0 => data["title"] = json!(format!("title {what} of {who} at {}", history.now())),
        1 => data["tags"] = json!(["ui", format!("tag {}", history.now())]),
        2 => data["tags"] = json!([]),
        _ => data["extended_context"] = json!({"notes": format!("{what}")}),
    }
    new.update(&data, &by(history, who)).unwrap();
    new
}

impl History {
    fn faults(&self, tip: ObjectId) -> Vec<HistoryFault> {
        let all = self.commits.iter().map(|(commit, parents)| (*commit, &parents[..]));
        let mut lineage = Lineage::over(&self.store, all);
        let mut origins = OriginJudge::between(&self.store, None, tip).unwrap();
        let mut found = Vec::new();
        for (commit, parents) in &self.commits {
            for own in lineage.changes(*commit, parents, &|_| true).unwrap() {
                let steps = own.step().map(|step| step.faults()).unwrap_or_default();
                found.extend(steps.into_iter().map(|what| HistoryFault { commit: *commit, what }));
                found.extend(origins.faults(&own, *commit, parents).unwrap());
            }
        }
        found
    }
}

/// The work of two clones; returns their heads with their versions of the record.
fn work(history: &mut History, is_import: bool, edits: &[(bool, u8)], merges: bool) -> [(ObjectId, Doc); 2] {
    let record = born(history, is_import);
    let first = history.commit(&[history.first()], &[file(&record)]);
    let mut heads = [(first, record.clone()), (first, record)];
    for (n, (which, what)) in edits.iter().enumerate() {
        if merges && n % 3 == 2 {
            let all = heads[0].1.clone().merge(heads[1].1.clone());
            let commit = history.commit(&[heads[0].0, heads[1].0], &[file(&all)]);
            heads = [(commit, all.clone()), (commit, all)];
        }
        let (head, doc) = &heads[usize::from(*which)];
        let new = edit(history, doc, u8::from(*which), *what);
        let commit = history.commit(&[*head], &[file(&new)]);
        heads[usize::from(*which)] = (commit, new);
    }
    heads
}

/// How a value is forged.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// In a single commit.
    Plainly,
    /// First claiming that it is hidden.
    Hidden,
    /// On a branch that does not have the record, except for the forged one.
    Twin,
    /// The same, with a record that claims to be partly hidden.
    HiddenTwin,
    /// On a branch that starts at another clone's commit, where the record is older.
    Fork,
}

fn forge(doc: &Doc, key: &str, value: Value) -> Doc {
    let mut record: Value = serde_json::from_slice(&doc.to_bytes()).unwrap();
    match key.split_once('/') {
        Some((name, leaf)) => record[name][leaf] = value,
        None => record[key] = value,
    }
    Doc::parse(&ISSUE, record.to_string().as_bytes()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn honest_clones_are_at_no_fault(
        is_import in any::<bool>(), edits in prop::collection::vec((any::<bool>(), 0..8u8), 0..9), merges in any::<bool>(),
    ) {
        let mut history = History::new();
        let [one, two] = work(&mut history, is_import, &edits, merges);
        let all = one.1.clone().merge(two.1.clone());
        // Someone restores the record on a branch without it, as from an export, and then again.
        let again = history.commit(&[history.first()], &[file(&one.1)]);
        let more = history.commit(&[history.first()], &[file(&all), ("else".into(), Some("x".into()))]);
        let tip = history.commit(&[one.0, two.0, again, more], &[file(&all)]);
        prop_assert_eq!(history.faults(tip), vec![]);
    }

    #[test]
    fn whoever_changes_a_value_under_its_stamp_is_named(
        is_import in any::<bool>(),
        edits in prop::collection::vec((any::<bool>(), 0..8u8), 1..7),
        merges in any::<bool>(),
        way in prop_oneof![Just(Way::Plainly), Just(Way::Hidden), Just(Way::Twin), Just(Way::HiddenTwin), Just(Way::Fork)],
        key in prop_oneof![Just("title"), Just("author"), Just("extended_context/notes"), Just("status")],
    ) {
        let mut history = History::new();
        let [one, two] = work(&mut history, is_import, &edits, merges);
        let all = one.1.clone().merge(two.1.clone());
        let there = all.fields();
        let pointer = format!("/{key}");
        if there.pointer(&pointer).is_none() || key == "status" && matches!(way, Way::Hidden | Way::HiddenTwin) {
            return Ok(());
        }
        let tip = history.commit(&[one.0, two.0], &[file(&all)]);
        let value = if key == "status" { json!("cancelled") } else { json!("zz forged") };
        let forged = forge(&all, key, value);
        let hidden = || forge(&all, key, json!("[redacted]"));
        let first = history.first();
        let head = match way {
            Way::Plainly => history.commit(&[tip], &[file(&forged)]),
            Way::Hidden => {
                let head = history.commit(&[tip], &[file(&hidden())]);
                history.commit(&[head], &[file(&forged)])
            }
            Way::Twin => history.commit(&[first], &[file(&forged)]),
            Way::HiddenTwin => history.commit(&[first], &[file(&hidden())]),
            Way::Fork => {
                // The commit before this clone's last one.
                let parents = history.commits.iter().find(|(commit, _)| *commit == one.0).unwrap().1.clone();
                history.commit(&parents[..1], &[file(&forged)])
            }
        };
        let before = history.commits.len() - 1 - usize::from(matches!(way, Way::Hidden));
        let liars: Vec<ObjectId> = history.commits[before..].iter().map(|(commit, _)| *commit).collect();
        let other = if matches!(way, Way::HiddenTwin) { hidden() } else { forged };
        let end = history.commit(&[tip, head], &[file(&all.clone().merge(other))]);
        let faults = history.faults(end);
        prop_assert!(!faults.is_empty(), "{key} {way:?}");
        prop_assert!(faults.iter().all(|fault| liars.contains(&fault.commit)), "{key} {way:?}: {faults:?}");
    }
}

#[test]
fn an_import_may_differ_from_another_as_its_source_did() {
    let mut history = History::new();
    let record = born(&history, true);
    let first = history.commit(&[history.first()], &[file(&record)]);
    // The source had another value when it was read there.
    let reading = forge(
        &forge(&forge(&record, "imported", json!({"n": 2})), "author", json!("Bea")),
        "title",
        json!("b"),
    );
    let other = history.commit(&[history.first()], &[file(&reading)]);
    let tip = history.commit(&[first, other], &[file(&record.clone().merge(reading.clone()))]);
    assert_eq!(history.faults(tip), vec![]);
    // But a changed time of birth is a fault.
    let forged = forge(&reading, "created_at", json!("2026-11-01T00:00:00.001Z"));
    let liar = history.commit(&[history.first()], &[file(&forged)]);
    let all = record.merge(reading).merge(forged);
    let tip = history.commit(&[tip, liar], &[file(&all)]);
    let faults = history.faults(tip);
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(faults[0].commit == liar && faults[0].what.contains("another `created_at`"), "{faults:?}");
}

#[test]
fn the_one_whose_commit_is_far_from_the_stamp_is_to_blame_whoever_the_walk_meets_first() {
    for is_liar_first in [true, false] {
        let mut history = History::new();
        let record = born(&history, false);
        let forged = forge(&record, "title", json!("zz forged"));
        let mut commits = [None, None];
        // Ada creates the record in the first second, and someone else creates it a hundred seconds later.
        for _ in 0..100 {
            if history.now() == 1 {
                commits[0] = Some(history.commit(&[history.first()], &[file(&record)]));
            } else {
                history.commit(&[history.first()], &[(format!("n/{}", history.now()), Some("x".into()))]);
            }
        }
        commits[1] = Some(history.commit(&[history.first()], &[file(&forged)]));
        let [ada, liar] = commits.map(Option::unwrap);
        if is_liar_first {
            let at = |commit| history.commits.iter().position(|(known, _)| *known == commit).unwrap();
            let (one, two) = (at(ada), at(liar));
            history.commits.swap(one, two);
        }
        let faults = history.faults(liar);
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].commit, liar);
        let other = format!("in commit {} by", ada.to_hex_with_len(10));
        assert!(faults[0].what.contains(&other), "both are named: {faults:?}");
    }
}

#[test]
fn a_redaction_in_the_store_explains_what_is_hidden() {
    let mut history = History::new();
    let record = born(&history, false);
    let hidden = forge(&record, "author", json!("[redacted]"));
    let made = history.commit(&[history.first()], &[file(&record)]);
    let twin = history.commit(&[history.first()], &[file(&hidden)]);
    let tip = history.commit(&[made, twin], &[file(&record.clone().merge(hidden))]);
    assert_eq!(history.faults(tip).len(), 1);
    let redaction = json!({"target": "issue.json", "field": "author", "stamp": record.made("*"), "reason": "r",
        "author": "a", "created_at": "2026-11-01T00:00:00.000Z"});
    let (id, redaction) = crate::model::fixtures::entry("20261101T000000000Z-00000", redaction);
    let folder = path(1).replace("/issue.json", "");
    let place = format!("{folder}/redactions/{id}.json");
    let tip = history.commit(&[tip], &[(place, Some(format!("{redaction:#}\n")))]);
    assert_eq!(history.faults(tip), vec![], "an export from there has it so");
}

#[test]
fn one_record_on_many_forks_is_read_once() {
    let read = |forks: usize| {
        let mut history = History::new();
        let text = issue(1, "01", &"t".repeat(100_000));
        let made = history.commit(&[history.first()], &[(path(1), Some(text))]);
        let other = issue(1, "01", &"u".repeat(100_000));
        let heads: Vec<ObjectId> = (0..forks)
            .map(|n| {
                let more = (format!("n/{n}"), Some("x".to_owned()));
                history.commit(&[history.first()], &[(path(1), Some(other.clone())), more])
            })
            .collect();
        let all = history.commits.iter().map(|(commit, parents)| (*commit, &parents[..]));
        let mut lineage = Lineage::over(&history.store, all);
        let mut origins = OriginJudge::between(&history.store, Some(made), made).unwrap();
        let mut faults = 0;
        for head in heads {
            for own in lineage.changes(head, &[history.first()], &|path| path.starts_with("issues")).unwrap()
            {
                faults += origins.faults(&own, head, &[history.first()]).unwrap().len();
            }
        }
        assert_eq!(faults, 1, "the same lie is told once");
        origins.read() + lineage.read()
    };
    let (few, many) = (read(2), read(30));
    assert_eq!(few, many);
}
