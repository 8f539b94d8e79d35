//! Making the index anew.

use schemars::JsonSchema;
use serde::Serialize;

use crate::index;
use crate::ops::{Answer, Refusal, Session};

/// Where the index lies.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Reindexed {
    /// Where it lies.
    pub(crate) path: String,
}

/// Makes the index anew from the store.
///
/// # Errors
/// `index` where it can be kept nowhere.
pub(crate) fn reindex(session: &Session) -> Answer<Reindexed> {
    session.store().snapshot()?;
    match session.watched(|watch| index::remake_all(session.store(), watch))? {
        Some(path) => Ok(session.done(Reindexed { path }, None)),
        None => Err(Refusal::new(
            "index",
            "the index can be written neither beside the repository nor in the cache",
        )
        .hint(
            "everything works without it, only slower; see to it that one of the two folders can be written, and that \
             no command is still reading the index",
        )),
    }
}
