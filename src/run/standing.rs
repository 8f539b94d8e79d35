//! The state of the issues of a run, from the store and from the run's log.

use std::cell::OnceCell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::arrived::Arrivals;
use super::spending;
use crate::git::is_same_place;
use crate::model::{
    Code, ExecutionId, ExecutionStatus, Failure, IssueId, IssueStatus, ItemStatus, Review, Run, RunStep,
    Solution, Time,
};
use crate::ops::issues::existing;
use crate::ops::queue::{self, QueueWorld};
use crate::ops::work::runs::is_in;
use crate::ops::work::runs::paths::{RunPaths, head, open_tree};
use crate::ops::{Refusal, Session};
use crate::rules::landed::LandedState;
use crate::rules::readiness::{self, in_order};
use crate::rules::run::WorkCost;
use crate::rules::{
    ExecutionFolder, IssueFolder, LinkedCommit, RunFolder, RunIssueState, RunProgress, facts, review,
};
use crate::store::{IssueSources, ObjectId, ReadState, Snapshot, Store, object_id, records};
use crate::trail::active;
use crate::trail::landed::{Asked, Question, derive};

/// For each waiting issue, the issue that it waits for, and the reason.
type WaitsFor = BTreeMap<IssueId, (Option<IssueId>, String)>;

/// The issues of a run, and which issue waits for which.
pub(super) struct Standings {
    /// In the order of the run.
    pub(super) all: Vec<RunIssueState>,
    /// Which waits for which.
    pub(super) waits_for: WaitsFor,
    /// What the work of the run cost so far.
    pub(super) spent: WorkCost,
    /// The issues that someone outside of the run executes, and who.
    pub(super) elsewhere: BTreeMap<IssueId, String>,
}

impl Standings {
    /// Who outside of the run works on an issue, or on one that it waits for.
    pub(super) fn held(&self, issue: &IssueId) -> Option<String> {
        let (mut at, mut seen) = (issue, BTreeSet::new());
        while seen.insert(at) {
            let held = self.all.iter().find(|it| it.issue == *at).and_then(|it| it.held.as_ref());
            if let Some(who) = held.or(self.elsewhere.get(at)) {
                return Some(if at == issue {
                    who.clone()
                } else {
                    format!("it waits for `{at}`, and {who}")
                });
            }
            at = self.waits_for.get(at)?.0.as_ref()?;
        }
        None
    }
}

/// The issues of a run as last read. Most of them have not changed the next time.
#[derive(Default)]
pub(super) struct KnownIssues(BTreeMap<IssueId, (IssueSources, IssueFolder)>);

impl KnownIssues {
    /// The issue in this state.
    fn issue(&mut self, snapshot: &Snapshot<'_>, id: &IssueId) -> Result<&IssueFolder, Refusal> {
        let place = snapshot.place_of(id)?;
        let known = match self.0.entry(id.clone()) {
            Entry::Occupied(known) if known.get().0 == place => known.into_mut(),
            Entry::Occupied(mut known) => {
                known.insert((place, existing(snapshot, id)?));
                known.into_mut()
            }
            Entry::Vacant(new) => new.insert((place, existing(snapshot, id)?)),
        };
        Ok(&known.1)
    }
}

/// What the queues say of their issues.
struct QueuedIssues {
    /// Those that can begin.
    ready: BTreeSet<IssueId>,
    waits_for: WaitsFor,
}

impl QueuedIssues {
    fn of(world: &QueueWorld) -> Self {
        let (mut ready, mut waits_for) = (BTreeSet::new(), WaitsFor::new());
        for item in world.views().into_iter().flat_map(|view| view.items) {
            let issue = item.item.issue_id;
            if item.status == ItemStatus::Ready {
                ready.insert(issue);
            } else if let Some(blocker) = item.blocked_by.first() {
                waits_for.insert(issue, (blocker.issue_id.clone(), blocker.reason.clone()));
            }
        }
        // Plans that change the same file are executed in the order of the queue.
        for queue in in_order(&world.queues, &world.facts, &world.policy) {
            for (at, item) in queue.items().iter().enumerate() {
                if ready.contains(&item.issue_id)
                    && let Some((first, file)) = queue.goes_after(at).first()
                {
                    let why = format!(
                        "{} (`{}`) comes first in the queue, and shares `{file}` with it",
                        first.item_id, first.issue_id
                    );
                    waits_for.insert(item.issue_id.clone(), (Some(first.issue_id.clone()), why));
                }
            }
        }
        ready.retain(|issue| !waits_for.contains_key(issue));
        Self { ready, waits_for }
    }
}

