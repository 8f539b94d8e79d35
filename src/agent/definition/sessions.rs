//! The sessions of an agent that speaks the plain protocol: how it is started in a new one, and in one that it continues.

use std::ffi::OsString;

use super::{Agent, NoAgent, Protocol, Sourced};

/// Stands for the id of a session in a command line.
const SESSION: &str = "{session}";
/// The command line that continues a session of an agent that speaks the plain protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResumeCommand {
    /// As written.
    pub(crate) command: Sourced<String>,
    pub(super) words: Vec<String>,
}

/// The session in which an agent that speaks the plain protocol is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PlainSession {
    /// A new one, to which the agent may give this id if its command line says so.
    New(String),
    /// One that it continues.
    Known(String),
}

impl Agent {
    /// This agent with the command line that continues its sessions.
    pub(super) fn resuming(self, resume: Option<Sourced<String>>) -> Result<Self, NoAgent> {
        let Some(command) = resume else { return Ok(self) };
        let words = words_of(&command.value, self.shell.value)?;
        if !words.iter().any(|word| word.contains(SESSION)) {
            let why = "it does not say where the id of the session stands: `{session}`";
            return Err(NoAgent::Command { command: command.value, why });
        }
        Ok(Self { resume: Some(ResumeCommand { command, words }), ..self })
    }

    /// The program and its arguments, as started in a session.
    pub(crate) fn words_in(&self, session: &PlainSession) -> Vec<OsString> {
        let (words, id) = match (session, &self.resume) {
            (PlainSession::Known(id), Some(resume)) => (&resume.words, id),
            (PlainSession::Known(id) | PlainSession::New(id), _) => (&self.words, id),
        };
        words.iter().map(|word| OsString::from(word.replace(SESSION, id))).collect()
    }

    /// Whether its command line gives a new session an id.
    pub(crate) fn names_sessions(&self) -> bool {
        self.words.iter().any(|word| word.contains(SESSION))
    }

    /// Whether it can be started in a session that it began before. An agent that speaks the Agent Client Protocol says so
    /// itself.
    pub(crate) fn can_resume(&self) -> bool {
        self.protocol.value == Protocol::Acp || self.resume.is_some()
    }

    /// The command line that continues its sessions, if it speaks the plain protocol.
    pub(crate) fn resume(&self) -> Option<&ResumeCommand> {
        self.resume.as_ref()
    }

    /// The mode into which its sessions are put if they have it, if it speaks the Agent Client Protocol.
    pub(crate) fn mode(&self) -> Option<&Sourced<String>> {
        self.mode.as_ref()
    }

    /// The name of the agent that takes over while this one is limited.
    pub(crate) fn fallback(&self) -> Option<&Sourced<String>> {
        self.fallback.as_ref()
    }
}

/// The words of a command line.
pub(super) fn words_of(command: &str, shell: bool) -> Result<Vec<String>, NoAgent> {
    let wrong = |why| NoAgent::Command { command: command.to_owned(), why };
    if command.contains('\0') {
        return Err(wrong("it contains a null character"));
    }
    if command.trim().is_empty() {
        return Err(wrong("it is empty"));
    }
    let words = if shell {
        ["sh", "-c", command].map(str::to_owned).to_vec()
    } else {
        shlex::split(command).ok_or_else(|| wrong("a quote is not closed, or it ends in `\\`"))?
    };
    if words.first().is_none_or(String::is_empty) {
        return Err(wrong("it names no program"));
    }
    Ok(words)
}
