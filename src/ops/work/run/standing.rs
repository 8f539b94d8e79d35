//! Where the issues of a run stand: what the store says of them, and what the run's log adds to that.

use std::collections::{BTreeMap, BTreeSet};

use super::places::{Places, head};
use crate::model::id::{ExecutionId, IssueId};
use crate::model::run::{Run, RunStep};
use crate::model::status::{ExecutionStatus, IssueStatus, ItemStatus};
use crate::ops::issues::existing;
use crate::ops::queue::World;
use crate::ops::{Refusal, Session};
use crate::rules::folder::{ExecutionFolder, IssueFolder, RunFolder};
use crate::rules::run::{Progress, Standing};
use crate::rules::{facts, review};
use crate::store::{ObjectId, Store, object_id};
use crate::trail::active;

/// The issues of a run, and who waits for whom.
pub(super) struct Standings {
    /// In the order of the run.
    pub(super) all: Vec<Standing>,
    /// The items that wait: the issue that is in the way, and the reason.
    pub(super) waits_for: BTreeMap<IssueId, (Option<IssueId>, String)>,
}

/// Looks at all issues of a run.
pub(super) fn standings(
    session: &Session,
    places: &Places,
    folder: &RunFolder,
) -> Result<Standings, Refusal> {
    let store = session.store();
    let snapshot = store.snapshot()?;
    let progress = Progress::of(folder);
    let world = World::read(&snapshot)?;
    let (mut ready, mut waits_for) = (BTreeSet::new(), BTreeMap::new());
    for view in world.views() {
        for item in view.items {
            let issue = item.item.issue_id;
            if item.status == ItemStatus::Ready {
                ready.insert(issue);
            } else if let Some(blocker) = item.blocked_by.first() {
                waits_for.insert(issue, (blocker.issue_id.clone(), blocker.reason.clone()));
            }
        }
    }
    let head = head(store, &folder.run)?.and_then(|hash| object_id(hash.as_str()));
    let at = At { store, places, run: &folder.run, progress: &progress, head };
    let mut all = Vec::new();
    for id in &folder.run.issue_ids {
        let issue = existing(&snapshot, id)?;
        all.push(at.standing(&issue, ready.contains(id))?);
    }
    // Whoever depends on work that cannot be merged would begin without it.
    let is_apart =
        |at: &&Standing| at.status == IssueStatus::Completed && at.is_given_up && !at.is_integrated;
    let apart: BTreeSet<IssueId> = all.iter().filter(is_apart).map(|at| at.issue.clone()).collect();
    for at in &mut all {
        let needed = world
            .facts
            .get(&at.issue)
            .and_then(|issue| issue.depends_on.iter().find(|id| apart.contains(id)));
        if let Some(needed) = needed {
            at.is_ready = false;
            let why = format!("the work of {needed} is not in the branch of the run");
            waits_for.insert(at.issue.clone(), (Some(needed.clone()), why));
        }
    }
    waits_for.retain(|id, _| all.iter().any(|at| at.issue == *id && at.status == IssueStatus::Queued));
    Ok(Standings { all, waits_for })
}

/// How many versions of an issue's plans were rejected.
fn rejected(folder: &IssueFolder) -> usize {
    let plans = folder.solutions.iter().map(|plan| &plan.record);
    plans.map(|plan| review::standing(plan, folder.reviews(&plan.id)).rejected_rounds).sum()
}

struct At<'a> {
    store: &'a Store,
    places: &'a Places,
    run: &'a Run,
    progress: &'a Progress<'a>,
    head: Option<ObjectId>,
}

impl At<'_> {
    fn standing(&self, folder: &IssueFolder, is_ready: bool) -> Result<Standing, Refusal> {
        let id = &folder.issue.record.id;
        let reviews = folder.bound().map(|plan| review::standing(plan, folder.reviews(&plan.id)));
        let holder = facts::holder(folder);
        let is_bound = folder.bound().is_some();
        let left_out = |step| {
            let is_it = |it: &&&crate::model::run_log::ActionDone| {
                it.action == step && it.issue_id.as_ref() == Some(id) && it.skipped.is_some()
            };
            self.progress.actions.iter().any(|it| is_it(&it))
        };
        let is_ours = match holder {
            Some(holder) => is_ours(self.store, self.places, &holder.execution.id, holder)?,
            None => false,
        };
        let logged = self.progress.issue(id);
        Ok(Standing {
            issue: id.clone(),
            status: facts::status(folder),
            is_explored: self.progress.taken(RunStep::Explore, id) > 0 || left_out(RunStep::Explore),
            candidates: if is_bound { 0 } else { folder.solutions.len() },
            verdict: reviews.and_then(|standing| standing.verdict),
            is_unreviewed: left_out(RunStep::Review),
            rejected: rejected(folder),
            is_ready,
            is_ours,
            is_integrated: self.is_integrated(holder)?,
            failures: self.failures(folder),
            is_given_up: logged.is_some_and(|issue| issue.status == IssueStatus::Failed),
        })
    }

    /// How often the issue's execution failed since the run began.
    fn failures(&self, folder: &IssueFolder) -> u64 {
        let began = self.run.created_at;
        let failed = folder.executions.iter().filter(|it| it.execution.started_at >= began);
        failed.filter(|it| it.outcome() == ExecutionStatus::Failed).count() as u64
    }

    /// Whether nothing of a completed execution is left to merge into the run's branch.
    fn is_integrated(&self, holder: Option<&ExecutionFolder>) -> Result<bool, Refusal> {
        let (Some(holder), Some(head)) = (holder, self.head) else { return Ok(true) };
        if !self.run.takes(RunStep::Integrate) || holder.execution.started_at < self.run.created_at {
            return Ok(true);
        }
        let Some(branch) = &holder.execution.branch else { return Ok(true) };
        match self.store.read_ref(branch)? {
            Some(tip) => Ok(self.store.is_ancestor(tip, head)?),
            None => Ok(true),
        }
    }
}

/// Whether this run carries an execution out: its worktree is one of the run's, or was to become one.
fn is_ours(
    store: &Store,
    places: &Places,
    id: &ExecutionId,
    holder: &ExecutionFolder,
) -> Result<bool, Refusal> {
    let tree = places.tree_of(&holder.execution.solution_id);
    Ok(match active::work_dir_of(store, id)? {
        Some(folder) => folder == tree || folder.canonicalize().ok() == tree.canonicalize().ok(),
        None => holder.execution.worktree.as_deref() == Some(holder.execution.solution_id.as_str()),
    })
}
