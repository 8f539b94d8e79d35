//! Where the agent of a job works, and what is taken over from there.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::sync::Arc;

use super::committing;
use super::job::{AgentJob, StepReport};
use super::workplace::{Hander, StepWorkplace};
use crate::agent::definition::Agent;
use crate::agent::environment::environment;
use crate::agent::talk::AgentWorkplace;
use crate::model::RunStep;
use crate::ops::issues::existing_outline;
use crate::ops::work::handed_in::AgentSubject;
use crate::ops::work::runs::paths::AgentIdentity;
use crate::ops::{Refusal, Session};
use crate::process::left_behind::{FILES, RUN};
use crate::workplace::PlaceVariables;

/// At most this many authors of commits are named.
const MOST_NAMED: usize = 5;

impl AgentJob {
    /// A session in the name of the agent: in the worktree that claims its plan, or else in the repository.
    pub(super) fn session(&self) -> Result<Session, Refusal> {
        let identity = self.acting();
        match &self.claim {
            Some(claim) => identity.at(claim),
            None => identity.shared_session(),
        }
    }

    /// The same, for work that ends as soon as someone stops the step.
    pub(super) fn session_that_stops(&self) -> Result<Session, Refusal> {
        let identity = self.stopping(self.acting());
        match &self.claim {
            Some(claim) => identity.at(claim),
            None => identity.shared_session(),
        }
    }

    /// A session in the repository of the user, for commands that end as soon as someone stops the step.
    pub(super) fn users_session_that_stops(&self) -> Result<Session, Refusal> {
        self.stopping(self.identity.clone()).shared_session()
    }

    fn stopping(&self, mut identity: AgentIdentity) -> AgentIdentity {
        let stops = Arc::clone(&self.stops);
        identity.environment = identity.environment.also_interrupted_by(move || stops.is_at_once());
        identity
    }

    /// Its identity, in the name of the agent that was asked last.
    fn acting(&self) -> AgentIdentity {
        let actor = self.actors.get(&*self.asked.borrow()).cloned();
        let identity = self.identity.clone();
        AgentIdentity { acting: identity.acting.called(actor), ..identity }
    }

    /// Why nothing of the step is recorded, if another driver has the run now.
    pub(super) fn lost_run(&self) -> Option<Refusal> {
        self.identity.hold.as_ref()?.lost()
    }

    /// Makes the workplace of the agent, unless it is there.
    ///
    /// # Errors
    /// Those of [`StepWorkplace::make`].
    pub(super) fn enter(&self) -> Result<(), Refusal> {
        if self.workplace.borrow().is_some() {
            return Ok(());
        }
        let session = self.users_session_that_stops()?;
        let label = match &self.site.active {
            Some(active) => active.solution_id.as_str(),
            None => &self.site.name,
        };
        let made = StepWorkplace::make(&session, &self.site, label, &self.confinement);
        for notice in session.notices() {
            self.report(StepReport::Noticed(notice));
        }
        self.workplace.replace(Some(made?));
        Ok(())
    }

    /// Removes the workplace of the agent.
    pub(super) fn leave(&self) {
        let Some(place) = self.workplace.take() else { return };
        if place.workplace.is_needed() {
            return;
        }
        // What cannot be opened now is removed later, as after a kill.
        let Ok(session) = self.identity.shared_session() else { return };
        place.leave(&session, &self.confinement);
        for notice in session.notices() {
            self.report(StepReport::Noticed(notice));
        }
    }

    /// Takes over what the agent did, once its processes are gone, and reports what was refused.
    pub(super) fn hand_in(&self) -> Result<(), Refusal> {
        let mut place = self.workplace.borrow_mut();
        let Some(place) = place.as_mut() else { return Ok(()) };
        let session = self.acting().shared_session()?;
        let hander = Hander {
            session: &session,
            role: self.role,
            subject: AgentSubject { issue: Some(&self.issue), execution: self.execution.as_ref() },
            bounds: self.guard.bounds(),
            claim: self.claim.as_deref(),
        };
        let refused = place.hand_in(hander)?;
        // A merge brings the commits of others.
        let strangers = if self.step == RunStep::Execute {
            std::mem::take(&mut place.strangers)
        } else {
            BTreeSet::new()
        };
        if !strangers.is_empty() {
            let names: Vec<String> = strangers.into_iter().take(MOST_NAMED).collect();
            let note = format!("commits of its agent name {}", names.join(", "));
            self.report(StepReport::Noted(self.issue.clone(), note));
        }
        refused.iter().for_each(|why| self.report_refused(why));
        Ok(())
    }

    /// Where the agent is started, with the newest records.
    pub(super) fn place(&self, agent: &Agent) -> Result<AgentWorkplace, Refusal> {
        let mut environment = self.environment(agent);
        self.guard.guard(&mut environment);
        let mut place = self.workplace.borrow_mut();
        if let Some(place) = place.as_mut() {
            place.workplace.refresh(&self.identity.shared()?)?;
            environment.extend(place.variables.iter().flat_map(PlaceVariables::variables));
        }
        let folder = self.site.folder.clone();
        let within = self.confinement.words(&folder, &agent.needs(&environment));
        Ok(AgentWorkplace { folder, environment, within, transcript: self.transcript() })
    }

    /// The environment of whatever runs in the name of the agent.
    pub(super) fn environment(&self, agent: &Agent) -> Vec<(OsString, OsString)> {
        let here = self.identity.environment.iter().cloned();
        let mut environment = environment(here, agent, self.role.as_str());
        let files = self.transcripts.parent().unwrap_or(&self.transcripts);
        environment.push((RUN.into(), self.run.id.as_str().into()));
        environment.push((FILES.into(), files.into()));
        environment
    }

    /// Commits the uncommitted changes of an agent that cannot commit, as it would itself: with its hooks, and no more rights. If
    /// that fails, they stay, and the execution cannot be completed.
    pub(super) fn commit(&self, place: &AgentWorkplace) {
        if let Err(refusal) = self.try_to_commit(place) {
            self.warn("its changes cannot be committed", &refusal.message);
        }
    }

    fn try_to_commit(&self, place: &AgentWorkplace) -> Result<(), Refusal> {
        let is_clean = match self.workplace.borrow().as_ref() {
            Some(workplace) => workplace.uncommitted()?.is_empty(),
            None => true,
        };
        if is_clean {
            return Ok(());
        }
        let session = self.identity.shared_session()?;
        let folder = existing_outline(&session.store().snapshot()?, &self.issue)?;
        let message = format!("--message={}", folder.issue.record.title);
        for words in [&["git", "add", "--all"][..], &["git", "commit", "--quiet", &message]] {
            committing::run(words, place, &|| self.stops.is_at_once())?;
        }
        Ok(())
    }
}
