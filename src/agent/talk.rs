//! One question to an agent: started, asked, followed to its end, and its answer read.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

use super::acp::{self, Greeting};
use super::answer::{self, Answer, Unfit};
use super::definition::{Agent, Protocol};
use super::process::{self, Command, Ended, Stream};
use super::request::Request;
use super::transcript::{Kept, Transcript, Who};
use crate::model::remedy::Remedies;
use crate::rules::roles::Role;

/// How much of stdout is looked at for the answer, from its end.
pub(super) const MOST_OUTPUT: usize = 4 * 1024 * 1024;
/// How much of stderr is kept, from its end.
pub(super) const MOST_ERRORS: usize = 64 * 1024;
/// How much of what an agent said stands beside an error, in characters.
const QUOTED: usize = 500;

/// Where an agent works, and what it sees there.
#[derive(Debug)]
pub(crate) struct Place {
    /// The work tree.
    pub(crate) folder: PathBuf,
    /// All of its variables.
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// The file for what is said.
    pub(crate) transcript: PathBuf,
}

/// Follows what an agent does.
pub(crate) trait Observer {
    /// It wrote a piece of text, which may be anything.
    fn said(&mut self, said: Said, text: &str);

    /// Whether somebody wants it to stop, since this was last asked. Once: it is asked to. Twice: it must.
    fn stop(&mut self) -> bool;
}

/// What kind of text an agent wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    /// Of its answer.
    Answer,
    /// What it thinks.
    Thought,
    /// What it does, and what was decided about it.
    Tool,
    /// On its stderr.
    Log,
}

