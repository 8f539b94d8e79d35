//! The values of a definition, and where they come from.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "from")]
pub(crate) enum ValueOrigin {
    /// The default.
    Default,
    /// The preset of the same name.
    Preset,
    /// The command line that was given.
    Argument,
    /// git config.
    Config {
        /// `system`, `global`, `local`, `worktree` or `command`.
        scope: String,
        /// The file, as git names it: `file:.git/config`.
        file: String,
    },
}

impl fmt::Display for ValueOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Preset => f.write_str("preset"),
            Self::Argument => f.write_str("argument"),
            Self::Config { scope, file } => {
                let file = file.strip_prefix("file:").unwrap_or(file);
                write!(f, "{scope} config, {file}")
            }
        }
    }
}

/// A value, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sourced<T> {
    /// The value.
    pub(crate) value: T,
    /// Where it comes from.
    pub(crate) origin: ValueOrigin,
}

impl<T> Sourced<T> {
    pub(super) fn new(value: T, origin: ValueOrigin) -> Self {
        Self { value, origin }
    }
}

/// A variable in an agent's environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Variable {
    /// Passed on, if it is set here.
    Passed(String),
    /// Set to this value.
    Set(String, String),
}

impl Variable {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let is_name = !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit());
        match value {
            _ if !is_name => None,
            None => Some(Self::Passed(name.to_owned())),
            Some(value) if value.contains('\0') => None,
            Some(value) => Some(Self::Set(name.to_owned(), value.to_owned())),
        }
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Passed(name) | Self::Set(name, _) => name,
        }
    }
}
