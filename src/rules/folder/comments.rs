//! Which comments stand, given that later ones replace earlier ones.

use crate::model::{Comment, EntryId, Issue, Person, Time};
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::IssueFolder;

/// A comment that is shown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StandingComment<'a> {
    /// The comment as last written.
    pub(crate) comment: &'a Comment,
    /// Its earlier versions, oldest first.
    pub(crate) replaces: Vec<&'a Comment>,
}

impl StandingComment<'_> {
    /// Its first version.
    pub(crate) fn first(&self) -> &Comment {
        self.replaces.first().copied().unwrap_or(self.comment)
    }

    /// Whether its author withdrew it: the latest version has no text.
    pub(crate) fn is_withdrawn(&self) -> bool {
        !self.replaces.is_empty() && self.comment.body.trim().is_empty()
    }
}

/// Why moderators hid a comment in the tracker that it was imported from, as far as the record of its issue says: GitHub
/// gives a word such as `spam`. `None` if they did not.
pub(crate) fn hidden_in_source(issue: &Issue, comment: &StandingComment<'_>) -> Option<String> {
    let known = issue.imported.as_ref()?.get("comments")?.as_array()?;
    let hidden =
        known.iter().filter(|given| given.get("isMinimized") == Some(&Value::Bool(true))).find(|given| {
            let versions = comment.replaces.iter().chain([&comment.comment]);
            let mut ids = versions.filter_map(|version| version.source_id.as_deref());
            ids.any(|id| {
                ["html_url", "url", "id"]
                    .iter()
                    .any(|name| given.get(*name).and_then(Value::as_str) == Some(id))
            })
        })?;
    let reason = hidden
        .get("minimizedReason")
        .and_then(Value::as_str)
        .map(str::to_owned)
        .filter(|reason| !reason.trim().is_empty());
    Some(reason.map_or_else(|| "no reason given".to_owned(), |reason| reason.to_lowercase()))
}

impl IssueFolder {
    /// The current comments that are for everyone: neither withdrawn nor hidden by moderators of their source.
    pub(crate) fn comments_for_agents(&self) -> impl Iterator<Item = &Comment> {
        let issue = &self.issue.record;
        let standing = self.standing_comments().into_iter();
        standing
            .filter(|standing| !standing.is_withdrawn() && hidden_in_source(issue, standing).is_none())
            .map(|standing| standing.comment)
    }

    /// The current comments, each in the place of its first version: all except those that a later one replaces.
    pub(crate) fn standing_comments(&self) -> Vec<StandingComment<'_>> {
        standing_comments(&self.comments)
    }
}

/// See [`IssueFolder::standing_comments`]; `comments` are in the order of their ids.
pub(crate) fn standing_comments(comments: &[Comment]) -> Vec<StandingComment<'_>> {
    let mut found: Vec<StandingComment<'_>> = Vec::new();
    for versions in threads(comments) {
        if versions.iter().any(|version| version.source_id.is_some()) {
            found.extend(latest(&versions));
        } else {
            found.extend(unreplaced(&versions));
        }
    }
    found.sort_by_cached_key(|standing: &StandingComment<'_>| {
        let first = standing.first();
        (said_at(first), first.id.clone())
    });
    found
}

/// The versions of the comment that `id` is a version of, in order; empty if there is no such entry.
pub(crate) fn thread<'a>(comments: &'a [Comment], id: &EntryId) -> Vec<&'a Comment> {
    threads(comments)
        .into_iter()
        .find(|versions| versions.iter().any(|version| version.id == *id))
        .unwrap_or_default()
}

/// When a comment was first written. An import stamps an entry with the time at which its source said so.
fn said_at(first: &Comment) -> Time {
    if first.source_id.is_some() { first.created_at } else { first.id.stamp().time() }
}

/// The comments that are versions of each other: one replaces the other, or both are the same comment of a source.
pub(crate) fn threads(comments: &[Comment]) -> Vec<Vec<&Comment>> {
    let index: BTreeMap<&EntryId, usize> =
        comments.iter().zip(0..).map(|(comment, n)| (&comment.id, n)).collect();
    let mut leads_to: Vec<usize> = (0..comments.len()).collect();
    let mut of_source: BTreeMap<(&str, Option<Time>), usize> = BTreeMap::new();
    let travelled = travelled(comments);
    for (n, comment) in comments.iter().enumerate() {
        let replaced = replaced(comment).and_then(|id| index.get(id)).copied();
        let same = comment.identity().and_then(|identity| {
            let first = *of_source.entry(identity).or_insert(n);
            (first != n).then_some(first)
        });
        for other in [replaced, same, travelled.get(&n).copied()].into_iter().flatten() {
            let (one, other) = (first(&leads_to, n), first(&leads_to, other));
            leads_to[one.max(other)] = one.min(other);
        }
    }
    let mut threads: BTreeMap<usize, Vec<&Comment>> = BTreeMap::new();
    for (n, comment) in comments.iter().enumerate() {
        threads.entry(first(&leads_to, n)).or_default().push(comment);
    }
    threads.into_values().collect()
}