/// Looks at all issues of a run.
pub(super) fn standings(
    session: &Session,
    places: &RunPaths,
    folder: &RunFolder,
    known: &mut KnownIssues,
    arrivals: &Arrivals,
) -> Result<Standings, Refusal> {
    let store = session.store();
    let progress = RunProgress::of(folder);
    let (index, world) = QueueWorld::everywhere(session)?;
    let snapshot = index.snapshot()?;
    let QueuedIssues { ready, mut waits_for } = QueuedIssues::of(&world);
    let head = head(store, &folder.run)?.and_then(|hash| object_id(hash.as_str()));
    let at = StandingReader {
        store,
        places,
        run: &folder.run,
        progress: &progress,
        arrivals,
        head,
        claimed: OnceCell::new(),
    };
    let (mut all, mut spent) = (Vec::new(), WorkCost::default());
    for id in &folder.run.issue_ids {
        let issue = known.issue(&snapshot, id)?;
        all.push(at.standing(issue, ready.contains(id))?);
        spending::add_of_run(issue, &folder.run.id, &progress, &mut spent);
    }
    // An issue must not start without the work of its dependencies that is on another branch.
    for at in all.iter_mut().filter(|at| at.status == IssueStatus::Queued && at.is_ready) {
        let (Some(head), Some(issue)) = (head, world.facts.get(&at.issue)) else { continue };
        if let Some((needed, why)) = arrivals.missing(store, &snapshot, head, &issue.depends_on)? {
            at.is_ready = false;
            waits_for.insert(at.issue.clone(), (Some(needed), why));
        }
    }
    // A merge while the run is at work may have closed a cycle.
    if !index.cycles()?.is_empty() {
        let ids = &folder.run.issue_ids;
        let stuck = readiness::stuck_in_cycles(ids, &queue::facts_of(&snapshot, ids.iter().cloned())?);
        for at in &mut all {
            at.cycle = stuck.get(&at.issue).map(ToString::to_string);
        }
    }
    waits_for.retain(|id, _| all.iter().any(|at| at.issue == *id && at.status == IssueStatus::Queued));
    let mut elsewhere = BTreeMap::new();
    let is_apart = |at: &&RunIssueState| at.status == IssueStatus::Executing && !at.is_ours;
    let blockers = waits_for.values().filter_map(|(by, _)| by.as_ref());
    let outside = blockers.filter(|id| !folder.run.issue_ids.contains(id));
    for id in all.iter().filter(is_apart).map(|at| &at.issue).chain(outside) {
        elsewhere.extend(executed_by(&snapshot, id).map(|who| (id.clone(), who)));
    }
    Ok(Standings { all, waits_for, spent, elsewhere })
}

/// How many versions of an issue's plans were rejected since a time.
fn rejected(folder: &IssueFolder, since: Time) -> usize {
    let plans = folder.solutions.iter().map(|plan| &plan.record);
    let rounds = |plan: &Solution| {
        let reviews: Vec<Review> =
            folder.reviews(&plan.id).iter().filter(|it| it.created_at >= since).cloned().collect();
        review::standing(plan, &reviews).rejected_rounds
    };
    plans.map(rounds).sum()
}

/// Who executes an issue; `None` if nobody does, or if it cannot be read.
fn executed_by(read: &impl ReadState, id: &IssueId) -> Option<String> {
    let folder = records::outline(read, id).ok().flatten()?;
    if facts::status(&folder) != IssueStatus::Executing {
        return None;
    }
    let held = &facts::holder(&folder)?.execution;
    Some(format!("{} is executing it (`{}`)", held.actor.as_str(), held.id))
}

struct StandingReader<'a> {
    store: &'a Store,
    places: &'a RunPaths,
    run: &'a Run,
    progress: &'a RunProgress<'a>,
    arrivals: &'a Arrivals,
    head: Option<ObjectId>,
    /// Executions that the run claimed and was about to make a worktree for when it was killed.
    claimed: OnceCell<Vec<ExecutionId>>,
}

