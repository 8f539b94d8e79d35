//! The commit from which the settings of workplaces are read: the tip of the branch on which work lands. What an agent
//! committed elsewhere says nothing about how the next workplace is prepared.

use crate::store::{ObjectId, Store, StoreError};

/// The branches that are tried if nothing names one.
const USUAL: [&str; 2] = ["refs/heads/main", "refs/heads/master"];

/// The tip of `wf.land.onto`, else of the remote's default branch, else of `main` or `master`, else what is checked out;
/// `None` in a repository without commits.
pub(super) fn tip(store: &Store) -> Result<Option<ObjectId>, StoreError> {
    let named = store.config("wf.land.onto").map(|branch| format!("refs/heads/{branch}"));
    let remote = store.config("wf.remote").unwrap_or_else(|| "origin".into());
    let of_remote = format!("refs/remotes/{remote}/HEAD");
    let refs = named.into_iter().chain([of_remote]).chain(USUAL.map(str::to_owned));
    for name in refs {
        if let Some(tip) = store.read_ref(&name)? {
            return Ok(Some(tip));
        }
    }
    store.head()
}