/// What an agent answered.
#[derive(Debug)]
pub(crate) struct Reply<A> {
    /// As what it was asked for.
    pub(crate) answer: A,
    /// As it wrote it.
    pub(crate) value: Value,
    /// What it said of itself.
    pub(crate) greeting: Greeting,
    /// From its start to its end.
    pub(crate) took: Duration,
    /// What was said.
    pub(crate) transcript: Kept,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unanswered {
    /// The program is not there, or cannot be run.
    #[error("agent `{agent}` cannot be started: `{program}`: {source}")]
    NotStarted {
        /// Its name.
        agent: String,
        /// The program.
        program: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// It took too long, and was stopped.
    #[error("agent `{agent}` did not answer within {} s", .after.as_secs())]
    TimedOut {
        /// Its name.
        agent: String,
        /// How long it had.
        after: Duration,
        /// The last that it said.
        said: String,
    },
    /// Somebody stopped it.
    #[error("agent `{agent}` was stopped")]
    Stopped {
        /// Its name.
        agent: String,
    },
    /// It said itself that it failed.
    #[error("agent `{agent}` failed with exit code {code}")]
    Failed {
        /// Its name.
        agent: String,
        /// What it ended with.
        code: i32,
        /// The last that it said.
        said: String,
    },
    /// Something else ended it.
    #[error("agent `{agent}` was ended by signal {signal}")]
    Killed {
        /// Its name.
        agent: String,
        /// Which.
        signal: i32,
        /// The last that it said.
        said: String,
    },
    /// It ended well, and there is no JSON in what it wrote.
    #[error("agent `{agent}` ended without an answer")]
    Silent {
        /// Its name.
        agent: String,
        /// The last that it said.
        said: String,
    },
    /// Its answer does not fit.
    #[error("the answer of agent `{agent}` does not fit: {}", .faults.first().map_or("", String::as_str))]
    Unfit {
        /// Its name.
        agent: String,
        /// What is wrong with it, each with its place: for [`Request::faults`] of the next question.
        faults: Vec<String>,
    },
    /// The Agent Client Protocol came to no good end.
    #[error("agent `{agent}` broke off at {step}: {why}")]
    Protocol {
        /// Its name.
        agent: String,
        /// The method that was called.
        step: &'static str,
        /// What it answered, or what became of the connection.
        why: String,
        /// The last that it said.
        said: String,
    },
    /// The transcript cannot be written.
    #[error("cannot write the transcript {}: {source}", .path.display())]
    Transcript {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl Unanswered {
    /// What stands beside the message: faults, or what the agent said last.
    pub(crate) fn details(&self) -> Vec<String> {
        match self {
            Self::Unfit { faults, .. } => faults.clone(),
            Self::TimedOut { said, .. }
            | Self::Failed { said, .. }
            | Self::Killed { said, .. }
            | Self::Protocol { said, .. }
            | Self::Silent { said, .. } => said.lines().map(str::to_owned).collect(),
            Self::NotStarted { .. } | Self::Stopped { .. } | Self::Transcript { .. } => vec![],
        }
    }
}

impl crate::model::Explain for Unanswered {
    fn code(&self) -> &'static str {
        match self {
            Self::NotStarted { .. } => "agent-not-started",
            Self::TimedOut { .. } => "agent-timeout",
            Self::Stopped { .. } => "interrupted",
            Self::Failed { .. } => "agent-failed",
            Self::Killed { .. } => "agent-killed",
            Self::Silent { .. } => "no-answer",
            Self::Unfit { .. } => "unfit-answer",
            Self::Protocol { .. } => "agent-protocol",
            Self::Transcript { .. } => "cannot-write",
        }
    }

    fn remedies(&self) -> Remedies {
        let transcript = "the transcript has all that it said";
        match self {
            Self::NotStarted { program, .. } => {
                format!("install `{program}`, put it on the PATH, or correct the command").into()
            }
            Self::TimedOut { agent, .. } => {
                format!("`git config wf.agent.{agent}.timeout 2h` gives it more time").into()
            }
            Self::Stopped { .. } => Remedies::none(),
            Self::Failed { .. } | Self::Killed { .. } => transcript.into(),
            Self::Silent { .. } => "it must write one JSON object to stdout".into(),
            Self::Protocol { step: "session/new", .. } => {
                "log in with the agent's own command first, or name the variable with its key in `.env`".into()
            }
            Self::Protocol { agent, .. } => {
                format!("the agent must speak the Agent Client Protocol, version 1; `git config wf.agent.{agent}.protocol plain` if it does not").into()
            }
            Self::Unfit { .. } => "the answer is held against `answer_schema` of the request".into(),
            Self::Transcript { .. } => "make room, or make the directory writable".into(),
        }
    }
}

/// Asks an agent and waits for its answer. Whatever it does, nothing that it started is left afterwards.
///
/// # Errors
/// [`Unanswered`].
pub(crate) fn ask<A: Answer>(
    agent: &Agent,
    place: &Place,
    request: &Request,
    observer: &mut dyn Observer,
) -> Result<Reply<A>, Unanswered> {
    let failed = |source| Unanswered::Transcript { path: place.transcript.clone(), source };
    let mut transcript = Transcript::create(&place.transcript).map_err(failed)?;
    let text = request.text().map_err(|error| failed(error.into()))?;
    let heard = match agent.protocol().value {
        Protocol::Plain => plain(agent, place, text, &mut transcript, observer),
        Protocol::Acp => acp::converse(agent, place, request.role, Some(text), &mut transcript, observer),
    };
    // Where an agent failed, that matters more than what became of the transcript.
    let kept = transcript.finish(&place.transcript);
    let (greeting, heard, took) = heard?;
    let (answer, value) = answer::read::<A>(&heard.answer).map_err(|unfit| {
        let agent = agent.name().to_owned();
        match unfit {
            Unfit::Nothing => Unanswered::Silent { agent, said: heard.said() },
            Unfit::Faults(faults) => Unanswered::Unfit { agent, faults },
        }
    })?;
    Ok(Reply { answer, value, greeting, took, transcript: kept.map_err(failed)? })
}

/// Greets an agent that speaks the Agent Client Protocol, and asks nothing: it costs nothing.
///
/// # Errors
/// [`Unanswered`].
pub(crate) fn greet(
    agent: &Agent,
    place: &Place,
    role: Role,
    observer: &mut dyn Observer,
) -> Result<Reply<()>, Unanswered> {
    let failed = |source| Unanswered::Transcript { path: place.transcript.clone(), source };
    let mut transcript = Transcript::create(&place.transcript).map_err(failed)?;
    let heard = acp::converse(agent, place, role, None, &mut transcript, observer);
    let kept = transcript.finish(&place.transcript);
    let (greeting, _, took) = heard?;
    Ok(Reply { answer: (), value: Value::Null, greeting, took, transcript: kept.map_err(failed)? })
}

/// What an agent wrote.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// Where the answer stands.
    pub(super) answer: String,
    /// The end of its stderr.
    pub(super) log: String,
}

impl Heard {
    /// The last that it said, for a message.
    pub(super) fn said(&self) -> String {
        let log = self.log.trim();
        let text = if log.is_empty() { self.answer.trim() } else { log };
        let skipped = text.chars().count().saturating_sub(QUOTED);
        text.chars().skip(skipped).collect()
    }
}

/// The plain protocol: the request on stdin, the answer on stdout.
fn plain(
    agent: &Agent,
    place: &Place,
    text: String,
    transcript: &mut Transcript,
    observer: &mut dyn Observer,
) -> Result<(Greeting, Heard, Duration), Unanswered> {
    transcript.add(Who::Stdin, text.as_bytes());
    let (sender, stdin) = mpsc::channel();
    // The receiver is here, so that it is taken.
    let _ = sender.send(text.into_bytes());
    drop(sender);
    let words = agent.words();
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
    let ran =
        process::follow(command, Some(limit), &mut || observer.borrow_mut().stop(), &mut |stream, bytes| {
            let (who, said, tail) = match stream {
                Stream::Out => (Who::Stdout, Said::Answer, &mut out),
                Stream::Err => (Who::Stderr, Said::Log, &mut err),
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
        // What the system misses is not the program.
        false => folder.display().to_string(),
    };
    Unanswered::NotStarted { agent: agent.name().to_owned(), program, source }
}

/// Only an agent that ends with exit code 0 has answered.
fn ended_well(agent: &Agent, ended: Ended, limit: Duration, heard: &Heard) -> Result<(), Unanswered> {
    let agent = agent.name().to_owned();
    match ended {
        Ended::Exited(0) => Ok(()),
        Ended::Exited(code) => Err(Unanswered::Failed { agent, code, said: heard.said() }),
        Ended::Signal(signal) => Err(Unanswered::Killed { agent, signal, said: heard.said() }),
        Ended::TimedOut => Err(Unanswered::TimedOut { agent, after: limit, said: heard.said() }),
        Ended::Interrupted => Err(Unanswered::Stopped { agent }),
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
        // A cut is before a character.
        let cut = bytes.iter().take(3).take_while(|byte| **byte & 0b1100_0000 == 0b1000_0000).count();
        bytes.drain(..cut);
        String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}
