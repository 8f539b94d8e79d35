//! How the local store differs from the remote's, as far as this clone knows.

use schemars::JsonSchema;
use serde::Serialize;

use crate::ops::{Notice, Refusal, Session};
use crate::sync::remote;

/// How the local store differs from the remote's as last seen, without fetching.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct SyncState {
    /// The remote of the store; absent if there is none.
    pub(crate) remote: Option<String>,
    /// How many commits the remote did not have as of the last fetch; absent if it was never seen.
    pub(crate) ahead: Option<usize>,
    /// How many commits were fetched from it and not merged yet.
    pub(crate) behind: Option<usize>,
}

impl SyncState {
    /// If the remote that is configured does not exist, a notice says so.
    ///
    /// # Errors
    /// Any error from reading the history.
    pub(super) fn load(session: &Session) -> Result<Self, Refusal> {
        let store = session.store();
        let remote = match remote::of_the_ref(store) {
            Ok(Some(remote)) => remote,
            Ok(None) => return Ok(Self::default()),
            Err(error) => {
                let Refusal { message, remedies, .. } = error.into();
                session.notice(Notice { remedies, ..Notice::warning(message) });
                return Ok(Self::default());
            }
        };
        let (ours, theirs) = (store.tip()?, store.read_ref(&store.tracking(&remote))?);
        let (Some(ours), Some(theirs)) = (ours, theirs) else {
            return Ok(Self { remote: Some(remote), ahead: None, behind: None });
        };
        let (ahead, behind) = if ours == theirs {
            (0, 0)
        } else {
            (
                store.parents_first(&[ours], Some(theirs))?.len(),
                store.parents_first(&[theirs], Some(ours))?.len(),
            )
        };
        Ok(Self { remote: Some(remote), ahead: Some(ahead), behind: Some(behind) })
    }
}
