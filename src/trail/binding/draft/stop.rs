//! A commit that is made while a rebase has stopped.

use super::{Deciding, Trailer, plan_trailers, unindented};
use crate::git::ObjectId;
use crate::store::{ReadState, StoreError};
use crate::trail::binding::{Binding, BoundExecution, CommittingWorktree, of_worktree};
use crate::trail::links::tasks;
use crate::trail::sources::SourceWork;
use crate::trail::trailers;

impl<R: ReadState> Deciding<'_, R> {
    /// The trailers of a commit that is made while a rebase has stopped at `replayed`: a part of it, unless it
    /// changes only files that neither that commit changed nor its plan names, and that the executed plan does name.
    pub(super) fn at_a_stop(
        &self,
        here: &CommittingWorktree,
        replayed: ObjectId,
    ) -> Result<Vec<Trailer>, StoreError> {
        if !self.chosen_plans()?.is_empty() {
            return Ok(vec![]);
        }
        let bound = match of_worktree(self.store, self.read, here)? {
            Binding::Bound(bound) => Some(bound),
            _ => None,
        };
        if let Some(trailers) = self.of_amended(bound.as_ref())? {
            return Ok(trailers);
        }
        let own = trailers::parse(&unindented(self.draft.text));
        let files = self.files()?;
        let work = self.sources.of_commit(replayed, 0)?;
        if let Some(bound) = &bound
            && self.is_new_work(bound, &work, replayed, &files)?
        {
            return self.of_bound(bound);
        }
        let mut missing = Vec::new();
        for source in work {
            let known = if source.tasks.len() == 1 { source.tasks.clone() } else { vec![] };
            let of_files = tasks(self.read, &source.solution_id, &own, known, || Ok(files.clone()))?;
            let tasks = if of_files.is_empty() { source.tasks } else { of_files };
            missing.extend(plan_trailers(&source.solution_id, &tasks));
        }
        Ok(missing)
    }

    fn is_new_work(
        &self,
        bound: &BoundExecution,
        work: &[SourceWork],
        replayed: ObjectId,
        files: &[String],
    ) -> Result<bool, StoreError> {
        let replayed = self.store.changed_files(&self.store.code_commit(replayed)?)?;
        if files.is_empty() || files.iter().any(|file| replayed.contains(file)) {
            return Ok(false);
        }
        for file in files {
            if !self.names(&bound.solution_id, file)? {
                return Ok(false);
            }
            for source in work {
                if self.names(&source.solution_id, file)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
