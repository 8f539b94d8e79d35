//! The merge of two trees. It looks at two states and never at a clock, so that clones end in the same state in
//! whatever order they meet. A subtree that is equal on both sides is never opened.

use std::collections::{BTreeMap, BTreeSet};

use gix::ObjectId;
use gix::bstr::BString;
use gix::objs::Tree;
use gix::objs::tree::{Entry, EntryKind};

use super::error::StoreError;
use super::layout::{Form, ISSUES, bears, form};
use super::repo::Store;
use super::root;
use super::snapshot::{Snapshot, read_blob};
use crate::model::doc::Doc;
use crate::model::schema::Schema;

/// Deeper than any record lies; a deeper tree is taken as it is and not walked.
const DEEPEST: usize = 64;

/// What a merge came to.
#[derive(Debug)]
pub(crate) struct Merged {
    /// Where the ref goes.
    pub(crate) commit: ObjectId,
    /// Whether that is the other head as it is.
    pub(crate) is_fast_forward: bool,
    /// What the other head had dropped or broken of what it stands on, and which was put back: paths of files and of
    /// the folders of whole records.
    pub(crate) restored: Vec<String>,
}

/// What becomes of two heads that hold the same state but do not descend from each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EqualTrees {
    /// They stay apart: peers that only pull would make merge commits for ever.
    Leave,
    /// They get a merge commit: a push needs a head that descends from the remote's.
    Join,
}

/// Merges `theirs`, which messages call `name`, into `ours`. `None` where ours holds all of it already.
///
/// A head that descends from ours is merged as any other: the result is that head where the trees are equal, and a
/// restoring commit on top of it where it dropped something.
pub(super) fn heads(
    store: &Store,
    work: &gix::Repository,
    ours: Option<ObjectId>,
    (theirs, name): (ObjectId, &str),
    equal: EqualTrees,
) -> Result<Option<Merged>, StoreError> {
    if ours == Some(theirs) {
        return Ok(None);
    }
    let fast_forward = Merged { commit: theirs, is_fast_forward: true, restored: vec![] };
    let (ours, their_tree) = match (ours, Snapshot::open(work, name, theirs)) {
        (None, Ok(_)) => return Ok(Some(fast_forward)),
        (Some(ours), Ok(state)) => (ours, state.tree()),
        (ours, Err(error)) => match emptied(work, theirs, &error)? {
            // Somebody took the store away from under its own history: as any other dropped record, it is put back.
            Some((root, tree)) => (ours.unwrap_or(root), tree),
            None => return Err(error),
        },
    };
    let bases = bases(work, ours, theirs)?;
    if bases.contains(&theirs) {
        return Ok(None);
    }
    let our_tree = store.snapshot_at(ours)?.tree();
    let descends = bases.contains(&ours);
    if !descends && our_tree == their_tree && equal == EqualTrees::Leave {
        return Ok(None);
    }
    let mut merge = Merge { repo: work, restored: descends.then(Vec::new) };
    let tree = merge.trees(Some(our_tree), Some(their_tree), "", 0)?;
    if descends && tree == their_tree {
        return Ok(Some(fast_forward));
    }
    let restored = match merge.restored.take() {
        Some(restored) => restored,
        None => lost_since(store, &bases, their_tree)?,
    };
    let commit = merge_commit(work, [ours, theirs], tree)?;
    Ok(Some(Merged { commit, is_fast_forward: false, restored }))
}

/// The constant root and the tree of `head`, where `head` descends from that root although it is no store.
fn emptied(
    work: &gix::Repository,
    head: ObjectId,
    error: &StoreError,
) -> Result<Option<(ObjectId, ObjectId)>, StoreError> {
    let failed = StoreError::object("cannot read the store's commit");
    if !matches!(error, StoreError::NotAStore { .. }) {
        return Ok(None);
    }
    let Ok(commit) = work.find_object(head).map_err(&failed)?.try_into_commit() else { return Ok(None) };
    let tree = commit.tree_id().map_err(&failed)?.detach();
    let root = root::make(work)?;
    Ok(bases(work, root, head)?.contains(&root).then_some((root, tree)))
}

