//! One question to an agent: start it, ask, follow it to its end, and read its answer.

pub(super) mod limited;
mod plain;
mod unanswered;
mod unseen;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

pub(crate) use self::unanswered::Unanswered;
use super::acp::{self, Greeting};
use super::answer::{self, AnswerKind, CommonMembers, NotAnAnswer};
use super::definition::{Agent, PlainSession, Protocol};
use super::follow_up::FollowUp;
use super::known_session::KnownSession;
use super::request::Request;
use super::transcript::{KeptTranscript, Transcript};
use crate::model::Usage;
use crate::rules::Role;

/// How much of stdout is searched for the answer, from its end.
pub(super) const MOST_OUTPUT: usize = 4 * 1024 * 1024;
/// How much of stderr is kept, from its end.
pub(super) const MOST_ERRORS: usize = 64 * 1024;
/// How much of an agent's output an error quotes, in characters.
const QUOTED: usize = 500;

/// Where an agent works, and its environment.
#[derive(Debug)]
pub(crate) struct AgentWorkplace {
    /// The work tree.
    pub(crate) folder: PathBuf,
    /// All of its environment variables.
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// The words before those of the agent: a sandbox, if it works in one.
    pub(crate) within: Vec<OsString>,
    /// The file for the transcript.
    pub(crate) transcript: PathBuf,
}

/// What an agent asked for through its protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AskedFor {
    /// To read a file.
    Read,
    /// To write a file.
    Write,
    /// To be allowed a tool call.
    Permission,
}

/// Receives what an agent does.
pub(crate) trait AgentObserver {
    /// The agent wrote this text, which may contain anything.
    fn said(&mut self, said: TextKind, text: &str);

    /// The agent works in this session, of which it told its own id.
    fn session(&mut self, _: &str) {}

    /// Something deserves attention, although the agent continues.
    fn noticed(&mut self, _: &str) {}

    /// Usage so far, if the agent reports it while it works.
    fn used(&mut self, _: &Usage) {}

    /// The agent asked for something that it may not do, and was refused for this reason.
    fn refused(&mut self, _: AskedFor, _: &str) {}

    /// Whether to remind the agent of the question, since the last call. Only some protocols can do that.
    fn remind(&mut self) -> bool {
        false
    }

    /// Whether an agent whose turn ended without an answer may be asked on. If not, it must end.
    fn may_ask_on(&mut self) -> bool {
        true
    }

    /// Whether someone asked to stop it since the last call. The first time the agent is asked to stop; the second
    /// time it is killed.
    fn stop(&mut self) -> bool;
}

/// The kind of text that an agent wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextKind {
    /// A part of its answer.
    Answer,
    /// A part of its thoughts.
    Thought,
    /// A tool call, and the decision about it.
    Tool,
    /// Its stderr.
    Log,
}

/// The answer of an agent.
#[derive(Debug)]
pub(crate) struct AgentReply<A> {
    /// The answer, as the requested type.
    pub(crate) answer: A,
    /// What the agent added to its answer.
    pub(crate) aside: CommonMembers,
    /// The answer as written.
    pub(crate) value: Value,
    /// What the agent said about itself.
    pub(crate) greeting: Greeting,
    /// From its start to its end.
    pub(crate) took: Duration,
    /// The transcript.
    pub(crate) transcript: KeptTranscript,
}

impl AgentWorkplace {
    /// The words that start an agent here.
    pub(super) fn words(&self, agent: &Agent) -> Vec<OsString> {
        self.within.iter().cloned().chain(agent.words()).collect()
    }

    /// The words that start it in a session.
    fn words_in(&self, agent: &Agent, session: &PlainSession) -> Vec<OsString> {
        self.within.iter().cloned().chain(agent.words_in(session)).collect()
    }

    fn no_transcript(&self, source: std::io::Error) -> Unanswered {
        Unanswered::Transcript { path: self.transcript.clone(), source }
    }
}

impl<A> AgentReply<A> {
    /// The agent's own id of the session, if it told one that can be in a command line.
    pub(crate) fn session_id(&self) -> Option<&str> {
        let told = self.greeting.session_id.as_deref().or(self.aside.session.session_id.as_deref());
        told.filter(|id| is_session_id(id))
    }

    /// The cost of the answer. A report of the protocol takes precedence over the agent's own in its answer.
    pub(crate) fn usage(&self) -> Usage {
        let (greeted, said) = (&self.greeting.usage, &self.aside.session);
        Usage {
            tokens: greeted.tokens.or(said.tokens),
            cost: greeted.cost.clone().or_else(|| said.cost.clone()),
        }
    }
}

/// A session in which an agent was asked before, and what it is told there.
#[derive(Debug)]
pub(crate) struct Sequel {
    /// The session.
    pub(crate) session: KnownSession,
    /// What is new.
    pub(crate) follow_up: FollowUp,
}

/// The text for an agent: the whole request, and what it is told instead if it continues a session.
#[derive(Debug, Default)]
pub(super) struct Prompt {
    pub(super) text: String,
    pub(super) sequel: Option<SequelText>,
}

/// What an agent is told that continues a session.
#[derive(Debug)]
pub(super) struct SequelText {
    pub(super) session: String,
    /// The tokens that it had used, if that is known.
    pub(super) tokens: Option<u64>,
    pub(super) text: String,
}

impl Prompt {
    fn new(agent: &Agent, request: &Request, sequel: Option<&Sequel>) -> serde_json::Result<Self> {
        let sequel = sequel.filter(|it| it.session.agent == agent.name() && agent.can_resume());
        let sequel = match sequel {
            Some(Sequel { session, follow_up }) => {
                let (session, tokens) = (session.id.clone(), session.tokens);
                Some(SequelText { session, tokens, text: follow_up.text()? })
            }
            None => None,
        };
        Ok(Self { text: request.text()?, sequel })
    }
}

