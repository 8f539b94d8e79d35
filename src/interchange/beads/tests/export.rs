//! Records that go out again.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::model::{Stamp, entry_at};
use crate::rules::{IssueFolder, Recorded};

/// The directory of an issue that has only its record and these comments.
fn folder(arrival: Arrival) -> IssueFolder {
    let decided = Some(Stamp::import(arrival.changed));
    IssueFolder {
        issue: Recorded { record: arrival.issue, changed: Some(arrival.changed), decided },
        comments: arrival.comments,
        feedback: vec![],
        explorations: vec![],
        solutions: vec![],
        reviews: BTreeMap::new(),
        executions: vec![],
        items: vec![],
        broken: vec![],
    }
}

fn exported(folder: &IssueFolder) -> BeadsRecord {
    let mut comments = CommentCount::default();
    comments.add(folder);
    crate::interchange::beads::record(folder, &comments.numbers())
}

fn written(folder: &IssueFolder) -> Value {
    exported(folder).record
}

#[test]
fn what_changed_here_is_given_back_and_the_rest_as_it_was() {
    let source = record(&json!({
        "status": "blocked", "estimated_minutes": 15, "external_ref": "JIRA-7", "title": "Two\nlines", "priority": 2.0,
        "labels": [" b ", "a"], "acceptance_criteria": "It sleeps.", "closed_at": null,
        "dependencies": [
            {"depends_on_id": "zoo-2", "type": "parent_child", "thread_id": "t"},
            {"depends_on_id": "zoo-3", "type": "blocks"}, {"depends_on_id": "zoo-4", "type": "blocks"}
        ],
        "comments": [{"id": 7, "author": "", "text": "Done?"}]
    }));
    let mut folder = folder(arrive(&source));
    assert_eq!(written(&folder), source);
    let issue = &mut folder.issue.record;
    issue.expected_behavior = None;
    issue.status = StoredStatus::Closed;
    issue.close_reason = Some("fed".into());
    issue.depends_on.remove(&IssueId::parse("zoo-3").unwrap());
    issue.relations.insert("relates-to:zoo-5".into());
    let later = Time::parse("2026-03-01T00:00:00Z").unwrap();
    folder.issue.changed = Some(later);
    folder.issue.decided = Stamp::parse("2026-03-01T00:00:00.000Z/00000/7k3m2pq9");
    let old = folder.comments[0].clone();
    folder.comments.push(entry_at(&Stamp::import(later), |id| Comment {
        id,
        body: "Done!".into(),
        edits: Some(old.id.clone()),
        source_id: None,
        ..old.clone()
    }));
    let mut expected = source.clone();
    let map = expected.as_object_mut().unwrap();
    map.shift_remove("acceptance_criteria");
    map["status"] = "closed".into();
    map["closed_at"] = "2026-03-01T00:00:00.000Z".into();
    map.insert("close_reason".into(), "fed".into());
    map["updated_at"] = "2026-03-01T00:00:00.000Z".into();
    map["dependencies"].as_array_mut().unwrap().remove(1);
    map["dependencies"].as_array_mut().unwrap().push(json!({
        "issue_id": "zoo-1", "depends_on_id": "zoo-5", "type": "relates-to", "created_at": "2026-01-01T08:00:00.123Z",
        "created_by": "unknown"
    }));
    map["comments"][0]["text"] = "Done!".into();
    assert_eq!(written(&folder), expected);
}

#[test]
fn what_beads_has_no_field_for_is_named() {
    let mut folder = folder(with(&json!({})));
    folder.issue.record.status = StoredStatus::Cancelled;
    folder.issue.record.actual_behavior = Some("It bites.".into());
    let left_out = exported(&folder).left_out;
    assert_eq!(
        left_out.into_iter().collect::<Vec<_>>(),
        ["actual_behavior", "cancelled issues, which are closed there"]
    );
}

