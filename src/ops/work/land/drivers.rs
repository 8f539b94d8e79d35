//! Merges for landing: with the merge drivers of git's configuration, as far as attributes of the target choose them, in the
//! sandbox of agents.

use crate::agent::state::ProgramNeeds;
use crate::git::{MergeDriver, MergeGit};
use crate::ops::{Refusal, Session};
use crate::store::{Store, StoreError};
use crate::workplace::Confinement;

/// git for merges on top of the target.
///
/// # Errors
/// `no-sandbox` if the settings require one and there is none; errors of git.
pub(super) fn merge_git(session: &Session) -> Result<MergeGit, Refusal> {
    let store = session.store();
    let temporary = session.environment().temporary();
    let merges = MergeGit::new(&store.common_dir(), store.repo().hash_kind(), &temporary, store.git());
    let merges = merges.map_err(StoreError::Git)?;
    let drivers = drivers(store);
    if drivers.is_empty() {
        return Ok(merges);
    }
    let confinement = Confinement::load(store)?;
    let within = confinement.words(merges.folder(), &ProgramNeeds::default());
    Ok(merges.with_drivers(&drivers, within).map_err(StoreError::Git)?)
}

/// The merge drivers that git's configuration names; of one that is named twice, git takes the last command.
fn drivers(store: &Store) -> Vec<MergeDriver> {
    let settings = store.repo().config().subsections("merge").into_iter();
    let commands = settings.filter(|(_, key, _)| key.eq_ignore_ascii_case("driver"));
    commands.map(|(name, _, command)| MergeDriver { name, command }).collect()
}
