//! Programs of others that run here, each under a watcher that it cannot outlive: the commands of a plan, which
//! someone agreed to, and the agents that explore, plan, review and build.
//!
//! An agent is an [`Agent`](definition::Agent). [`ask`](talk::ask) sends it a [`Request`](request::Request) and reads
//! its answer as a type that defines what is valid ([`Answer`](answer::Answer)).

mod acp;
pub(crate) mod agreed;
mod ancestors;
pub(crate) mod answer;
pub(crate) mod calling;
pub(crate) mod check;
pub(crate) mod configured;
pub(crate) mod definition;
mod descendants;
pub(crate) mod environment;
pub(crate) mod guard;
pub(crate) mod in_hook;
pub(crate) mod in_run;
pub(crate) mod left_behind;
pub(crate) mod namespace;
mod pass;
pub(crate) mod ping;
pub(crate) mod preset;
pub(crate) mod process;
pub(crate) mod request;
pub(crate) mod secrets;
pub(crate) mod talk;
pub(crate) mod traced;
pub(crate) mod transcript;
pub(crate) mod watch;

use crate::model::code::Code;
use crate::model::remedy::Remedies;

/// Why a command of a plan was not run, or why its outcome is unknown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AgentError {
    /// It could not be started or watched.
    #[error("cannot run `{command}`: {source}")]
    Start {
        /// The command, as in the plan.
        command: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// Signals to this program cannot be caught.
    #[error("cannot catch signals: {0}")]
    Signals(std::io::Error),
    /// The consent cannot be read or recorded.
    #[error("cannot use {}: {source}", .path.display())]
    Agreed {
        /// The file.
        path: std::path::PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The user has no directory in which to record their consent.
    #[error("neither XDG_STATE_HOME nor HOME is set")]
    NoHome,
}

impl crate::model::Explain for AgentError {
    fn code(&self) -> Code {
        match self {
            Self::Start { .. } | Self::Signals(_) => Code::CannotRun,
            Self::Agreed { .. } | Self::NoHome => Code::NotAgreed,
        }
    }

    fn remedies(&self) -> Remedies {
        match self {
            Self::Start { .. } => "commands of a plan are run by `sh -c` in the work tree".into(),
            Self::Signals(_) => "a sandbox may forbid it: try again outside of one".into(),
            Self::Agreed { .. } | Self::NoHome => {
                "set XDG_STATE_HOME to a directory that can be written, or pass --yes each time".into()
            }
        }
    }
}
