//! Makes room for the next attempt at a plan: each attempt has its own branch from the last commit of the run, and an
//! empty worktree.

use std::path::Path;

use super::Driver;
use crate::model::{Branch, IssueId, SolutionId};
use crate::ops::work::runs::is_in;
use crate::ops::work::runs::paths::{head, remove_tree};
use crate::ops::{Refusal, issues};
use crate::rules::{ExecutionFolder, IssueFolder};
use crate::run::leftovers::{folders_of_claims, keep_commit, put_away};
use crate::store::{ObjectId, object_id};

impl Driver<'_> {
    /// Clears what earlier attempts of runs at a plan left. A branch stays if it is that of a person's attempt, or if someone
    /// has it checked out: then the branch of the next attempt has a number.
    pub(super) fn make_room(&self, folder: &IssueFolder, solution: &SolutionId) -> Result<(), Refusal> {
        let store = self.session.store();
        store.prune_worktrees()?;
        let run_head = self.run_head()?;
        let runs = folders_of_claims(store)?;
        for attempt in attempts(folder, solution) {
            let id = &attempt.execution.id;
            let Some(branch) = attempt.execution.branch.as_ref().filter(|it| it.is_of_plan(solution)) else {
                continue;
            };
            let Some(tip) = store.read_ref(branch.as_str())? else { continue };
            let checked_out = store.repo().checked_out()?;
            if let Some((_, tree)) = checked_out.iter().find(|(name, _)| name == branch)
                && let Some(claims) = tree.parent().filter(|parent| runs.iter().any(|run| run == parent))
            {
                put_away(store, tree, id, run_head)?;
                self.forget_claims_of(claims);
            }
            self.drop_branch(branch, tip, attempt)?;
        }
        let tree = self.places.tree_of(solution);
        if tree.exists() || tree.is_symlink() {
            match attempts(folder, solution).next() {
                Some(last) => put_away(store, &tree, &last.execution.id, run_head)?,
                None => remove_tree(store, &tree)?,
            }
        }
        Ok(())
    }

    /// Removes the directories of another run if nothing is left in them.
    fn forget_claims_of(&self, claims: &Path) {
        if claims != self.places.claims() {
            let run = claims.parent();
            for folder in std::iter::once(claims).chain(run) {
                // Removed only if empty.
                let _ = std::fs::remove_dir(folder);
            }
        }
    }

    /// Removes the worktrees and branches of attempts at the plan of an issue whose work was stopped. What cannot be removed now
    /// is removed before the next attempt.
    pub(super) fn leave_stopped(&self, issue: &IssueId) -> Result<(), Refusal> {
        let folder = issues::existing(&self.session.store().snapshot()?, issue)?;
        match self.bound(issue).and_then(|solution| self.make_room(&folder, &solution)) {
            Err(refusal) if refusal.is_stop() => Err(refusal),
            _ => Ok(()),
        }
    }

    /// Removes the branch and the worktree of an execution that has just failed.
    pub(super) fn leave_room(&self, issue: &IssueId) -> Result<(), Refusal> {
        let store = self.session.store();
        let folder = issues::existing(&store.snapshot()?, issue)?;
        let Some(failed) = crate::rules::facts::holder(&folder) else { return Ok(()) };
        let solution = &failed.execution.solution_id;
        let tree = self.places.tree_of(solution);
        if tree.exists() || tree.is_symlink() {
            put_away(store, &tree, &failed.execution.id, self.run_head()?)?;
        }
        let Some(branch) = failed.execution.branch.as_ref().filter(|it| it.is_of_plan(solution)) else {
            return Ok(());
        };
        match store.read_ref(branch.as_str())? {
            Some(tip) => self.drop_branch(branch, tip, failed),
            None => Ok(()),
        }
    }

    /// Removes the branch of an attempt, unless someone has it checked out.
    fn drop_branch(&self, branch: &Branch, tip: ObjectId, attempt: &ExecutionFolder) -> Result<(), Refusal> {
        let store = self.session.store();
        if store.repo().checked_out()?.iter().any(|(name, _)| name == branch) {
            return Ok(());
        }
        if !is_in(store, tip, self.run_head()?) {
            keep_commit(store, &attempt.execution.id, tip)?;
        }
        Ok(store.repo().delete_ref(branch.as_str(), tip)?)
    }

    /// Removes the branch of work that is merged, unless someone has it checked out.
    pub(super) fn drop_merged(&self, branch: &Branch) -> Result<(), Refusal> {
        let repo = self.session.store().repo();
        let is_taken = repo.checked_out()?.iter().any(|(name, _)| name == branch);
        if !is_taken && let Some(tip) = repo.read_ref(branch.as_str())? {
            // Its work is merged, whether or not the branch stays.
            let _ = repo.delete_ref(branch.as_str(), tip);
        }
        Ok(())
    }

    fn run_head(&self) -> Result<Option<ObjectId>, Refusal> {
        Ok(head(self.session.store(), &self.run)?.and_then(|hash| object_id(hash.as_str())))
    }
}

/// The attempts of runs at a plan, the latest first.
fn attempts<'a>(
    folder: &'a IssueFolder,
    solution: &'a SolutionId,
) -> impl Iterator<Item = &'a ExecutionFolder> {
    let all = folder.executions.iter().rev().filter(move |it| it.execution.solution_id == *solution);
    all.filter(|it| it.execution.run_id.is_some())
}
