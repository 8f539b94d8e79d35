//! Writes a tree with some files changed: as objects in memory, or straight into a pack.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use bstr::{BStr, BString};
use gix::ObjectId;
use gix::objs::tree::{Entry, EntryKind};
use gix::objs::{Kind, Tree, WriteTo};

use super::error::GitError;
use super::pack::PackWriter;
use super::repository::Repository;
use super::{make, trees};

/// The tree `base` with these `files` written.
pub(crate) fn onto(
    repo: &Repository,
    base: ObjectId,
    files: BTreeMap<String, Vec<u8>>,
) -> Result<ObjectId, GitError> {
    let failed = GitError::object("cannot write a tree");
    let mut editor = repo.gix.edit_tree(base).map_err(&failed)?.detach();
    for (path, bytes) in files {
        let blob = make::bytes(repo, Kind::Blob, &bytes)?;
        editor.upsert(path.split('/').map(BStr::new), EntryKind::Blob, blob).map_err(&failed)?;
    }
    editor.write(|tree| {
        trees::refuse_large("", usize::try_from(tree.size()).unwrap_or(usize::MAX))?;
        make::object(repo, tree)
    })
}

impl Repository {
    /// Writes a blob with these bytes, as they are.
    pub(crate) fn write_bytes(&self, bytes: &[u8]) -> Result<ObjectId, GitError> {
        make::bytes(self, Kind::Blob, bytes)
    }

    /// The bytes of a blob.
    pub(crate) fn bytes_of(&self, blob: ObjectId) -> Result<Vec<u8>, GitError> {
        let found = self.object(blob).map_err(GitError::object("cannot read a file"))?;
        Ok(found.detach().data)
    }

    /// Writes a tree of blobs by their paths.
    pub(crate) fn write_tree_of(
        &self,
        files: &BTreeMap<PathBuf, (EntryKind, ObjectId)>,
    ) -> Result<ObjectId, GitError> {
        let failed = GitError::object("cannot write a tree");
        let mut editor = self.gix.edit_tree(self.empty_tree()).map_err(&failed)?.detach();
        for (path, (kind, blob)) in files {
            let parts = path.iter().map(|part| BStr::new(part.as_bytes()));
            editor.upsert(parts, *kind, *blob).map_err(&failed)?;
        }
        editor.write(|tree| make::object(self, tree))
    }
}

/// The same for files that are already in the pack, sorted by path; the trees are added to the pack.
pub(crate) fn into_pack(
    repo: &Repository,
    pack: &mut PackWriter,
    base: ObjectId,
    files: &[(String, ObjectId)],
) -> Result<ObjectId, GitError> {
    Trees { repo, pack }.write(Some(base), files, 0)
}

/// Writes trees into a pack.
struct Trees<'a> {
    repo: &'a Repository,
    pack: &'a mut PackWriter,
}

impl Trees<'_> {
    /// The tree `base` with these `files` written: their paths are sorted, and the first `from` bytes of each lead to
    /// this tree.
    fn write(
        &mut self,
        base: Option<ObjectId>,
        files: &[(String, ObjectId)],
        from: usize,
    ) -> Result<ObjectId, GitError> {
        let place = files.first().map_or("", |(path, _)| path[..from].trim_end_matches('/'));
        let folder =
            base.map(|id| trees::read(self.repo, id)).transpose().map_err(trees::at(place))?.flatten();
        let mut entries = Vec::new();
        let mut rest = files;
        while let Some((path, blob)) = rest.first() {
            let name = path[from..].split('/').next().unwrap_or_default();
            let end = from + name.len();
            let filename = BString::from(name);
            let here = rest.partition_point(|(path, _)| {
                path[from..].split('/').next().is_some_and(|other| other == name)
            });
            let (inside, after) = rest.split_at(here);
            rest = after;
            let entry = if path.len() == end {
                Entry { mode: EntryKind::Blob.into(), filename, oid: *blob }
            } else {
                let is_folder = |entry: &&Entry| entry.mode.kind() == EntryKind::Tree;
                let old = folder.as_ref().and_then(|folder| folder.get(name.into()));
                let old = old.filter(is_folder).map(|entry| entry.oid);
                let oid = self.write(old, inside, end + 1)?;
                Entry { mode: EntryKind::Tree.into(), filename, oid }
            };
            entries.push(entry);
        }
        // If two entries have one name, the later one written wins, and both win over the existing one.
        entries.reverse();
        entries.extend(folder.into_iter().flat_map(|folder| folder.entries));
        entries.sort_by(|one, two| one.filename.cmp(&two.filename));
        entries.dedup_by(|later, first| later.filename == first.filename);
        let mut tree = Tree { entries };
        tree.entries.sort();
        let mut bytes = Vec::new();
        // Fails only for a name that no tree can hold.
        tree.write_to(&mut bytes)
            .map_err(|error| GitError::object("cannot write a tree")(gix::hash::io::from_std_io(error)))?;
        trees::refuse_large(place, bytes.len())?;
        self.pack.add(Kind::Tree, &bytes)
    }
}
