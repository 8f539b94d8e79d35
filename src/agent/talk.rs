//! One question to an agent: start it, ask, follow it to its end, and read its answer.

mod unanswered;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

pub(crate) use self::unanswered::Unanswered;
use super::acp::{self, Greeting};
use super::answer::{self, AnswerKind, CommonMembers, NotAnAnswer};
use super::definition::{Agent, Protocol};
use super::request::Request;
use super::transcript::{KeptTranscript, Transcript, Who};
use crate::model::agent_session::Usage;
use crate::process::supervise::{Command, ProcessEnd, Stream, supervise};
use crate::rules::roles::Role;

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

    /// Usage so far, if the agent reports it while it works.
    fn used(&mut self, _: &Usage) {}

    /// The agent asked for something that it may not do, and was refused for this reason.
    fn refused(&mut self, _: AskedFor, _: &str) {}

    /// Whether to remind the agent of the question, since the last call. Only some protocols can do that.
    fn remind(&mut self) -> bool {
        false
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
        let mut words = self.within.clone();
        words.extend(agent.words());
        words
    }
}

impl<A> AgentReply<A> {
    /// The cost of the answer. A report of the protocol takes precedence over the agent's own in its answer.
    pub(crate) fn usage(&self) -> Usage {
        let (greeted, said) = (&self.greeting.usage, &self.aside.session);
        Usage {
            tokens: greeted.tokens.or(said.tokens),
            cost: greeted.cost.clone().or_else(|| said.cost.clone()),
        }
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
    let failed = |source| Unanswered::Transcript { path: place.transcript.clone(), source };
    let mut transcript = Transcript::create(&place.transcript).map_err(failed)?;
    let text = request.text().map_err(|error| failed(error.into()))?;
    let heard = match agent.protocol().value {
        Protocol::Plain => plain(agent, place, text, &mut transcript, observer),
        Protocol::Acp => acp::converse(agent, place, request.role, Some(text), &mut transcript, observer),
    };
    // If the agent failed, that matters more than an error of the transcript.
    let kept = transcript.finish(&place.transcript);
    let (greeting, heard, took) = heard?;
    let read = answer::read::<A>(&heard.answer).map_err(|unfit| {
        let agent = agent.name().to_owned();
        match unfit {
            NotAnAnswer::Nothing => Unanswered::Silent { agent, said: heard.said() },
            NotAnAnswer::Faults(faults) => Unanswered::Unfit { agent, faults },
        }
    })?;
    let answer::ReadAnswer { answer, aside, value } = read;
    Ok(AgentReply { answer, aside, value, greeting, took, transcript: kept.map_err(failed)? })
}

/// Greets an agent that speaks the Agent Client Protocol without asking anything, so it costs nothing.
///
/// # Errors
/// [`Unanswered`].
pub(crate) fn greet(
    agent: &Agent,
    place: &AgentWorkplace,
    role: Role,
    observer: &mut dyn AgentObserver,
) -> Result<AgentReply<()>, Unanswered> {
    let failed = |source| Unanswered::Transcript { path: place.transcript.clone(), source };
    let mut transcript = Transcript::create(&place.transcript).map_err(failed)?;
    let heard = acp::converse(agent, place, role, None, &mut transcript, observer);
    let kept = transcript.finish(&place.transcript);
    let (greeting, _, took) = heard?;
    let transcript = kept.map_err(failed)?;
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
pub(super) struct Heard {
    /// The text that contains the answer.
    pub(super) answer: String,
    /// The end of its stderr.
    pub(super) log: String,
}

impl Heard {
    /// Its last output, for a message.
    pub(super) fn said(&self) -> String {
        let log = self.log.trim();
        let text = if log.is_empty() { self.answer.trim() } else { log };
        let skipped = text.chars().count().saturating_sub(QUOTED);
        text.chars().skip(skipped).collect()
    }
}

/// Speaks the plain protocol: the request on stdin, the answer on stdout.
fn plain(
    agent: &Agent,
    place: &AgentWorkplace,
    text: String,
    transcript: &mut Transcript,
    observer: &mut dyn AgentObserver,
) -> Result<(Greeting, Heard, Duration), Unanswered> {
    transcript.add(Who::Stdin, text.as_bytes());
    let (sender, stdin) = mpsc::channel();
    // The receiver still exists, so this succeeds.
    let _ = sender.send(text.into_bytes());
    drop(sender);
    let words = place.words(agent);
    let command = Command {
        words: &words,
        folder: &place.folder,
        environment: Some(&place.environment),
        stdin: Some(stdin),
        is_joined: false,
    };
    let (mut out, mut err) = (Tail::of(MOST_OUTPUT), Tail::of(MOST_ERRORS));
    let observer = std::cell::RefCell::new(observer);
    let limit = agent.timeout().value;
    let ran = supervise(command, Some(limit), &mut || observer.borrow_mut().stop(), &mut |stream, bytes| {
        let (who, said, tail) = match stream {
            Stream::Out => (Who::Stdout, TextKind::Answer, &mut out),
            Stream::Err => (Who::Stderr, TextKind::Log, &mut err),
        };
        transcript.add(who, bytes);
        tail.add(bytes);
        observer.borrow_mut().said(said, &String::from_utf8_lossy(bytes));
    });
    let heard = Heard { answer: out.text(), log: err.text() };
    let (ended, took) = ran.map_err(|source| not_started(agent, &place.folder, source))?;
    ended_well(agent, ended, limit, &heard)?;
    Ok((Greeting::default(), heard, took))
}

pub(super) fn not_started(agent: &Agent, folder: &Path, source: std::io::Error) -> Unanswered {
    let program = match folder.is_dir() {
        true => agent.program().to_owned(),
        // The directory is missing, not the program.
        false => folder.display().to_string(),
    };
    Unanswered::NotStarted { agent: agent.name().to_owned(), program, source }
}

/// Only an agent that exits with 0 has answered.
fn ended_well(agent: &Agent, ended: ProcessEnd, limit: Duration, heard: &Heard) -> Result<(), Unanswered> {
    let agent = agent.name().to_owned();
    match ended {
        ProcessEnd::Exited(0) => Ok(()),
        ProcessEnd::Exited(code) => Err(Unanswered::Failed { agent, code, said: heard.said() }),
        ProcessEnd::Signal(signal) => Err(Unanswered::Killed { agent, signal, said: heard.said() }),
        ProcessEnd::TimedOut => Err(Unanswered::TimedOut { agent, after: limit, said: heard.said() }),
        ProcessEnd::Interrupted => Err(Unanswered::Stopped { agent }),
    }
}

/// The end of a stream.
pub(super) struct Tail {
    most: usize,
    bytes: VecDeque<u8>,
}

impl Tail {
    pub(super) fn of(most: usize) -> Self {
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