/// What `theirs` lacks of the states that both sides had once. Nothing that this computes is kept.
fn lost_since(store: &Store, bases: &[ObjectId], theirs: ObjectId) -> Result<Vec<String>, StoreError> {
    let aside = store.in_memory();
    let mut lost = BTreeSet::new();
    for base in bases {
        let commit = aside.find_commit(*base).map_err(StoreError::object("cannot read a commit"))?;
        let tree = commit.tree_id().map_err(StoreError::object("cannot read a commit"))?.detach();
        let mut merge = Merge { repo: &aside, restored: Some(Vec::new()) };
        merge.trees(Some(tree), Some(theirs), "", 0)?;
        lost.extend(merge.restored.unwrap_or_default());
    }
    Ok(lost.into_iter().collect())
}

/// The best common ancestors; a commit is among them where the other descends from it.
fn bases(repo: &gix::Repository, one: ObjectId, two: ObjectId) -> Result<Vec<ObjectId>, StoreError> {
    let bases =
        repo.merge_bases_many(one, &[two]).map_err(StoreError::object("cannot compare two histories"))?;
    Ok(bases.into_iter().map(gix::Id::detach).collect())
}

impl Store {
    /// The best common ancestors of two commits of the ref.
    pub(crate) fn merge_bases(&self, one: ObjectId, two: ObjectId) -> Result<Vec<ObjectId>, StoreError> {
        bases(&self.repo, one, two)
    }
}

/// Whether `old` is in the history of `new`.
pub(super) fn is_ancestor(repo: &gix::Repository, old: ObjectId, new: ObjectId) -> Result<bool, StoreError> {
    Ok(bases(repo, old, new)?.contains(&old))
}

/// A pure function of its parents, so that two clones which merge the same heads make the same commit.
fn merge_commit(
    repo: &gix::Repository,
    mut parents: [ObjectId; 2],
    tree: ObjectId,
) -> Result<ObjectId, StoreError> {
    let failed = StoreError::object("cannot write a merge commit");
    parents.sort();
    let mut seconds = 0;
    for parent in parents {
        let commit = repo.find_commit(parent).map_err(&failed)?;
        // A date that nobody can read is none: it must not keep two heads apart.
        seconds = seconds.max(commit.time().map_or(0, |time| time.seconds));
    }
    let commit = gix::objs::Commit {
        tree,
        parents: parents.into_iter().collect(),
        author: root::signature(seconds),
        committer: root::signature(seconds),
        encoding: None,
        message: "sync: merge two heads\n\nWf-Op: merge\n".into(),
        extra_headers: vec![],
    };
    repo.write_object(commit).map(gix::Id::detach).map_err(&failed)
}

struct Merge<'a> {
    repo: &'a gix::Repository,
    /// What the second side lacks of the first, where that is asked for.
    restored: Option<Vec<String>>,
}