proptest! {
    #[test]
    fn an_issue_of_ours_comes_back_as_it_went(issue in issue_for_beads(), said in proptest::collection::vec("[a-z]{1,5}", 0..3)) {
        let at = issue.created_at;
        let changed = at.plus_millis(5_000);
        let comments: Vec<Comment> = said.into_iter().enumerate().map(|(n, body)| {
            let created_at = at.plus_millis(i64::try_from(n).unwrap() * 1_000);
            entry_at(&Stamp::import(created_at), |id| Comment { id, body, author: "Ada".into(), created_at, edits: None, source_id: None })
        }).collect();
        let there = Arrival { comments: comments.clone(), ..Arrival::new(issue.clone(), Value::Null, changed) };
        let there = folder(Arrival { issue: issue.clone(), ..there });
        let mut back = arrive(&written(&there));
        let said = |all: &[Comment]| -> Vec<_> {
            all.iter().map(|it| (it.body.clone(), it.author.clone(), it.created_at)).collect()
        };
        prop_assert_eq!((&back.notes, &back.kept), (&vec![], &BTreeSet::new()));
        prop_assert_eq!(said(&back.comments), said(&comments));
        back.issue.imported = None;
        // A closed issue says when it was closed.
        let expected = Issue { source: Some(Source::Import), ..issue };
        prop_assert_eq!(back.issue, expected);
    }

    #[test]
    fn any_record_comes_back_as_it_came(record in any_record()) {
        if let Ok(arrival) = read(&record) {
            prop_assert_eq!(written(&folder(arrival)), record);
        }
    }
}

/// An issue with fields that beads can hold.
fn issue_for_beads() -> impl Strategy<Value = Issue> {
    let text = || proptest::option::of("[a-zç]{1,6}( [a-z]{1,6}){0,2}");
    let status =
        prop_oneof![Just(StoredStatus::Registered), Just(StoredStatus::Paused), Just(StoredStatus::Closed),];
    let ids = || proptest::collection::btree_set("zoo-[2-9]", 0..3);
    (text(), text(), text(), text(), text(), status, 1u64..6, ids(), ids(), 0i64..4_000_000_000_000).prop_map(
        |(context, design, expected, notes, assignee, status, priority, depends, related, at)| {
            let id = IssueId::parse("zoo-1").unwrap();
            let mut issue = Issue::new(id, "Ada".into(), Time::from_millis(at).unwrap(), "Feed it".into());
            issue.context = context;
            issue.expected_behavior = expected;
            issue.extended_context.design = design;
            issue.extended_context.notes = notes.map(Value::String);
            issue.assignee = assignee;
            issue.status = status;
            issue.priority = Priority::new(priority).unwrap();
            issue.issue_type = Some("bug".into());
            issue.source_url = Some("https://example.org/7".into());
            issue.closed_at = (status == StoredStatus::Closed).then(|| issue.created_at.plus_millis(7));
            issue.close_reason = (status == StoredStatus::Closed).then(|| "fed".into());
            issue.tags = ["a", "b"].map(str::to_owned).into();
            issue.depends_on = depends.iter().map(|id| IssueId::parse(id).unwrap()).collect();
            issue.relations = related.iter().map(|id| format!("supersedes:{id}")).collect();
            issue
        },
    )
}

/// Records with all kinds of members, right and wrong.
fn any_record() -> impl Strategy<Value = Value> {
    let names = prop_oneof![
        Just("description"),
        Just("design"),
        Just("acceptance_criteria"),
        Just("notes"),
        Just("status"),
        Just("priority"),
        Just("assignee"),
        Just("owner"),
        Just("closed_at"),
        Just("close_reason"),
        Just("delete_reason"),
        Just("external_ref"),
        Just("labels"),
        Just("dependencies"),
        Just("comments"),
        Just("estimated_minutes"),
        Just("title"),
        Just("updated_at"),
    ];
    let dependency = ("zoo-[1-4]", "(blocks|parent_child|waits-for|:)")
        .prop_map(|(on, kind)| json!({"depends_on_id": on, "type": kind, "metadata": "{}"}));
    let comment = ("[a-z]{0,3}", "[a-z]{0,2}").prop_map(
        |(text, author)| json!({"id": 3, "text": text, "author": author, "created_at": "2026-01-01T00:00:00+02:00"}),
    );
    let value = prop_oneof![
        Just(Value::Null),
        Just(json!("")),
        Just(json!("tombstone")),
        Just(json!("closed")),
        Just(json!("in_progress")),
        Just(json!(" x\ny")),
        Just(json!(2.50)),
        Just(json!(["a", " b ", 7, ""])),
        Just(json!("https://example.org")),
        Just(json!("2026-01-05T00:00:00.123456Z")),
        Just(json!({"a": 1})),
        proptest::collection::vec(dependency, 0..3).prop_map(Value::from),
        proptest::collection::vec(comment, 0..3).prop_map(Value::from),
    ];
    proptest::collection::vec((names, value), 0..8).prop_map(|members| {
        let mut record = record(&json!({}));
        for (name, value) in members {
            record[name] = value;
        }
        record
    })
}
