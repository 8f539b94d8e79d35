//! What goes wrong with the workplace of an agent.

use std::io;
use std::path::{Path, PathBuf};

use super::HandInLimits;
use super::untrusted::Unreadable;
use crate::git::GitError;
use crate::model::{Code, Explain, Remedies};
use crate::store::{ObjectId, StoreError};

/// Why a workplace was not made, or what is in it not taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorkplaceError {
    /// Objects of the user's repository are elsewhere.
    #[error("this repository is a partial clone: an agent in a clone of it would lack the missing objects")]
    Partial,
    /// The place is taken, or cannot be written.
    #[error("cannot make `{}`: {source}", .path.display())]
    Make {
        /// The directory.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file of this program cannot be written.
    #[error("cannot write `{}`: {source}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Something in the workplace is not what git makes.
    #[error("in the workplace, {0}")]
    Unreadable(#[from] Unreadable),
    /// A ref of the workplace names another one.
    #[error("in the workplace, `{0}` is a symbolic ref")]
    SymbolicRef(String),
    /// A ref of the workplace has no object id.
    #[error("in the workplace, `{0}` cannot be read")]
    BrokenRef(String),
    /// A ref of the workplace was deleted.
    #[error("in the workplace, `{0}` is gone")]
    GoneRef(String),
    /// The records of the agent would be replaced, and nobody has judged them.
    #[error("the agent wrote records up to {0}, which were not handed in")]
    NotJudged(ObjectId),
    /// Another directory, or a link, is where the workplace was.
    #[error("{} is no longer the workplace that was made there", .0.display())]
    Exchanged(PathBuf),
    /// More than a hand-in may contain.
    #[error("the workplace has more than {} new files or {} MB of new content", .0.files, .0.bytes >> 20)]
    TooMuch(HandInLimits),
    /// git failed, or refused an object.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl WorkplaceError {
    pub(super) fn write(path: &Path, source: io::Error) -> Self {
        Self::Write { path: path.to_owned(), source }
    }
}

impl Explain for WorkplaceError {
    fn code(&self) -> Code {
        match self {
            Self::Partial => Code::PartialClone,
            Self::Make { .. } | Self::Write { .. } => Code::CannotWrite,
            Self::Unreadable(_)
            | Self::SymbolicRef(_)
            | Self::BrokenRef(_)
            | Self::GoneRef(_)
            | Self::Exchanged(_)
            | Self::NotJudged(_)
            | Self::TooMuch(_) => Code::WorkplaceChanged,
            Self::Git(error) => error.code(),
            Self::Store(error) => error.code(),
        }
    }

    fn remedies(&self) -> Remedies {
        match self {
            Self::Partial => "a clone that was made without `--filter` has all objects".into(),
            Self::Make { .. } => "make sure that the directory can be written, or name another one in git config `wf.workplace.root`".into(),
            Self::Write { .. } => "make sure that the directory is writable and the disk has space".into(),
            Self::NotJudged(_) => "they are in its workplace".into(),
            Self::Exchanged(_) => "something else is in its place, and nothing there was read or changed".into(),
            Self::Unreadable(_) | Self::SymbolicRef(_) | Self::BrokenRef(_) | Self::GoneRef(_) | Self::TooMuch(_) => {
                "the agent changed its repository in a way that git does not; nothing was taken from it".into()
            }
            Self::Git(error) => error.remedies(),
            Self::Store(error) => error.remedies(),
        }
    }
}
