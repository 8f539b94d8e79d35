//! Handles the reports of agents and the results of their steps.

use super::Driver;
use super::recording::StepOf;
use crate::git::fault;
use crate::model::{Code, Failure, IssueId, IssueReached, IssueStatus, RunEvent, RunStep, StepSpent, Usage};
use crate::ops::Refusal;
use crate::rules::RunProgress;
use crate::rules::run::{BUDGET, STOPPED};
use crate::run::job::{DoneStep, EndedStep, StepOutcome, StepReport, StepResult, VainStep, failure_of};
use crate::run::spending::{self, UnrecordedWork};
use crate::run::unended;
use crate::run::watch::RunUpdate;

/// The word in the log for a conflict that an agent did not resolve.
const UNRESOLVED: &str = "unresolved";

/// What the log says of a step that has ended.
struct StepRecord {
    /// In one word.
    what: &'static str,
    events: Vec<RunEvent>,
}

impl StepRecord {
    fn new<const N: usize>(what: &'static str, events: [RunEvent; N]) -> Self {
        Self { what, events: events.into() }
    }
}

impl Driver<'_> {
    pub(super) fn hear(&mut self, report: StepReport) -> Result<(), Refusal> {
        match report {
            StepReport::Task(issue, task) => {
                self.watch.update(&RunUpdate::Task { issue: &issue, task: &task });
            }
            StepReport::Said(issue, text) => {
                self.watch.update(&RunUpdate::Said { issue: &issue, text: &text });
            }
            StepReport::Setback(setback) => {
                let (step, of, agent) = (setback.action, setback.issue_id.clone(), setback.agent.clone());
                self.log("failed attempt", [RunEvent::Setback(setback)])?;
                if let (Some(issue), Some(agent)) = (&of, &agent) {
                    let attempt = RunProgress::of(&self.log).attempts(step, issue) + 1;
                    self.watch.update(&RunUpdate::Began { issue, step, agent, attempt });
                }
            }
            StepReport::Breach(breach) => self.log("breach", [RunEvent::Breach(breach)])?,
            StepReport::Noted(issue, note) => self.note(issue, note)?,
            StepReport::Limited(limited) => self.note_limit(limited)?,
            StepReport::Noticed(notice) => self.watch.update(&RunUpdate::Noticed(&notice)),
            StepReport::Over(ended) => {
                let issue = &ended.issue;
                self.busy.remove(issue);
                self.stops_of.remove(issue);
                self.watch.update(&RunUpdate::Ended { issue });
                if ended.step == RunStep::Execute {
                    self.last_end = self.session.store().tip()?;
                }
                self.settle(ended)?;
            }
            StepReport::Landed(ended) => self.settle_landing(*ended)?,
        }
        Ok(())
    }

    /// Records a remark about an issue. Nothing else changes for it.
    fn note(&mut self, issue: IssueId, note: String) -> Result<(), Refusal> {
        let Some((status, error)) =
            RunProgress::of(&self.log).issue(&issue).map(|it| (it.status, it.error.cloned()))
        else {
            return Ok(());
        };
        let note = Some(note);
        self.log_issue("note", IssueReached { error, note, ..IssueReached::plain(issue, status) })
    }

    /// Records the result of a step, and the usage of its agent.
    pub(super) fn settle(&mut self, ended: EndedStep) -> Result<(), Refusal> {
        let EndedStep { issue, step, agent, outcome, work, logged } = ended;
        let issue = &issue;
        let of = StepOf { issue, step, agent };
        if matches!(*outcome, StepOutcome::Done(_)) && !logged.is_empty() {
            self.take_in(logged);
            self.forget_notes(step, issue);
            return Ok(());
        }
        let StepRecord { what, mut events } = match *outcome {
            StepOutcome::Failed(failure) => {
                // If something cannot be removed now, the next attempt reports it.
                let _ = self.leave_room(issue);
                StepRecord::new("failed", [Self::setback(&of, VainStep::of_agent(failure))])
            }
            StepOutcome::Resolved(resolved) => {
                self.accept_resolution(issue, &resolved)?;
                StepRecord::new("resolved", [Self::setback(&of, VainStep::of_run(resolved.conflict))])
            }
            StepOutcome::Tested(tested) => {
                return match self.take_copies(issue, &tested) {
                    Err(refusal) => self.could_not(issue, step, refusal),
                    Ok(()) => Ok(()),
                };
            }
            // Its claim was given back, and it waits for a person.
            StepOutcome::Gave(vain) if is_over_budget(&vain) => {
                return self.stopped_within(&of, work, vec![]);
            }
            StepOutcome::Gave(vain) => {
                if step == RunStep::Execute && is_bug(&vain) {
                    self.give_claim_back(issue)?;
                } else if step == RunStep::Execute && is_stopped(&vain) {
                    self.leave_stopped(issue)?;
                }
                self.came_to_nothing(&of, vain, &work)?
            }
            StepOutcome::Stopped => return self.stopped_step(&of, work),
            StepOutcome::Done(done) => self.succeeded(&of, done),
        };
        if let Some(first) = events.first_mut() {
            first.spend(work.usage, work.time_ms);
        }
        self.log(what, events)?;
        self.forget_notes(step, issue);
        if what == UNRESOLVED && self.conflicts_with_target(issue)? {
            self.land(issue);
        }
        Ok(())
    }

    /// What the log says of a step that went well.
    fn succeeded(&self, of: &StepOf<'_>, done: DoneStep) -> StepRecord {
        let (DoneStep { result, spent }, issue) = (done, of.issue);
        match result {
            StepResult::Explored(complexity) => {
                let note = format!("{complexity} complexity");
                StepRecord::new("explored", [self.done(of, spent, Some(note))])
            }
            StepResult::Planned(solution) => {
                let mut reached = IssueReached::plain(issue.clone(), IssueStatus::Planned);
                reached.solution_id = Some(solution);
                StepRecord::new("planned", [self.done(of, spent, None), RunEvent::Issue(reached)])
            }
            StepResult::Candidates(n) => {
                let note = format!("{n} plans to choose from");
                StepRecord::new("planned", [self.done(of, spent, Some(note))])
            }
            StepResult::Reviewed(verdict) => {
                StepRecord::new("reviewed", [self.done(of, spent, Some(verdict.to_string()))])
            }
            StepResult::Completed(execution) => {
                let mut reached = IssueReached::plain(issue.clone(), IssueStatus::Completed);
                reached.execution_id = Some(execution);
                StepRecord::new("completed", [self.done(of, spent, None), RunEvent::Issue(reached)])
            }
        }
    }

    /// What the log says of a step that came to nothing.
    fn came_to_nothing(
        &self,
        of: &StepOf<'_>,
        vain: VainStep,
        work: &UnrecordedWork,
    ) -> Result<StepRecord, Refusal> {
        Ok(match of.step {
            // It is asked again, or a person is.
            RunStep::Integrate => StepRecord::new(UNRESOLVED, [Self::setback(of, vain)]),
            // If these fail, the plan is made without an exploration, and judged by other reviews or by none.
            RunStep::Explore | RunStep::Review => {
                let mut left_out = self.action(of.issue, of.step);
                left_out.skipped = Some(vain.failure.message.clone().unwrap_or_default());
                let what = if of.step == RunStep::Review { "unreviewed" } else { "unexplored" };
                StepRecord::new(what, [Self::setback(of, vain), RunEvent::Action(left_out)])
            }
            // Another attempt would cost more than it may: then the issue waits, or the run stops.
            _ if vain.is_agents && self.is_exhausted(of.issue, work)? => {
                StepRecord::new("failed attempt", [Self::setback(of, vain)])
            }
            _ => StepRecord { what: "failed", events: Self::failed(of, vain) },
        })
    }

    /// Records what an agent used in a step that was stopped, which does not count as a failed attempt.
    fn stopped_step(&mut self, of: &StepOf<'_>, work: UnrecordedWork) -> Result<(), Refusal> {
        let issue = of.issue;
        if self.is_told_to_stop(issue) {
            let stopped = RunEvent::Issue(self.reached_stop(issue));
            return self.stopped_within(of, work, vec![stopped]);
        }
        self.stop_after_steps();
        self.stopped_within(of, work, vec![])
    }

    fn stopped_within(
        &mut self,
        of: &StepOf<'_>,
        work: UnrecordedWork,
        more: Vec<RunEvent>,
    ) -> Result<(), Refusal> {
        let events: Vec<RunEvent> = spent(of, work).into_iter().chain(more).collect();
        if !events.is_empty() {
            self.log("stopped", events)?;
        }
        self.forget_notes(of.step, of.issue);
        Ok(())
    }

    /// Removes the notes of a step that has ended, once the log has what its agent used. If the run is killed in between, the
    /// next driver finds both.
    pub(super) fn forget_notes(&self, step: RunStep, issue: &IssueId) {
        fault::point("usage-recorded");
        unended::step_ended(&self.places.transcripts(), step, issue);
    }

    /// Whether the run or the work on an issue has cost what it may, once this work is recorded.
    fn is_exhausted(&self, issue: &IssueId, work: &UnrecordedWork) -> Result<bool, Refusal> {
        Ok(spending::exhausted(self.session, &self.run.id, issue, work)?.is_some())
    }

    /// The run itself could not take a step. It goes on without the issue, unless someone wanted it to stop, or a lock file
    /// must be removed first, as a resume does with those of the run.
    pub(super) fn could_not(
        &mut self,
        issue: &IssueId,
        step: RunStep,
        refusal: Refusal,
    ) -> Result<(), Refusal> {
        match refusal.code {
            Code::LockFile => Err(refusal),
            _ if refusal.is_stop() => Err(refusal),
            _ => self.fail(issue, step, failure_of(&refusal)),
        }
    }

    /// The run itself could not take a step, and goes on without the issue.
    pub(super) fn fail(&mut self, issue: &IssueId, step: RunStep, failure: Failure) -> Result<(), Refusal> {
        self.log("failed", Self::failed(&StepOf { issue, step, agent: None }, VainStep::of_run(failure)))
    }

    fn failed(of: &StepOf<'_>, vain: VainStep) -> Vec<RunEvent> {
        let mut reached = IssueReached::plain(of.issue.clone(), IssueStatus::Failed);
        reached.error = Some(vain.failure.clone());
        vec![Self::setback(of, vain), RunEvent::Issue(reached)]
    }
}

/// Whether a claim was given back because the issue has cost what it may.
fn is_over_budget(vain: &VainStep) -> bool {
    vain.failure.error_type.as_deref() == Some(BUDGET) && vain.unrecorded.is_none()
}

/// Whether a person stopped the work, and its claim was given back.
fn is_stopped(vain: &VainStep) -> bool {
    vain.failure.error_type.as_deref() == Some(STOPPED) && vain.unrecorded.is_none()
}

/// Whether a bug ended a step before it gave its claim back.
fn is_bug(vain: &VainStep) -> bool {
    vain.failure.error_type.as_deref() == Some(Code::Bug.as_str())
}

/// What an agent used in a step that ended early; `None` if it told nothing of that.
pub(super) fn spent(of: &StepOf<'_>, work: UnrecordedWork) -> Option<RunEvent> {
    let Usage { tokens, cost } = work.usage;
    if tokens.is_none() && cost.is_none() {
        return None;
    }
    let (issue_id, agent) = (Some(of.issue.clone()), of.agent.clone());
    Some(RunEvent::Spent(StepSpent {
        action: of.step,
        issue_id,
        agent,
        tokens,
        cost,
        took_ms: Some(work.time_ms),
    }))
}
