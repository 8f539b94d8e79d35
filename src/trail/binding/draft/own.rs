//! Work of the executed plan in a commit that also squashes, copies, reverts or amends work of other plans.

use std::collections::BTreeSet;

use bstr::ByteSlice;

use super::{Deciding, Trailer, is_of, plan_trailers};
use crate::model::SolutionId;
use crate::rules::audit;
use crate::store::{ReadState, StoreError, records};
use crate::trail::binding::BoundExecution;
use crate::trail::links::tasks;
use crate::trail::referred::{Referred, SQUASHED};
use crate::trail::sources::{Same, SourceWork};
use crate::trail::{merges, progress};

impl<R: ReadState> Deciding<'_, R> {
    /// The files of the commit that is about to be made.
    pub(super) fn files(&self) -> Result<Vec<String>, StoreError> {
        match (&self.amended, &self.staged) {
            (Some(amended), _) => Ok(amended.files().to_vec()),
            (None, Some(staged)) => staged.files(),
            (None, None) => Ok(vec![]),
        }
    }

    /// The trailers of the executed plan, if a commit that squashes, copies or reverts the work `found` also contains
    /// work of that plan. `back` is the list that git made of its sources.
    pub(super) fn own_part(
        &self,
        bound: Option<&BoundExecution>,
        found: &[SourceWork],
        back: &[u8],
    ) -> Result<Option<Vec<Trailer>>, StoreError> {
        let Some(bound) = bound.filter(|bound| !found.iter().any(|source| is_of(Some(bound), source))) else {
            return Ok(None);
        };
        let left = self.left_over(found)?;
        let named = self.files_of(bound, found, left.clone())?;
        if named.is_empty() && !self.has_more(back)? {
            return Ok(None);
        }
        self.own_trailers(bound, if named.is_empty() { &left } else { &named }).map(Some)
    }

    /// The trailers of a commit of the executed plan, as far as it changes these files.
    pub(super) fn own_trailers(
        &self,
        bound: &BoundExecution,
        files: &[String],
    ) -> Result<Vec<Trailer>, StoreError> {
        let known = bound.task_id.iter().cloned().collect();
        let tasks = tasks(self.read, &bound.solution_id, &[], known, || Ok(files.to_vec()))?;
        Ok(plan_trailers(&bound.solution_id, &tasks))
    }

    /// Those of `files` that the executed plan names and none of the plans of the work `found`. None if that work is of
    /// the executed plan.
    pub(super) fn files_of(
        &self,
        bound: &BoundExecution,
        found: &[SourceWork],
        files: Vec<String>,
    ) -> Result<Vec<String>, StoreError> {
        if found.iter().any(|source| is_of(Some(bound), source)) {
            return Ok(vec![]);
        }
        let mut own = Vec::new();
        for file in files {
            let mut is_own = self.names(&bound.solution_id, &file)?;
            for source in found {
                is_own = is_own && !self.names(&source.solution_id, &file)?;
            }
            if is_own {
                own.push(file);
            }
        }
        Ok(own)
    }

    /// Whether a plan names this file.
    pub(super) fn names(&self, plan: &SolutionId, file: &str) -> Result<bool, StoreError> {
        let plan = records::solution(self.read, plan)?;
        Ok(plan.is_some_and(|plan| audit::named(&plan.typed_plan()).holds(file)))
    }

    /// The staged files that the commits of the work `found` do not change.
    pub(super) fn left_over(&self, found: &[SourceWork]) -> Result<Vec<String>, StoreError> {
        let mut of_sources = BTreeSet::new();
        for hash in found.iter().flat_map(SourceWork::commits) {
            if let Some(id) = self.store.commit_here(hash) {
                of_sources.extend(self.store.changed_files(&self.store.code_commit(id)?)?);
            }
        }
        let mut files = self.files()?;
        files.retain(|file| !of_sources.contains(file));
        Ok(files)
    }

    /// The work that the commit reverts, if that is more than what `found` says: `git revert --no-commit` names only the
    /// last commit that it reverts.
    pub(super) fn all_reverted(&self, found: Vec<SourceWork>) -> Result<Vec<SourceWork>, StoreError> {
        let (Some(staged), false) = (&self.staged, found.iter().all(|source| source.reverts.is_empty()))
        else {
            return Ok(found);
        };
        let files = staged.files()?;
        let recent = self.sources.recent(&files).unwrap_or_default();
        let same = self.sources.by_staged(&recent, &files, staged, staged.head());
        let Ok(Same::Of(all)) = same else { return Ok(found) };
        let is_more = found
            .iter()
            .flat_map(|source| &source.reverts)
            .all(|hash| all.iter().any(|source| source.reverts.contains(hash)));
        Ok(if is_more { all } else { found })
    }

    /// The sources of the commit, as git noted them. The note of a squash stays even if someone throws the squash away: it
    /// counts if git's text is still in the message, or if a file of the squashed commits is staged.
    pub(super) fn pending_sources(&self) -> Result<Vec<u8>, StoreError> {
        let back = progress::pending_sources(&self.store.git_dir())?;
        if !is_squash(&back) || self.draft.text.lines().any(is_squash) {
            return Ok(back);
        }
        let Ok(files) = self.files() else { return Ok(back) };
        let squashed = Referred::parse(&back).copies;
        let is_there = squashed.iter().any(|id| self.changes_any(id, &files));
        Ok(if is_there { back } else { vec![] })
    }

    /// Whether a commit changes one of these files. One that is not here does not; one that cannot be read may.
    fn changes_any(&self, named: &str, files: &[String]) -> bool {
        let Some(id) = self.store.commit_named(named) else { return false };
        let changed = self.store.code_commit(id).and_then(|commit| self.store.changed_files(&commit));
        let Ok(changed) = changed else { return true };
        changed.iter().any(|file| files.contains(file))
    }

    /// The files that squashed commits change.
    fn files_of_squash(&self, squashed: &[String]) -> Result<BTreeSet<String>, StoreError> {
        let mut files = BTreeSet::new();
        for id in squashed.iter().filter_map(|id| self.store.commit_named(id)) {
            files.extend(self.store.changed_files(&self.store.code_commit(id)?)?);
        }
        Ok(files)
    }

    /// Whether the staged change contains more than the squash that `back` lists.
    fn has_more(&self, back: &[u8]) -> Result<bool, StoreError> {
        let squashed = Referred::parse(back).copies;
        let tip = if is_squash(back) { squashed.first() } else { None };
        let tip = tip.and_then(|tip| self.store.commit_named(tip));
        let (Some(tip), Some(staged)) = (tip, &self.staged) else { return Ok(false) };
        if let Ok(Some(is_more)) = merges::is_more(self.store, staged.head(), tip, staged.index()) {
            return Ok(is_more);
        }
        // An older git cannot repeat the squash. Then any file that no squashed commit changed shows changes of
        // one's own.
        let squashed_files = self.files_of_squash(&squashed)?;
        Ok(staged.files().is_ok_and(|files| files.iter().any(|file| !squashed_files.contains(file))))
    }
}

/// Whether git lists squashed commits, not a picked one.
fn is_squash(back: &[u8]) -> bool {
    back.starts_with(SQUASHED)
}
