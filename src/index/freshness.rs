//! How fresh the index is.

use super::folder::{self, IndexFolder};
use super::known_tip;
use crate::model::hash::CommitHash;
use crate::store::{Store, StoreError};

/// How fresh the index was before this query.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub(crate) struct Freshness {
    /// Its path; null if it cannot be stored anywhere.
    pub(crate) path: Option<String>,
    /// The commit of the ref that it reflects; null if the next query rebuilds it.
    pub(crate) commit: Option<CommitHash>,
    /// Whether that is the current commit of the ref.
    pub(crate) is_fresh: bool,
}

/// How fresh the index is; does not change it.
pub(crate) fn freshness(store: &Store) -> Result<Freshness, StoreError> {
    let tip = store.tip()?;
    for folder in IndexFolder::all(store) {
        if folder.identity().is_none() {
            continue;
        }
        // Nothing is known about an index that cannot be opened.
        if let Ok(commit) = known_tip(&folder, folder::PATIENCE) {
            return Ok(Freshness {
                path: Some(folder.database().display().to_string()),
                commit: commit.map(CommitHash::from),
                is_fresh: commit == tip,
            });
        }
    }
    Ok(Freshness { path: None, commit: None, is_fresh: false })
}
