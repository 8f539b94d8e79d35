//! Which remote the ref belongs to, and how the repository comes to know it.

use super::SyncError;
use crate::store::{Store, StoreError};

/// The ref's remote: `wf.remote`, else the one remote whose plain `git fetch` brings the ref along, else the one that did
/// before it was renamed. None if nothing says so.
pub(crate) fn of_the_ref(store: &Store) -> Result<Option<String>, SyncError> {
    if let Some(name) = store.config("wf.remote").filter(|name| !name.is_empty()) {
        return match renamed(store, &name) {
            Some(now) => {
                let is_reused = store.repo().remotes().contains(&name);
                Err(SyncError::RenamedRemote { name, now, is_reused })
            }
            None => known(store, name, true).map(Some),
        };
    }
    let remotes = store.repo().remotes();
    let fetching: Vec<_> = remotes.iter().filter(|remote| store.fetches_from(remote)).collect();
    let renamed = remotes.iter().filter(|remote| !store.fetched_as(remote).is_empty());
    let found = if fetching.is_empty() { renamed.collect() } else { fetching };
    Ok(if let [only] = found[..] { Some(only.clone()) } else { None })
}

/// The remote to sync with: the one named, else the ref's, else the only one there is.
pub(crate) fn to_sync(store: &Store, named: Option<&str>) -> Result<String, SyncError> {
    if let Some(name) = named {
        return known(store, name.to_owned(), false);
    }
    if let Some(remote) = of_the_ref(store)? {
        return Ok(remote);
    }
    let mut remotes = store.repo().remotes();
    match remotes.len() {
        0 => Err(SyncError::NoRemote),
        1 => Ok(remotes.remove(0)),
        _ => Err(SyncError::WhichRemote { reference: store.reference().to_owned(), remotes }),
    }
}

/// The remote that a new store belongs to: the one named, else the ref's, else the only one there is, else `origin`.
/// `None` if there is no such remote.
pub(crate) fn to_begin_with(store: &Store, named: Option<&str>) -> Result<Option<String>, SyncError> {
    match to_sync(store, named) {
        Ok(remote) => Ok(Some(remote)),
        Err(SyncError::NoRemote) => Ok(None),
        Err(SyncError::WhichRemote { remotes, .. }) => {
            Ok(remotes.into_iter().find(|remote| remote == "origin"))
        }
        Err(error) => Err(error),
    }
}

/// Makes a plain `git fetch` of `remote` also fetch the ref. Returns whether that is new.
pub(crate) fn add_refspec(store: &Store, remote: &str) -> Result<bool, SyncError> {
    if store.fetches_from(remote) {
        return Ok(false);
    }
    let refspec = store.fetch_refspec(remote);
    let key = format!("remote.{remote}.fetch");
    store.git().add_config(&key, &refspec).map_err(StoreError::Git)?;
    Ok(true)
}

/// Makes `remote` the ref's remote, unless another one is set.
pub(crate) fn remember(store: &Store, remote: &str) -> Result<(), SyncError> {
    match of_the_ref(store)? {
        Some(other) if other != remote => return Ok(()),
        Some(_) => {}
        None => choose(store, remote)?,
    }
    add_refspec(store, remote).map(drop)
}

/// Makes `remote` the ref's remote, even if another one is set.
pub(crate) fn choose(store: &Store, remote: &str) -> Result<(), SyncError> {
    store.git().set_config("wf.remote", remote).map_err(StoreError::Git)?;
    Ok(())
}

/// What the remote that was once chosen under this name is called now, if `git remote rename` changed that. Another remote may
/// have the name by now.
fn renamed(store: &Store, name: &str) -> Option<String> {
    if store.fetches_from(name) {
        return None;
    }
    store
        .repo()
        .remotes()
        .into_iter()
        .find(|remote| store.fetched_as(remote).iter().any(|fetched| fetched == name))
}

fn known(store: &Store, name: String, is_configured: bool) -> Result<String, SyncError> {
    let remotes = store.repo().remotes();
    if remotes.contains(&name) {
        return Ok(name);
    }
    Err(SyncError::UnknownRemote { name, is_configured, remotes })
}
