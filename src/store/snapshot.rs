//! One state of the store, as it was at a commit.

use std::cell::RefCell;
use std::collections::HashMap;

use bstr::ByteSlice;

use super::commit_size;
use super::error::StoreError;
use super::layout::{ROOT_PATH, largest};
use crate::git::{EntryKind, Kind, Repository, trees};
use crate::git::{ObjectId, bounded};
use crate::model::root::FORMAT;
use crate::model::strict;

/// At most this many folders are remembered.
const MOST_FOLDERS: usize = 1_000;

/// Reads files of a state by their paths. A transaction is one too, with its own writes on top.
pub(crate) trait Read {
    /// The bytes of the file at `path`; none if there is none (or something that is no file).
    fn file(&self, path: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// The names in the folder at `path`, in byte order; none if there is no such folder.
    fn names(&self, path: &str) -> Result<Vec<String>, StoreError>;
}

/// The tree of one commit.
#[derive(Clone)]
pub(crate) struct Snapshot<'repo> {
    repo: &'repo Repository,
    commit: ObjectId,
    tree: ObjectId,
    /// Folders that were looked up.
    folders: RefCell<HashMap<String, Option<ObjectId>>>,
}

impl<'repo> Snapshot<'repo> {
    /// Checks that `commit` holds a store of a format that this program knows.
    pub(super) fn open(
        repo: &'repo Repository,
        reference: &str,
        commit: ObjectId,
    ) -> Result<Self, StoreError> {
        let not_ours = |why: String| StoreError::NotAStore { reference: reference.to_owned(), why };
        let tree = commit_size::read(repo, reference, commit)?
            .tree()
            .map_err(|error| not_ours(format!("commit {commit} cannot be read: {error}")))?;
        let snapshot = Self { repo, commit, tree, folders: RefCell::default() };
        let root = snapshot
            .file(ROOT_PATH)?
            .ok_or_else(|| not_ours(format!("commit {commit} has no `{ROOT_PATH}`")))?;
        let value =
            strict::parse(&root).map_err(|e| not_ours(format!("`{ROOT_PATH}` of commit {commit}: {e}")))?;
        match value["format"].as_u64() {
            Some(found) if found > FORMAT => Err(StoreError::NewerFormat { found, known: FORMAT }),
            Some(FORMAT) => Ok(snapshot),
            _ => {
                Err(not_ours(format!("`{ROOT_PATH}` of commit {commit} has the format {}", value["format"])))
            }
        }
    }

    /// The tree of a commit, whatever is in it; none if that is no commit, or none that is read.
    pub(super) fn of_commit(repo: &'repo Repository, commit: ObjectId) -> Result<Option<Self>, StoreError> {
        let found = match commit_size::read(repo, "", commit) {
            Err(StoreError::NotAStore { .. }) => return Ok(None),
            found => found?,
        };
        Ok(found.tree().ok().map(|tree| Self { repo, commit, tree, folders: RefCell::default() }))
    }

    /// Where its objects are.
    pub(super) fn repo(&self) -> &'repo Repository {
        self.repo
    }

    /// The commit.
    pub(crate) fn commit(&self) -> ObjectId {
        self.commit
    }

    /// Its tree.
    pub(crate) fn tree(&self) -> ObjectId {
        self.tree
    }

    /// The object at `path`, with its kind; none if there is nothing.
    pub(crate) fn entry(&self, path: &str) -> Result<Option<(ObjectId, EntryKind)>, StoreError> {
        let (folder, name) = match path.rsplit_once('/') {
            Some((folder, name)) => (self.folder(folder)?, name),
            None => (Some(self.tree), path),
        };
        let Some(folder) = folder else { return Ok(None) };
        Ok(trees::look_up(self.repo, folder, name.into())?)
    }

    /// Where the symbolic link at `path` leads, as it is written; none if there is none.
    pub(super) fn link(&self, path: &str) -> Result<Option<String>, StoreError> {
        match self.entry(path)? {
            Some((id, EntryKind::Link)) => {
                Ok(Some(String::from_utf8_lossy(&read_blob(self.repo, id, path)?).into_owned()))
            }
            _ => Ok(None),
        }
    }

    /// The folder at `path`. Commands read many files of few folders, and a folder of many issues takes long to search.
    fn folder(&self, path: &str) -> Result<Option<ObjectId>, StoreError> {
        if let Some(known) = self.folders.borrow().get(path) {
            return Ok(*known);
        }
        let found = self.entry(path)?.filter(|(_, kind)| *kind == EntryKind::Tree).map(|(id, _)| id);
        let mut folders = self.folders.borrow_mut();
        if folders.len() >= MOST_FOLDERS {
            folders.clear();
        }
        folders.insert(path.to_owned(), found);
        Ok(found)
    }
}

impl Read for Snapshot<'_> {
    fn file(&self, path: &str) -> Result<Option<Vec<u8>>, StoreError> {
        match self.entry(path)? {
            Some((id, EntryKind::Blob | EntryKind::BlobExecutable)) => {
                read_blob(self.repo, id, path).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn names(&self, path: &str) -> Result<Vec<String>, StoreError> {
        let Some((id, EntryKind::Tree)) = self.entry(path)? else { return Ok(Vec::new()) };
        let folder = trees::read(self.repo, id).map_err(trees::at(path))?;
        let Some(folder) = folder else { return Ok(Vec::new()) };
        // A name that is not UTF-8 is no id, hence no record.
        let names = folder.entries.iter().filter_map(|entry| entry.filename.to_str().ok());
        Ok(names.map(str::to_owned).collect())
    }
}

/// The bytes of a blob that lies at `path`, within the size that a record there may have.
pub(super) fn read_blob(repo: &Repository, id: ObjectId, path: &str) -> Result<Vec<u8>, StoreError> {
    // Too large to be a record, or a tree where the folder above it promised a file: what reads it sees bytes that are none.
    let found = bounded::find(repo, id, Kind::Blob, largest(path), "cannot read a record of the store")?;
    Ok(found.map(|object| object.detach().data).unwrap_or_default())
}
