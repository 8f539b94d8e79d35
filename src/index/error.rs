//! Errors of the index.

use crate::model::{Code, Explain, Other, Remedies};
use crate::store::StoreError;

/// A failure of the index. A failure of the database itself never reaches a user, as long as there is memory to build
/// another one.
#[derive(Debug, thiserror::Error)]
pub(crate) enum IndexError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The database is broken, busy, full or read-only.
    #[error("the index cannot be used: {0}")]
    Database(#[from] rusqlite::Error),
    /// Its file, or the lock beside it.
    #[error("the index cannot be used: {0}")]
    File(#[from] std::io::Error),
}

impl From<rusqlite::types::FromSqlError> for IndexError {
    fn from(error: rusqlite::types::FromSqlError) -> Self {
        Self::Database(error.into())
    }
}

impl IndexError {
    /// Whether another database could help.
    pub(super) fn is_of_database(&self) -> bool {
        matches!(self, Self::Database(_) | Self::File(_))
    }

    /// Whether another process holds a lock on the database. There is nothing wrong with it then, so it is not replaced.
    pub(super) fn is_busy(&self) -> bool {
        match self {
            Self::Database(error) => matches!(
                error.sqlite_error_code(),
                Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked)
            ),
            Self::File(error) => error.kind() == std::io::ErrorKind::TimedOut,
            Self::Store(_) => false,
        }
    }
}

impl Explain for IndexError {
    fn code(&self) -> Code {
        match self {
            Self::Store(error) => error.code(),
            Self::Database(_) | Self::File(_) => Code::Index,
        }
    }

    fn remedies(&self) -> Remedies {
        match self {
            Self::Store(error) => error.remedies(),
            Self::Database(_) | Self::File(_) => {
                Remedies::call(Other::Reindex, "rebuilds it; nothing is lost")
            }
        }
    }
}
