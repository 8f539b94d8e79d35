//! Steps that need no agent: queueing, merging, retrying, giving up.

use super::Driver;
use super::conflicts::WorkBranch;
use crate::git::{BranchMerge, GitError, fault};
use crate::model::{
    ActionDone, Branch, Breach, Code, CommitHash, ExecutionId, Failure, IssueId, IssueReached, IssueStatus,
    Other, RemedyCall, RunEvent, RunStep,
};
use crate::ops::queue::{self, QueueSelection};
use crate::ops::work::runs::paths::{open_tree, prepare_branch, remove_tree};
use crate::ops::work::{self, Retry};
use crate::ops::{Notice, Refusal, issues};
use crate::rules::run::{
    BUDGET, HELD_ELSEWHERE, IN_CYCLE, NO_PLAN, PENDING_SELECTION, REJECTED, UNREVIEWED, need, next,
};
use crate::rules::{Need, Role, RunIssueState, StuckReason};
use crate::run::along::{Along, log_along, queued};
use crate::run::job::failure;
use crate::run::watch::RunUpdate;
use crate::store::{Store, StoreError};
use crate::trail::hooked;

/// The hooks that git runs for a merge.
const MERGE_HOOKS: [&str; 6] = [
    "pre-merge-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-merge",
    "reference-transaction",
    "post-index-change",
];

