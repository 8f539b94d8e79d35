//! Numbers for the comments that beads does not have yet. A number names one comment of the whole tracker, so they follow
//! the highest one of all issues, in the order in which the comments were written.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::export::{as_written, own};
use crate::model::id::{EntryId, IssueId};
use crate::model::issue::{Comment, Issue};
use crate::model::redaction::is_hidden;
use crate::rules::folder::{IssueFolder, StandingComment};

/// A comment by its first version.
type Key = (EntryId, IssueId);

/// The comments of all issues, while they are counted.
#[derive(Default)]
pub(crate) struct CommentCount {
    highest: u64,
    unnumbered: BTreeSet<Key>,
}

impl CommentCount {
    /// Counts the comments of an issue.
    pub(crate) fn add(&mut self, folder: &IssueFolder) {
        let issue = &folder.issue.record;
        let known =
            own(issue).and_then(|record| record.get("comments")?.as_array()).cloned().unwrap_or_default();
        let highest = known.iter().filter_map(|it| it.get("id").and_then(Value::as_u64)).max();
        self.highest = self.highest.max(highest.unwrap_or(0));
        let standing = folder.standing_comments();
        let (_, written) = as_written(&known, &standing);
        let new = standing.iter().filter(|it| !written.contains(&it.comment.id));
        let (given, new): (Vec<_>, Vec<_>) = new.partition(|it| number_in_source(it, issue).is_some());
        let highest = given.iter().filter_map(|it| number_in_source(it, issue)).max();
        self.highest = self.highest.max(highest.unwrap_or(0));
        let new = new.into_iter();
        self.unnumbered.extend(new.map(|it| (first(it).id.clone(), issue.id.clone())));
    }

    /// The number of each comment that has none.
    pub(crate) fn numbers(self) -> CommentNumbers {
        CommentNumbers(self.unnumbered.into_iter().zip(self.highest + 1..).collect())
    }
}

/// Numbers for comments that have none.
pub(crate) struct CommentNumbers(BTreeMap<Key, u64>);

impl CommentNumbers {
    /// The number of a comment that was counted.
    pub(super) fn of(&self, comment: &StandingComment<'_>, issue: &Issue) -> Option<u64> {
        let counted = || self.0.get(&(first(comment).id.clone(), issue.id.clone())).copied();
        number_in_source(comment, issue).or_else(counted)
    }
}

/// The number that a comment has in beads, if the record of its issue there is hidden or is kept without its comments.
fn number_in_source(comment: &StandingComment<'_>, issue: &Issue) -> Option<u64> {
    let is_without = |record: &Value| is_hidden(record) || record["comments"].is_u64();
    first(comment)
        .source_id
        .as_ref()
        .filter(|_| issue.imported.as_ref().is_some_and(is_without))?
        .parse()
        .ok()
}

/// The first version of a comment.
pub(super) fn first<'a>(comment: &StandingComment<'a>) -> &'a Comment {
    comment.replaces.first().copied().unwrap_or(comment.comment)
}
