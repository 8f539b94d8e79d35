use super::execution::{fold_commits, linked_commits};
use super::*;
use crate::model::fixtures::entry_id;
use crate::model::{CommitHash, CommitLink, EntryId, Event, LinkedBy, LogEntry, Rewrite, Unlink};
use crate::rules::test_claim::claim;

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
        source_id: None,
    };
    edits.iter().enumerate().map(comment).collect()
}

#[test]
fn a_comment_that_a_later_one_replaces_stands_no_more() {
    let standing = |edits: &[Option<usize>]| -> Vec<(String, Vec<String>)> {
        let comments = commented(edits);
        let bodies = |of: &[&Comment]| of.iter().map(|comment| comment.body.clone()).collect();
        standing_comments(&comments)
            .iter()
            .map(|standing| (standing.comment.body.clone(), bodies(&standing.replaces)))
            .collect()
    };
    let shown = |body: &str, replaces: &[&str]| {
        (body.to_owned(), replaces.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(standing(&[None, None]), [shown("0", &[]), shown("1", &[])]);
    assert_eq!(standing(&[None, None, Some(0), Some(2)]), [shown("3", &["0", "2"]), shown("1", &[])]);
    assert_eq!(standing(&[None, Some(0), Some(0)]), [shown("1", &["0"]), shown("2", &["0"])]);
    // A comment that replaces itself, a later one, one in a cycle, or a missing one.
    assert_eq!(
        standing(&[Some(0), Some(2), Some(1), Some(9)]),
        [shown("0", &[]), shown("2", &["1"]), shown("3", &[])]
    );
}

/// A comment of a source, as it was at a second, or an edit that someone made here.
fn version(second: usize, body: &str, source: Option<&str>, edits: Option<usize>) -> Comment {
    let created_at = if source.is_some() { Time::EPOCH } else { entry(second).stamp().time() };
    Comment {
        id: entry(second),
        body: body.into(),
        author: "a".into(),
        created_at,
        edits: edits.map(entry),
        source_id: source.map(str::to_owned),
    }
}

#[test]
fn an_imported_comment_is_one_whoever_changed_it() {
    let standing = |comments: &[Comment]| -> Vec<(String, usize)> {
        standing_comments(comments)
            .iter()
            .map(|standing| (standing.comment.body.clone(), standing.replaces.len()))
            .collect()
    };
    let there = |second, body, edits| version(second, body, Some("7"), edits);
    let here = |second, body, edits| version(second, body, None, Some(edits));
    let one = |body: &str, earlier| vec![(body.to_owned(), earlier)];
    // Changed there, and read by two clones at different times.
    assert_eq!(standing(&[there(0, "a", None), there(1, "b", None)]), one("b", 1));
    assert_eq!(standing(&[there(0, "a", None), there(1, "a", None), there(2, "b", Some(0))]), one("b", 1));
    // Changed here, whether or not another clone reads the old text later.
    assert_eq!(standing(&[there(0, "a", None), here(1, "mine", 0)]), one("mine", 1));
    assert_eq!(standing(&[there(0, "a", None), here(1, "mine", 0), there(2, "a", None)]), one("mine", 1));
    // Changed on both sides: the later one stands.
    assert_eq!(standing(&[there(0, "a", None), here(1, "mine", 0), there(2, "b", None)]), one("b", 2));
    assert_eq!(standing(&[there(0, "a", None), there(1, "b", None), here(2, "mine", 0)]), one("mine", 2));
    // Another comment, of the same source or from here, in the order in which they were first written.
    let mut later = version(0, "other", Some("8"), None);
    later.created_at = Time::EPOCH.plus_millis(1);
    let mut own = version(1, "own", None, None);
    own.created_at = Time::EPOCH;
    let all = [later, own, there(2, "a", None)];
    assert_eq!(standing(&all), [("a".to_owned(), 0), ("other".to_owned(), 0), ("own".to_owned(), 0)]);
    // The same number for another comment.
    let mut renumbered = there(3, "z", None);
    renumbered.created_at = Time::EPOCH.plus_millis(5);
    assert_eq!(standing(&[there(0, "a", None), renumbered]).len(), 2);
    // An address is of one comment, whenever each clone thinks that it was written.
    let page =
        |second, body| version(second, body, Some("https://github.com/a/b/issues/1#issuecomment-5"), None);
    let mut sent = page(0, "a");
    sent.created_at = Time::EPOCH.plus_millis(5);
    assert_eq!(standing(&[sent, page(1, "a")]).len(), 1);
}

proptest::proptest! {
    /// Whatever the versions of a comment, one stands: the last text that anybody changed it to.
    #[test]
    fn one_version_of_an_imported_comment_stands(
        versions in proptest::collection::vec((0..2u8, 0..3u8), 1..8),
    ) {
        let mut expected = None;
        let mut said_there = None;
        let mut comments = vec![version(0, "0", Some("7"), None)];
        for (n, (by, text)) in versions.iter().enumerate() {
            let body = text.to_string();
            if *by == 0 {
                if said_there.as_ref().unwrap_or(&"0".to_owned()) != &body {
                    expected = Some(body.clone());
                }
                said_there = Some(body.clone());
                comments.push(version(n + 1, &body, Some("7"), None));
            } else {
                expected = Some(body.clone());
                comments.push(version(n + 1, &body, None, Some(n)));
            }
        }
        let standing = standing_comments(&comments);
        proptest::prop_assert_eq!(standing.len(), 1);
        let expected = expected.unwrap_or_else(|| "0".into());
        proptest::prop_assert_eq!(&standing[0].comment.body, &expected);
    }
}

fn commit(hash: &str) -> Event {
    Event::Commit(CommitLink {
        hash: hash.into(),
        task_id: None,
        other_task_ids: vec![],
        subject: hash.into(),
        author: "a".into(),
        authored_at: Time::from_seconds(0).unwrap(),
        files: vec![],
        linked_by: LinkedBy::Hook,
        reverts: vec![],
        tree: None,
    })
}

fn rewrite(old: &str, new: &str) -> Event {
    Event::Rewrite(Rewrite { old: old.into(), new: new.into(), tree: None })
}

fn unlink(hash: &str) -> Event {
    Event::Unlink(Unlink { hash: hash.into() })
}

fn linked(events: Vec<Event>) -> Vec<(CommitHash, Vec<CommitHash>)> {
    let log = log(events);
    linked_commits(&fold_commits(&log))
        .into_iter()
        .map(|commit| (commit.link.hash, commit.rewritten_from))
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
fn what_a_landing_links_comes_last() {
    let land = |hash: &str| {
        let Event::Commit(link) = commit(hash) else { unreachable!("it links a commit") };
        Event::Commit(CommitLink { linked_by: LinkedBy::Land, ..link })
    };
    let events = vec![commit("c"), rewrite("c", "a"), commit("b"), land("a")];
    assert_eq!(linked(events), pairs(&[("b", &[]), ("a", &["c"])]));
    assert_eq!(linked(vec![commit("a"), commit("b"), land("a"), unlink("a")]), pairs(&[("b", &[])]));
    assert_eq!(
        linked(vec![commit("a"), unlink("a"), commit("b"), land("a")]),
        pairs(&[("b", &[]), ("a", &[])])
    );
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

/// A chain of 100,000 rewrites, and as many commits that were made from its end: all their earlier hashes together would
/// take a terabyte.
#[test]
fn a_long_chain_of_rewrites_takes_memory_for_each_entry_only() {
    const COUNT: usize = 100_000;
    let hash = |n: usize| format!("{n:040x}");
    let mut events = vec![commit(&hash(0))];
    events.extend((1..COUNT).map(|n| rewrite(&hash(n - 1), &hash(n))));
    events.extend((0..COUNT).map(|n| rewrite(&hash(COUNT - 1), &hash(COUNT + n))));
    let log = log(events);
    let found = linked_commits(&fold_commits(&log));
    assert_eq!(found.len(), COUNT);
    assert_eq!(found[0].rewritten_from.len(), COUNT);
    let listed: usize = found.iter().map(|commit| commit.rewritten_from.len()).sum();
    assert!(listed <= 8 * 2 * COUNT, "{listed}");
    let execution = ExecutionFolder { execution: claim("EXR-ISS-1-00000000", 0), log };
    let links = execution.links_by_hash();
    assert_eq!(links.len(), 2 * COUNT);
    assert_eq!(*links[hash(0).as_str()].hash, *hash(COUNT));
}
