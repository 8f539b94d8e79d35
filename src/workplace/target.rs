//! The commit from which the settings of workplaces are read: the tip of the branch on which work lands. What an agent
//! committed elsewhere says nothing about how the next workplace is prepared.

use super::PreparationError;
use crate::store::{ObjectId, Store};
use crate::trail::landed::target::LandingTarget;

/// The tip of the target branch, or what is checked out if there is no such branch. `None` in a repository without
/// commits.
pub(super) fn tip(store: &Store) -> Result<Option<ObjectId>, PreparationError> {
    match LandingTarget::find(store)? {
        Some(target) => match target.tip() {
            Some(tip) => Ok(Some(tip)),
            None if target.is_named => Err(PreparationError::Target(target.branch.short().to_owned())),
            None => Ok(store.head()?),
        },
        None => Ok(store.head()?),
    }
}
