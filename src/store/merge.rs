//! The merge of two trees. It looks at two states and never at a clock, so clones end in the same state in whatever
//! order they merge. A subtree that is equal on both sides is never opened.

mod entry;
mod join;
pub(super) mod mergeable;
mod union;

use std::collections::{BTreeSet, HashMap};

use bstr::ByteSlice;

pub(super) use self::join::join;
pub(super) use self::union::TreeMerge;
use super::history::commit_size;
use super::{Snapshot, Store, StoreError, root};
use crate::git::trees::{self, DEEPEST};
use crate::git::{EntryKind, Kind, ObjectId, Repository, Tree, make};
use crate::model::Op;

/// The result of a merge.
#[derive(Debug, Clone)]
pub(crate) struct Merged {
    /// The commit that the ref moves to.
    pub(crate) commit: ObjectId,
    /// Whether that commit is the other head, unchanged.
    pub(crate) is_fast_forward: bool,
    /// What the other head had deleted or broken compared with its ancestors, and the merge restored: paths of files,
    /// and of directories of whole records.
    pub(crate) restored: Vec<String>,
    /// Entries of either head that the merge left out because git itself refuses them (names such as `..`), and
    /// directories that are nested too deep.
    pub(crate) refused: Vec<String>,
}

/// What to do with two heads that have equal trees but do not descend from each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EqualTrees {
    /// Make no merge commit: clones that only pull would otherwise make merge commits for ever.
    Leave,
    /// Make a merge commit: a push needs a head that descends from the remote's.
    Join,
}

/// Merges `theirs`, called `name` in messages, into `ours`. `None` if ours already contains everything.
///
/// A head that descends from ours is merged like any other: the result is that head if the trees are equal, or a
/// restoring commit on top of it if the head deleted something.
pub(crate) fn heads(
    store: &Store,
    work: &Repository,
    ours: Option<ObjectId>,
    theirs: ObjectId,
    name: &str,
    equal: EqualTrees,
) -> Result<Option<Merged>, StoreError> {
    if ours == Some(theirs) {
        return Ok(None);
    }
    let fast_forward = Merged { commit: theirs, is_fast_forward: true, restored: vec![], refused: vec![] };
    let is_first = ours.is_none();
    commit_size::within(work, theirs, ours.as_slice(), name)?;
    let their_tree = match Snapshot::open(work, name, theirs) {
        Ok(state) => state.tree(),
        // Someone deleted the store from a commit that descends from it. Restore it like any other deleted record.
        Err(error) => match emptied(work, theirs, &error)? {
            Some(tree) => tree,
            None => return Err(error),
        },
    };
    // If there is no store here yet, merge theirs into an empty one.
    let ours = match ours {
        Some(ours) => ours,
        None => root::make(work)?,
    };
    let bases = if is_first { vec![ours] } else { work.merge_bases(ours, theirs)? };
    if bases.contains(&theirs) {
        return Ok(is_first.then_some(fast_forward));
    }
    let our_tree = Snapshot::open(work, store.reference(), ours)?.tree();
    if !is_first {
        refuse_unpurged(store, work, ours, theirs, name)?;
    }
    let descends = bases.contains(&ours);
    if !descends && our_tree == their_tree && equal == EqualTrees::Leave {
        return Ok(None);
    }
    let mut merge = TreeMerge::new(work);
    merge.restored = descends.then(Vec::new);
    let merged = merge.root(our_tree, their_tree);
    let tree = merged.map_err(|why| store.unmergeable(work, [our_tree, their_tree], name, why))?;
    if descends && tree == their_tree {
        return Ok(Some(fast_forward));
    }
    let restored = match merge.restored.take() {
        Some(restored) => restored,
        None => lost_since(work, &bases, their_tree, tree)?,
    };
    let commit = merge_commit(work, [ours, theirs], tree)?;
    let refused = merge.refused.into_iter().collect();
    Ok(Some(Merged { commit, is_fast_forward: false, restored, refused }))
}

/// Refuses a head that still holds what was purged here, and a purged head if ours was not purged.
pub(super) fn refuse_unpurged(
    store: &Store,
    work: &Repository,
    ours: ObjectId,
    theirs: ObjectId,
    name: &str,
) -> Result<(), StoreError> {
    match store.unpurged(work, ours, theirs)? {
        Some(side) => {
            Err(StoreError::Purged { side, name: name.to_owned(), reference: store.reference().to_owned() })
        }
        None => Ok(()),
    }
}

/// The entries of a tree that git refuses and a merge would leave out.
pub(crate) fn refused(repo: &Repository, tree: ObjectId) -> Result<BTreeSet<String>, StoreError> {
    let mut merge = TreeMerge::new(repo);
    merge.root(repo.empty_tree(), tree)?;
    Ok(merge.refused)
}

/// Takes out of trees what git refuses, as a merge would. It remembers what it made of each.
pub(crate) struct TreeCleaner<'a>(TreeMerge<'a>);

impl<'a> TreeCleaner<'a> {
    /// New trees are written to `work`.
    pub(crate) fn new(work: &'a Repository) -> Self {
        Self(TreeMerge::new(work))
    }

