//! Reads untrusted trees: which entries a store can hold, and which git itself would refuse.

mod refusal;

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use bstr::{BStr, BString, ByteSlice};
use gix::ObjectId;
use gix::objs::Kind;
use gix::objs::tree::{Entry, EntryKind, EntryMode};

use self::refusal::fault_of;
pub(crate) use self::refusal::{name_refusal, refusal, unread};
use super::{GitError, HashKind, Repository, bounded};

/// Deeper than any record; everything below is ignored.
pub(crate) const DEEPEST: usize = 64;
/// A larger tree object is neither read nor written: in memory it takes several times as much.
pub(crate) const LARGEST_TREE: u64 = 32 * 1024 * 1024;
/// `git fsck` reports longer names.
const LONGEST_NAME: usize = 4096;
const DOING: &str = "cannot read a tree of the store";

/// The entries of one tree. If two have the same name, only the first, which is the one that git looks up.
pub(crate) struct TreeEntries {
    /// Sorted by the bytes of their names.
    pub(crate) entries: Vec<Entry>,
    /// Whether git would have written exactly these bytes for these entries.
    pub(crate) is_canonical: bool,
}

impl TreeEntries {
    /// The entry with this name.
    pub(crate) fn get(&self, name: &BStr) -> Option<&Entry> {
        let at = self.entries.binary_search_by(|entry| entry.filename.as_bstr().cmp(name));
        at.ok().map(|at| &self.entries[at])
    }

    /// The entries in git's order, in which a directory sorts as if its name ended in a slash.
    pub(crate) fn in_order(&self) -> Vec<&Entry> {
        let mut entries: Vec<&Entry> = self.entries.iter().collect();
        entries.sort();
        entries
    }
}

/// Reads a tree. `None` if the object is not a tree, or not a readable one: git cannot read its entries either. A
/// missing object is an error, since another clone may have it; so is one that is too large, since it is not empty.
pub(crate) fn read(repo: &Repository, id: ObjectId) -> Result<Option<TreeEntries>, GitError> {
    if id.is_null() {
        return Ok(None);
    }
    let read = repo.entries(Some(id))?;
    Ok(read.is_readable.then(|| read.folder()))
}

/// Every entry of a tree, in the order and with the modes that it has, even if names repeat and however large it is.
/// `None` if the object is not a readable tree.
pub(crate) fn read_raw(repo: &Repository, id: ObjectId) -> Result<Option<Vec<Entry>>, GitError> {
    let object = repo.object(id).map_err(GitError::object(DOING))?;
    if object.kind != Kind::Tree {
        return Ok(None);
    }
    Ok(decoded(&object.data, repo.hash_kind(), |name, mode, oid| Entry {
        mode,
        filename: object.data[name].into(),
        oid,
    }))
}

/// What `each` makes of the name, mode and object of every entry; `None` if the tree cannot be read to its end.
fn decoded<T>(
    tree: &[u8],
    hash: HashKind,
    mut each: impl FnMut(Range<usize>, EntryMode, ObjectId) -> T,
) -> Option<Vec<T>> {
    let mut all = Vec::with_capacity(tree.len() / 48);
    let mut rest = gix::objs::TreeRefIter::from_bytes(tree, hash);
    while let Some(entry) = rest.next() {
        let entry = entry.ok()?;
        // The format is: mode, space, name, NUL, id.
        let end = rest.offset_to_next_entry(tree) - entry.oid.as_bytes().len() - 1;
        all.push(each(end - entry.filename.len()..end, entry.mode, entry.oid.to_owned()));
    }
    Some(all)
}

/// The tree object; `None` if it is not a tree.
fn object(repo: &Repository, id: ObjectId) -> Result<Option<gix::Object<'_>>, GitError> {
    let found = bounded::find(repo, id, Kind::Tree, LARGEST_TREE, DOING)?;
    if found.is_none() {
        let header = repo.header(id).map_err(GitError::object(DOING))?;
        if header.kind == Kind::Tree {
            return Err(GitError::CrowdedFolder { path: id.to_string(), size: header.size });
        }
    }
    Ok(found)
}

