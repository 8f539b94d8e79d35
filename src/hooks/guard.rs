//! The hooks of an agent's workplace ([`crate::agent::guard`]): they tell it what would be refused when it hands in.

use std::path::Path;

use super::commit_msg::index;
use super::{HookError, HookVerdict};
use crate::agent::guard;
use crate::rules::Bounds;
use crate::rules::run::unplanned_words;
use crate::store::{Store, object_id};

/// Checks the git command that runs the hook `name`. `open` opens the store.
///
/// # Errors
/// The bounds or the store cannot be read.
pub(crate) fn run(
    open: impl FnOnce() -> Result<Store, HookError>,
    bounds: &Path,
    name: &str,
) -> Result<HookVerdict, HookError> {
    let path = bounds.to_owned();
    let unread = |source| HookError::Read { path: path.clone(), source };
    let bytes = std::fs::read(&path).map_err(unread)?;
    let bounds: Bounds = serde_json::from_slice(&bytes).map_err(|error| unread(error.into()))?;
    let store = open()?;
    let refused = match name {
        "pre-commit" => commit(&store, &bounds)?,
        "pre-push" => Some(bounds.refuses_push()),
        _ => None,
    };
    Ok(match refused {
        Some(why) => {
            guard::note_refused(&store.git_dir(), &why);
            HookVerdict::OutOfBounds(why)
        }
        None => HookVerdict::Go,
    })
}

/// Why what is staged may not be committed here.
fn commit(store: &Store, bounds: &Bounds) -> Result<Option<String>, HookError> {
    if let Some(why) = bounds.refuses_commit_on(store.branch()?.as_ref()) {
        return Ok(Some(why));
    }
    let (Some(_), Some(base)) = (store.head()?, object_id(bounds.base.as_str())) else {
        return Ok(None);
    };
    let deleted = store.git().deleted_in_index(&index(&store.git_dir()), base)?;
    let unplanned = bounds.unplanned(deleted.iter().map(String::as_str));
    Ok((!unplanned.is_empty()).then(|| unplanned_words(&unplanned)))
}
