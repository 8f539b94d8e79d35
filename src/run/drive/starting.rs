//! Starts the steps that agents take.

use std::collections::BTreeSet;
use std::path::Path;

use super::Driver;
use super::jobs::JobSite;
use crate::model::{Code, IssueId, IssueReached, IssueStatus, RunStep};
use crate::ops::work::runs::paths::{open_tree, unlock};
use crate::ops::work::{self, ClaimRequest, ClaimWorktree, Claimable};
use crate::ops::{Refusal, RefusalKind, issues};
use crate::rules::run::next;
use crate::rules::{Role, RunProgress, audit};
use crate::run::along::{claimed, log_along};
use crate::run::execute::{AgentExecution, execute};
use crate::run::job::AgentJob;
use crate::run::steps;
use crate::run::workplace::{self, StepSite};
use crate::trail::active;

impl Driver<'_> {
    /// Starts agents for the steps that can be taken now. Returns whether any could not begin.
    pub(super) fn begin_steps(&mut self) -> Result<bool, Refusal> {
        let before = self.session.store().tip()?;
        let standings = self.standings()?;
        let steps = next(&self.run, &standings.all, &self.busy);
        if let Some(first) = steps.iter().map(|(_, step)| *step).chain(self.busy.values().copied()).min() {
            self.reach_phase(first)?;
        }
        self.reserve(&steps)?;
        let mut has_failed = false;
        for (issue, step) in steps {
            if self.is_stopping() {
                break;
            }
            let begun = match step {
                RunStep::Explore => self.begin_exploration(&issue),
                RunStep::Plan => self.begin_plan(&issue),
                RunStep::Review => self.begin_review(&issue),
                RunStep::Execute => self.begin_execution(&issue),
                RunStep::Queue | RunStep::Integrate => continue,
            };
            match begun {
                Ok(()) => {}
                // Ctrl-C may have ended the wait, or git. Whoever resumes the run begins the step.
                Err(_) if self.is_stopping() => break,
                // Someone else was faster: the records fetched from them show what to do next.
                Err(refusal) if refusal.kind == RefusalKind::Nothing || refusal.code == Code::OutOfOrder => {
                    has_failed |= self.session.store().tip()? != before;
                }
                Err(refusal) => {
                    self.could_not(&issue, step, refusal)?;
                    has_failed = true;
                }
            }
        }
        Ok(has_failed)
    }

    pub(super) fn begin_exploration(&mut self, issue: &IssueId) -> Result<(), Refusal> {
        self.reach_planning(issue)?;
        let job = self.reading_job(issue, RunStep::Explore, Role::Explorer, issue.as_str())?;
        self.spawn(job, steps::explore);
        Ok(())
    }

    pub(super) fn begin_plan(&mut self, issue: &IssueId) -> Result<(), Refusal> {
        self.reach_planning(issue)?;
        let job = self.reading_job(issue, RunStep::Plan, Role::Planner, issue.as_str())?;
        self.spawn(job, steps::plan);
        Ok(())
    }

    pub(super) fn begin_review(&mut self, issue: &IssueId) -> Result<(), Refusal> {
        let solution = self.bound(issue)?;
        let job = self.reading_job(issue, RunStep::Review, Role::Reviewer, solution.as_str())?;
        self.spawn(job, move |job| steps::review(job, &solution));
        Ok(())
    }

    /// Takes the item, or continues it, and lets the agent work.
    pub(super) fn begin_execution(&mut self, issue: &IssueId) -> Result<(), Refusal> {
        let store = self.session.store();
        let folder = issues::existing(&store.snapshot()?, issue)?;
        let solution = self.bound(issue)?;
        if let Some(refused) = self.refused(&solution)? {
            return Err(refused);
        }
        let holder = crate::rules::facts::holder(&folder).map(|holder| holder.execution.id.clone());
        let is_under_way = crate::rules::facts::status(&folder) == IssueStatus::Executing;
        let tree = self.places.tree_of(&solution);
        let is_there = match (&holder, is_under_way) {
            (Some(id), true) => active::work_dir_of(store, id)?.is_some(),
            _ => false,
        };
        let identity = self.identity(Role::Executor);
        let (mut note, mut logged) = (None, Vec::new());
        let id = if let (Some(id), true) = (&holder, is_there) {
            let there = open_tree(store, &tree)?;
            unlock(&there);
            note = self.left.remove(id);
            id.clone()
        } else {
            if !is_under_way {
                self.make_room(&folder, &solution)?;
            }
            self.clear(&tree)?;
            let session = identity.at(&self.places.branch_tree())?;
            // Two clones may each have put the issue into their own queue.
            let log = RunProgress::of(&self.log);
            let queue = log.issue(issue).and_then(|it| it.queue_id);
            let what = Claimable::Item(
                queue.map_or_else(|| solution.to_string(), |queue| format!("{queue}:{solution}")),
            );
            let wish = ClaimRequest {
                what,
                worktree: ClaimWorktree::At(tree.clone()),
                is_fresh: true,
                run: Some(self.run.id.clone()),
                ..ClaimRequest::default()
            };
            self.settle_notifications();
            let of = issue.clone();
            let run = self.run.id.clone();
            let claim =
                log_along(&session, &run, move |tx| claimed(tx, &of), || work::claim(&session, &wish))?;
            logged = claim.logged;
            let id = claim.done.view.execution_id;
            // The claim may have brought another version of the plan. If nobody agrees to its tests, either, the execution
            // gives it back.
            match self.refused(&solution) {
                Err(stop) if stop.is_stop() => return Err(stop),
                _ => {}
            }
            id
        };
        let may_be_done = is_there && note.is_none();
        if logged.is_empty() {
            let mut reached = IssueReached::plain(issue.clone(), IssueStatus::Executing);
            reached.solution_id = Some(solution);
            reached.execution_id = Some(id.clone());
            reached.note.clone_from(&note);
            self.log_issue("executing", reached)?;
        } else {
            self.take_in(logged);
        }
        if self.is_stopping() {
            return Ok(());
        }
        let there = open_tree(store, &tree)?;
        let start = there.head()?.ok_or_else(|| {
            Refusal::new(Code::NoCommit, "there is no commit to work on")
                .command("git commit", "creates the first one")
        })?;
        let active = active::read(&there)?;
        let of = file_name(&tree);
        let site = StepSite {
            name: workplace::name(&self.run.id, &of),
            folder: self.places.trees.join(of),
            start,
            branch: active.as_ref().map(|active| active.branch.clone()),
            active,
        };
        let folder = issues::existing(&store.snapshot()?, issue)?;
        let execution = folder.executions.iter().find(|it| it.execution.id == id).map(|it| &it.execution);
        let base = execution.and_then(|it| it.base_commit.clone());
        let named = self.named(issue)?;
        let task = JobSite { site, claim: Some(tree), base, named, about: id.to_string() };
        let job = self.job(issue, RunStep::Execute, Role::Executor, task)?;
        let job = AgentJob { execution: Some(id.clone()), left: note, ..job };
        self.spawn(job, move |job| execute(job, &AgentExecution { id: id.clone(), may_be_done }));
        Ok(())
    }

    /// The paths that the bound plan of an issue names.
    pub(super) fn named(&self, issue: &IssueId) -> Result<BTreeSet<String>, Refusal> {
        let folder = issues::existing(&self.session.store().snapshot()?, issue)?;
        let named = folder.bound().map(|plan| audit::paths(&plan.typed_plan())).unwrap_or_default();
        Ok(named.iter().map(ToString::to_string).collect())
    }
}

/// The last part of a path.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
