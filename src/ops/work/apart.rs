//! Asks an agent about something that belongs to no run, in a workplace of its own.

use std::path::PathBuf;

use serde_json::Value;

use super::agents::{folder, refuse_missing};
use super::asking::{Again, Asking, NoAnswer, RefusedAnswer};
use super::handed_in::{AgentSubject, take_records};
use super::preparing::{Bring, leave, prepare_workplace};
use super::runs::paths::AgentIdentity;
use super::users_state::UsersState;
use crate::agent::answer::AnswerKind;
use crate::agent::configured;
use crate::agent::definition::Agent;
use crate::agent::environment::environment;
use crate::agent::request::{Request, RequestKind};
use crate::agent::state::ProgramNeeds;
use crate::agent::talk::{self, AgentObserver, AgentReply, AgentWorkplace, Unanswered};
use crate::model::{Code, Failure, count};
use crate::ops::{Notice, Refusal, Session};
use crate::rules::Role;
use crate::store::random_uid;
use crate::workplace::{Confinement, HandInLimits, NewWorkplace, PlaceVariables, Workplace, place};

/// How many refused records or changed files are named.
const MOST_NAMED: usize = 5;

/// The question, and the agent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AskedApart<'a> {
    /// The agent: its name, or a command line.
    pub(crate) agent: &'a str,
    /// The role in which it acts.
    pub(crate) role: Role,
    /// The kind of the question.
    pub(crate) kind: RequestKind,
    /// The subject, as a part of file names.
    pub(crate) name: &'a str,
}

/// Why an answer was not taken.
pub(crate) enum ApartUnfit {
    /// The answer has these faults, which the agent may correct.
    Faults(Vec<String>),
    /// Nothing that the agent can mend.
    Refused(Refusal),
}

/// Asks an agent, and again if that fails. `accept` gets the answer and a session of the agent.
///
/// # Errors
/// `unknown-agent`, `invalid-agent`, `agent-not-found`, `no-commit`; `interrupted`; `no-answer`; what `accept` refuses.
pub(crate) fn ask_apart<A: AnswerKind, T>(
    session: &Session,
    question: AskedApart<'_>,
    input: &Value,
    observer: &mut dyn AgentObserver,
    accept: impl FnMut(&Session, &Agent, AgentReply<A>) -> Result<T, ApartUnfit>,
) -> Result<T, Refusal> {
    let store = session.store();
    let AskedApart { agent, role, kind, name } = question;
    let agent = Agent::of_text(agent, &configured::settings(store)?)?.started_in(&folder(store));
    refuse_missing(session, &agent)?;
    let head = store.head()?.ok_or_else(|| {
        Refusal::new(Code::NoCommit, "this repository has no commit for agents to work on")
            .command("git commit", "creates one")
    })?;
    let confinement = Confinement::load(store)?;
    session.notice(Notice::note(confinement.to_string()));
    let name = format!("{name}-{}", random_uid()?);
    let there = AgentIdentity::agent(session, Some(agent.name().to_owned()), role).shared_session()?;
    let folder = place(store, &name)?;
    let workplace = NewWorkplace { folder: &folder, name: &name, start: head, branch: None, outlives: false };
    let workplace = Workplace::make(store, &workplace)?;
    let mut apart =
        AgentApart { session, there: &there, agent: &agent, role, workplace, confinement, asked: 0 };
    let asked = apart.ask(Request::new::<A>(kind, role, input.clone()), observer, accept);
    session.notice_all(there.notices());
    let within = apart.confinement.words(&folder, &ProgramNeeds::default());
    leave(session, apart.workplace, &within);
    asked
}

/// An agent in its workplace.
struct AgentApart<'a> {
    session: &'a Session,
    /// In the name and the role of the agent.
    there: &'a Session,
    agent: &'a Agent,
    role: Role,
    workplace: Workplace,
    confinement: Confinement,
    /// How often it was asked.
    asked: usize,
}