/// Asks an agent and waits for its answer. Nothing that the agent started is left behind.
///
/// # Errors
/// [`Unanswered`].
pub(crate) fn ask<A: AnswerKind>(
    agent: &Agent,
    place: &AgentWorkplace,
    request: &Request,
    observer: &mut dyn AgentObserver,
) -> Result<AgentReply<A>, Unanswered> {
    ask_again(agent, place, request, None, observer)
}

/// Like [`ask`], in a session that the agent knows: there it is told only what is new. If the agent has lost the session, it
/// is asked in a new one.
///
/// # Errors
/// [`Unanswered`].
pub(crate) fn ask_again<A: AnswerKind>(
    agent: &Agent,
    place: &AgentWorkplace,
    request: &Request,
    sequel: Option<&Sequel>,
    observer: &mut dyn AgentObserver,
) -> Result<AgentReply<A>, Unanswered> {
    let mut transcript = Transcript::create(&place.transcript).map_err(|error| place.no_transcript(error))?;
    let prompt = Prompt::new(agent, request, sequel).map_err(|error| place.no_transcript(error.into()))?;
    let heard = match agent.protocol().value {
        Protocol::Plain => plain::converse(agent, place, prompt, &mut transcript, observer),
        Protocol::Acp => acp::converse(agent, place, request.role, Some(prompt), &mut transcript, observer),
    };
    // If the agent failed, that matters more than an error of the transcript.
    let kept = transcript.finish(&place.transcript);
    let (greeting, heard, took) = heard.map_err(|error| unseen::or_other(place, error))?;
    let name = agent.name().to_owned();
    let read = match answer::read::<A>(&heard.answer) {
        Ok(read) => read,
        Err(NotAnAnswer::Nothing) => {
            return Err(limited::silent(name, agent.protocol().value, &heard));
        }
        Err(NotAnAnswer::Faults(faults)) => {
            if greeting.usage == Usage::default() {
                let told = answer::told_of_session(&heard.answer);
                observer.used(&Usage { tokens: told.tokens, cost: told.cost });
            }
            return Err(Unanswered::Unfit { agent: name, faults });
        }
    };
    let answer::ReadAnswer { answer, aside, value } = read;
    Ok(AgentReply {
        answer,
        aside,
        value,
        greeting,
        took,
        transcript: kept.map_err(|error| place.no_transcript(error))?,
    })
}

/// Greets an agent that speaks the Agent Client Protocol and opens a session without asking anything, so it costs nothing.
///
/// # Errors
/// [`Unanswered`].
pub(crate) fn greet(
    agent: &Agent,
    place: &AgentWorkplace,
    role: Role,
    observer: &mut dyn AgentObserver,
) -> Result<AgentReply<()>, Unanswered> {
    let mut transcript = Transcript::create(&place.transcript).map_err(|error| place.no_transcript(error))?;
    let heard = acp::converse(agent, place, role, None, &mut transcript, observer);
    let kept = transcript.finish(&place.transcript);
    let (greeting, _, took) = heard.map_err(|error| unseen::or_other(place, error))?;
    let transcript = kept.map_err(|error| place.no_transcript(error))?;
    Ok(AgentReply {
        answer: (),
        aside: CommonMembers::default(),
        value: Value::Null,
        greeting,
        took,
        transcript,
    })
}

/// The output of an agent.
#[derive(Debug, Default)]
pub(super) struct AgentOutput {
    /// The text that contains the answer.
    pub(super) answer: String,
    /// The end of its stderr.
    pub(super) log: String,
}

impl AgentOutput {
    /// Its last output: what it said, and then what it logged.
    pub(super) fn said(&self) -> String {
        both_ends(&self.answer, &self.log)
    }
}

/// The ends of two texts, one below the other.
fn both_ends(first: &str, second: &str) -> String {
    let [first, second] = [first, second].map(|text| {
        let text = text.trim();
        let skipped = text.chars().count().saturating_sub(QUOTED);
        text.chars().skip(skipped).collect::<String>()
    });
    if first.is_empty() || second.is_empty() { first + &second } else { format!("{first}\n{second}") }
}

/// Whether a text can be the id of a session: it may be in a command line, also in one that a shell reads.
pub(crate) fn is_session_id(text: &str) -> bool {
    (1..=128).contains(&text.len())
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | ':' | '-'))
}

pub(super) fn not_started(agent: &Agent, folder: &Path, source: std::io::Error) -> Unanswered {
    // The directory may be missing, not the program.
    let program = if folder.is_dir() { agent.program().to_owned() } else { folder.display().to_string() };
    Unanswered::NotStarted { agent: agent.name().to_owned(), program, source }
}

/// The end of a stream.
pub(super) struct Tail {
    most: usize,
    bytes: VecDeque<u8>,
}

impl Tail {
    pub(super) fn new(most: usize) -> Self {
        Self { most, bytes: VecDeque::new() }
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        let excess = self.bytes.len().saturating_sub(self.most);
        self.bytes.drain(..excess);
    }

    pub(super) fn text(&self) -> String {
        let mut bytes: Vec<u8> = self.bytes.iter().copied().collect();
        // Cut at the start of a character.
        let cut = bytes.iter().take(3).take_while(|byte| **byte & 0b1100_0000 == 0b1000_0000).count();
        bytes.drain(..cut);
        String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}
