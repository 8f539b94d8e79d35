//! How a run that was stopped or killed continues.

use super::Driver;
use crate::model::{ActionDone, CommitHash, PhaseReached, RunEvent, RunStatus, RunStep};
use crate::ops::{Refusal, issues};
use crate::rules::run::owed;
use crate::rules::{Role, RunProgress};
use crate::run::catch_up::unrecorded;
use crate::run::unended;

impl Driver<'_> {
    /// Continues an interrupted run: records the new driver, and what is known of the run now.
    pub(super) fn go_on(&mut self) -> Result<(), Refusal> {
        let (status, phase) = (RunStatus::Running, RunProgress::of(&self.log).phase);
        let driver = Some(self.name.clone());
        let confinement = Some(self.confinement.to_string());
        let budget = self.new_budget.take();
        let reached = PhaseReached { driver, confinement, budget, ..PhaseReached::plain(status, phase) };
        self.log("resume", [RunEvent::Phase(reached)])?;
        self.write_only_if_held();
        self.notify(owed(&self.log));
        let steps = unended::record(self.session, &self.places, &self.identity(Role::Executor));
        let unrecorded = steps.iter().filter(|step| step.is_unrecorded(&self.log));
        let spent: Vec<RunEvent> = unrecorded.map(|step| RunEvent::Spent(step.spent.clone())).collect();
        if !spent.is_empty() {
            self.log("spent", spent)?;
        }
        for step in &steps {
            if let Some(issue) = &step.spent.issue_id {
                self.forget_notes(step.spent.action, issue);
            }
        }
        self.take_what_is_left()?;
        self.catch_up()
    }

    /// Records what was done but not recorded, because the run was killed in between. Steps that were in progress
    /// become pending again.
    fn catch_up(&mut self) -> Result<(), Refusal> {
        let store = self.session.store();
        let progress = RunProgress::of(&self.log);
        let mut events = Vec::new();
        for at in self.standings()?.all {
            let Some(logged) = progress.issue(&at.issue) else { continue };
            let folder = issues::existing(&store.snapshot()?, &at.issue)?;
            events.extend(unrecorded(&self.run, &progress, logged, &at, &folder));
        }
        for event in &mut events {
            if let RunEvent::Action(ActionDone { action: RunStep::Integrate, commit, .. }) = event {
                *commit = self.head.map(CommitHash::from);
            }
        }
        if events.is_empty() { Ok(()) } else { self.log("catch up", events) }
    }
}
