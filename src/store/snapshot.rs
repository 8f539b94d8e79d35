//! One state of the store, as of a commit.

pub(super) mod changed;
pub(super) mod differences;
pub(super) mod find;
pub(crate) mod records;
pub(crate) mod resolve;
pub(super) mod walk;

use bstr::ByteSlice;

use super::StoreError;
use super::history::commit_size;
use super::layout::{self, ROOT_PATH, largest};
use crate::git::{Derived, EntryKind, Kind, ObjectId, Repository, bounded, trees};
use crate::model::root::FORMAT;
use crate::model::{IssueId, strict};

/// Reads files of a state by their paths. A transaction is a state too, with its own writes on top.
pub(crate) trait ReadState {
    /// The bytes of the file at `path`; `None` if there is nothing, or something that is not a file.
    fn file(&self, path: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// The names in the directory at `path`, sorted by bytes; empty if there is no such directory.
    fn names(&self, path: &str) -> Result<Vec<String>, StoreError>;

    /// The [names](Self::names) that begin with `start`.
    fn names_from(&self, path: &str, start: &str) -> Result<Vec<String>, StoreError> {
        let mut names = self.names(path)?;
        names.retain(|name| name.starts_with(start));
        Ok(names)
    }

    /// The tree at `path`, and what was derived from trees; `None` if there is none, or if it has changes.
    fn derived(&self, path: &str) -> Result<Option<(ObjectId, &Derived)>, StoreError> {
        let _ = path;
        Ok(None)
    }
}

/// What an issue is read from: its directory, and that of all queues, in which its items are. As long as these are the same,
/// it is, too.
pub(crate) type IssueSources = [Option<ObjectId>; 2];

/// The tree of one commit.
#[derive(Clone)]
pub(crate) struct Snapshot<'repo> {
    repo: &'repo Repository,
    commit: ObjectId,
    tree: ObjectId,
}

impl<'repo> Snapshot<'repo> {
    /// Opens the state at `commit`. Fails if that is not a store, or has a format that this program does not know.
    pub(crate) fn open(
        repo: &'repo Repository,
        reference: &str,
        commit: ObjectId,
    ) -> Result<Self, StoreError> {
        let tree = commit_size::read(repo, reference, commit)?
            .tree()
            .map_err(|error| not_ours(reference, format!("commit {commit} cannot be read: {error}")))?;
        let snapshot = Self { repo, commit, tree };
        let root = snapshot
            .file(ROOT_PATH)?
            .ok_or_else(|| not_ours(reference, format!("commit {commit} has no `{ROOT_PATH}`")))?;
        let value = strict::parse(&root)
            .map_err(|e| not_ours(reference, format!("`{ROOT_PATH}` of commit {commit}: {e}")))?;
        match value["format"].as_u64() {
            Some(found) if found > FORMAT => Err(StoreError::NewerFormat { found, known: FORMAT }),
            Some(FORMAT) => Ok(snapshot),
            _ => Err(not_ours(
                reference,
                format!("`{ROOT_PATH}` of commit {commit} has the format {}", value["format"]),
            )),
        }
    }

    /// The tree of a commit, whatever is in it; `None` if the object is not a commit, or cannot be read.
    pub(super) fn of_commit(repo: &'repo Repository, commit: ObjectId) -> Result<Option<Self>, StoreError> {
        let found = match commit_size::read(repo, "", commit) {
            Err(StoreError::NotAStore { .. }) => return Ok(None),
            found => found?,
        };
        Ok(found.tree().ok().map(|tree| Self { repo, commit, tree }))
    }

    /// The repository with its objects.
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

    /// What an issue is read from.
    pub(crate) fn place_of(&self, issue: &IssueId) -> Result<IssueSources, StoreError> {
        Ok([self.tree_at(&layout::issue_folder(issue))?, self.tree_at(layout::QUEUES)?])
    }

    fn tree_at(&self, path: &str) -> Result<Option<ObjectId>, StoreError> {
        Ok(self.entry(path)?.map(|(tree, _)| tree))
    }

    /// The object at `path`, with its kind; `None` if there is nothing.
    pub(crate) fn entry(&self, path: &str) -> Result<Option<(ObjectId, EntryKind)>, StoreError> {
        let mut here = (EntryKind::Tree, self.tree);
        let mut above = 0;
        for name in path.split('/') {
            let (EntryKind::Tree, folder) = here else { return Ok(None) };
            let failed = trees::at(path[..above].trim_end_matches('/'));
            let Some(found) = self.repo.look_up(folder, name.into()).map_err(failed)? else {
                return Ok(None);
            };
            here = found;
            above += name.len() + 1;
        }
        let (kind, id) = here;
        Ok(Some((id, kind)))
    }

    /// The target of the symbolic link at `path`, as written; `None` if there is no link.
    pub(super) fn link(&self, path: &str) -> Result<Option<String>, StoreError> {
        match self.entry(path)? {
            Some((id, EntryKind::Link)) => {
                Ok(Some(String::from_utf8_lossy(&read_blob(self.repo, id, path)?).into_owned()))
            }
            _ => Ok(None),
        }
    }
}

fn not_ours(reference: &str, why: String) -> StoreError {
    StoreError::NotAStore { reference: reference.to_owned(), why }
}

impl ReadState for Snapshot<'_> {
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
        let folder = self.repo.entries(Some(id)).map_err(trees::at(path))?;
        // A name that is not UTF-8 is not an id, so it is not a record.
        Ok(folder.names().filter_map(|name| name.to_str().ok().map(str::to_owned)).collect())
    }

    fn derived(&self, path: &str) -> Result<Option<(ObjectId, &Derived)>, StoreError> {
        Ok(self.tree_at(path)?.map(|tree| (tree, self.repo.derived())))
    }

    fn names_from(&self, path: &str, start: &str) -> Result<Vec<String>, StoreError> {
        let Some((id, EntryKind::Tree)) = self.entry(path)? else { return Ok(Vec::new()) };
        let folder = self.repo.entries(Some(id)).map_err(trees::at(path))?;
        Ok(folder.names_from(start.into()).filter_map(|name| name.to_str().ok().map(str::to_owned)).collect())
    }
}

/// The bytes of a blob at `path`, if it is within the size limit of a record there.
pub(crate) fn read_blob(repo: &Repository, id: ObjectId, path: &str) -> Result<Vec<u8>, StoreError> {
    // The object is too large to be a record, or is a tree although its entry says it is a file. Readers get empty
    // bytes, which are not a valid record.
    let found = bounded::find(repo, id, Kind::Blob, largest(path), "cannot read a record of the store")?;
    Ok(found.map(|object| object.detach().data).unwrap_or_default())
}
