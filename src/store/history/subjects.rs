//! Commit messages quote titles and reasons; for an issue with hidden values they show only its id.

use std::collections::HashMap;

use crate::model::{ExecutionId, IssueId, REDACTED, SolutionId};
use crate::store::snapshot::records;
use crate::store::{Snapshot, StoreError};

/// Hides by the redactions of one state.
pub(crate) struct Subjects<'a> {
    now: Snapshot<'a>,
    known: HashMap<IssueId, bool>,
}

impl<'a> Subjects<'a> {
    /// Uses the redactions of `now` for all messages.
    pub(crate) fn new(now: Snapshot<'a>) -> Self {
        Self { now, known: HashMap::new() }
    }

    /// If the subject may quote a hidden value, cuts it after the first id. Returns whether anything in the record is
    /// hidden, because then a reason may quote it too.
    pub(crate) fn hide(&mut self, subject: &mut String) -> Result<bool, StoreError> {
        let Some((end, issue)) = first_id(subject) else { return Ok(false) };
        let is_hidden = match self.known.get(&issue) {
            Some(known) => *known,
            None => {
                let found = records::has_redactions(&self.now, &issue)?;
                self.known.insert(issue, found);
                found
            }
        };
        let quotes = format!(": {REDACTED}");
        if is_hidden && subject[end..].contains(['"', ':']) && subject[end..] != quotes {
            subject.truncate(end);
            subject.push_str(&quotes);
        }
        Ok(is_hidden)
    }
}

/// The first word that is the id of an issue, a plan or an execution: where it ends, and its issue.
fn first_id(subject: &str) -> Option<(usize, IssueId)> {
    let mut at = 0;
    for word in subject.split(' ') {
        let id = word.trim_end_matches([':', ',']);
        let issue = SolutionId::parse(id)
            .map(|id| id.issue())
            .or_else(|_| ExecutionId::parse(id).map(|id| id.issue()))
            .or_else(|_| IssueId::parse(id));
        if let Ok(issue) = issue {
            return Some((at + id.len(), issue));
        }
        at += word.len() + 1;
    }
    None
}
