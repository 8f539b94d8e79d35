//! Does what people tell a run while it is driven: orders in its log, which anyone may write.

use super::Driver;
use crate::model::{
    Choice, CommitHash, Decided, Failure, IssueId, IssueReached, IssueStatus, OrderKind, RunEvent, RunStep,
};
use crate::ops::work::{ReleaseLease, release as release_claim};
use crate::ops::{Notice, Refusal, issues};
use crate::rules::run::{STOPPED, releases, steering};
use crate::rules::{Role, RunIssueState, RunProgress, facts};
use crate::run::job::failure;
use crate::run::leftovers::keep_commit;
use crate::run::watch::RunUpdate;
use crate::store::{ObjectId, ReadState, layout, records};

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
        let steering = steering(&self.log);
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
        steering(&self.log).pending.get(issue).is_some_and(|it| it.order == OrderKind::Stop)
    }

    /// Stops the agent at work on an issue, and then goes on without the issue.
    fn stop_issue(&mut self, issue: &IssueId) -> Result<(), Refusal> {
        if let Some(stops) = self.stops_of.get(issue) {
            stops.at_once();
            return Ok(());
        }
        // What is being tested or landed is looked at again once that has ended.
        if self.busy.contains_key(issue) {
            return Ok(());
        }
        let progress = RunProgress::of(&self.log);
        let logged = progress.issue(issue);
        if logged.is_none_or(|it| it.error.is_some() || it.status == IssueStatus::Failed) {
            return Ok(());
        }
        let is_completed = logged.is_some_and(|it| it.status == IssueStatus::Completed);
        let is_merged = is_completed && progress.taken(RunStep::Integrate, issue) > 0;
        if is_merged && (!self.run.lands || self.is_logged_as_landed(issue)) {
            let note = Some("its work is merged, and nothing was left to stop".to_owned());
            let reached = IssueReached { note, ..IssueReached::plain(issue.clone(), IssueStatus::Completed) };
            return self.log_issue("not stopped", reached);
        }
        self.landings.leave_out(issue);
        self.give_claim_back(issue)?;
        self.note_stopped(issue)
    }

    /// Gives back the claim of an execution at which no agent works any more, as after a kill. Its commits are kept.
    pub(super) fn give_claim_back(&mut self, issue: &IssueId) -> Result<(), Refusal> {
        let is_claimed =
            |at: &&RunIssueState| at.issue == *issue && at.status == IssueStatus::Executing && at.is_ours;
        if !self.standings()?.all.iter().any(|at| is_claimed(&at)) {
            return Ok(());
        }
        let store = self.session.store();
        let folder = issues::existing(&store.snapshot()?, issue)?;
        let Some(holder) = facts::holder(&folder).map(|holder| &holder.execution) else { return Ok(()) };
        let tree = self.places.tree_of(&holder.solution_id);
        let release = ReleaseLease { item: Some(holder.id.to_string()), force: None };
        let released = self.identity(Role::Executor).at(&tree).and_then(|there| {
            let is_new = |head: &ObjectId| holder.base_commit != Some(CommitHash::from(*head));
            if let Some(head) = there.store().head()?.filter(is_new) {
                let branch = keep_commit(store, &holder.id, head)?;
                self.session.notice(Notice::note(format!("{issue}: its work is on the branch {branch}")));
            }
            release_claim(&there, &release)
        });
        match released {
            Ok(_) => self.leave_stopped(issue),
            Err(refusal) if refusal.is_stop() => Err(refusal),
            Err(refusal) => {
                let what = format!("{issue}: its claim could not be given back: {}", refusal.message);
                let notice = Notice::warning(what).remedy(releases(issue), "gives it up");
                self.watch.update(&RunUpdate::Noticed(&notice));
                Ok(())
            }
        }
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
        let pending = steering(&self.log).pending.remove(issue);
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
