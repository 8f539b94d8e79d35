//! Programs of others that run here, each under a watcher that it cannot outlive: the commands of a plan, which someone
//! agreed to, and agents.

pub(crate) mod ancestors;
mod descendants;
pub(crate) mod left_behind;
mod pass;
pub(crate) mod supervise;
pub(crate) mod watch;

use crate::model::{Code, Remedies};

/// Why a program was not run, or why its outcome is unknown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProcessError {
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
}

impl crate::model::Explain for ProcessError {
    fn code(&self) -> Code {
        Code::CannotRun
    }

    fn remedies(&self) -> Remedies {
        match self {
            Self::Start { .. } => "commands of a plan are run by `sh -c` in the work tree".into(),
            Self::Signals(_) => "a sandbox may forbid it: try again outside of one".into(),
        }
    }
}
