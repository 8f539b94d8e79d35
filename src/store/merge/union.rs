//! The union of two trees, entry by entry.

mod one_side;

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

use bstr::BString;

use crate::git::trees::{self, DEEPEST};
use crate::git::{Entry, EntryKind, Kind, ObjectId, Repository, Tree, WriteTo, make};
use crate::model::doc::LARGEST_DOC;
use crate::store::layout::{self, ISSUES, form};
use crate::store::merge::join::{records, refuse_large};
use crate::store::snapshot::read_blob;
use crate::store::{Form, StoreError};

/// How much a merge accepts. If a head exceeds a limit, it is refused as a whole: leaving out a part would make the
/// result depend on which of two sides met a third one first.
#[derive(Debug, Clone, Copy)]
pub(super) struct MergeLimits {
    /// Files in a directory unknown to the format, on one side or on both together. A few small trees, each contained
    /// ten times in the next, unfold to billions of files. An empty directory counts as a file.
    pub(super) files: u64,
    /// Files in a directory of records that only one side has.
    pub(super) own_files: u64,
    /// Bytes of a tree.
    pub(super) tree: u64,
    /// Bytes of a merged record.
    pub(super) doc: u64,
}

pub(super) const BOUNDS: MergeLimits =
    MergeLimits { files: 200_000, own_files: 20_000_000, tree: trees::LARGEST_TREE, doc: LARGEST_DOC };

/// At most this many refused paths are listed.
const MOST_NAMED: usize = 1_000;

/// The result of merging two directories.
#[derive(Debug, Clone, Copy)]
pub(super) struct Together {
    tree: Option<ObjectId>,
    /// Whether anything in them was restored.
    is_restored: bool,
    /// Whether anything in them was refused.
    is_refused: bool,
}

/// One merge of two trees, with what it must report.
pub(in crate::store) struct TreeMerge<'a> {
    pub(super) repo: &'a Repository,
    /// What the second side lacks of the first, if that was asked for.
    pub(super) restored: Option<Vec<String>>,
    /// Paths that git itself refuses, and directories that are nested too deep.
    pub(super) refused: BTreeSet<String>,
    pub(super) bounds: MergeLimits,
    /// The results for directories that only one side has, by id and depth, with their number of files: a few trees
    /// can unfold to billions of paths.
    cleaned: HashMap<(ObjectId, usize), (Option<ObjectId>, u64)>,
    /// The results for pairs of directories unknown to the format, by their ids and depth.
    pub(super) joined: HashMap<(ObjectId, ObjectId, usize), Together>,
    /// The number of files in a tree, by id and depth.
    counted: HashMap<(ObjectId, usize), u64>,
}

impl<'a> TreeMerge<'a> {
    pub(in crate::store) fn new(repo: &'a Repository) -> Self {
        Self {
            repo,
            restored: None,
            refused: BTreeSet::new(),
            bounds: BOUNDS,
            cleaned: HashMap::new(),
            joined: HashMap::new(),
            counted: HashMap::new(),
        }
    }

    /// The union of two states.
    pub(in crate::store) fn root(
        &mut self,
        ours: ObjectId,
        theirs: ObjectId,
    ) -> Result<ObjectId, StoreError> {
        let empty = self.repo.empty_tree();
        Ok(self.trees(ours, theirs, "", 0)?.unwrap_or(empty))
    }

