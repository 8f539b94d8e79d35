//! The database of an index in a file.

use std::time::Duration;

use rusqlite::Connection;

use super::database::{self, IndexPart};
use super::error::IndexError;
use super::folder::{FolderIdentity, IndexFolder, IndexLock, PATIENCE};
use crate::git::ObjectId;
use crate::store::Store;

/// Keeps the file of an index from being replaced while this value exists.
pub(super) struct InFile {
    pub(super) folder: IndexFolder,
    pub(super) identity: Option<FolderIdentity>,
    pub(super) guard: IndexLock,
}

/// An open database, which may reflect an older state. It is closed before its file can be replaced.
pub(super) struct OpenFile {
    pub(super) db: Connection,
    pub(super) place: InFile,
}

impl OpenFile {
    /// Opens an index that exists, waiting for others no longer than `patience`.
    pub(super) fn open(folder: &IndexFolder, patience: Duration) -> Result<Self, IndexError> {
        let guard = folder.share(patience)?;
        let identity = folder.identity();
        let db = database::open(&folder.database(), patience)?;
        Ok(Self { db, place: InFile { folder: folder.clone(), identity, guard } })
    }

    /// Opens an index that exists; also returns the commit that it reflects.
    pub(super) fn with_tip(
        folder: &IndexFolder,
        patience: Duration,
    ) -> Result<(Self, Option<ObjectId>), IndexError> {
        let file = Self::open(folder, patience)?;
        let known = database::tip(&file.db, IndexPart::Rows)?;
        Ok((file, known))
    }
}

/// The commit of the ref that the index reflects; `None` if the next query rebuilds it. Does not change it.
pub(crate) fn indexed_commit(store: &Store) -> Option<ObjectId> {
    let mut there = IndexFolder::all(store).into_iter().filter(|folder| folder.identity().is_some());
    // Nothing is known about an index that cannot be opened.
    there.find_map(|folder| super::known_tip(&folder, PATIENCE).ok()).flatten()
}
