//! Why an agent cannot be used.

use crate::model::Code;

/// Why an agent cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoAgent {
    /// There is no agent of this name.
    #[error("there is no agent `{name}`")]
    Unknown {
        /// The name that was given.
        name: String,
        /// The names of the existing agents.
        known: Vec<String>,
    },
    /// An invalid name.
    #[error("`{0}` cannot be the name of an agent")]
    Name(String),
    /// It has settings, but no command.
    #[error("agent `{name}` has no command")]
    NoCommand {
        /// Its name.
        name: String,
    },
    /// A command line that names no program, or cannot be split into words.
    #[error("`{command}` is not a command line: {why}")]
    Command {
        /// The command line, as given.
        command: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// An invalid setting.
    #[error("`wf.agent.{name}.{key}` is `{value}`; expected {expected}")]
    Setting {
        /// The agent.
        name: String,
        /// Its key.
        key: String,
        /// Its value.
        value: String,
        /// What is allowed.
        expected: &'static str,
    },
}

impl crate::model::Explain for NoAgent {
    fn code(&self) -> Code {
        match self {
            Self::Unknown { .. } => Code::UnknownAgent,
            Self::Name(_) | Self::NoCommand { .. } | Self::Command { .. } | Self::Setting { .. } => {
                Code::InvalidAgent
            }
        }
    }

    fn remedies(&self) -> crate::model::remedy::Remedies {
        match self {
            Self::Unknown { known, .. } => format!(
                "name one of {}, or give a command line, which contains a space or a `/`",
                known.join(", ")
            )
            .into(),
            Self::Name(_) => "a name has 1 to 64 characters: A-Z, a-z, 0-9, `.`, `_` and `-`".into(),
            Self::NoCommand { name } => {
                format!("`git config wf.agent.{name}.command COMMAND` sets it").into()
            }
            Self::Command { .. } => "quote it as in a shell; prefix it with `sh:` to run it in one".into(),
            Self::Setting { name, key, .. } => {
                format!("`git config --show-origin wf.agent.{name}.{key}` shows where it is set").into()
            }
        }
    }
}
