//! Asks the agent of a job: in the session that it knows if there is one, and not before its provider serves it.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use super::job::{AgentJob, StepReport};
use super::listener::Listener;
use super::sessions::NotedSession;
use super::silence;
use super::unended::{self, BegunFor};
use crate::agent::answer::AnswerKind;
use crate::agent::definition::Agent;
use crate::agent::follow_up::{FollowUp, FollowUpReason};
use crate::agent::known_session::KnownSession;
use crate::agent::request::Request;
use crate::agent::talk::{self, AgentReply, Sequel, Unanswered};
use crate::git::{fault, local_now};
use crate::model::{AgentSession, Limited, RunStep, Time, Usage};
use crate::ops::work::{Conversation, record_session, recorded};
use crate::ops::{Notice, Refusal};
use crate::process::supervise::LOOK;
use crate::rules::LimitWait;
use crate::rules::run::between;

/// How much of what an agent says about its limit is recorded, in characters.
const LONGEST: usize = 300;

/// Since when an agent is at work.
#[derive(Clone, Copy)]
pub(super) struct WorkClock(Instant);

impl WorkClock {
    fn start() -> Self {
        Self(Instant::now())
    }

    /// How long, in milliseconds.
    fn ms(self) -> u64 {
        u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// A conversation with an agent that is not recorded yet.
pub(super) struct UnrecordedSession {
    held: AgentSession,
    transcript: PathBuf,
}

impl AgentJob {
    /// Asks, with the records as they are now, and takes over what the agent did. The inner error is that of the agent. An agent
    /// that is limited is asked again later, or another one is. One that stays limited has failed.
    pub(super) fn once<A: AnswerKind>(
        &self,
        agent: &Agent,
        request: &Request,
    ) -> Result<Result<AgentReply<A>, Unanswered>, Refusal> {
        let follow_up = self.follow_up.take();
        let mut times = 0;
        loop {
            let Some(agent) = self.available(agent)? else {
                return Ok(Err(Unanswered::Stopped { agent: agent.name().to_owned() }));
            };
            let reply = self.converse::<A>(&agent, request, follow_up.as_ref())?;
            self.hand_in()?;
            let Err(Unanswered::Limited { wait, said, .. }) = &reply else { return Ok(reply) };
            if !self.note_limit(&agent, *wait, said, times)? {
                return Ok(reply);
            }
            times += 1;
        }
    }

    /// One conversation with an agent.
    fn converse<A: AnswerKind>(
        &self,
        agent: &Agent,
        request: &Request,
        follow_up: Option<&FollowUp>,
    ) -> Result<Result<AgentReply<A>, Unanswered>, Refusal> {
        agent.name().clone_into(&mut self.asked.borrow_mut());
        let place = self.place(agent)?;
        let mut request = request.clone();
        if self.step == RunStep::Execute && !agent.commits().value {
            self.add_plan(&mut request.input)?;
        }
        let from = self.now()?;
        let sequel = self.sequel(agent, &request, follow_up);
        self.begins(agent, from, &place.transcript, sequel.as_ref());
        if let (true, Some(follow_up)) = (request.faults.is_empty(), follow_up) {
            // For a session that is lost.
            request.faults.clone_from(&follow_up.faults);
        }
        let before = sequel.as_ref().map(|sequel| sequel.session.clone());
        let silence = silence::limit(self.session()?.store(), agent)?;
        let mut listener = Listener::of(self, agent, &place.transcript, before, silence);
        let clock = WorkClock::start();
        self.at_work.set(Some(clock));
        let said = talk::ask_again::<A>(agent, &place, &request, sequel.as_ref(), &mut listener);
        self.at_work.set(None);
        listener.report_more();
        let said = match (said, silence) {
            (Err(Unanswered::Stopped { agent }), Some(after)) if listener.is_quiet => {
                Err(Unanswered::Quiet { agent, after })
            }
            (Err(Unanswered::Stopped { agent: name }), _) if listener.is_over_budget => {
                let protocol = agent.protocol().value;
                Err(Unanswered::Silent { agent: name, protocol, said: String::new() })
            }
            (said, _) => said,
        };
        let all = said.as_ref().map_or(listener.used, AgentReply::usage);
        if said.is_ok() {
            self.warn_uncounted(agent.name(), &all);
        }
        let is_continued = said.as_ref().map_or(sequel.is_some(), |reply| reply.greeting.is_continued);
        let before = sequel.map(|sequel| sequel.session).filter(|_| is_continued);
        let used = before.as_ref().map_or_else(|| all.clone(), |before| before.used_since(&all));
        self.note_session(agent, &said, &all);
        if let (RunStep::Execute | RunStep::Integrate, Ok(reply)) = (self.step, &said)
            && !agent.commits().value
            && reply.value["status"] == "completed"
        {
            self.commit(&place);
        }
        if self.step == RunStep::Execute {
            let until = from.plus_millis(i64::try_from(clock.ms()).unwrap_or(i64::MAX));
            self.record(agent, (from, until), &place.transcript, &said, used);
        } else {
            unended::knows_usage(&place.transcript, &used);
            self.usage.borrow_mut().add(recorded(used));
            self.worked_ms.set(self.worked_ms.get().saturating_add(clock.ms()));
        }
        Ok(said)
    }

    fn now(&self) -> Result<Time, Refusal> {
        self.session()?.now()
    }

    /// How long its agents were at work in this step, as far as no record says so yet, in milliseconds.
    pub(super) fn unrecorded_ms(&self) -> u64 {
        let sessions = self.unrecorded_sessions();
        let ended = sessions.iter().filter_map(|session| Some((session.started_at, session.ended_at?)));
        let ended: u64 = ended.map(|(from, until)| between(from, until)).sum();
        ended + self.worked_ms.get() + self.at_work.get().map_or(0, WorkClock::ms)
    }

    /// The session in which the agent goes on, and what it is told there; `None` if it begins anew.
    fn sequel(&self, agent: &Agent, request: &Request, follow_up: Option<&FollowUp>) -> Option<Sequel> {
        let noted = self.note.read().filter(|noted| noted.about == self.about)?;
        if noted.session.agent != agent.name() || !agent.can_resume() {
            return None;
        }
        let follow_up = match follow_up {
            Some(follow_up) => follow_up.clone(),
            None if !request.faults.is_empty() => {
                let faults = request.faults.clone();
                FollowUp::new(request.kind, self.role, FollowUpReason::InvalidAnswer, faults)
            }
            None if !noted.is_answered => {
                let faults = self.left.iter().cloned().collect();
                FollowUp::new(request.kind, self.role, FollowUpReason::Interrupted, faults)
            }
            None => return None,
        };
        Some(Sequel { session: noted.session, follow_up })
    }

    /// Tells the agent this when it is asked next, if it can go on in its session.
    pub(super) fn tell_next(&self, follow_up: FollowUp) {
        self.follow_up.replace(Some(follow_up));
    }

    /// Whether the agent had ended its last turn, as far as its session is noted.
    pub(super) fn had_answered(&self) -> bool {
        self.note.read().is_some_and(|noted| noted.about == self.about && noted.is_answered)
    }

    /// Whether the agent can be asked on: in its session, or, if it speaks a protocol with sessions, in a new one.
    pub(super) fn can_be_asked_on(&self) -> bool {
        self.agent.can_resume() && self.note.read().is_some_and(|noted| noted.about == self.about)
    }

    /// The agent works in this session.
    pub(super) fn in_session(&self, agent: &Agent, id: &str) {
        let known = self.note.read().filter(|noted| {
            noted.about == self.about && noted.session.agent == agent.name() && noted.session.id == id
        });
        let session = known.map_or_else(|| KnownSession::begun(agent.name(), id), |noted| noted.session);
        self.note.write(&NotedSession { session, about: self.about.clone(), is_answered: false });
    }

    /// The session in which it works has used this much in all, which must not be counted again after a kill.
    pub(super) fn session_has_used(&self, agent: &Agent, all: &Usage) {
        let noted = self.note.read();
        let noted = noted.filter(|noted| noted.about == self.about && noted.session.agent == agent.name());
        if let Some(NotedSession { session, about, is_answered }) = noted {
            self.note.write(&NotedSession { session: session.having_used(all), about, is_answered });
        }
    }

    /// Notes how an agent ended: what its session has used, and whether it answered. After a failure of its own, it begins anew.
    fn note_session<A>(&self, agent: &Agent, said: &Result<AgentReply<A>, Unanswered>, all: &Usage) {
        let is_failed = matches!(
            said,
            Err(Unanswered::NotStarted { .. }
                | Unanswered::Failed { .. }
                | Unanswered::Killed { .. }
                | Unanswered::Protocol { .. }
                | Unanswered::Transcript { .. })
        );
        if is_failed {
            return self.note.forget();
        }
        let is_answered = matches!(said, Ok(_) | Err(Unanswered::Unfit { .. }));
        if let Ok(reply) = said
            && let Some(id) = reply.session_id()
        {
            self.in_session(agent, id);
        }
        if let Some(noted) = self.note.read().filter(|noted| noted.about == self.about) {
            let session = noted.session.having_used(all);
            self.note.write(&NotedSession { session, is_answered, ..noted });
        }
    }

    /// The agent to ask: this one, or if it is limited, another that takes over. If there is none, waits. `None` if the step is
    /// stopped meanwhile.
    fn available(&self, agent: &Agent) -> Result<Option<Agent>, Refusal> {
        let session = self.session()?;
        let mut is_told = false;
        loop {
            let now = session.now()?;
            let Some(until) = self.limits.until(agent.name(), now) else { return Ok(Some(agent.clone())) };
            if let Some(other) = self.fallback(now) {
                return Ok(Some(other.clone()));
            }
            let waits = format!("agent {} is limited until {until}, and this waits", agent.name());
            if !std::mem::replace(&mut is_told, true) {
                self.report(StepReport::Noticed(Notice::note(format!("{}: {waits}", self.issue))));
                self.report(StepReport::Said(self.issue.clone(), format!("{waits}\n")));
                fault::point("limit-wait");
            }
            if self.is_stopping() {
                return Ok(None);
            }
            thread::sleep(LOOK);
        }
    }

    /// The first agent that takes over and is not limited itself.
    fn fallback(&self, now: Time) -> Option<&Agent> {
        self.fallbacks.iter().find(|other| self.limits.until(other.name(), now).is_none())
    }

    /// An agent is limited: all runs learn of it. Returns false if that happened too often to wait once more.
    fn note_limit(&self, agent: &Agent, wait: LimitWait, said: &str, times: u32) -> Result<bool, Refusal> {
        let now = self.now()?;
        let offset = i64::from(local_now().offset) * 1000;
        let Some(until) = wait.until(now, times, offset) else { return Ok(false) };
        self.limits.add(agent.name(), until);
        let said: String = said.replace(char::is_control, " ").trim().chars().take(LONGEST).collect();
        self.report(StepReport::Limited(Limited {
            agent: agent.name().to_owned(),
            until,
            action: self.step,
            issue_id: Some(self.issue.clone()),
            fallback: self.fallback(now).map(|other| other.name().to_owned()),
            why: Some(said).filter(|said| !said.is_empty()),
        }));
        Ok(true)
    }

    /// Adds the session to the log of the execution, which `trace` and `why` read. A failure does not stop the work.
    fn record<A>(
        &self,
        agent: &Agent,
        (started_at, ended_at): (Time, Time),
        transcript: &Path,
        said: &Result<AgentReply<A>, Unanswered>,
        used: Usage,
    ) {
        let Some(execution) = &self.execution else { return };
        let summary = match said {
            Ok(reply) => reply.value["summary"].as_str().map(str::to_owned),
            Err(error) => Some(error.to_string()),
        };
        let talk = Conversation { agent, started_at, ended_at, transcript, summary };
        let mut held = match said {
            Ok(reply) => talk.answered(reply),
            Err(_) => talk.unanswered(used.clone()),
        };
        (held.tokens, held.cost) = (used.tokens, used.cost);
        let noted = self.note.read().filter(|noted| noted.session.agent == agent.name());
        held.session_id = held.session_id.or(noted.map(|noted| noted.session.id));
        // If the run is killed before it is recorded, whoever resumes the run does that.
        unended::answered(transcript, execution, held.clone());
        self.record_sessions();
        self.sessions.borrow_mut().push(UnrecordedSession { held, transcript: transcript.to_owned() });
    }

    /// The conversations with agents that are not recorded yet.
    pub(super) fn unrecorded_sessions(&self) -> Vec<AgentSession> {
        self.sessions.borrow().iter().map(|session| session.held.clone()).collect()
    }

    /// All of them are recorded now.
    pub(super) fn sessions_are_recorded(&self) {
        self.sessions.take().iter().for_each(|session| unended::session_is_recorded(&session.transcript));
    }

    /// Records the conversations with agents that the end of an execution did not.
    pub(super) fn record_sessions(&self) {
        let Some(execution) = &self.execution else { return };
        for UnrecordedSession { held, transcript } in self.sessions.take() {
            match self.session().and_then(|session| record_session(&session, execution, held)) {
                Ok(_) => unended::session_is_recorded(&transcript),
                Err(refusal) => self.warn("the session of its agent is not recorded", &refusal.message),
            }
        }
    }

    /// Notes that the agent is asked.
    fn begins(&self, agent: &Agent, from: Time, transcript: &Path, sequel: Option<&Sequel>) {
        let talk = Conversation { agent, started_at: from, ended_at: from, transcript, summary: None };
        let mut held = talk.unanswered(Usage::default());
        held.session_id = sequel.map(|sequel| sequel.session.id.clone());
        let of = match &self.execution {
            Some(execution) if self.step == RunStep::Execute => {
                BegunFor::Execution { execution_id: execution.clone() }
            }
            _ => BegunFor::Step { action: self.step, issue_id: self.issue.clone() },
        };
        unended::begins(transcript, of, held);
    }
}
