//! Commits whose plan and task the trailers of a commit on the branch name, such as a squash or a copy with resolved conflicts.

use std::collections::{HashMap, HashSet};

use super::{Pass, Work};
use crate::git::ObjectId;
use crate::model::{CommitHash, LinkedBy, SolutionId};
use crate::store::StoreError;
use crate::trail::landed::history::{TargetCommit, all_of};
use crate::trail::trailers;

impl Pass<'_> {
    /// A commit that stands for another one already, that the execution made itself, or that takes back its work says nothing
    /// of the rest; nor does one of that on which it builds.
    pub(super) fn by_trailers(&self, work: &mut [Work<'_>]) -> Result<(), StoreError> {
        let stands: HashSet<CommitHash> = work.iter().filter_map(|commit| commit.proof.clone()).collect();
        let mut by_plan: HashMap<_, Vec<usize>> = HashMap::new();
        for (n, commit) in work.iter().enumerate().filter(|(_, commit)| commit.is_open()) {
            by_plan.entry(&self.executions[commit.of].execution.solution_id).or_default().push(n);
        }
        let mut found: Vec<(usize, ObjectId)> = Vec::new();
        for commit in &self.history.named {
            let hash = CommitHash::from(commit.id);
            for plan in commit.plans() {
                let Some(open) = by_plan.get(&plan) else { continue };
                let says_nothing = match work.iter().find(|commit| *commit.hash() == hash) {
                    Some(own) => own.is_made_by_execution(),
                    // An earlier version of a commit is not a copy of the present one.
                    None => stands.contains(&hash) || self.executions[work[open[0]].of].knows_commit(&hash),
                };
                if says_nothing || self.takes_back(commit.id, &plan, work[open[0]].of)? {
                    continue;
                }
                found.extend(self.named_by(commit, &plan, work, open)?.into_iter().map(|n| (n, commit.id)));
            }
        }
        for (n, proof) in found {
            if work[n].is_open() {
                self.offer(&mut work[n], proof);
            }
        }
        Ok(())
    }

    /// The open commits for which a commit of the branch stands. A copy with the same subject stands for that one alone.
    fn named_by(
        &self,
        commit: &TargetCommit,
        plan: &SolutionId,
        work: &[Work<'_>],
        open: &[usize],
    ) -> Result<Vec<usize>, StoreError> {
        let mut named = Vec::new();
        for n in open.iter().copied() {
            let mut tasks = work[n].linked.link.tasks().peekable();
            let has_tasks = match tasks.peek() {
                None => commit.names(plan, None),
                Some(_) => tasks.all(|task| commit.names(plan, Some(task))),
            };
            if has_tasks
                && !self.is_newer_than_revert(&work[n], commit.id)?
                && !self.builds_on(&work[n], commit.id)?
            {
                named.push(n);
            }
        }
        let is_same = |n: &usize| work[*n].linked.link.subject == commit.subject;
        if named.iter().any(is_same) {
            named.retain(is_same);
        }
        Ok(named)
    }

    /// Whether a commit was made after the branch took back the one that may stand for it: then it is other work.
    fn is_newer_than_revert(&self, work: &Work<'_>, proof: ObjectId) -> Result<bool, StoreError> {
        let revert = self.taken_back.get(&proof).and_then(|place| self.history.at(*place));
        let (Some(revert), Some(id)) = (revert, work.id) else { return Ok(false) };
        let (Some(revert), Some(own)) = (self.store.sound_commit(revert)?, self.store.sound_commit(id)?)
        else {
            return Ok(false);
        };
        Ok(own.committed_at > revert.committed_at)
    }

    /// Whether a commit reverts one that belongs to a plan: then its trailers say whose work it takes back.
    fn takes_back(&self, commit: ObjectId, plan: &SolutionId, of: usize) -> Result<bool, StoreError> {
        let reverted = self.history.reverted_by(commit);
        if reverted.is_empty() {
            return Ok(false);
        }
        let own: HashSet<&CommitHash> = self.executions[of].known_commits().collect();
        for id in reverted {
            for id in all_of(self.store, *id)? {
                if own.contains(&CommitHash::from(id)) {
                    return Ok(true);
                }
                let Some(commit) = self.store.sound_commit(id)? else { continue };
                let trailers = trailers::parse(&commit.message);
                if trailers.iter().any(|(key, value)| key == trailers::SOLUTION && value == plan.as_str()) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

impl Work<'_> {
    /// Whether it was linked as a commit that the execution made, not as a copy or a squash of its work.
    pub(super) fn is_made_by_execution(&self) -> bool {
        matches!(self.linked.link.linked_by, LinkedBy::Hook | LinkedBy::Run | LinkedBy::Land)
    }
}
