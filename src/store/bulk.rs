//! Turns the writes of a transaction into a commit: through objects in memory if they are few, or straight into one
//! pack if there are many.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gix::ObjectId;
use gix::bstr::{BStr, BString};
use gix::objs::tree::{Entry, EntryKind};
use gix::objs::{Kind, Tree, WriteTo};

use super::error::StoreError;
use super::identity::Identity;
use super::lock::WriteLock;
use super::make;
use super::pack::PackWriter;
use super::pending::{Pending, Written};
use super::persist::Made;
use super::repo::Store;
use super::trees;

/// A commit that the ref can move to.
pub(super) struct Ready {
    pub(super) commit: ObjectId,
    objects: Objects,
}

/// Where its objects are.
enum Objects {
    InMemory(Box<gix::Repository>),
    /// The `.keep` file of the pack.
    InPack(PathBuf),
}

impl Store {
    /// The commit of what was written on top of the tree `before`; `None` if the tree does not change.
    pub(super) fn build(
        &self,
        before: ObjectId,
        pending: Pending<'_>,
        (parent, message, identity): (ObjectId, &str, &Identity),
    ) -> Result<Option<Ready>, StoreError> {
        let work = self.in_memory();
        match pending.into_written() {
            Written::Few(files) => {
                let tree = write_tree(&work, before, files)?;
                if tree == before {
                    return Ok(None);
                }
                let commit = self.make_commit(&work, tree, parent, message, identity)?;
                Ok(Some(Ready { commit, objects: Objects::InMemory(Box::new(work)) }))
            }
            Written::Many(mut pack, files) => {
                let tree = Trees { repo: &self.repo, pack: &mut pack }.write(Some(before), &files, 0)?;
                if tree == before {
                    return Ok(None);
                }
                if self.signs()?.is_some() {
                    // git signs it, and must find the tree.
                    let keep = pack.finish()?;
                    let commit = self.make_commit(&work, tree, parent, message, identity)?;
                    return Ok(Some(Ready { commit, objects: Objects::InPack(keep) }));
                }
                let commit = self.make_commit(&work, tree, parent, message, identity)?;
                Made::taken_from(&work).add_to(&mut pack)?;
                Ok(Some(Ready { commit, objects: Objects::InPack(pack.finish()?) }))
            }
        }
    }

    /// Moves the ref to it. False if the ref is no longer at `expected`.
    pub(super) fn publish_ready(
        &self,
        lock: &mut WriteLock,
        ready: Ready,
        expected: ObjectId,
        subject: &str,
    ) -> Result<bool, StoreError> {
        match ready.objects {
            Objects::InMemory(work) => self.publish(lock, *work, ready.commit, Some(expected), subject),
            Objects::InPack(keep) => {
                self.publish_made(lock, (&Made::none(), Some(keep)), ready.commit, Some(expected), subject)
            }
        }
    }
}

/// The tree `base` with `files` in it.
pub(super) fn write_tree(
    repo: &gix::Repository,
    base: ObjectId,
    files: BTreeMap<String, Vec<u8>>,
) -> Result<ObjectId, StoreError> {
    let failed = StoreError::object("cannot write a tree");
    let mut editor = repo.edit_tree(base).map_err(&failed)?.detach();
    for (path, bytes) in files {
        let blob = make::bytes(repo, Kind::Blob, &bytes)?;
        editor.upsert(path.split('/').map(BStr::new), EntryKind::Blob, blob).map_err(&failed)?;
    }
    editor.write(|tree| {
        trees::refuse_large("", usize::try_from(tree.size()).unwrap_or(usize::MAX))?;
        make::object(repo, tree)
    })
}

/// Writes trees into a pack.
struct Trees<'a> {
    repo: &'a gix::Repository,
    pack: &'a mut PackWriter,
}

impl Trees<'_> {
    /// The tree `base` with `files` in it: paths in byte order, of which the first `from` bytes lead here.
    fn write(
        &mut self,
        base: Option<ObjectId>,
        files: &[(String, ObjectId)],
        from: usize,
    ) -> Result<ObjectId, StoreError> {
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
        // Of two with one name the later of what is written stays, and either before what was there.
        entries.reverse();
        entries.extend(folder.into_iter().flat_map(|folder| folder.entries));
        entries.sort_by(|one, two| one.filename.cmp(&two.filename));
        entries.dedup_by(|later, first| later.filename == first.filename);
        let mut tree = Tree { entries };
        tree.entries.sort();
        let mut bytes = Vec::new();
        // Only a name that no tree can hold fails.
        tree.write_to(&mut bytes)
            .map_err(|error| StoreError::object("cannot write a tree")(gix::hash::io::from_std_io(error)))?;
        trees::refuse_large(place, bytes.len())?;
        self.pack.add(Kind::Tree, &bytes)
    }
}
