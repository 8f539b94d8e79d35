//! Looks up many paths of one state. If the paths come in the order of the tree, each directory is read only once.

use super::{Snapshot, read_blob};
use crate::git::trees::{self, Folder};
use crate::git::{EntryKind, ObjectId, Repository};
use crate::store::error::StoreError;
use crate::store::layout;
use crate::store::merge;

/// Keeps the directories on the way to the last path.
pub(crate) struct Cursor<'repo> {
    repo: &'repo Repository,
    root: ObjectId,
    open: Vec<(String, Folder)>,
}

/// What is at a path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing.
    Nothing,
    /// A file with these bytes.
    File(Vec<u8>),
    /// A file that is larger than any record.
    TooLarge,
    /// A directory, or something that is not a file.
    Folder,
    /// Nothing, because a file is where a directory of the path should be.
    UnderFile,
}

impl<'repo> Snapshot<'repo> {
    /// A cursor for this state.
    pub(crate) fn cursor(&self) -> Cursor<'repo> {
        Cursor { repo: self.repo(), root: self.tree(), open: Vec::new() }
    }
}

impl Cursor<'_> {
    /// Looks up `path`.
    pub(crate) fn find(&mut self, path: &str) -> Result<Found, StoreError> {
        let mut names: Vec<&str> = path.split('/').collect();
        let last = names.pop().unwrap_or_default();
        // The root has no name.
        names.insert(0, "");
        let shared = self.open.iter().zip(&names).take_while(|((open, _), name)| open == *name).count();
        self.open.truncate(shared);
        for name in &names[shared..] {
            let id = match self.entry(name) {
                None if self.open.is_empty() => self.root,
                None => return Ok(Found::Nothing),
                Some((EntryKind::Tree, id)) => id,
                Some(_) => return Ok(Found::UnderFile),
            };
            let Some(folder) = trees::read(self.repo, id)? else { return Ok(Found::UnderFile) };
            self.open.push(((*name).to_owned(), folder));
        }
        match self.entry(last) {
            None => Ok(Found::Nothing),
            Some((EntryKind::Blob | EntryKind::BlobExecutable, id)) => {
                let header = self.repo.header(id).map_err(StoreError::object("cannot read a record"))?;
                if header.size > layout::largest(path) {
                    return Ok(Found::TooLarge);
                }
                read_blob(self.repo, id, path).map(Found::File)
            }
            Some(_) => Ok(Found::Folder),
        }
    }

    /// The merge of two versions of the file at `path`.
    pub(crate) fn join(&self, path: &str, mine: &[u8], other: &[u8]) -> Result<Vec<u8>, StoreError> {
        merge::join(path, mine, other, self.repo.hash_kind())
    }

    /// The entry called `name` in the innermost open directory.
    fn entry(&self, name: &str) -> Option<(EntryKind, ObjectId)> {
        let (_, folder) = self.open.last()?;
        let entry = folder.get(name.into())?;
        Some((entry.mode.kind(), entry.oid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::trees::DEEPEST;

    #[test]
    fn it_finds_what_is_there_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repository::init_bare(folder.path());
        let mut editor = repo.raw().empty_tree().edit().unwrap();
        for path in ["a/b/c", "a/b/d", "a/e", "f"] {
            let blob = repo.raw().write_blob(path).unwrap().detach();
            editor.upsert(path, EntryKind::Blob, blob).unwrap();
        }
        let root = editor.write().unwrap().detach();
        let mut cursor = Cursor { repo: &repo, root, open: Vec::new() };
        let deep = "x/".repeat(DEEPEST);
        for _ in 0..2 {
            for path in ["f", "a/b/c", "a/e", "a/b/d", "a/b/c"] {
                assert_eq!(cursor.find(path).unwrap(), Found::File(path.into()), "{path}");
            }
            for path in ["g", "a/g", "a/g/h", "a/b/e", deep.as_str()] {
                assert_eq!(cursor.find(path).unwrap(), Found::Nothing, "{path}");
            }
            assert_eq!(cursor.find("a/b").unwrap(), Found::Folder);
            assert_eq!(cursor.find("a/b/c/d").unwrap(), Found::UnderFile);
            assert_eq!(cursor.find("f/a/b").unwrap(), Found::UnderFile);
        }
    }
}