impl StandingReader<'_> {
    fn standing(&self, folder: &IssueFolder, is_ready: bool) -> Result<RunIssueState, Refusal> {
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
        let status = facts::status(folder);
        let logged = self.progress.issue(id);
        let executed = logged.and_then(|issue| issue.execution_id);
        // A killed process, or another clone, may have claimed it without a trace of that in the log.
        let is_own = |it: &&ExecutionFolder| {
            executed == Some(&it.execution.id) || it.execution.run_id.as_ref() == Some(&self.run.id)
        };
        let own = holder.filter(is_own);
        let is_ours = match holder {
            // For an execution that has ended, `own` is enough.
            Some(holder) if status == IssueStatus::Executing || own.is_none() => self.is_ours(holder)?,
            _ => false,
        };
        Ok(RunIssueState {
            issue: id.clone(),
            status,
            is_explored: self.is_explored(folder) || left_out(RunStep::Explore),
            candidates: if is_bound { 0 } else { folder.plans().len() },
            verdict: reviews.and_then(|standing| standing.verdict),
            is_unreviewed: left_out(RunStep::Review),
            is_planned_here: self.progress.taken(RunStep::Plan, id) > 0,
            rejected: rejected(folder, self.run.created_at),
            is_ready,
            is_ours,
            is_integrated: self.is_integrated(own)?,
            failures: self.failures(folder),
            is_final: holder.and_then(ExecutionFolder::failure).is_some_and(is_final),
            granted: self.progress.granted(id),
            is_given_up: logged.is_some_and(|it| {
                it.status == IssueStatus::Failed || it.is_held_elsewhere() || it.is_waiting()
            }),
            held: None,
            over_budget: self.over_budget(folder),
            cycle: None,
            is_of_run: own.is_some(),
        })
    }

    /// Which limit of an issue is reached.
    fn over_budget(&self, folder: &IssueFolder) -> Option<String> {
        spending::on_issue(folder, self.progress).exhausts(self.run.issue_budget.as_ref()?)
    }

    /// Whether this run's exploration of the issue is stored, even if the log does not say so.
    fn is_explored(&self, folder: &IssueFolder) -> bool {
        folder.explorations.iter().any(|it| it.run_id.as_ref() == Some(&self.run.id))
    }

    /// How many attempts of this run at the issue failed.
    fn failures(&self, folder: &IssueFolder) -> u64 {
        let own = folder.executions.iter().filter(|it| it.execution.run_id.as_ref() == Some(&self.run.id));
        own.filter(|it| it.outcome() == ExecutionStatus::Failed).count() as u64
    }

    /// Whether nothing of an execution of this run is left to merge into the run's branch.
    fn is_integrated(&self, own: Option<&ExecutionFolder>) -> Result<bool, Refusal> {
        let (Some(own), Some(head)) = (own, self.head) else { return Ok(true) };
        if !self.run.takes(RunStep::Integrate) || own.execution.started_at < self.run.created_at {
            return Ok(true);
        }
        self.arrivals.is_merged(own, || self.is_merged(own, head))
    }

    fn is_merged(&self, own: &ExecutionFolder, head: ObjectId) -> Result<bool, Refusal> {
        let Some(branch) = &own.execution.branch else { return Ok(true) };
        if let Some(tip) = self.store.read_ref(branch.as_str())? {
            return Ok(is_in(self.store, tip, Some(head)));
        }
        // The branch goes once it is merged. In another clone, it never was.
        let is_there = |commit: &LinkedCommit| {
            let id = object_id(commit.link.hash.as_str());
            id.is_some_and(|id| self.store.repo().is_commit(id) && is_in(self.store, id, Some(head)))
        };
        if own.work().iter().all(is_there) {
            return Ok(true);
        }
        // Copies stand for its commits; one whose change was there already has none.
        let asked = Asked { branch, tips: &[head], first_land: None };
        let base = own.execution.base_commit.as_ref().and_then(|base| self.store.commit_here(base));
        let since: Vec<ObjectId> = base.into_iter().collect();
        let proofs = derive(self.store, &asked, &[Question { execution: own, before: None }], &since)?;
        Ok(proofs.iter().all(|proof| proof.landed.state == LandedState::Landed))
    }

    /// Whether an execution belongs to this run: its worktree is one of the run's, or was about to become one when the
    /// run was killed.
    fn is_ours(&self, holder: &ExecutionFolder) -> Result<bool, Refusal> {
        let id = &holder.execution.id;
        let tree = self.places.tree_of(&holder.execution.solution_id);
        if let Some(folder) = active::work_dir_of(self.store, id)? {
            return Ok(folder == tree || is_same_place(&folder, &tree));
        }
        if let Some(claimed) = self.claimed.get() {
            return Ok(claimed.contains(id));
        }
        let claimed = match open_tree(self.store, &self.places.branch_tree()) {
            // What cannot be read must not make an execution of this run that of someone else.
            Ok(there) => active::begun(&there)?,
            // The run has no such worktree (yet), or something else was put in its place.
            Err(_) => vec![],
        };
        Ok(self.claimed.get_or_init(|| claimed).contains(id))
    }
}

fn is_final(failure: &Failure) -> bool {
    failure.error_type.as_deref() == Some(Code::AgentTimeout.as_str())
}
