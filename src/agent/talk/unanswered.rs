//! Why an agent gave no answer.

use std::path::PathBuf;
use std::time::Duration;

use crate::model::agent_session::Protocol;
use crate::model::{Code, Remedies};
use crate::rules::LimitWait;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unanswered {
    /// The program does not exist, or cannot be run.
    #[error("agent `{agent}` cannot be started: `{program}`: {source}")]
    NotStarted {
        /// Its name.
        agent: String,
        /// The program.
        program: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// The program, or the one that runs it, cannot be seen in the sandbox.
    #[error("agent `{agent}` cannot be started in its sandbox: `{program}`: {why}")]
    NotInSandbox {
        /// Its name.
        agent: String,
        /// The program.
        program: String,
        /// The system's error.
        why: String,
    },
    /// It took too long, and was stopped.
    #[error("agent `{agent}` did not answer within {} s", .after.as_secs())]
    TimedOut {
        /// Its name.
        agent: String,
        /// Its timeout.
        after: Duration,
        /// Its last output.
        said: String,
    },
    /// It neither said nor changed anything, and was stopped.
    #[error(
        "agent `{agent}` wrote nothing and changed nothing for {} s, so it was stopped",
        .after.as_secs()
    )]
    Quiet {
        /// Its name.
        agent: String,
        /// For how long.
        after: Duration,
    },
    /// Someone stopped it.
    #[error("agent `{agent}` was stopped")]
    Stopped {
        /// Its name.
        agent: String,
    },
    /// It exited with a failure.
    #[error("agent `{agent}` failed with exit code {code}")]
    Failed {
        /// Its name.
        agent: String,
        /// Its exit code.
        code: i32,
        /// Its last output.
        said: String,
    },
    /// A signal ended it.
    #[error("agent `{agent}` was killed by signal {signal}")]
    Killed {
        /// Its name.
        agent: String,
        /// The signal.
        signal: i32,
        /// Its last output.
        said: String,
    },
    /// It ended as it should, but its output contains no JSON.
    #[error(
        "agent `{agent}` {} without an answer",
        if *.protocol == Protocol::Acp { "ended its turns" } else { "exited" }
    )]
    Silent {
        /// Its name.
        agent: String,
        /// Its protocol.
        protocol: Protocol,
        /// Its last output.
        said: String,
    },
    /// Its provider serves it only later.
    #[error("the provider of agent `{agent}` refuses more requests for now")]
    Limited {
        /// Its name.
        agent: String,
        /// For how long.
        wait: LimitWait,
        /// What it said about that.
        said: String,
    },
    /// Its answer is invalid.
    #[error("the answer of agent `{agent}` is invalid: {}", .faults.first().map_or("", String::as_str))]
    Unfit {
        /// Its name.
        agent: String,
        /// The errors, each with its place: for `faults` of the next request.
        faults: Vec<String>,
    },
    /// The conversation in the Agent Client Protocol failed.
    #[error("the conversation with agent `{agent}` failed at {step}: {why}")]
    Protocol {
        /// Its name.
        agent: String,
        /// The method that was called.
        step: &'static str,
        /// The agent's answer, or what happened to the connection.
        why: String,
        /// Its last output.
        said: String,
    },
    /// The transcript cannot be written.
    #[error("cannot write the transcript {}: {source}", .path.display())]
    Transcript {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
}

impl Unanswered {
    /// Details for the message: errors, or the agent's last output.
    pub(crate) fn details(&self) -> Vec<String> {
        match self {
            Self::Unfit { faults, .. } => faults.clone(),
            Self::TimedOut { said, .. }
            | Self::Failed { said, .. }
            | Self::Killed { said, .. }
            | Self::Protocol { said, .. }
            | Self::Limited { said, .. }
            | Self::Silent { said, .. } => said.lines().map(str::to_owned).collect(),
            Self::NotStarted { .. }
            | Self::NotInSandbox { .. }
            | Self::Quiet { .. }
            | Self::Stopped { .. }
            | Self::Transcript { .. } => vec![],
        }
    }
}

impl crate::model::Explain for Unanswered {
    fn code(&self) -> Code {
        match self {
            Self::NotStarted { .. } | Self::NotInSandbox { .. } => Code::AgentNotStarted,
            Self::TimedOut { .. } => Code::AgentTimeout,
            Self::Quiet { .. } => Code::AgentSilent,
            Self::Stopped { .. } => Code::Interrupted,
            Self::Failed { .. } => Code::AgentFailed,
            Self::Killed { .. } => Code::AgentKilled,
            Self::Silent { .. } => Code::NoAnswer,
            Self::Limited { .. } => Code::AgentLimited,
            Self::Unfit { .. } => Code::UnfitAnswer,
            Self::Protocol { .. } => Code::AgentProtocol,
            Self::Transcript { .. } => Code::CannotWrite,
        }
    }

    fn remedies(&self) -> Remedies {
        let transcript = "its complete output is in its transcript";
        match self {
            Self::NotStarted { program, .. } => {
                format!("install `{program}`, put it on the PATH, or correct the command").into()
            }
            Self::NotInSandbox { .. } => "in a sandbox, /tmp, /var/tmp and /dev have only the files that the command names and \
                 the directories on the PATH; put the directory of the program, or of the interpreter in its first line, on \
                 the PATH, or install it elsewhere"
                .into(),
            Self::TimedOut { agent, .. } => {
                format!("`git config wf.agent.{agent}.timeout 2h` gives it more time").into()
            }
            Self::Quiet { .. } => "`git config wf.run.silence 1h` gives it more time".into(),
            Self::Stopped { .. } => "the same command asks it again".into(),
            Self::Failed { .. } | Self::Killed { .. } => transcript.into(),
            Self::Silent { .. } => "its answer must contain one JSON object".into(),
            Self::Limited { agent, .. } => format!(
                "ask it later, or let another agent take over: `git config wf.agent.{agent}.fallback NAME`"
            )
            .into(),
            Self::Protocol { step: "session/new", .. } => {
                "log in with the agent's own command first, or name the variable with its key in `wf.agent.NAME.env`".into()
            }
            Self::Protocol { agent, .. } => {
                format!("the agent must speak the Agent Client Protocol, version 1; `git config wf.agent.{agent}.protocol plain` if it does not").into()
            }
            Self::Unfit { .. } => "the answer must match `answer_schema` of the request".into(),
            Self::Transcript { .. } => "free some disk space, or make the directory writable".into(),
        }
    }
}