    /// The union of two trees, merging the files that both have; `None` if nothing is left. A tree that is equal on
    /// both sides is taken as it is. From any other tree, entries that a store cannot hold are left out, on either
    /// side, so the order and grouping of merges do not matter for them either.
    fn trees(
        &mut self,
        ours: ObjectId,
        theirs: ObjectId,
        path: &str,
        depth: usize,
    ) -> Result<Option<ObjectId>, StoreError> {
        if ours == theirs {
            return Ok(Some(ours));
        }
        let mut mine = self.read(ours, path)?.0.into_iter().peekable();
        let mut other = self.read(theirs, path)?.0.into_iter().peekable();
        let mut entries = Vec::with_capacity(mine.len().max(other.len()));
        loop {
            let order = match (mine.peek(), other.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(one), Some(two)) => one.filename.cmp(&two.filename),
            };
            let one = if order.is_le() { mine.next() } else { None };
            let two = if order.is_ge() { other.next() } else { None };
            entries.extend(self.one_or_both(one, two, path, depth)?);
        }
        self.write(entries, &[ours, theirs], path)
    }

    /// Merges the entries that two sides have under one name.
    fn one_or_both(
        &mut self,
        mine: Option<Entry>,
        other: Option<Entry>,
        path: &str,
        depth: usize,
    ) -> Result<Option<Entry>, StoreError> {
        match (mine, other) {
            (Some(mine), Some(other)) if mine == other => self.equal(mine, path),
            (Some(mine), Some(other)) => {
                let inner = inside(path, &mine.filename);
                let merged = self.pair(&mine, &other, &inner, depth)?;
                if let Some(merged) = &merged
                    && *merged != other
                    && !(is_folder(merged) && is_folder(&other))
                {
                    self.put_back(merged, &inner)?;
                }
                Ok(merged)
            }
            (Some(mine), None) => {
                let inner = inside(path, &mine.filename);
                let cleaned = self.clean(&mine, &inner, depth)?.0;
                if let Some(cleaned) = &cleaned {
                    self.put_back(cleaned, &inner)?;
                }
                Ok(cleaned)
            }
            (None, Some(other)) => Ok(self.clean(&other, &inside(path, &other.filename), depth)?.0),
            (None, None) => Ok(None),
        }
    }

    /// An entry that both sides have is kept without being opened, unless its object is of another kind than its mode
    /// says. An object that a partial clone lacks is not fetched for this.
    fn equal(&mut self, entry: Entry, path: &str) -> Result<Option<Entry>, StoreError> {
        let expected = match entry.mode.kind() {
            EntryKind::Commit => return Ok(Some(entry)),
            EntryKind::Tree => Kind::Tree,
            _ => Kind::Blob,
        };
        let header = self.repo.try_header(entry.oid).map_err(StoreError::object("cannot read a record"))?;
        if header.is_some_and(|header| header.kind != expected) {
            self.refuse(&inside(path, &entry.filename));
            return Ok(None);
        }
        Ok(Some(entry))
    }

    /// Merges two directories of one name. In a directory unknown to the format, the result does not depend on its
    /// path, so it is computed once for each pair of trees. There can be as many pairs as the product of both sides'
    /// trees, so each side is counted first: the union never has fewer files than either side.
    fn folders(
        &mut self,
        mine: ObjectId,
        other: ObjectId,
        path: &str,
        depth: usize,
    ) -> Result<Option<ObjectId>, StoreError> {
        if layout::is_folder(path) {
            return self.trees(mine, other, path, depth);
        }
        let is_outermost = path.rsplit_once('/').is_none_or(|(above, _)| layout::is_folder(above));
        if is_outermost {
            for side in [mine, other] {
                let files = self.count(side, depth)?;
                self.refuse_full(path, files)?;
            }
        }
        let key = (mine, other, depth);
        if let Some(known) = self.joined.get(&key).copied() {
            // When the same pair was merged first, each refused file was listed.
            if known.is_refused {
                self.refuse(path);
            }
            if let Some(restored) = self.restored.as_mut()
                && known.is_restored
            {
                restored.push(path.to_owned());
            }
            return Ok(known.tree);
        }
        let before = self.note_counts();
        let tree = self.trees(mine, other, path, depth)?;
        let after = self.note_counts();
        let (is_restored, is_refused) = (before.0 != after.0, before.1 != after.1);
        self.joined.insert(key, Together { tree, is_restored, is_refused });
        if let Some(tree) = tree
            && is_outermost
        {
            let files = self.count(tree, depth)?;
            self.refuse_full(path, files)?;
        }
        Ok(tree)
    }

    fn note_counts(&self) -> (usize, usize) {
        (self.restored.as_ref().map_or(0, Vec::len), self.refused.len())
    }

    /// Writes a tree with these entries, unless it is one of `sides`; `None` if there are no entries, since an empty
    /// directory is not kept.
    fn write(
        &self,
        entries: Vec<Entry>,
        sides: &[ObjectId],
        path: &str,
    ) -> Result<Option<ObjectId>, StoreError> {
        if entries.is_empty() {
            return Ok(None);
        }
        let mut tree = Tree { entries };
        tree.entries.sort();
        trees::refuse_larger(path, tree.size(), self.bounds.tree)?;
        Ok(Some(make::unless_held(self.repo, &tree, sides)?))
    }

    fn refuse(&mut self, path: &str) {
        if self.refused.len() < MOST_NAMED {
            self.refused.insert(if path.is_empty() { "/" } else { path }.to_owned());
        }
    }

    /// Notes what the other side lacks. A directory above the records is listed by its contents.
    fn put_back(&mut self, entry: &Entry, path: &str) -> Result<(), StoreError> {
        let Some(restored) = &mut self.restored else { return Ok(()) };
        let is_above = match path.split_once('/') {
            None => true,
            Some((first, rest)) => first == ISSUES && !rest.contains('/'),
        };
        if !is_above || entry.mode.kind() != EntryKind::Tree {
            restored.push(path.to_owned());
            return Ok(());
        }
        for inner in self.read(entry.oid, path)?.0 {
            self.put_back(&inner, &inside(path, &inner.filename))?;
        }
        Ok(())
    }

    /// The entries of a tree that git can hold, sorted by the bytes of their names, and the number of entries left
    /// out, which are refused.
    fn read(&mut self, id: ObjectId, path: &str) -> Result<(Vec<Entry>, u64), StoreError> {
        let Some(mut folder) = trees::read(self.repo, id).map_err(trees::at(path))? else {
            self.refuse(path);
            return Ok((Vec::new(), 0));
        };
        if !folder.is_canonical {
            self.refuse(path);
        }
        let before = folder.entries.len();
        folder.entries.retain(|entry| {
            let refusal = trees::refusal(entry);
            if refusal.is_some() {
                self.refuse(&inside(path, &entry.filename));
            }
            refusal.is_none()
        });
        let left_out = (before - folder.entries.len()) as u64;
        Ok((folder.entries, left_out))
    }

    fn pair(
        &mut self,
        mine: &Entry,
        other: &Entry,
        path: &str,
        depth: usize,
    ) -> Result<Option<Entry>, StoreError> {
        use EntryKind::{Blob, BlobExecutable};
        let kinds = (mine.mode.kind(), other.mode.kind());
        match kinds {
            (EntryKind::Tree, EntryKind::Tree) if depth >= DEEPEST => {
                self.refuse(path);
                Ok(None)
            }
            (EntryKind::Tree, EntryKind::Tree) => {
                let tree = self.folders(mine.oid, other.oid, path, depth + 1)?;
                Ok(tree.map(|oid| Entry { oid, ..mine.clone() }))
            }
            _ => {
                let (one, two) = (self.clean(mine, path, depth)?.0, self.clean(other, path, depth)?.0);
                let (Some(one), Some(two)) = (&one, &two) else { return Ok(one.or(two)) };
                let oid = match kinds {
                    (Blob | BlobExecutable, Blob | BlobExecutable) => self.files(one.oid, two.oid, path)?,
                    _ => {
                        let is_record = !matches!(form(path).0, Form::Unknown);
                        return Ok(Some(if rank_of_entry(is_record, one) < rank_of_entry(is_record, two) {
                            two.clone()
                        } else {
                            one.clone()
                        }));
                    }
                };
                // The file has two modes: use the plain one, since a record is never executable.
                let mode = if kinds.0 == kinds.1 { kinds.0 } else { Blob };
                Ok(Some(Entry { mode: mode.into(), filename: mine.filename.clone(), oid }))
            }
        }
    }

    pub(super) fn files(
        &mut self,
        mine: ObjectId,
        other: ObjectId,
        path: &str,
    ) -> Result<ObjectId, StoreError> {
        if mine == other {
            return Ok(mine);
        }
        let (kind, id) = form(path);
        if let Form::Unknown = kind {
            return Ok(mine.max(other));
        }
        let (a, b) = (read_blob(self.repo, mine, path)?, read_blob(self.repo, other, path)?);
        let bytes = records(kind, id.as_deref(), &a, &b);
        refuse_large(path, &bytes, [&a, &b], self.bounds.doc)?;
        if a == b {
            // Both are too large to be read.
            return Ok(mine.max(other));
        }
        if bytes == a {
            return Ok(mine);
        }
        if bytes == b {
            return Ok(other);
        }
        Ok(make::bytes(self.repo, Kind::Blob, &bytes)?)
    }
}

fn rank_of_entry(is_record: bool, entry: &Entry) -> (u8, ObjectId) {
    (rank(entry.mode.kind(), is_record), entry.oid)
}

fn is_folder(entry: &Entry) -> bool {
    entry.mode.kind() == EntryKind::Tree
}

/// Ranks two entries under one name that cannot be merged; the greater rank wins. The kind that belongs there wins,
/// so neither a record nor a directory of records is lost to anything else.
fn rank(kind: EntryKind, is_record: bool) -> u8 {
    match kind {
        EntryKind::Commit => 0,
        EntryKind::Link => 1,
        EntryKind::Tree => 3 - u8::from(is_record),
        EntryKind::Blob | EntryKind::BlobExecutable => 2 + u8::from(is_record),
    }
}

fn inside(path: &str, name: &BString) -> String {
    if path.is_empty() { name.to_string() } else { format!("{path}/{name}") }
}
