//! The merge of two trees. It looks at two states and never at a clock, so that clones end in the same state in
//! whatever order they meet. A subtree that is equal on both sides is never opened.

use std::collections::BTreeMap;

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};
use gix::objs::Tree;
use gix::objs::tree::{Entry, EntryKind};

use super::error::StoreError;
use super::layout::{Form, bears, form};
use super::repo::Store;
use super::root;
use super::snapshot::read_blob;
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
    /// What the other head had dropped or broken although it descends from ours, and which was put back.
    pub(crate) restored: Vec<String>,
}

/// Merges `theirs` into `ours`. `None` where ours holds all of it already.
///
/// A head that descends from ours is merged as any other: the result is that head where the trees are equal, and a
/// restoring commit on top of it where it dropped something.
pub(super) fn heads(
    store: &Store,
    work: &gix::Repository,
    ours: Option<ObjectId>,
    theirs: ObjectId,
) -> Result<Option<Merged>, StoreError> {
    let their_state = store.snapshot_at(theirs)?;
    let fast_forward = Merged { commit: theirs, is_fast_forward: true, restored: vec![] };
    let Some(ours) = ours else { return Ok(Some(fast_forward)) };
    if ours == theirs || is_ancestor(work, theirs, ours)? {
        return Ok(None);
    }
    let our_state = store.snapshot_at(ours)?;
    let descends = is_ancestor(work, ours, theirs)?;
    let mut merge = Merge { repo: work, restored: descends.then(Vec::new) };
    let tree = merge.trees(Some(our_state.tree()), Some(their_state.tree()), "", 0)?;
    let restored = merge.restored.take().unwrap_or_default();
    if descends && tree == their_state.tree() {
        return Ok(Some(fast_forward));
    }
    let commit = merge_commit(work, [ours, theirs], tree)?;
    Ok(Some(Merged { commit, is_fast_forward: false, restored }))
}

fn is_ancestor(repo: &gix::Repository, old: ObjectId, new: ObjectId) -> Result<bool, StoreError> {
    let bases =
        repo.merge_bases_many(old, &[new]).map_err(StoreError::object("cannot compare two histories"))?;
    Ok(bases.iter().any(|base| base.detach() == old))
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
        seconds = seconds.max(commit.time().map_err(&failed)?.seconds);
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
    /// Where the second side descends from the first: what it lacks of it.
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
        for (name, entry) in self.read(theirs)? {
            let inner = if path.is_empty() { name.to_string() } else { format!("{path}/{name}") };
            let merged = match entries.get(&name) {
                None => entry,
                Some(mine) if *mine == entry => continue,
                Some(mine) => self.pair(mine.clone(), entry, &inner, depth)?,
            };
            entries.insert(name, merged);
        }
        if let Some(restored) = &mut self.restored {
            let there = self.repo.find_tree(theirs).map_err(StoreError::object("cannot read a tree"))?;
            let there = there.decode().map_err(StoreError::object("cannot read a tree"))?;
            let names: std::collections::BTreeSet<&[u8]> =
                there.entries.iter().map(|e| e.filename.as_bytes()).collect();
            for name in entries.keys().filter(|name| !names.contains(name.as_bytes())) {
                restored.push(if path.is_empty() { name.to_string() } else { format!("{path}/{name}") });
            }
        }
        let mut tree = Tree { entries: entries.into_values().collect() };
        tree.entries.sort();
        self.repo.write_object(tree).map(gix::Id::detach).map_err(StoreError::object("cannot write a tree"))
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
                let mine_stands = (rank(&mine), mine.oid) >= (rank(&other), other.oid);
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
        if let Some(restored) = self.restored.as_mut().filter(|_| bytes != b) {
            restored.push(path.to_owned());
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
