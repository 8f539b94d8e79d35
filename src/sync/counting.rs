//! Counts the commits that an exchange brings and takes, while it runs.

use std::thread::JoinHandle;

use super::SyncError;
use crate::git::{GitError, ObjectId, Revisions};
use crate::store::{Store, StoreError};

/// Commits that git counts in the background.
#[derive(Default)]
pub(super) struct Counting(Option<JoinHandle<Result<u64, GitError>>>);

/// The number of commits in `head` that are not in `without`.
pub(super) fn count(store: &Store, head: Option<ObjectId>, without: Option<ObjectId>) -> Counting {
    let head = head.filter(|head| Some(*head) != without);
    Counting(head.map(|head| {
        let wanted = without.into_iter().fold(Revisions::of(head), Revisions::without);
        let git = store.git();
        std::thread::spawn(move || git.count_revisions(wanted))
    }))
}

impl Counting {
    pub(super) fn wait(self) -> Result<u64, SyncError> {
        let Some(counting) = self.0 else { return Ok(0) };
        // The thread does not panic; without a count, nothing is reported.
        let Ok(answer) = counting.join() else { return Ok(0) };
        Ok(answer.map_err(StoreError::Git)?)
    }
}
