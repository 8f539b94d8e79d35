//! Handles the reports of agents and the results of their steps.

use super::Driver;
use crate::model::{Code, Failure, IssueId, IssueReached, IssueStatus, RunEvent, RunStep, StepSpent, Usage};
use crate::ops::Refusal;
use crate::rules::RunProgress;
use crate::run::job::{EndedStep, StepOutcome, StepReport, VainStep, failure_of};
use crate::run::watch::RunUpdate;
use crate::run::{spending, unended};

/// The word in the log for a conflict that an agent did not resolve.
const UNRESOLVED: &str = "unresolved";

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
        }
        Ok(())
    }

    /// Records a remark about an issue. Nothing else changes for it.
    fn note(&mut self, issue: IssueId, note: &str) -> Result<(), Refusal> {
        let Some((status, error)) =
            RunProgress::of(&self.log).issue(&issue).map(|it| (it.status, it.error.cloned()))
        else {
            return Ok(());
        };
        let note = Some(note.to_owned());
        self.log_issue("note", IssueReached { error, note, ..IssueReached::plain(issue, status) })
    }

    /// Records the result of a step, and the usage of its agent.
    pub(super) fn settle(&mut self, ended: EndedStep) -> Result<(), Refusal> {
        let EndedStep { issue, step, outcome, usage, logged } = ended;
        let issue = &issue;
        if matches!(*outcome, StepOutcome::Planned(..) | StepOutcome::Completed(..)) && !logged.is_empty() {
            self.take_in(logged);
            return Ok(());
        }
        let (what, mut events) = match *outcome {
            StepOutcome::Explored(complexity, spent) => {
                let note = format!("{complexity} complexity");
                ("explored", vec![self.done(issue, step, spent, Some(note))])
            }
            StepOutcome::Planned(solution, spent) => {
                let mut reached = IssueReached::plain(issue.clone(), IssueStatus::Planned);
                reached.solution_id = Some(solution);
                ("planned", vec![self.done(issue, step, spent, None), RunEvent::Issue(reached)])
            }
            StepOutcome::Candidates(n, spent) => {
                let note = format!("{n} plans to choose from");
                ("planned", vec![self.done(issue, step, spent, Some(note))])
            }
            StepOutcome::Reviewed(verdict, spent) => {
                ("reviewed", vec![self.done(issue, step, spent, Some(verdict.to_string()))])
            }
            StepOutcome::Completed(execution, spent) => {
                let mut reached = IssueReached::plain(issue.clone(), IssueStatus::Completed);
                reached.execution_id = Some(execution);
                ("completed", vec![self.done(issue, step, spent, None), RunEvent::Issue(reached)])
            }
            StepOutcome::Failed(failure) => {
                // If something cannot be removed now, the next attempt reports it.
                let _ = self.leave_room(issue);
                ("failed", vec![self.setback(issue, step, VainStep::of_agent(failure))])
            }
            StepOutcome::Resolved(resolved) => {
                self.accept_resolution(issue, &resolved)?;
                ("resolved", vec![self.setback(issue, step, VainStep::of_run(resolved.conflict))])
            }
            StepOutcome::Tested(tested) => {
                return match self.take_copies(issue, &tested) {
                    Err(refusal) => self.could_not(issue, step, refusal),
                    Ok(()) => Ok(()),
                };
            }
            // It is asked again, or a person is.
            StepOutcome::Gave(vain) if step == RunStep::Integrate => {
                (UNRESOLVED, vec![self.setback(issue, step, vain)])
            }
            // If these fail, the plan is made without an exploration, and judged by other reviews or by none.
            StepOutcome::Gave(vain) if matches!(step, RunStep::Explore | RunStep::Review) => {
                let skipped = vain.failure.message.clone().unwrap_or_default();
                let mut left_out = self.action(issue, step);
                left_out.skipped = Some(skipped);
                let what = if step == RunStep::Review { "unreviewed" } else { "unexplored" };
                (what, vec![self.setback(issue, step, vain), RunEvent::Action(left_out)])
            }
            // Another attempt would cost more than it may: then the issue waits, or the run stops.
            StepOutcome::Gave(vain) if vain.is_agents && self.is_exhausted(issue, &usage)? => {
                ("failed attempt", vec![self.setback(issue, step, vain)])
            }
            StepOutcome::Gave(vain) => ("failed", self.failed(issue, step, vain)),
            StepOutcome::Stopped => return self.stopped_step(issue, step, usage),
        };
        if let Some(first) = events.first_mut() {
            first.spend(usage);
        }
        self.log(what, events)?;
        unended::step_ended(&self.places.transcripts(), step, issue);
        if what == UNRESOLVED && self.conflicts_with_target(issue)? {
            return self.land(issue);
        }
        Ok(())
    }

    /// Records what an agent used in a step that was stopped, which does not count as a failed attempt.
    fn stopped_step(&mut self, issue: &IssueId, step: RunStep, usage: Usage) -> Result<(), Refusal> {
        let mut events: Vec<RunEvent> = self.spent(issue, step, usage).into_iter().collect();
        if self.is_told_to_stop(issue) {
            events.push(RunEvent::Issue(self.reached_stop(issue)));
        } else {
            self.stop_after_steps();
        }
        if !events.is_empty() {
            self.log("stopped", events)?;
        }
        unended::step_ended(&self.places.transcripts(), step, issue);
        Ok(())
    }

    /// Whether the run or the work on an issue has cost what it may, once this usage is recorded.
    fn is_exhausted(&self, issue: &IssueId, usage: &Usage) -> Result<bool, Refusal> {
        Ok(spending::exhausted(self.session, &self.run.id, issue, usage)?.is_some())
    }

    /// What an agent used in a step that ended early; `None` if it told nothing of that.
    pub(super) fn spent(&self, issue: &IssueId, action: RunStep, usage: Usage) -> Option<RunEvent> {
        let Usage { tokens, cost } = usage;
        let is_any = tokens.is_some() || cost.is_some();
        let (issue_id, agent) = (Some(issue.clone()), self.agent_of(action));
        is_any.then_some(RunEvent::Spent(StepSpent { action, issue_id, agent, tokens, cost }))
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
        self.log("failed", self.failed(issue, step, VainStep::of_run(failure)))
    }

    fn failed(&self, issue: &IssueId, step: RunStep, vain: VainStep) -> Vec<RunEvent> {
        let mut reached = IssueReached::plain(issue.clone(), IssueStatus::Failed);
        reached.error = Some(vain.failure.clone());
        vec![self.setback(issue, step, vain), RunEvent::Issue(reached)]
    }
}