/// Refuses a tree that nobody could read again.
pub(crate) fn refuse_large(path: &str, size: usize) -> Result<(), GitError> {
    refuse_larger(path, size as u64, LARGEST_TREE)
}

/// Refuses a tree of more than `most` bytes.
pub(crate) fn refuse_larger(path: &str, size: u64, most: u64) -> Result<(), GitError> {
    if size > most {
        return Err(GitError::CrowdedFolder { path: shown(path).to_owned(), size });
    }
    Ok(())
}

/// Adds the path of the tree to the error, if it is known.
pub(crate) fn at(path: &str) -> impl Fn(GitError) -> GitError {
    move |error| match error {
        GitError::CrowdedFolder { size, .. } => {
            GitError::CrowdedFolder { path: shown(path).to_owned(), size }
        }
        error => error,
    }
}

fn shown(path: &str) -> &str {
    if path.is_empty() { "/" } else { path }
}

/// A tree entry: its kind and id.
pub(crate) type EntryId = (EntryKind, ObjectId);

/// The object of an entry that is a file; links and submodules are never read.
pub(crate) fn file((kind, id): EntryId) -> Option<ObjectId> {
    matches!(kind, EntryKind::Blob | EntryKind::BlobExecutable).then_some(id)
}

/// A name, and its entry on each of two sides.
pub(crate) type DifferingEntry = (BString, Option<EntryId>, Option<EntryId>);

/// The entries of a tree by name; whether git would have written them so is not checked. The names stay in the bytes
/// of the tree, since there are hundreds of them and most are only skipped.
#[derive(Default)]
pub(crate) struct Entries {
    tree: Vec<u8>,
    /// The byte range of each name, sorted by name, with its entry.
    all: Vec<(Range<usize>, EntryId)>,
    /// Whether it is a tree that can be read to its end.
    is_readable: bool,
    /// What the ids in `tree` are; `None` if it was not a tree.
    hash: Option<HashKind>,
}

impl Entries {
    /// Why hosts that check what they receive (`receive.fsckObjects`) refuse this tree, whatever is inside its entries.
    /// This takes longer than to read it.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        match decoded(&self.tree, self.hash?, |name, mode, oid| (name, (mode.kind(), oid))) {
            Some(in_order) => fault_of(&self.tree, &in_order),
            None => Some("an entry that cannot be read"),
        }
    }

    /// The entries without their names.
    pub(crate) fn ids(&self) -> impl Iterator<Item = EntryId> {
        self.all.iter().map(|(_, entry)| *entry)
    }

    fn bytes(&self) -> usize {
        self.tree.len() + std::mem::size_of_val(&self.all[..])
    }

    /// The entries of a tree with their names, to be changed and written.
    fn folder(&self) -> TreeEntries {
        let entry = |(name, (kind, oid)): &(Range<usize>, EntryId)| Entry {
            mode: (*kind).into(),
            filename: self.tree[name.clone()].into(),
            oid: *oid,
        };
        let mut folder = TreeEntries { entries: self.all.iter().map(entry).collect(), is_canonical: false };
        let mut bytes = Vec::with_capacity(self.tree.len());
        for entry in folder.in_order() {
            bytes.extend_from_slice(entry.mode.as_bytes(&mut Default::default()));
            bytes.push(b' ');
            bytes.extend_from_slice(&entry.filename);
            bytes.push(0);
            bytes.extend_from_slice(entry.oid.as_bytes());
        }
        folder.is_canonical = bytes == self.tree;
        folder
    }

    fn name(&self, at: usize) -> Option<&BStr> {
        self.all.get(at).map(|(name, _)| self.tree[name.clone()].as_bstr())
    }

    /// The entry called `name`.
    pub(crate) fn get(&self, name: &BStr) -> Option<EntryId> {
        let at = self.all.binary_search_by(|(known, _)| self.tree[known.clone()].as_bstr().cmp(name));
        at.ok().map(|at| self.all[at].1)
    }

    /// The names that begin with `start`, sorted by bytes.
    pub(crate) fn names_from<'a>(&'a self, start: &'a BStr) -> impl Iterator<Item = &'a BStr> {
        let first = self.all.partition_point(|(name, _)| self.tree[name.clone()].as_bstr() < start);
        let names = self.all[first..].iter().map(|(name, _)| self.tree[name.clone()].as_bstr());
        names.take_while(move |name| name.starts_with(start))
    }

    /// All names, sorted by bytes.
    pub(crate) fn names(&self) -> impl Iterator<Item = &BStr> {
        self.all.iter().map(|(name, _)| self.tree[name.clone()].as_bstr())
    }
}

