//! The agents that explore, plan, review and build, and the consent to run commands.
//!
//! An agent is an [`Agent`](definition::Agent). [`ask`](talk::ask) sends it a [`Request`](request::Request) and reads
//! its answer as a type that defines what is valid ([`Answer`](answer::Answer)).

pub(crate) mod acp;
pub(crate) mod agreed;
pub(crate) mod answer;
pub(crate) mod calling;
pub(crate) mod check;
pub(crate) mod configured;
pub(crate) mod definition;
pub(crate) mod environment;
pub(crate) mod follow_up;
pub(crate) mod guard;
pub(crate) mod in_hook;
pub(crate) mod known_session;
pub(crate) mod ping;
pub(crate) mod preset;
pub(crate) mod request;
pub(crate) mod secrets;
pub(crate) mod state;
pub(crate) mod talk;
pub(crate) mod transcript;

use crate::model::{Code, Remedies};

/// Why a consent cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConsentError {
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

impl crate::model::Explain for ConsentError {
    fn code(&self) -> Code {
        Code::NotAgreed
    }

    fn remedies(&self) -> Remedies {
        "set XDG_STATE_HOME to a directory that can be written, or pass --yes each time".into()
    }
}