impl Driver<'_> {
    /// Takes the steps that need no agent: queueing, merging, retrying, giving up. Returns whether anything was done.
    pub(super) fn do_own_part(&mut self) -> Result<bool, Refusal> {
        let standings = self.standings()?.all;
        let idle = || standings.iter().filter(|at| !self.busy.contains_key(&at.issue));
        let needs: Vec<(RunIssueState, Need)> = idle().map(|at| (at.clone(), need(&self.run, at))).collect();
        let mut is_any = false;
        for (at, need) in needs {
            let issue = &at.issue;
            match need {
                // Everything else goes on first.
                _ if self.is_question(need) => continue,
                Need::Person(StuckReason::Failed) => self.decide(&at)?,
                Need::Person(StuckReason::Choice) => self.choose(issue)?,
                Need::Person(why) => self.give_up(&at, why)?,
                Need::Elsewhere => self.leave(&at, at.held.as_deref().unwrap_or_default())?,
                Need::Retry => self.retry(issue)?,
                Need::Step(RunStep::Integrate)
                    if self.waits_for_job.contains(issue) && !self.has_free_job() =>
                {
                    continue;
                }
                Need::Step(RunStep::Integrate) => self.integrate(issue)?,
                _ => continue,
            }
            is_any = true;
        }
        if is_any {
            return Ok(true);
        }
        let to_queue: Vec<IssueId> = next(&self.run, &standings, &self.busy)
            .into_iter()
            .filter(|(_, step)| *step == RunStep::Queue)
            .map(|(issue, _)| issue)
            .collect();
        if to_queue.is_empty() {
            return Ok(false);
        }
        self.reach_phase(RunStep::Queue)?;
        self.queue(&to_queue)?;
        Ok(true)
    }

    /// Merges completed work, and does nothing else.
    pub(super) fn integrate_completed(&mut self) -> Result<(), Refusal> {
        for at in self.standings()?.all {
            if need(&self.run, &at) == Need::Step(RunStep::Integrate) {
                self.integrate(&at.issue)?;
            }
        }
        Ok(())
    }

    /// Someone else works on an issue.
    pub(super) fn leave(&mut self, at: &RunIssueState, who: &str) -> Result<(), Refusal> {
        let mut reached = IssueReached::plain(at.issue.clone(), at.status);
        reached.error = Some(failure(HELD_ELSEWHERE, who, ""));
        self.log_issue("left to others", reached)
    }

    /// Nothing can be done for an issue until someone decides.
    pub(super) fn give_up(&mut self, at: &RunIssueState, why: StuckReason) -> Result<(), Refusal> {
        let issue = &at.issue;
        let error = match why {
            StuckReason::NoPlan => failure(NO_PLAN, "it has no bound plan", ""),
            StuckReason::Choice => waits_for_choice(at.candidates),
            StuckReason::Rejected => {
                let message = match at.rejected {
                    0 => "its plan was rejected in review".to_owned(),
                    n => format!("its plans were rejected {n} times"),
                };
                failure(REJECTED, &message, "")
            }
            StuckReason::Unreviewed => failure(UNREVIEWED, "its plan waits for a review", ""),
            StuckReason::Stopped => failure("stopped", &format!("it is {}", at.status), ""),
            StuckReason::Failed => self.last_failure(issue)?,
            StuckReason::Budget => failure(BUDGET, at.over_budget.as_deref().unwrap_or_default(), ""),
            StuckReason::Cycle => {
                let cycle = at.cycle.as_deref().unwrap_or_default();
                failure(IN_CYCLE, &format!("it waits for a dependency cycle: {cycle}"), "")
            }
        };
        // Nothing failed but the reviewer.
        let (status, what) = match why {
            StuckReason::Unreviewed => (IssueStatus::Planned, "waits"),
            StuckReason::Cycle | StuckReason::Budget => (at.status, "waits"),
            _ => (IssueStatus::Failed, "failed"),
        };
        let mut reached = IssueReached::plain(issue.clone(), status);
        reached.error = Some(error);
        self.log_issue(what, reached)
    }

    pub(super) fn last_failure(&self, issue: &IssueId) -> Result<Failure, Refusal> {
        let folder = issues::existing(&self.session.store().snapshot()?, issue)?;
        let failure = crate::rules::facts::holder(&folder).and_then(|holder| holder.failure().cloned());
        Ok(failure.unwrap_or_default())
    }

    pub(super) fn retry(&mut self, issue: &IssueId) -> Result<(), Refusal> {
        let session = self.identity(Role::Executor).at(&self.places.branch_tree())?;
        let input = Retry { issue: Some(issue.to_string()), same_plan: true };
        match work::retry(&session, &input) {
            Ok(_) => self.log_issue("retried", IssueReached::plain(issue.clone(), IssueStatus::Queued)),
            Err(refusal) => self.could_not(issue, RunStep::Execute, refusal),
        }
    }

    /// Queues plans together or, if that fails, one by one.
    pub(super) fn queue(&mut self, issues: &[IssueId]) -> Result<(), Refusal> {
        let which = QueueSelection {
            issues: issues.iter().map(IssueId::to_string).collect(),
            ..QueueSelection::default()
        };
        let session = self.identity(Role::Integrator).at(&self.places.branch_tree())?;
        self.settle_notifications();
        let (run, all) = (self.run.id.clone(), issues.to_vec());
        let input = queue::AddItems { which, queue: None, force: None };
        let added = log_along(&session, &run, move |tx| queued(tx, &all), || queue::add(&session, &input));
        let refusal = match added {
            Along { logged, done } if !logged.is_empty() => {
                self.take_in(logged);
                if let Err(refusal) = done {
                    let what = format!(
                        "the plans are queued, but not all that comes after was done: {}",
                        refusal.message
                    );
                    self.watch.update(&RunUpdate::Noticed(&Notice::warning(what)));
                }
                return Ok(());
            }
            Along { done: Ok(done), .. } => {
                let mut events = vec![self.done_for_all(RunStep::Queue)];
                for added in done.view {
                    let item = added.item;
                    let mut reached = IssueReached::plain(item.item.issue_id.clone(), IssueStatus::Queued);
                    reached.solution_id = Some(item.item.solution_id.clone());
                    reached.queue_id = item.queue_id;
                    reached.item_id = Some(item.item.item_id);
                    events.push(RunEvent::Issue(reached));
                }
                return self.log("queued", events);
            }
            Along { done: Err(refusal), .. } => refusal,
        };
        match issues {
            _ if refusal.is_stop() => Err(refusal),
            [only] => self.could_not(only, RunStep::Queue, refusal),
            all => all.iter().try_for_each(|issue| self.queue(std::slice::from_ref(issue))),
        }
    }

    /// The execution that completed an issue, and its branch.
    pub(super) fn branch_of_work(&self, issue: &IssueId) -> Result<(ExecutionId, Branch), Refusal> {
        let folder = issues::existing(&self.session.store().snapshot()?, issue)?;
        let none = || {
            Refusal::new(Code::NoBranch, format!("the execution of `{issue}` names no branch"))
                .remedy(RemedyCall::new(Other::Show, [issue]), "shows it")
        };
        let holder = &crate::rules::facts::holder(&folder).ok_or_else(none)?.execution;
        Ok((holder.id.clone(), holder.branch.clone().ok_or_else(none)?))
    }

    /// The worktree for the branch of the run. If somebody replaced it or checked out something else there, it is
    /// created again.
    pub(super) fn branch_tree(&mut self) -> Result<Store, Refusal> {
        let store = self.session.store();
        let folder = self.places.branch_tree();
        match open_tree(store, &folder) {
            Ok(there) if there.branch()? == self.run.branch() => return Ok(there),
            _ => {}
        }
        prepare_branch(store, &self.places, &self.log)?;
        let there = open_tree(store, &folder)?;
        let what = "the worktree of the run's branch was replaced".to_owned();
        let breach = Breach { action: RunStep::Integrate, issue_id: None, agent: None, what, undone: true };
        self.log("breach", [RunEvent::Breach(breach)])?;
        Ok(there)
    }

    /// Merges the work of a completed issue into the branch of the run.
    fn integrate(&mut self, issue: &IssueId) -> Result<(), Refusal> {
        let solution = self.executed(issue)?;
        let (execution, branch) = self.branch_of_work(issue)?;
        if !branch.is_of_plan(&solution) {
            let message = format!(
                "its work is on the branch `{branch}`, which was not made for its plan, so the run does not merge it"
            );
            return self.fail(issue, RunStep::Integrate, failure("not-of-run", &message, ""));
        }
        if self.session.store().read_ref(branch.as_str())?.is_none() {
            let message = format!("its work is on the branch `{branch}`, which is not here");
            return self.fail(issue, RunStep::Integrate, failure("no-branch", &message, ""));
        }
        self.take_in_target()?;
        let there = self.branch_tree()?;
        let work = WorkBranch { issue, solution: &solution, execution: &execution, branch: &branch };
        self.take_back_unaccepted(&work)?;
        // Those of this program do nothing where nobody executes a plan.
        let has_hooks = hooked::has_others(&there, &MERGE_HOOKS);
        match there.git().merge_branch(&branch, &Branch::of_run(&self.run.id), has_hooks) {
            Ok(BranchMerge::Done) => {
                self.drop_work(&there, &work)?;
                self.drop_merged(&branch)?;
                self.merged(issue)
            }
            Ok(BranchMerge::Conflict(_)) => self.meet_conflict(&there, &work),
            Err(error @ GitError::Stopped { .. }) => {
                // The unfinished merge would block the next one.
                prepare_branch(self.session.store(), &self.places, &self.log)?;
                self.know_branch()?;
                Err(StoreError::Git(error).into())
            }
            Err(error) => self.fail(issue, RunStep::Integrate, failure("merge", &error.to_string(), "")),
        }
    }

    /// Removes the worktree of work that is merged.
    pub(super) fn drop_work(&self, there: &Store, work: &WorkBranch<'_>) -> Result<(), Refusal> {
        let tree = self.places.tree_of(work.solution);
        if tree.exists() { remove_tree(there, &tree) } else { Ok(()) }
    }

    /// Records that the work of an issue is in the branch of the run, which then lands it if it does that.
    pub(super) fn merged(&mut self, issue: &IssueId) -> Result<(), Refusal> {
        fault::point("run-merged");
        self.know_branch()?;
        let commit = self.head.map(CommitHash::from);
        let merged = ActionDone { commit, ..self.action(issue, RunStep::Integrate) };
        self.log("merged", [RunEvent::Action(merged)])?;
        self.land(issue);
        Ok(())
    }
}

/// Why an issue waits that has several plans.
pub(super) fn waits_for_choice(plans: usize) -> Failure {
    failure(PENDING_SELECTION, &format!("someone must choose one of its {plans} plans"), "")
}
