//! Work that was taken from others, and work that merely looks the same: two executors can make the same change.

use super::{SourceWork, Sources};
use crate::git::ObjectId;
use crate::model::{CommitHash, SolutionId};
use crate::store::{CodeCommit, ReadState, StoreError};

/// Work with the same change as one that an executor made.
#[derive(Debug, Default)]
pub(crate) struct RepeatedWork {
    /// What the change reverts, restores or copies, and work of the executor's own plan.
    pub(crate) taken: Vec<SourceWork>,
    /// The plans whose work only looks the same.
    pub(crate) merely_alike: Vec<SolutionId>,
}

impl<R: ReadState> Sources<'_, R> {
    /// Separates work that a change by the executor of `executed` reverts or restores from work that it merely repeats: two
    /// executors can make the same change, and a claim that holds decides whose it is. Commits that no branch has any more
    /// are restored. `head` is where the change was made; `copy` is the commit with it, if there is one yet: git keeps the
    /// author and the date of what it picks.
    pub(crate) fn apart(
        &self,
        head: ObjectId,
        copy: Option<&CodeCommit>,
        found: Vec<SourceWork>,
        executed: &SolutionId,
    ) -> Result<RepeatedWork, StoreError> {
        let mut apart = RepeatedWork::default();
        for source in found {
            let is_own = source.solution_id == *executed || !source.reverts.is_empty();
            let is_picked = match copy {
                Some(copy) => self.is_picked(copy, &source)?,
                None => false,
            };
            if is_own || is_picked {
                apart.taken.push(source);
                continue;
            }
            let commits = source.commits.iter().filter_map(|hash| self.store.commit_here(hash));
            let lost = self.store.git().unreachable(commits, [head.to_string()])?;
            let is_lost =
                source.commits.iter().all(|hash| lost.iter().any(|id| CommitHash::from(*id) == *hash));
            if is_lost {
                apart.taken.push(source);
            } else {
                apart.merely_alike.push(source.solution_id);
            }
        }
        Ok(apart)
    }

    /// Whether a commit has the author and the author date of one of these commits.
    fn is_picked(&self, copy: &CodeCommit, source: &SourceWork) -> Result<bool, StoreError> {
        for id in source.commits.iter().filter_map(|hash| self.store.commit_here(hash)) {
            let commit = self.store.code_commit(id)?;
            if commit.author == copy.author && commit.authored_at == copy.authored_at {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
