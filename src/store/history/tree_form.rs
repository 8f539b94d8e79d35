//! Trees that git itself would not write, such as one with a name twice. A host with `receive.fsckObjects` rejects every
//! history that contains one, even if a later commit leaves it out.

use std::collections::{HashMap, HashSet};

use bstr::ByteSlice;

use super::commit_size;
use crate::git::trees::{DEEPEST, EntryId};
use crate::git::{EntryKind, Kind, ObjectId, Repository};
use crate::store::{Store, StoreError};

/// A tree that hosts refuse.
pub(crate) struct RefusedTree {
    /// Its path; empty for the root.
    path: String,
    why: &'static str,
}

impl RefusedTree {
    /// Its path; `/` for the root.
    pub(crate) fn path(&self) -> &str {
        if self.path.is_empty() { "/" } else { &self.path }
    }
}

impl std::fmt::Display for RefusedTree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a tree that hosts which check objects refuse: `{}` has {}", self.path(), self.why)
    }
}

/// Why a tree is refused whose entry names an object that is not what its mode says.
const OTHER_KIND: &str = "an entry whose object is of another kind than its mode says";

/// Looks at each tree once, in however many commits it is.
#[derive(Default)]
pub(crate) struct TreeCheck {
    seen: HashSet<ObjectId>,
    /// Whether a whole tree is refused.
    whole: HashMap<ObjectId, bool>,
    /// What objects are.
    kinds: HashMap<ObjectId, Kind>,
    /// Whether objects are missing, as in a partial clone: then those of entries are not looked at.
    lacks_objects: bool,
}

impl TreeCheck {
    /// The first tree that hosts refuse in a commit, other than those of its first parent.
    pub(crate) fn refused(
        &mut self,
        repo: &Repository,
        commit: ObjectId,
    ) -> Result<Option<RefusedTree>, StoreError> {
        let failed = StoreError::object("cannot read a commit");
        let commit = commit_size::read(repo, "the store", commit)?;
        // The first parent may be missing, as in a shallow clone.
        let parent = commit.parents().next();
        let parent = parent.and_then(|parent| commit_size::read(repo, "the store", parent).ok());
        let before = parent.and_then(|parent| parent.tree().ok());
        Ok(self.refused_in(repo, before, commit.tree().map_err(failed)?))
    }

    /// Whether hosts refuse a tree, or one inside it.
    pub(crate) fn is_refused(&mut self, repo: &Repository, tree: ObjectId) -> bool {
        self.is_refused_at(repo, tree, 0)
    }

    fn is_refused_at(&mut self, repo: &Repository, tree: ObjectId, depth: usize) -> bool {
        if let Some(known) = self.whole.get(&tree) {
            return *known;
        }
        let Ok(entries) = repo.entries(Some(tree)) else { return false };
        let is_refused = entries.fault().is_some()
            || entries.ids().any(|entry| {
                let (kind, id) = entry;
                self.is_of_another_kind(repo, entry)
                    || kind == EntryKind::Tree && depth < DEEPEST && self.is_refused_at(repo, id, depth + 1)
            });
        self.whole.insert(tree, is_refused);
        is_refused
    }

    /// Whether the object of an entry is of another kind than its mode says.
    fn is_of_another_kind(&mut self, repo: &Repository, (kind, id): EntryId) -> bool {
        let expected = match kind {
            EntryKind::Commit => return false,
            EntryKind::Tree => Kind::Tree,
            EntryKind::Blob | EntryKind::BlobExecutable | EntryKind::Link => Kind::Blob,
        };
        if let Some(known) = self.kinds.get(&id) {
            return *known != expected;
        }
        if self.lacks_objects {
            return false;
        }
        match repo.try_header(id) {
            Ok(Some(header)) => {
                self.kinds.insert(id, header.kind);
                header.kind != expected
            }
            _ => {
                self.lacks_objects = true;
                false
            }
        }
    }

    fn refused_in(
        &mut self,
        repo: &Repository,
        before: Option<ObjectId>,
        tree: ObjectId,
    ) -> Option<RefusedTree> {
        let mut open = vec![(before, tree, String::new(), 0)];
        while let Some((before, tree, path, depth)) = open.pop() {
            if before == Some(tree) || !self.seen.insert(tree) {
                continue;
            }
            // A tree that is missing or too large is refused by whoever needs it.
            let Ok(entries) = repo.entries(Some(tree)) else { continue };
            if let Some(why) = entries.fault() {
                return Some(RefusedTree { path, why });
            }
            if depth >= DEEPEST {
                continue;
            }
            let Ok(differing) = repo.differing(before, Some(tree)) else { continue };
            for (name, was, is) in differing {
                let Some(entry) = is else { continue };
                if self.is_of_another_kind(repo, entry) {
                    return Some(RefusedTree { path, why: OTHER_KIND });
                }
                let (EntryKind::Tree, inner) = entry else { continue };
                let was = was.filter(|(kind, _)| *kind == EntryKind::Tree).map(|(_, id)| id);
                let name = name.to_str_lossy();
                let inside = if path.is_empty() { name.into_owned() } else { format!("{path}/{name}") };
                open.push((was, inner, inside, depth + 1));
            }
        }
        None
    }
}

impl Store {
    /// The first tree that hosts refuse in a commit, other than those of its first parent.
    pub(crate) fn refused_tree(
        &self,
        check: &mut TreeCheck,
        commit: ObjectId,
    ) -> Result<Option<RefusedTree>, StoreError> {
        check.refused(&self.repo, commit)
    }
}