    /// The tree without those entries.
    pub(crate) fn clean(&mut self, tree: ObjectId) -> Result<ObjectId, StoreError> {
        let empty = self.0.repo.empty_tree();
        self.0.root(empty, tree)
    }
}

/// The tree of `head` if `head` descends from the constant root although it is not a store.
fn emptied(work: &Repository, head: ObjectId, error: &StoreError) -> Result<Option<ObjectId>, StoreError> {
    let failed = StoreError::object("cannot read the store's commit");
    if !matches!(error, StoreError::NotAStore { .. }) {
        return Ok(None);
    }
    if work.header(head).map_err(&failed)?.kind != Kind::Commit {
        return Ok(None);
    }
    let Ok(tree) = work.tree_of(head) else { return Ok(None) };
    let root = root::make(&work.clone())?;
    // Nothing descends from a commit that is not here.
    Ok((work.is_commit(root) && work.is_ancestor(root, head)?).then_some(tree))
}

/// What `merged` has and `theirs` has lost, compared with the states that both sides have in common. Writes no
/// objects.
fn lost_since(
    work: &Repository,
    bases: &[ObjectId],
    theirs: ObjectId,
    merged: ObjectId,
) -> Result<Vec<String>, StoreError> {
    let aside = work.clone();
    let mut lost = BTreeSet::new();
    for base in bases {
        let tree = aside.tree_of(*base).map_err(StoreError::object("cannot read a commit"))?;
        let mut merge = TreeMerge::new(&aside);
        merge.restored = Some(Vec::new());
        let mut unlike = Unlike { repo: &aside, known: HashMap::new() };
        merge.root(unlike.tree(tree, theirs, merged, 0)?, theirs)?;
        lost.extend(merge.restored.unwrap_or_default());
    }
    Ok(lost.into_iter().collect())
}

/// Builds trees that differ from those of a head only where something was restored. It remembers which trees it
/// compared, since a few trees can unfold to billions.
struct Unlike<'a> {
    repo: &'a Repository,
    known: HashMap<([ObjectId; 3], usize), ObjectId>,
}

impl Unlike<'_> {
    /// The tree `base`, with the entries of `theirs` wherever the merge has the same ones: nothing was restored
    /// there, so neither is opened.
    fn tree(
        &mut self,
        base: ObjectId,
        theirs: ObjectId,
        merged: ObjectId,
        depth: usize,
    ) -> Result<ObjectId, StoreError> {
        if base == theirs || merged == theirs {
            return Ok(theirs);
        }
        let key = ([base, theirs, merged], depth);
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let read = |id| trees::read(self.repo, id);
        let (Some(mut folder), Some(there), Some(both)) = (read(base)?, read(theirs)?, read(merged)?) else {
            return Ok(base);
        };
        for entry in &mut folder.entries {
            let name = entry.filename.as_bstr();
            let (Some(there), Some(both)) = (there.get(name), both.get(name)) else { continue };
            let are_folders = [&*entry, there, both].iter().all(|side| side.mode.kind() == EntryKind::Tree);
            if both == there {
                *entry = there.clone();
            } else if are_folders && depth < DEEPEST {
                entry.oid = self.tree(entry.oid, there.oid, both.oid, depth + 1)?;
            }
        }
        let made = if folder.entries.iter().all(|entry| there.get(entry.filename.as_bstr()) == Some(entry)) {
            // Nothing in it was lost, and anything else in `theirs` was not restored.
            theirs
        } else {
            let mut tree = Tree { entries: folder.entries };
            tree.entries.sort();
            make::unless_held(self.repo, &tree, &[base, theirs])?
        };
        self.known.insert(key, made);
        Ok(made)
    }
}

impl Store {
    /// The best common ancestors of two commits of the ref.
    pub(crate) fn merge_bases(&self, one: ObjectId, two: ObjectId) -> Result<Vec<ObjectId>, StoreError> {
        Ok(self.repo.merge_bases(one, two)?)
    }
}

/// The commit that merges these two heads, whichever of them was here and whether or not one descends from the other.
/// If `work` is in memory, nothing is kept.
pub(crate) fn of_parents(work: &Repository, parents: [ObjectId; 2]) -> Result<ObjectId, StoreError> {
    let failed = StoreError::object("cannot read a commit of the store");
    let tree = |id| -> Result<ObjectId, StoreError> { work.tree_of(id).map_err(&failed) };
    let merged = TreeMerge::new(work).root(tree(parents[0])?, tree(parents[1])?)?;
    merge_commit(work, parents, merged)
}

/// Makes the merge commit. It depends on its parents alone, so two clones that merge the same heads make the same
/// commit.
fn merge_commit(
    repo: &Repository,
    mut parents: [ObjectId; 2],
    tree: ObjectId,
) -> Result<ObjectId, StoreError> {
    let failed = StoreError::object("cannot write a merge commit");
    parents.sort();
    let mut seconds = 0;
    for parent in parents {
        let commit = repo.commit(parent).map_err(&failed)?;
        // An unreadable date is ignored; it must not prevent a merge.
        seconds = seconds.max(commit.seconds().unwrap_or_default());
    }
    let message = format!("sync: merge two heads\n\nWf-Op: {}\n", Op::Merge);
    Ok(repo.make_commit(tree, parents, &root::signature(seconds), &message)?)
}

#[cfg(test)]
mod tests;
