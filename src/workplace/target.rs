//! The commit from which the settings of workplaces are read: the tip of the branch on which work lands. What an agent
//! committed elsewhere says nothing about how the next workplace is prepared.

use super::PreparationError;
use crate::store::{ObjectId, Store, StoreError};

/// The key that names the branch.
const ONTO: &str = "wf.land.onto";

/// The tip of `wf.land.onto`, here or at the remote; else of the remote's default branch, else of `main` or `master`, else
/// what is checked out. `None` in a repository without commits.
pub(super) fn tip(store: &Store) -> Result<Option<ObjectId>, PreparationError> {
    let remote = store.config("wf.remote").unwrap_or_else(|| "origin".into());
    if let Some(named) = store.config(ONTO) {
        let branch = named.strip_prefix("refs/heads/").unwrap_or(&named);
        let places = [format!("refs/heads/{branch}"), format!("refs/remotes/{remote}/{branch}")];
        let found = first(store, &places)?;
        return found.map(Some).ok_or(PreparationError::Target(named));
    }
    let usual = [format!("refs/remotes/{remote}/HEAD"), "refs/heads/main".into(), "refs/heads/master".into()];
    match first(store, &usual)? {
        Some(tip) => Ok(Some(tip)),
        None => Ok(store.head()?),
    }
}

fn first(store: &Store, refs: &[String]) -> Result<Option<ObjectId>, StoreError> {
    for name in refs {
        if let Some(tip) = store.read_ref(name)? {
            return Ok(Some(tip));
        }
    }
    Ok(None)
}
