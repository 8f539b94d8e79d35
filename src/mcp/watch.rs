//! Watches resources: subscribers are notified when the ref moves, no matter who moved it. A few files are polled, and
//! the store is read only if one of them changed.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::progress::ProgressSteps;
use super::{McpSettings, resources};
use crate::model::Code;
use crate::ops::{Refusal, Session};
use crate::store::Store;
use crate::trail::watched::WatchedFiles;

/// The most resources that a client can watch at once.
const MOST: usize = 500;

/// The changes since the last check.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// The resources whose content changed.
    pub(super) uris: Vec<String>,
    /// Whether the list of resources changed.
    pub(super) list: bool,
}

/// The resources that are watched. Cheap to clone; all clones share them.
#[derive(Clone)]
pub(super) struct Watched {
    settings: Arc<McpSettings>,
    seen: Arc<Mutex<WatchedState>>,
}

#[derive(Default)]
struct WatchedState {
    /// Each resource, with its directory and the hash of its content.
    resources: BTreeMap<String, (PathBuf, u64)>,
    /// The directory whose list of resources is watched, and the hash of the list.
    list: Option<(PathBuf, u64)>,
    /// The state of the files by which a change shows, for each directory.
    files: BTreeMap<PathBuf, WatchedFiles>,
    /// Whether someone looks.
    is_running: bool,
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl Watched {
    pub(super) fn new(settings: Arc<McpSettings>) -> Self {
        Self { settings, seen: Arc::default() }
    }

    fn with<T>(&self, change: impl FnOnce(&mut WatchedState) -> T) -> T {
        change(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Watches a resource as seen from a directory, from its current content on.
    ///
    /// # Errors
    /// `not-found`, `too-many`.
    pub(super) fn add(&self, session: &Session, folder: &Path, uri: &str) -> Result<(), Refusal> {
        if self.with(|seen| seen.resources.len() >= MOST && !seen.resources.contains_key(uri)) {
            return Err(Refusal::new(
                Code::TooMany,
                format!("you are already subscribed to {MOST} resources"),
            )
            .hint("`resources/unsubscribe` makes room"));
        }
        // In this order, so that a change in between is seen at the next check.
        let files = WatchedFiles::current(session.store());
        let content = hash(&resources::whole(session, uri)?.to_string());
        self.with(|seen| {
            seen.files.entry(folder.to_owned()).or_insert(files);
            seen.resources.insert(uri.to_owned(), (folder.to_owned(), content));
        });
        Ok(())
    }

    /// Watches the list of resources of a directory, from what it is now on.
    ///
    /// # Errors
    /// Any error from reading the store.
    pub(super) fn add_list(&self, session: &Session, folder: &Path) -> Result<(), Refusal> {
        let files = WatchedFiles::current(session.store());
        let content = hash_of_list(session)?;
        self.with(|seen| {
            seen.files.entry(folder.to_owned()).or_insert(files);
            seen.list = Some((folder.to_owned(), content));
        });
        Ok(())
    }

    /// Watches a resource no more.
    pub(super) fn remove(&self, uri: &str) {
        self.with(|seen| {
            seen.resources.remove(uri);
        });
    }

    /// Whether the caller is the first, and must start to check for changes.
    pub(super) fn begins(&self) -> bool {
        self.with(|seen| !std::mem::replace(&mut seen.is_running, true))
    }

    /// Whether a file changed since the last look. Fast enough for any thread.
    pub(super) fn has_moved(&self) -> bool {
        // Check every directory, whatever the ones before show.
        self.with(|seen| seen.files.values_mut().fold(false, |any, files| files.look_again() | any))
    }

    /// Reads everything that is watched again, and returns what changed. What cannot be read has not changed.
    pub(super) fn changes(&self) -> Changes {
        let (resources, list) = self.with(|seen| (seen.resources.clone(), seen.list.clone()));
        let mut changes = Changes::default();
        for (uri, (folder, before)) in resources {
            let Some(now) = self.read(&folder, |session| Ok(resources::whole(session, &uri)?.to_string()))
            else {
                continue;
            };
            let now = hash(&now);
            if now != before {
                self.with(|seen| {
                    if let Some((_, content)) = seen.resources.get_mut(&uri) {
                        *content = now;
                    }
                });
                changes.uris.push(uri);
            }
        }
        if let Some((folder, before)) = list
            && let Some(now) = self.read(&folder, hash_of_list)
            && now != before
        {
            self.with(|seen| seen.list = Some((folder, now)));
            changes.list = true;
        }
        changes
    }

    fn read<T>(&self, folder: &Path, read: impl FnOnce(&Session) -> Result<T, Refusal>) -> Option<T> {
        let store =
            Store::open(folder, &self.settings.environment).ok()?.acting(self.settings.acting.clone());
        read(&Session::new(store, Box::new(ProgressSteps::silent()))).ok()
    }
}

fn hash_of_list(session: &Session) -> Result<u64, Refusal> {
    Ok(hash(&resources::open_issues(session)?))
}
