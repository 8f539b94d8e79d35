//! Why a hook did not do its work. git continues anyway.

use std::path::PathBuf;

use super::message::MessageError;
use crate::git::GitError;
use crate::model::{Code, Explain, Remedies};
use crate::store::StoreError;

/// Why a hook did not do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HookError {
    /// Reading or writing the store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The trailers could not be added.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// A file from git cannot be read.
    #[error("cannot read `{}`: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
}

impl From<GitError> for HookError {
    fn from(error: GitError) -> Self {
        Self::Store(error.into())
    }
}

impl Explain for HookError {
    fn code(&self) -> Code {
        match self {
            Self::Store(error) => error.code(),
            Self::Message(error) => error.code(),
            Self::Read { .. } => Code::MessageFile,
        }
    }

    fn remedies(&self) -> Remedies {
        match self {
            Self::Store(error) => error.remedies(),
            Self::Message(error) => error.remedies(),
            Self::Read { .. } => "git passes the file to this hook: `git commit` runs it".into(),
        }
    }
}
