//! A commit that is made while a rebase has stopped.

use super::{Deciding, Trailer, plan_trailers, unindented};
use crate::git::ObjectId;
use crate::model::id::SolutionId;
use crate::rules::audit;
use crate::store::{ReadState, StoreError, records};
use crate::trail::binding::{Binding, BoundExecution, CommittingWorktree, of_worktree};
use crate::trail::links::{solutions, tasks};
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
        let own = trailers::parse(&unindented(self.draft.text));
        if !solutions(self.read, &own)?.is_empty() {
            return Ok(vec![]);
        }
        if let Some(trailers) = self.of_amended(true)? {
            return Ok(trailers);
        }
        let files = self.staged.map_or(Ok(vec![]), |staged| staged.files())?;
        let work = self.sources.of_commit(replayed, 0)?;
        if let Binding::Bound(bound) = of_worktree(self.store, self.read, here)?
            && self.is_new_work(&bound, &work, replayed, &files)?
        {
            return self.of_bound(&bound);
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
        let names = |plan: &SolutionId, file: &String| -> Result<bool, StoreError> {
            let plan = records::solution(self.read, plan)?;
            Ok(plan.is_some_and(|plan| audit::named(&plan.typed_plan()).holds(file)))
        };
        let replayed = self.store.changed_files(&self.store.code_commit(replayed)?)?;
        for file in files {
            if replayed.contains(file) || !names(&bound.solution_id, file)? {
                return Ok(false);
            }
            for source in work {
                if names(&source.solution_id, file)? {
                    return Ok(false);
                }
            }
        }
        Ok(!files.is_empty())
    }
}
