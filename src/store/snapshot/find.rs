//! Looks up paths that come from outside, and tells what is in their way.

use crate::git::EntryKind;
use crate::store::snapshot::read_blob;
use crate::store::{Snapshot, StoreError, layout, merge};

/// What is at a path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AtPath {
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

impl Snapshot<'_> {
    /// Looks up `path`.
    pub(crate) fn find(&self, path: &str) -> Result<AtPath, StoreError> {
        let Some((id, kind)) = self.entry(path)? else {
            for (end, _) in path.match_indices('/') {
                match self.entry(&path[..end])? {
                    Some((_, EntryKind::Tree)) => {}
                    Some(_) => return Ok(AtPath::UnderFile),
                    None => break,
                }
            }
            return Ok(AtPath::Nothing);
        };
        if !matches!(kind, EntryKind::Blob | EntryKind::BlobExecutable) {
            return Ok(AtPath::Folder);
        }
        let header = self.repo().header(id).map_err(StoreError::object("cannot read a record"))?;
        if header.size > layout::largest(path) {
            return Ok(AtPath::TooLarge);
        }
        read_blob(self.repo(), id, path).map(AtPath::File)
    }

    /// The merge of two versions of the file at `path`.
    pub(crate) fn join(&self, path: &str, mine: &[u8], other: &[u8]) -> Result<Vec<u8>, StoreError> {
        merge::join(path, mine, other, self.repo().hash_kind())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::Repository;
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
        let state = Snapshot { repo: &repo, commit: root, tree: root };
        let deep = "x/".repeat(DEEPEST);
        for _ in 0..2 {
            for path in ["f", "a/b/c", "a/e", "a/b/d", "a/b/c"] {
                assert_eq!(state.find(path).unwrap(), AtPath::File(path.into()), "{path}");
            }
            for path in ["g", "a/g", "a/g/h", "a/b/e", deep.as_str()] {
                assert_eq!(state.find(path).unwrap(), AtPath::Nothing, "{path}");
            }
            assert_eq!(state.find("a/b").unwrap(), AtPath::Folder);
            assert_eq!(state.find("a/b/c/d").unwrap(), AtPath::UnderFile);
            assert_eq!(state.find("f/a/b").unwrap(), AtPath::UnderFile);
        }
    }
}
