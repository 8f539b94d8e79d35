//! Numbers for the comments that beads does not have yet. A number names one comment of the whole tracker, so they follow
//! the highest one of all issues, in the order in which the comments were written.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::export::{as_written, own};
use crate::model::{Comment, EntryId, Issue, IssueId};
use crate::rules::{IssueFolder, StandingComment};

/// A comment by its first version.
type Key = (EntryId, IssueId);

/// The comments of all issues, while they are counted.
#[derive(Default)]
pub(crate) struct CommentCount {
    highest: u64,
    has_texts: bool,
    unnumbered: BTreeSet<Key>,
}

impl CommentCount {
    /// Counts the comments of an issue.
    pub(crate) fn add(&mut self, folder: &IssueFolder) {
        let issue = &folder.issue.record;
        let known =
            own(issue).and_then(|record| record.get("comments")?.as_array()).cloned().unwrap_or_default();
        let ids = || known.iter().filter_map(|record| record.get("id"));
        self.highest = self.highest.max(ids().filter_map(Value::as_u64).max().unwrap_or(0));
        self.has_texts |= ids().any(Value::is_string);
        let standing = folder.standing_comments();
        let (_, written) = as_written(&known, &standing);
        let new = standing.iter().filter(|standing| !written.contains(&standing.comment.id));
        self.unnumbered.extend(new.map(|standing| (first(standing).id.clone(), issue.id.clone())));
    }

    /// The id of each comment that has none.
    pub(crate) fn numbers(self) -> CommentNumbers {
        CommentNumbers {
            numbers: self.unnumbered.into_iter().zip(self.highest + 1..).collect(),
            are_texts: self.has_texts,
        }
    }
}

/// Ids for comments that have none.
pub(crate) struct CommentNumbers {
    numbers: BTreeMap<Key, u64>,
    /// Whether this tracker has texts for ids, as `bd` does. One that it has not given must be unlike any other.
    are_texts: bool,
}

impl CommentNumbers {
    /// The id of a comment that was counted.
    pub(super) fn id(&self, comment: &StandingComment<'_>, issue: &Issue) -> Value {
        let first = &first(comment).id;
        if self.are_texts {
            return first.as_str().into();
        }
        self.numbers.get(&(first.clone(), issue.id.clone())).copied().into()
    }
}

/// The first version of a comment.
pub(super) fn first<'a>(comment: &StandingComment<'a>) -> &'a Comment {
    comment.replaces.first().copied().unwrap_or(comment.comment)
}
