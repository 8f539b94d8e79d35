//! A commit that makes a part of others: while a rebase has stopped, or after a reset.

use super::{Deciding, Trailer, plan_trailers, unindented};
use crate::git::ObjectId;
use crate::model::ExecutionStatus;
use crate::store::{ReadState, StoreError, records};
use crate::trail::binding::{Binding, BoundExecution, CommittingWorktree, of_worktree};
use crate::trail::last_reset::LastReset;
use crate::trail::links::tasks;
use crate::trail::sources::SourceWork;
use crate::trail::trailers;

impl<R: ReadState> Deciding<'_, R> {
    /// The trailers of a commit that is made while a rebase has stopped at `replayed`: a part of it. Files that neither
    /// that commit changed nor its plan names, and that the executed plan does name, are work of the executed plan.
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
        let of_whole = self.store.changed_files(&self.store.code_commit(replayed)?)?;
        self.of_part(bound.as_ref(), &of_whole, self.sources.of_commit(replayed, 0)?)
    }

    /// The trailers of a commit that amends HEAD, or that makes a part of what `git reset` took away; `None` for other commits.
    pub(super) fn of_earlier(
        &self,
        bound: Option<&BoundExecution>,
    ) -> Result<Option<Vec<Trailer>>, StoreError> {
        match self.of_amended(bound)? {
            None if self.amended.is_none() => self.of_reset(bound),
            trailers => Ok(trailers),
        }
    }

    /// The trailers of a commit that makes a part of what `git reset` took away; `None` if it changes anything else, if that
    /// was made again already, or if it belonged to no plan.
    fn of_reset(&self, bound: Option<&BoundExecution>) -> Result<Option<Vec<Trailer>>, StoreError> {
        let Some(staged) = &self.staged else { return Ok(None) };
        let Some(last) = LastReset::unfinished(self.store)? else { return Ok(None) };
        let (files, left) = (staged.files()?, staged.files_since(last.before)?);
        let is_whole = left.is_empty() && last.made.is_empty();
        if files.is_empty() || is_whole || files.iter().any(|file| left.contains(file)) {
            return Ok(None);
        }
        let (mut of_whole, mut work) = (Vec::new(), Vec::<SourceWork>::new());
        for old in &last.taken {
            let changed = self.store.changed_files(old)?;
            if !changed.iter().any(|file| files.contains(file)) {
                continue;
            }
            for source in self.sources.of_commit(old.id, 0)? {
                let is_new = work.iter().all(|known| known.solution_id != source.solution_id);
                if is_new && !self.was_given_up(&source)? {
                    work.push(source);
                }
            }
            of_whole.extend(changed);
        }
        if work.is_empty() || !self.chosen_plans()?.is_empty() {
            return Ok(None);
        }
        self.of_part(bound, &of_whole, work).map(Some)
    }

    /// Whether work failed or was set aside: whoever makes it again does other work.
    fn was_given_up(&self, source: &SourceWork) -> Result<bool, StoreError> {
        let folder = records::execution(self.read, &source.execution_id, &mut Vec::new())?;
        Ok(folder
            .is_some_and(|folder| folder.outcome() == ExecutionStatus::Failed || folder.aside().is_some()))
    }

    /// The trailers of a commit that makes a part of this `work`, which changed the files `of_whole`.
    fn of_part(
        &self,
        bound: Option<&BoundExecution>,
        of_whole: &[String],
        work: Vec<SourceWork>,
    ) -> Result<Vec<Trailer>, StoreError> {
        let files = self.files()?;
        let mut added = Vec::new();
        if let Some(bound) = bound {
            let more = files.iter().filter(|file| !of_whole.contains(file)).cloned().collect();
            added = self.files_of(bound, &work, more)?;
            if !added.is_empty() && added.len() == files.len() {
                return self.of_bound(bound);
            }
        }
        let own = trailers::parse(&unindented(self.draft.text));
        let mut missing = Vec::new();
        for source in self.naming_any(work, &files)? {
            let of_files = tasks(self.read, &source.solution_id, &own, vec![], || Ok(files.clone()))?;
            let tasks = if of_files.is_empty() { source.tasks } else { of_files };
            missing.extend(plan_trailers(&source.solution_id, &tasks));
        }
        if let Some(bound) = bound.filter(|_| !added.is_empty()) {
            missing.extend(self.own_trailers(bound, &added)?);
        }
        Ok(missing)
    }

    /// The work of the plans that name one of the files; all of it if none does.
    fn naming_any(&self, work: Vec<SourceWork>, files: &[String]) -> Result<Vec<SourceWork>, StoreError> {
        let mut naming = Vec::new();
        for source in &work {
            for file in files {
                if self.names(&source.solution_id, file)? {
                    naming.push(source.clone());
                    break;
                }
            }
        }
        Ok(if naming.is_empty() { work } else { naming })
    }
}
