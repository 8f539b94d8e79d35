//! Writes a tree with some files changed: as objects in memory, or straight into a pack.

use std::collections::BTreeMap;

use bstr::{BStr, BString};
use gix::ObjectId;
use gix::objs::tree::{Entry, EntryKind};
use gix::objs::{Kind, Tree, WriteTo};

use super::pack::Objects;
use super::{GitError, PackWriter, Repository, make, trees};

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
    /// The bytes of a blob.
    pub(crate) fn bytes_of(&self, blob: ObjectId) -> Result<Vec<u8>, GitError> {
        let found = self.object(blob).map_err(GitError::object("cannot read a file"))?;
        Ok(found.detach().data)
    }
}

/// The tree `base` with `files`, blobs that are already in the pack, sorted by path. Adds the trees to the pack.
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
        let old = |name: &str| {
            folder
                .as_ref()
                .and_then(|folder| folder.get(name.into()))
                .filter(|entry| entry.mode.kind() == EntryKind::Tree)
        };
        let (known, new): (Vec<_>, Vec<_>) = parts(files, from).partition(|part| old(part.name).is_some());
        let mut entries = Vec::new();
        for part in known {
            if let (Some(entry), Content::Folder(inside, end)) = (old(part.name), &part.content) {
                let oid = self.write(Some(entry.oid), inside, *end)?;
                entries.push(part.entry(oid, EntryKind::Tree));
            } else if let Content::File(blob) = part.content {
                entries.push(part.entry(blob, EntryKind::Blob));
            }
        }
        // These directories are new, so all cores can make them. A large one is split further, so that there is enough
        // to share even if everything is in one directory.
        let mut folders = Vec::new();
        for part in new {
            match part.content {
                Content::File(blob) => entries.push(part.entry(blob, EntryKind::Blob)),
                Content::Folder(inside, end) if inside.len() > MANY => {
                    let oid = self.write(None, inside, end)?;
                    entries.push(part.entry(oid, EntryKind::Tree));
                }
                Content::Folder(inside, end) => folders.push((part.name, inside, end)),
            }
        }
        let names: Vec<&str> = folders.iter().map(|(name, ..)| *name).collect();
        let made = self.pack.add_made(folders, |(_, inside, end), objects| new_tree(inside, end, objects))?;
        entries.extend(names.into_iter().zip(made).map(|(name, oid)| entry(name, oid, EntryKind::Tree)));
        let bytes = tree_bytes(entries, folder.map(|folder| folder.entries), place)?;
        self.pack.add(Kind::Tree, &bytes)
    }
}

/// A new directory with more files than this is made in parts.
const MANY: usize = 4096;

/// An entry of a directory, with the files that it stands for.
struct TreePart<'a> {
    name: &'a str,
    content: Content<'a>,
}

enum Content<'a> {
    File(ObjectId),
    /// The files below it, and the offset in their paths at which their names in it begin.
    Folder(&'a [(String, ObjectId)], usize),
}

impl TreePart<'_> {
    fn entry(&self, oid: ObjectId, kind: EntryKind) -> Entry {
        entry(self.name, oid, kind)
    }
}

fn entry(name: &str, oid: ObjectId, kind: EntryKind) -> Entry {
    Entry { mode: kind.into(), filename: BString::from(name), oid }
}

/// The entries of a directory; the first `from` bytes of each path lead to it.
fn parts(files: &[(String, ObjectId)], from: usize) -> impl Iterator<Item = TreePart<'_>> {
    let mut rest = files;
    std::iter::from_fn(move || {
        let (path, blob) = rest.first()?;
        let name = path[from..].split('/').next().unwrap_or_default();
        let end = from + name.len();
        let here = rest
            .partition_point(|(path, _)| path[from..].split('/').next().is_some_and(|other| other == name));
        let (inside, after) = rest.split_at(here);
        rest = after;
        let content = if path.len() == end { Content::File(*blob) } else { Content::Folder(inside, end + 1) };
        Some(TreePart { name, content })
    })
}

/// Makes a directory of which nothing exists yet.
fn new_tree(files: &[(String, ObjectId)], from: usize, objects: &mut Objects) -> Result<ObjectId, GitError> {
    let place = files.first().map_or("", |(path, _)| path[..from].trim_end_matches('/'));
    let mut entries = Vec::new();
    for part in parts(files, from) {
        entries.push(match part.content {
            Content::File(blob) => part.entry(blob, EntryKind::Blob),
            Content::Folder(inside, end) => {
                let oid = new_tree(inside, end, objects)?;
                part.entry(oid, EntryKind::Tree)
            }
        });
    }
    objects.add(Kind::Tree, &tree_bytes(entries, None, place)?)
}

/// A tree with these entries. Of two entries with one name, the later one wins; both win over entries in `before`.
fn tree_bytes(mut entries: Vec<Entry>, before: Option<Vec<Entry>>, place: &str) -> Result<Vec<u8>, GitError> {
    entries.reverse();
    entries.extend(before.into_iter().flatten());
    entries.sort_by(|one, two| one.filename.cmp(&two.filename));
    entries.dedup_by(|later, first| later.filename == first.filename);
    let mut tree = Tree { entries };
    tree.entries.sort();
    let mut bytes = Vec::new();
    // Fails only for a name that a tree cannot contain.
    tree.write_to(&mut bytes)
        .map_err(|error| GitError::object("cannot write a tree")(gix::hash::io::from_std_io(error)))?;
    trees::refuse_large(place, bytes.len())?;
    Ok(bytes)
}