/// Reads the entries of a tree; `None` if it is not a tree that can be read to its end.
fn read_entries(repo: &Repository, tree: ObjectId) -> Result<Entries, GitError> {
    if tree.is_null() {
        return Ok(Entries::default());
    }
    if tree == repo.empty_tree() {
        return Ok(Entries { is_readable: true, ..Entries::default() });
    }
    let Some(object) = object(repo, tree)? else { return Ok(Entries::default()) };
    let (tree, hash) = (object.detach().data, repo.hash_kind());
    let Some(mut all) = decoded(&tree, hash, |name, mode, oid| (name, (mode.kind(), oid))) else {
        return Ok(Entries { tree, hash: Some(hash), ..Entries::default() });
    };
    // The sort is stable, so the first of two entries with one name is kept: git looks that one up.
    all.sort_by(|(one, _), (two, _)| tree[one.clone()].cmp(&tree[two.clone()]));
    all.dedup_by(|(later, _), (first, _)| tree[later.clone()] == tree[first.clone()]);
    Ok(Entries { tree, all, is_readable: true, hash: Some(hash) })
}

/// The trees that were read last, by id. Commands look up many paths in few trees, and in a history each state differs
/// in few trees from the previous one.
#[derive(Default)]
pub(super) struct Recent {
    known: HashMap<ObjectId, Rc<Entries>>,
    bytes: usize,
}

/// At most this many bytes of trees are remembered.
const MOST_RECENT: usize = 16 << 20;

impl Repository {
    /// The entries of a tree; `None` if there is no tree, or none that can be read.
    pub(crate) fn entries(&self, tree: Option<ObjectId>) -> Result<Rc<Entries>, GitError> {
        let Some(tree) = tree else { return Ok(Rc::default()) };
        let mut recent = self.recent.borrow_mut();
        if let Some(known) = recent.known.get(&tree) {
            return Ok(Rc::clone(known));
        }
        let entries = Rc::new(read_entries(self, tree)?);
        recent.bytes += entries.bytes();
        if recent.bytes > MOST_RECENT {
            recent.known.clear();
            recent.bytes = entries.bytes();
        }
        recent.known.insert(tree, Rc::clone(&entries));
        Ok(entries)
    }

    /// The entry called `name` in a tree; `None` if that is not a readable tree.
    pub(crate) fn look_up(&self, tree: ObjectId, name: &BStr) -> Result<Option<EntryId>, GitError> {
        Ok(self.entries(Some(tree))?.get(name))
    }

    /// The names in which two trees differ, sorted by bytes, with both entries. Equal trees are not opened.
    pub(crate) fn differing(
        &self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
    ) -> Result<Vec<DifferingEntry>, GitError> {
        if old == new {
            return Ok(Vec::new());
        }
        Ok(difference(&*self.entries(old)?, &*self.entries(new)?))
    }
}

fn difference(old: &Entries, new: &Entries) -> Vec<DifferingEntry> {
    let (mut one, mut two) = (0, 0);
    let mut found = Vec::new();
    loop {
        let (before, after) = (old.name(one), new.name(two));
        let order = match (before, after) {
            (None, None) => return found,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(before), Some(after)) => before.cmp(after),
        };
        let was = order.is_le().then(|| old.all[one].1);
        let is = order.is_ge().then(|| new.all[two].1);
        if was != is
            && let Some(name) = if order.is_le() { before } else { after }
        {
            found.push((name.to_owned(), was, is));
        }
        one += usize::from(order.is_le());
        two += usize::from(order.is_ge());
    }
}

/// Why no file of a store can have this path; `None` if one can.
pub(crate) fn path_refusal(path: &str) -> Option<&'static str> {
    if path.split('/').count() > DEEPEST {
        return Some("it is nested deeper than any record");
    }
    path.split('/').find_map(|name| name_refusal(name.into()))
}

#[cfg(test)]
mod tests;
