//! The log of the run, which only the driver writes.

use super::Driver;
use crate::model::{
    ActionDone, IssueId, IssueReached, IssueStatus, Notification, NotificationKind, Op, PhaseReached,
    RunEvent, RunLogEntry, RunStatus, RunStep, Setback, Stage,
};
use crate::ops::work::failure::{note_failure, reported};
use crate::ops::{Notice, Refusal};
use crate::rules::run::{notification, phase};
use crate::rules::{Role, RunProgress};
use crate::run::job::{AnswerTime, VainStep};
use crate::run::watch::RunUpdate;
use crate::store::{ReadState, Tx, layout, records};

/// A step on an issue, with the agent that took it, if one did.
pub(super) struct StepOf<'a> {
    pub(super) issue: &'a IssueId,
    pub(super) step: RunStep,
    pub(super) agent: Option<String>,
}

impl Driver<'_> {
    pub(super) fn reach_phase(&mut self, step: RunStep) -> Result<(), Refusal> {
        let Some(phase) = phase([step]) else { return Ok(()) };
        if RunProgress::of(&self.log).phase == phase {
            return Ok(());
        }
        let status = RunStatus::Running;
        self.log(phase.as_str(), [RunEvent::Phase(PhaseReached::plain(status, phase))])
    }

    pub(super) fn action(&self, issue: &IssueId, action: RunStep) -> ActionDone {
        ActionDone::plain(action, Some(issue.clone()))
    }

    pub(super) fn done_for_all(&self, action: RunStep) -> RunEvent {
        RunEvent::Action(ActionDone::plain(action, None))
    }

    pub(super) fn done(&self, of: &StepOf<'_>, spent: AnswerTime, note: Option<String>) -> RunEvent {
        let (agent, took_ms) = (of.agent.clone(), Some(spent.took_ms));
        RunEvent::Action(ActionDone { agent, took_ms, note, ..self.action(of.issue, of.step) })
    }

    pub(super) fn setback(of: &StepOf<'_>, vain: VainStep) -> RunEvent {
        let VainStep { failure: error, is_agents, unrecorded } = vain;
        RunEvent::Setback(Setback {
            action: of.step,
            issue_id: Some(of.issue.clone()),
            agent: if is_agents { of.agent.clone() } else { None },
            error,
            unrecorded,
            tokens: None,
            cost: None,
            took_ms: None,
        })
    }

    pub(super) fn agent_of(&self, step: RunStep) -> Option<String> {
        let role = match step {
            RunStep::Explore => Role::Explorer,
            RunStep::Plan => Role::Planner,
            RunStep::Review => Role::Reviewer,
            RunStep::Execute | RunStep::Integrate => Role::Executor,
            RunStep::Queue => return None,
        };
        self.crew.agent(role).ok().map(|agent| agent.name().to_owned())
    }

    pub(super) fn log_issue(&mut self, what: &str, reached: IssueReached) -> Result<(), Refusal> {
        self.log(what, [RunEvent::Issue(reached)])
    }

    /// Records events in one transaction, and reports them.
    pub(super) fn log(
        &mut self,
        what: &str,
        events: impl IntoIterator<Item = RunEvent>,
    ) -> Result<(), Refusal> {
        self.log_if(what, events, |_| Ok(true)).map(drop)
    }

    /// The same, unless the log has an entry that the driver does not know. Returns whether it was recorded.
    pub(super) fn log_if_all_is_known(
        &mut self,
        what: &str,
        events: impl IntoIterator<Item = RunEvent>,
    ) -> Result<bool, Refusal> {
        let folder = layout::run_log(&self.run.id);
        let snapshot = self.session.store().snapshot()?;
        // Entries that cannot be read have names, too.
        let names = snapshot.names(&folder)?;
        if self.has_unknown_entry_in(&snapshot)? {
            return Ok(false);
        }
        self.log_if(what, events, move |tx| Ok(tx.names(&folder)? == names))
    }

    /// Whether the log has an entry that the driver does not know.
    pub(super) fn has_unknown_entry(&self) -> Result<bool, Refusal> {
        self.has_unknown_entry_in(&self.session.store().snapshot()?)
    }

    fn has_unknown_entry_in(&self, read: &impl ReadState) -> Result<bool, Refusal> {
        Ok(records::newest_run(read, &self.log)?.log.len() != self.log.log.len())
    }

    pub(super) fn log_if(
        &mut self,
        what: &str,
        events: impl IntoIterator<Item = RunEvent>,
        holds: impl Fn(&Tx<'_>) -> Result<bool, Refusal>,
    ) -> Result<bool, Refusal> {
        // Whoever resumes the run sends only what the last entries say.
        self.settle_notifications();
        let events: Vec<RunEvent> = events.into_iter().collect();
        let id = &self.run.id;
        let of = events.iter().find_map(RunEvent::issue);
        let of = of.filter(|_| events.len() < 3).map(|issue| format!(" {issue}")).unwrap_or_default();
        let permit = self.session.permit(Op::Run)?;
        let logged = self.session.transact(permit, |tx| {
            if !holds(tx)? {
                return Ok(None);
            }
            let mut logged = Vec::new();
            for event in &events {
                logged.push(tx.log_run(id, event.clone())?);
            }
            note_unplanned(tx, &events)?;
            tx.describe(format!("run: {id}{of} {what}"));
            Ok(Some(logged))
        })?;
        let is_recorded = logged.answer.is_some();
        self.take_in(logged.answer.unwrap_or_default());
        Ok(is_recorded)
    }

    /// Reports what was recorded in the log of the run.
    pub(super) fn take_in(&mut self, logged: Vec<RunLogEntry>) {
        let told = logged.iter().filter_map(|entry| notification(&self.log, entry)).collect();
        for entry in logged {
            // The driver may have seen it in the store.
            if !self.log.log.iter().rev().any(|known| known.id == entry.id) {
                self.watch.update(&RunUpdate::Logged(&entry));
                self.log.log.push(entry);
            }
        }
        self.log.log.sort_by(|one, other| one.id.cmp(&other.id));
        self.notify(told);
    }

    /// Tells a person who is elsewhere.
    pub(super) fn notify(&mut self, notifications: Vec<Notification>) {
        let late = self.notifier.send(notifications);
        self.tell_warnings(&late);
    }

    /// Tells that an issue waits for a person, although the log does not say so: `why` is a word for the reason.
    pub(super) fn notify_waiting(
        &mut self,
        issue: &IssueId,
        why: &str,
        message: String,
        quoted: Option<String>,
    ) -> Result<(), Refusal> {
        let run_id = self.run.id.clone();
        // Until something else happens to the issue, it is the same event, however often it is said.
        let is_about = |entry: &&RunLogEntry| entry.event.issue() == Some(issue);
        let last = self.log.log.iter().rfind(is_about).map(|entry| entry.id.to_string());
        let notification = Notification {
            id: format!("{run_id}/{issue}/{}/{why}", last.unwrap_or_default()),
            kind: NotificationKind::Waits,
            run_id,
            issue_id: Some(issue.clone()),
            message,
            quoted,
            at: self.session.now()?,
        };
        self.notify(vec![notification]);
        Ok(())
    }

    /// Goes on telling a person what was not told yet.
    pub(super) fn tick_notifications(&mut self) {
        let late = self.notifier.tick();
        self.tell_warnings(&late);
    }

    /// Tells a person what was not told yet, and waits for that.
    pub(super) fn flush_notifications(&mut self) {
        let late = self.notifier.flush();
        self.tell_warnings(&late);
    }

    /// Waits until a person was told what happened so far.
    pub(super) fn settle_notifications(&mut self) {
        let late = self.notifier.settle();
        self.tell_warnings(&late);
    }

    pub(super) fn tell_warnings(&mut self, warnings: &[Notice]) {
        for warning in warnings {
            self.watch.update(&RunUpdate::Noticed(warning));
        }
    }
}

/// Writes the failure of a planner that ends its issue in the run as feedback, so that the issue shows what happened, and
/// the next planner gets it.
fn note_unplanned(tx: &mut Tx<'_>, events: &[RunEvent]) -> Result<(), Refusal> {
    let is_unplanned = |event: &RunEvent| match event {
        RunEvent::Issue(it) => it.status == IssueStatus::Failed,
        _ => false,
    };
    let setback = events.iter().find_map(|event| match event {
        RunEvent::Setback(it) if it.action == RunStep::Plan => Some(it),
        _ => None,
    });
    let (Some(setback), true) = (setback, events.iter().any(is_unplanned)) else { return Ok(()) };
    // What the run itself could not do says nothing about the issue.
    let (Some(issue), Some(agent)) = (&setback.issue_id, &setback.agent) else { return Ok(()) };
    let Some(message) = &setback.error.message else { return Ok(()) };
    let content = format!("{agent} returned no plan: {message}");
    Ok(note_failure(tx, issue, Stage::Plan, &content, &reported(&setback.error))?)
}