impl AgentApart<'_> {
    fn ask<A: AnswerKind, T>(
        &mut self,
        request: Request,
        observer: &mut dyn AgentObserver,
        mut accept: impl FnMut(&Session, &Agent, AgentReply<A>) -> Result<T, ApartUnfit>,
    ) -> Result<T, Refusal> {
        let (session, there, agent) = (self.session, self.there, self.agent);
        let within = self.confinement.words(&self.workplace.folder, &ProgramNeeds::default());
        let prepared =
            prepare_workplace(session, &self.workplace, self.workplace.name(), Bring::FromHere, &within)?;
        let variables = prepared.and_then(|prepared| prepared.variables);
        let before = self.workplace.changed()?;
        let users = UsersState::look(session.store())?;
        let asking = Asking { agent: agent.clone(), request, simpler: None, tried: 0 };
        let told = |failure: Failure| {
            let why = failure.message.unwrap_or_default();
            session.notice(Notice::warning(format!("agent `{}` is asked again: {why}", agent.name())));
        };
        let taken = asking.ask(
            |agent, request| {
                let reply = self.ask_once::<A>(agent, request, variables.as_ref(), observer)?;
                self.take_records();
                Ok(reply)
            },
            |reply, _| {
                accept(there, agent, reply).map_err(|unfit| match unfit {
                    ApartUnfit::Faults(faults) => RefusedAnswer::Faults(faults),
                    ApartUnfit::Refused(why) => RefusedAnswer::NoAnswer(why.into()),
                })
            },
            || Again::Yes,
            told,
        );
        self.report_changes(&before);
        users.report(session, agent.name());
        taken.map_err(|vain| match vain {
            NoAnswer::Refused(refusal) => *refusal,
            NoAnswer::Stopped => {
                Refusal::new(Code::Interrupted, format!("agent `{}` was stopped", agent.name()))
                    .hint("the same command asks it again")
            }
            NoAnswer::Failed(failure) => Refusal::new(Code::NoAnswer, failure.message.unwrap_or_default())
                .hint(format!("what it said is in {}", self.transcripts().display())),
        })
    }

    /// Asks with the records as they are now. The inner error is that of the agent.
    fn ask_once<A: AnswerKind>(
        &mut self,
        agent: &Agent,
        request: &Request,
        variables: Option<&PlaceVariables>,
        observer: &mut dyn AgentObserver,
    ) -> Result<Result<AgentReply<A>, Unanswered>, NoAnswer> {
        if self.asked > 0 {
            self.workplace.refresh(self.session.store()).map_err(Refusal::from)?;
        }
        self.asked += 1;
        let mut environment =
            environment(self.session.environment().iter().cloned(), agent, self.role.as_str());
        environment.extend(variables.iter().flat_map(|place| place.variables()));
        let name = format!("{}-{}.jsonl", self.workplace.name(), self.asked);
        let asked_at = AgentWorkplace {
            folder: self.workplace.folder.clone(),
            within: self.confinement.words(&self.workplace.folder, &agent.needs(&environment)),
            environment,
            transcript: self.transcripts().join(name),
        };
        Ok(talk::ask::<A>(agent, &asked_at, request, observer))
    }

    fn transcripts(&self) -> PathBuf {
        self.session.store().common_dir().join("wf/transcripts")
    }

    /// Takes the records that the agent wrote, and reports those that were not taken.
    fn take_records(&self) {
        let handed = self.workplace.hand_in(self.there.store(), HandInLimits::DEFAULT);
        let refused = take_records(self.there, self.role, AgentSubject::default(), &handed);
        let not_recorded = |what: &str, why: &str| {
            let agent = self.agent.name();
            Notice::warning(format!("{what} that agent `{agent}` wrote was not recorded: {why}"))
        };
        match refused {
            Ok(refused) => {
                let notices = refused
                    .iter()
                    .take(MOST_NAMED)
                    .map(|record| not_recorded(&format!("`{}`", record.path), &record.why));
                self.session.notice_all(notices);
                let more = refused.len().saturating_sub(MOST_NAMED);
                if more > 0 {
                    self.session.notice(not_recorded(&count(more as u64, "more record"), "for such reasons"));
                }
            }
            Err(refusal) => self.session.notice(not_recorded("everything", &refusal.message)),
        }
    }

    /// Reports what the agent changed in its files, although it may only read.
    fn report_changes(&self, before: &[String]) {
        let Ok(mut changed) = self.workplace.changed() else { return };
        changed.retain(|file| !before.contains(file));
        if changed.is_empty() {
            return;
        }
        let named: Vec<&str> = changed.iter().map(|file| file.trim()).take(MOST_NAMED).collect();
        self.session.notice(Notice::warning(format!(
            "agent `{}` should only read, but changed its work tree; the changes were discarded: {}",
            self.agent.name(),
            named.join(", ")
        )));
    }
}