/// The comments that were written here and came back from a tracker to which they were exported, each with the one that was
/// written here: the author, the time and the text are the same.
fn travelled(comments: &[Comment]) -> BTreeMap<usize, usize> {
    if !comments.iter().any(is_returned) {
        return BTreeMap::new();
    }
    let own = comments
        .iter()
        .zip(0..)
        .filter(|(comment, _)| comment.source_id.is_none() && comment.edits.is_none());
    let own: BTreeMap<_, usize> = own.map(|(comment, n)| (comment_key(comment), n)).collect();
    let back = comments.iter().zip(0..).filter(|(comment, _)| is_returned(comment));
    back.filter_map(|(comment, n)| Some((n, *own.get(&comment_key(comment))?))).collect()
}

fn comment_key(comment: &Comment) -> (Time, Person, String) {
    (
        comment.created_at,
        comment.author.clone(),
        comment.body.trim_end().lines().collect::<Vec<_>>().join("\n"),
    )
}

fn is_returned(comment: &Comment) -> bool {
    comment.edits.is_none() && comment.identity().is_some_and(|(_, at)| at.is_some())
}

fn first(leads_to: &[usize], mut n: usize) -> usize {
    while leads_to[n] != n {
        n = leads_to[n];
    }
    n
}

/// The entry that a comment replaces. Only earlier ones can be replaced, so no cycle hides its own members.
fn replaced(by: &Comment) -> Option<&EntryId> {
    by.edits.as_ref().filter(|id| **id < by.id)
}

/// An imported comment remains one comment, whether it was changed here or in its source: the latest version counts.
fn latest<'a>(versions: &[&'a Comment]) -> Option<StandingComment<'a>> {
    let mut said_there: Option<&str> = None;
    let mut changes: Vec<&Comment> = Vec::new();
    for version in versions.iter().copied() {
        // Two clones that read the source at different times have the same text twice: the second one is not a change,
        // and does not undo what someone wrote in between.
        let is_again = version.source_id.is_some() && said_there == Some(version.body.as_str())
            || changes.iter().any(|change| is_same_comment(change, version));
        if version.source_id.is_some() {
            said_there = Some(&version.body);
        }
        if !is_again {
            changes.push(version);
        }
    }
    let comment = changes.pop()?;
    Some(StandingComment { comment, replaces: changes })
}

/// Whether one is the other, written here and back from a tracker.
fn is_same_comment(one: &Comment, other: &Comment) -> bool {
    let said = |comment: &Comment| {
        comment.edits.is_none().then(|| (comment.created_at, comment.author.clone(), comment.body.clone()))
    };
    one.source_id.is_some() != other.source_id.is_some()
        && said(one).is_some_and(|one| Some(one) == said(other))
}

/// Edits of one comment in two clones do not know of each other: both stand.
fn unreplaced<'a>(versions: &[&'a Comment]) -> Vec<StandingComment<'a>> {
    let known: BTreeMap<&EntryId, &Comment> =
        versions.iter().map(|version| (&version.id, *version)).collect();
    let hidden: BTreeSet<&EntryId> =
        versions.iter().filter_map(|version| Some(&replaced_comment(&known, version)?.id)).collect();
    let with_earlier = |comment: &&'a Comment| {
        let mut replaces: Vec<&Comment> =
            std::iter::successors(replaced_comment(&known, comment), |version| {
                replaced_comment(&known, version)
            })
            .collect();
        replaces.reverse();
        StandingComment { comment, replaces }
    };
    versions.iter().filter(|version| !hidden.contains(&version.id)).map(with_earlier).collect()
}

fn replaced_comment<'a>(known: &BTreeMap<&EntryId, &'a Comment>, by: &Comment) -> Option<&'a Comment> {
    replaced(by).and_then(|id| known.get(id)).copied()
}