impl Merge<'_> {
    /// The union of two trees, file by file where both have one.
    fn trees(
        &mut self,
        ours: Option<ObjectId>,
        theirs: Option<ObjectId>,
        path: &str,
        depth: usize,
    ) -> Result<ObjectId, StoreError> {
        let (ours, theirs) = match (ours, theirs) {
            (Some(a), Some(b)) if a != b => (a, b),
            (Some(same), _) | (None, Some(same)) => return Ok(same),
            (None, None) => return Ok(ObjectId::empty_tree(self.repo.object_hash())),
        };
        if depth > DEEPEST {
            return Ok(ours.max(theirs));
        }
        let mut entries = self.read(ours)?;
        let there = self.read(theirs)?;
        if self.restored.is_some() {
            for (name, entry) in entries.iter().filter(|(name, _)| !there.contains_key(*name)) {
                self.put_back(entry, &inside(path, name))?;
            }
        }
        for (name, entry) in there {
            let merged = match entries.get(&name) {
                None => entry,
                Some(mine) if *mine == entry => continue,
                Some(mine) => {
                    let inner = inside(path, &name);
                    let merged = self.pair(mine.clone(), entry.clone(), &inner, depth)?;
                    let is_folder = |entry: &Entry| entry.mode.kind() == EntryKind::Tree;
                    if merged != entry && !(is_folder(&merged) && is_folder(&entry)) {
                        self.put_back(&merged, &inner)?;
                    }
                    merged
                }
            };
            entries.insert(name, merged);
        }
        let mut tree = Tree { entries: entries.into_values().collect() };
        tree.entries.sort();
        self.repo.write_object(tree).map(gix::Id::detach).map_err(StoreError::object("cannot write a tree"))
    }

    /// Notes what the other side lacks; a folder above those of records by what is in it.
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
        for (name, inner) in self.read(entry.oid)? {
            self.put_back(&inner, &inside(path, &name))?;
        }
        Ok(())
    }

    fn read(&self, id: ObjectId) -> Result<BTreeMap<BString, Entry>, StoreError> {
        let failed = StoreError::object("cannot read a tree");
        let tree = self.repo.find_tree(id).map_err(&failed)?;
        let decoded = tree.decode().map_err(&failed)?;
        Ok(decoded.entries.iter().map(|entry| (entry.filename.to_owned(), Entry::from(*entry))).collect())
    }

    fn pair(&mut self, mine: Entry, other: Entry, path: &str, depth: usize) -> Result<Entry, StoreError> {
        use EntryKind::{Blob, BlobExecutable};
        let kinds = (mine.mode.kind(), other.mode.kind());
        let oid = match kinds {
            (EntryKind::Tree, EntryKind::Tree) => {
                self.trees(Some(mine.oid), Some(other.oid), path, depth + 1)?
            }
            // Two modes of one file: plain stands, since no record is a program.
            (Blob | BlobExecutable, Blob | BlobExecutable) => {
                let oid = self.files(mine.oid, other.oid, path)?;
                return Ok(Entry { mode: EntryKind::Blob.into(), filename: mine.filename, oid });
            }
            // A file where a folder is, a link, a submodule: the folder or the file is what a store has there.
            _ => {
                let rank = |entry: &Entry| match entry.mode.kind() {
                    EntryKind::Tree => 3,
                    Blob => 2,
                    BlobExecutable => 1,
                    _ => 0,
                };
                let order = |entry: &Entry| (rank(entry), entry.oid, entry.mode.value());
                let mine_stands = order(&mine) >= order(&other);
                return Ok(if mine_stands { mine } else { other });
            }
        };
        Ok(Entry { oid, ..mine })
    }

    fn files(&mut self, mine: ObjectId, other: ObjectId, path: &str) -> Result<ObjectId, StoreError> {
        if mine == other {
            return Ok(mine);
        }
        let (kind, id) = form(path);
        if let Form::Unknown = kind {
            return Ok(mine.max(other));
        }
        let (a, b) = (read_blob(self.repo, mine)?, read_blob(self.repo, other)?);
        let bytes = match kind {
            Form::Doc(schema) => docs(schema, id.as_deref(), &a, &b),
            Form::Entry(check) => {
                let sound = |bytes: &[u8]| {
                    serde_json::from_slice::<serde_json::Value>(bytes)
                        .is_ok_and(|value| bears(&value, id.as_deref()) && check(&value).is_ok())
                };
                better(sound(&a), sound(&b), &a, &b)
            }
            Form::Unknown => None,
        };
        let bytes = match bytes {
            Some(bytes) => bytes,
            // Neither can be read: the greater bytes, so that all clones agree.
            None => a.clone().max(b.clone()),
        };
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
        self.repo.write_blob(bytes).map(gix::Id::detach).map_err(StoreError::object("cannot write a record"))
    }
}

fn inside(path: &str, name: &BString) -> String {
    if path.is_empty() { name.to_string() } else { format!("{path}/{name}") }
}

/// A sound version beats a broken one; of two sound ones the greater bytes stand.
fn better(a_sound: bool, b_sound: bool, a: &[u8], b: &[u8]) -> Option<Vec<u8>> {
    match (a_sound, b_sound) {
        (true, false) => Some(a.to_vec()),
        (false, true) => Some(b.to_vec()),
        (true, true) => Some(a.max(b).to_vec()),
        (false, false) => None,
    }
}

fn docs(schema: &'static Schema, id: Option<&str>, a: &[u8], b: &[u8]) -> Option<Vec<u8>> {
    let parse = |bytes: &[u8]| Doc::parse(schema, bytes).ok().filter(|doc| bears(&doc.fields(), id));
    match (parse(a), parse(b)) {
        (Some(one), Some(two)) => Some(one.merge(two).to_bytes()),
        (Some(_), None) => Some(a.to_vec()),
        (None, Some(_)) => Some(b.to_vec()),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests;
