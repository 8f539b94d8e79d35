//! Trees that git itself would not write, such as one with a name twice. A host with `receive.fsckObjects` rejects every
//! history that contains one, even if a later commit leaves it out.

use std::collections::{HashMap, HashSet};

use bstr::ByteSlice;

use super::commit_size;
use crate::git::trees::DEEPEST;
use crate::git::{EntryKind, ObjectId, Repository};
use crate::store::{Store, StoreError};

/// A tree that hosts refuse.
pub(crate) struct RefusedTree {
    /// Its path; empty for the root.
    path: String,
    why: &'static str,
}

impl std::fmt::Display for RefusedTree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = if self.path.is_empty() { "/" } else { &self.path };
        write!(f, "a tree that hosts which check objects refuse: `{path}` has {}", self.why)
    }
}

/// Looks at each tree once, in however many commits it is.
#[derive(Default)]
pub(crate) struct TreeCheck {
    seen: HashSet<ObjectId>,
    /// Whether a whole tree is refused.
    whole: HashMap<ObjectId, bool>,
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
        let folders = entries.folders();
        let is_refused = entries.fault().is_some()
            || depth < DEEPEST && folders.into_iter().any(|inner| self.is_refused_at(repo, inner, depth + 1));
        self.whole.insert(tree, is_refused);
        is_refused
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
                let Some((EntryKind::Tree, inner)) = is else { continue };
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
