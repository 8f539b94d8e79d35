//! A commit that makes a part of others: while a rebase has stopped, or after a reset.

use std::collections::HashSet;

use super::{Deciding, Trailer, is_of, plan_trailers, unindented};
use crate::git::ObjectId;
use crate::model::ExecutionStatus;
use crate::store::{CodeCommit, ReadState, StoreError, records};
use crate::trail::binding::{Binding, BoundExecution, CommittingWorktree, of_worktree};
use crate::trail::last_reset::LastReset;
use crate::trail::links::tasks;
use crate::trail::sources::{self, SourceWork};
use crate::trail::trailers;

/// A commit that makes again what others did.
struct Part {
    /// The files that those changed.
    of_whole: HashSet<String>,
    /// Whether it makes all of it.
    is_all: bool,
}

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
        let of_whole = self.store.changed_files(&self.store.code_commit(replayed)?)?.into_iter().collect();
        let part = Part { of_whole, is_all: false };
        self.of_part(bound.as_ref(), &part, self.sources.of_commit(replayed, 0)?)
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

    /// The trailers of a commit that makes again, wholly or in part, what `git reset` took away; `None` if it makes nothing of
    /// that, if that was made again already, or if it belonged to no plan.
    fn of_reset(&self, bound: Option<&BoundExecution>) -> Result<Option<Vec<Trailer>>, StoreError> {
        let Some(staged) = &self.staged else { return Ok(None) };
        let Some(last) = LastReset::unfinished(self.store)? else { return Ok(None) };
        let (files, left) = (staged.files()?, staged.files_since(last.before)?);
        let left: HashSet<String> = left.into_iter().collect();
        let mut again: HashSet<&String> = files.iter().filter(|file| !left.contains(*file)).collect();
        let is_exact = again.len() == files.len();
        let mut taken: Vec<(&CodeCommit, Vec<String>)> = Vec::new();
        for old in &last.taken {
            taken.push((old, self.store.changed_files(old)?));
        }
        let of_taken: HashSet<&String> = taken.iter().flat_map(|(_, changed)| changed).collect();
        let changed_again = files.iter().filter(|file| left.contains(*file) && of_taken.contains(file));
        let remade = staged.made_of(last.before, changed_again)?;
        for file in &remade {
            let is_own = match bound {
                Some(bound) => self.names(&bound.solution_id, file)?,
                None => false,
            };
            if !is_own {
                again.insert(file);
            }
        }
        if again.is_empty() || !self.pending_sources()?.is_empty() || !self.chosen_plans()?.is_empty() {
            return Ok(None);
        }
        let (mut of_whole, mut work) = (HashSet::new(), Vec::<SourceWork>::new());
        for (old, changed) in &taken {
            if !changed.iter().any(|file| again.contains(file)) {
                continue;
            }
            for source in self.sources.of_commit(old.id, 0)? {
                if !self.was_given_up(&source)? {
                    sources::add(&mut work, source);
                }
            }
            of_whole.extend(changed.iter().cloned());
        }
        // More work of the executed plan is an ordinary step of it.
        let is_own_step = !is_exact && work.iter().all(|source| is_of(bound, source));
        if work.is_empty() || is_own_step {
            return Ok(None);
        }
        let part = Part { of_whole, is_all: left.is_empty() && last.made.is_empty() };
        self.of_part(bound, &part, work).map(Some)
    }

    /// Whether work failed or was set aside: whoever makes it again does other work.
    fn was_given_up(&self, source: &SourceWork) -> Result<bool, StoreError> {
        let folder = records::execution(self.read, &source.execution_id, &mut Vec::new())?;
        Ok(folder
            .is_some_and(|folder| folder.outcome() == ExecutionStatus::Failed || folder.aside().is_some()))
    }

    /// The trailers of a commit that makes a part of this `work`.
    fn of_part(
        &self,
        bound: Option<&BoundExecution>,
        part: &Part,
        work: Vec<SourceWork>,
    ) -> Result<Vec<Trailer>, StoreError> {
        let files = self.files()?;
        let mut added = Vec::new();
        if let Some(bound) = bound {
            let more = files.iter().filter(|file| !part.of_whole.contains(*file)).cloned().collect();
            added = self.files_of(bound, &work, more)?;
            if !added.is_empty() && added.len() == files.len() {
                return self.of_bound(bound);
            }
        }
        let own = trailers::parse(&unindented(self.draft.text));
        let work = if part.is_all { work } else { self.naming_any(work, &files)? };
        let mut missing = Vec::new();
        for source in work {
            let known = if part.is_all { source.tasks.clone() } else { vec![] };
            let of_files = tasks(self.read, &source.solution_id, &own, known, || Ok(files.clone()))?;
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
