use super::execution::{State, fold_commits};
use super::*;
use crate::model::execution::{CommitLink, Event, LinkedBy, LogEntry, Rewrite, Unlink};
use crate::model::fixtures::entry_id;
use crate::model::hash::CommitHash;

fn log(events: Vec<Event>) -> Vec<LogEntry> {
    let at = Time::from_seconds(0).unwrap();
    let id = entry_id("20261121T021405123Z-00000");
    events.into_iter().map(|event| LogEntry { id: id.clone(), event, actor: "a".into(), at }).collect()
}

/// The name of an entry written in this second.
fn entry(second: usize) -> EntryId {
    entry_id(&format!("20261121T0214{second:02}123Z-00000"))
}

/// Comments written one after the other, each with the one that it replaces.
fn commented(edits: &[Option<usize>]) -> Vec<Comment> {
    let comment = |(n, edits): (usize, &Option<usize>)| Comment {
        id: entry(n),
        body: n.to_string(),
        author: "a".into(),
        created_at: Time::EPOCH,
        edits: edits.map(entry),
    };
    edits.iter().enumerate().map(comment).collect()
}

#[test]
fn a_comment_that_a_later_one_replaces_stands_no_more() {
    let standing = |edits: &[Option<usize>]| -> Vec<(String, Vec<String>)> {
        let comments = commented(edits);
        let bodies = |of: &[&Comment]| of.iter().map(|it| it.body.clone()).collect();
        standing_comments(&comments)
            .iter()
            .map(|it| (it.comment.body.clone(), bodies(&it.replaces)))
            .collect()
    };
    let shown = |body: &str, replaces: &[&str]| {
        (body.to_owned(), replaces.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(standing(&[None, None]), [shown("0", &[]), shown("1", &[])]);
    assert_eq!(standing(&[None, None, Some(0), Some(2)]), [shown("1", &[]), shown("3", &["0", "2"])]);
    assert_eq!(standing(&[None, Some(0), Some(0)]), [shown("1", &["0"]), shown("2", &["0"])]);
    // A comment that replaces itself, a later one, one in a cycle, or a missing one.
    assert_eq!(
        standing(&[Some(0), Some(2), Some(1), Some(9)]),
        [shown("0", &[]), shown("2", &["1"]), shown("3", &[])]
    );
}

fn commit(hash: &str) -> Event {
    Event::Commit(CommitLink {
        hash: hash.into(),
        task_id: None,
        subject: hash.into(),
        author: "a".into(),
        authored_at: Time::from_seconds(0).unwrap(),
        files: vec![],
        linked_by: LinkedBy::Hook,
        reverts: vec![],
    })
}

fn rewrite(old: &str, new: &str) -> Event {
    Event::Rewrite(Rewrite { old: old.into(), new: new.into() })
}

fn unlink(hash: &str) -> Event {
    Event::Unlink(Unlink { hash: hash.into() })
}

fn linked(events: Vec<Event>) -> Vec<(CommitHash, Vec<CommitHash>)> {
    fold_commits(&log(events))
        .into_iter()
        .filter(|k| k.state == State::Linked)
        .map(|k| (k.commit.link.hash, k.commit.rewritten_from))
        .collect()
}

fn pairs(of: &[(&str, &[&str])]) -> Vec<(CommitHash, Vec<CommitHash>)> {
    of.iter().map(|(h, from)| ((*h).into(), from.iter().map(|f| (*f).into()).collect())).collect()
}

#[test]
fn a_commit_that_was_replaced_is_linked_again_by_its_hash() {
    let found = linked(vec![commit("a"), rewrite("a", "b"), commit("a")]);
    assert_eq!(found, pairs(&[("a", &[]), ("b", &["a"])]));
}

#[test]
fn the_same_commit_twice_is_one_link() {
    assert_eq!(linked(vec![commit("a"), commit("a")]), pairs(&[("a", &[])]));
}

#[test]
fn a_rewritten_commit_is_followed() {
    assert_eq!(linked(vec![commit("a"), rewrite("a", "b"), rewrite("b", "c")]), pairs(&[("c", &["a", "b"])]));
    // An amend links the new commit by itself first.
    assert_eq!(linked(vec![commit("a"), commit("b"), rewrite("a", "b")]), pairs(&[("b", &["a"])]));
    // Two squashed commits become one.
    assert_eq!(
        linked(vec![commit("a"), commit("b"), rewrite("a", "c"), rewrite("b", "c")]),
        pairs(&[("c", &["a", "b"])])
    );
}

#[test]
fn what_was_unlinked_or_never_linked_is_not_followed() {
    assert_eq!(linked(vec![commit("a"), unlink("a"), rewrite("a", "b")]), pairs(&[]));
    assert_eq!(linked(vec![rewrite("a", "b")]), pairs(&[]));
    assert_eq!(linked(vec![commit("a"), unlink("a"), commit("a")]), pairs(&[("a", &[])]));
}

#[test]
fn a_commit_that_two_rebases_rewrote_has_two_successors() {
    assert_eq!(
        linked(vec![commit("a"), rewrite("a", "b"), rewrite("a", "c")]),
        pairs(&[("b", &["a"]), ("c", &["a"])])
    );
}
