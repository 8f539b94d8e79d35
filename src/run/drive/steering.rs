//! Does what people tell a run while it is driven: orders in its log, which anyone may write.

use super::Driver;
use crate::model::{
    Choice, Decided, Failure, IssueId, IssueReached, IssueStatus, OrderKind, RunEvent, RunStep,
};
use crate::ops::{Refusal, issues};
use crate::rules::run::{STOPPED, steering};
use crate::rules::{RunProgress, facts};
use crate::run::job::failure;
use crate::run::watch::RunUpdate;
use crate::store::{ReadState, layout, records};

impl Driver<'_> {
    /// Takes in what others wrote into the log of the run, and does it.
    pub(super) fn look_at_orders(&mut self) -> Result<(), Refusal> {
        let snapshot = self.session.store().snapshot()?;
        let id = self.run.id.clone();
        if snapshot.names(&layout::run_log(&id))?.len() != self.log.log.len() {
            let found = records::newest_run(&snapshot, &self.log)?;
            self.hold.check_in(&snapshot)?;
            let known = std::mem::replace(&mut self.log, found);
            self.run = self.log.run.clone();
            let is_new = |id| !known.log.iter().any(|entry| entry.id == id);
            for entry in self.log.log.iter().filter(|entry| is_new(entry.id.clone())) {
                self.watch.update(&RunUpdate::Logged(entry));
            }
        }
        let steering = steering(&self.log.log);
        self.is_paused = steering.is_paused;
        for (issue, pending) in steering.pending {
            match pending.order {
                OrderKind::Stop => self.stop_issue(&issue)?,
                OrderKind::Add => self.take_up(&issue)?,
                OrderKind::Pause | OrderKind::Resume => {}
            }
        }
        Ok(())
    }

    /// Whether someone told the run to stop the work on an issue, and that is not done yet.
    pub(super) fn is_told_to_stop(&self, issue: &IssueId) -> bool {
        steering(&self.log.log).pending.get(issue).is_some_and(|it| it.order == OrderKind::Stop)
    }

    /// Stops the agent at work on an issue, and then goes on without the issue.
    fn stop_issue(&mut self, issue: &IssueId) -> Result<(), Refusal> {
        if let Some(stops) = self.stops_of.get(issue) {
            stops.at_once();
            return Ok(());
        }
        let progress = RunProgress::of(&self.log);
        let is_over = progress.issue(issue).is_none_or(|it| {
            it.error.is_some() || matches!(it.status, IssueStatus::Completed | IssueStatus::Failed)
        });
        if is_over { Ok(()) } else { self.note_stopped(issue) }
    }

    /// The run goes on without an issue that someone stopped.
    fn note_stopped(&mut self, issue: &IssueId) -> Result<(), Refusal> {
        self.log_issue("stopped", self.reached_stop(issue))
    }

    /// An issue is given up that someone stopped.
    pub(super) fn reached_stop(&self, issue: &IssueId) -> IssueReached {
        let error = Some(self.stopped(issue));
        IssueReached { error, ..IssueReached::plain(issue.clone(), IssueStatus::Failed) }
    }

    /// Why an issue is given up that someone stopped.
    pub(super) fn stopped(&self, issue: &IssueId) -> Failure {
        let pending = steering(&self.log.log).pending.remove(issue);
        let by = pending.map_or_else(|| "someone".to_owned(), |pending| pending.by);
        failure(STOPPED, &format!("{by} stopped it"), "")
    }

    /// Takes up an issue again that the run gave up, with another attempt if it failed. An issue that is new to the run has
    /// nothing to take up.
    fn take_up(&mut self, issue: &IssueId) -> Result<(), Refusal> {
        let progress = RunProgress::of(&self.log);
        if progress.issue(issue).is_none_or(|it| it.error.is_none() && it.status != IssueStatus::Failed) {
            return Ok(());
        }
        let folder = issues::existing(&self.session.store().snapshot()?, issue)?;
        let status = facts::status(&folder);
        let mut events = vec![RunEvent::Issue(IssueReached::plain(issue.clone(), status))];
        if status == IssueStatus::Failed {
            let (action, issue_id, choice) = (RunStep::Execute, issue.clone(), Choice::Retry);
            events.push(RunEvent::Decision(Decided { action, issue_id, choice }));
            // What is logged as failed is given up.
            events[0] = RunEvent::Issue(IssueReached::plain(issue.clone(), IssueStatus::Executing));
        }
        self.log("added", events)
    }
}
