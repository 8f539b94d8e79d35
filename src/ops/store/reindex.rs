//! Rebuilding the index.

use schemars::JsonSchema;
use serde::Serialize;

use crate::index;
use crate::model::Code;
use crate::ops::{Answer, Refusal, Session};

/// The path of the index.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Reindexed {
    /// Its path.
    pub(crate) path: String,
}

/// Rebuilds the index from the store.
///
/// # Errors
/// `index` if it cannot be stored anywhere.
pub(crate) fn reindex(session: &Session) -> Answer<Reindexed> {
    session.store().snapshot()?;
    match session.watched(|watch| index::remake_all(session.store(), watch))? {
        Some(path) => Ok(session.done(Reindexed { path }, None)),
        None => Err(Refusal::new(
            Code::Index,
            "the index can be written neither beside the repository nor in the cache",
        )
        .hint(
            "everything works without it, only slower; make sure that one of the two directories is writable, and that \
             no command is still reading the index",
        )),
    }
}
