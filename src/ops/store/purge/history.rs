//! Rewrites the history of the ref so that none of its commits holds a hidden value. Each commit keeps its author,
//! its times and its position; a commit without hidden values or rewritten ancestors stays the same, so all stores
//! still share the first commit. The result depends on the history alone: two clones that purge the same history get
//! the same result.

use std::collections::HashMap;

use crate::git::{ObjectBatch, ObjectId, Repository};
use crate::store::merge::TreeCleaner;
use crate::store::purge::{Paths, RawCommit, memory, rewritten};
use crate::store::{EqualTrees, Snapshot, Store, StoreError, Subjects, Tracked, TreeCheck, merge};

/// How often a purge starts again if a writer without the lock moved the ref.
const TRIES: u32 = 5;
/// At most this many objects are kept in memory; more are written to disk as one pack, until the ref moves.
const MOST_IN_MEMORY: usize = 20_000;
/// At most this many commits are searched for in other refs.
const MOST_LOOKED_FOR: usize = 100;

/// A rewritten history.
#[derive(Debug)]
pub(crate) struct Purged {
    /// Where the ref pointed.
    pub(crate) from: ObjectId,
    /// Where it points now.
    pub(crate) to: ObjectId,
    /// Commits that were rewritten.
    pub(crate) commits: usize,
    /// The number of rewritten versions of files.
    pub(crate) files: usize,
    /// Entries with a new name, since their content changed: the old path and the new one.
    pub(crate) renamed: Vec<(String, String)>,
    /// Remote heads with commits that the ref did not have, before or after a purge, and that were merged in.
    pub(crate) merged: Vec<Tracked>,
    /// Remote heads that were forgotten here because they belong to the old history.
    pub(crate) remotes: Vec<Tracked>,
    /// References that still hold commits of the old history.
    pub(crate) held_by: Vec<String>,
}

/// The new commit of each old one.
struct Rewritten {
    moved: HashMap<ObjectId, ObjectId>,
    /// The new head of the ref.
    to: ObjectId,
    /// Commits of the ref that were rewritten.
    commits: usize,
    /// Rewritten commits without a rewritten ancestor.
    first: Vec<ObjectId>,
    files: usize,
    /// The objects that were written last, and the packs of those before.
    objects: ObjectBatch,
    packs: Vec<ObjectBatch>,
}

impl Rewritten {
    fn is_old(&self, commit: ObjectId) -> bool {
        self.moved.get(&commit).is_some_and(|new| *new != commit)
    }
}

/// Rewrites the history according to the redactions of the newest state. `None` if it no longer holds any hidden
/// value.
///
/// Remote heads that only a purge separates from the ref are merged in: they are rewritten in the same way, so
/// that both share their commits again.
pub(super) fn purge(store: &Store) -> Result<Option<Purged>, StoreError> {
    store.refuse_mirror()?;
    let mut lock = store.lock()?;
    for _ in 0..TRIES {
        let from = store.snapshot()?.commit();
        let others = apart_from(store, from)?;
        let aside = store.in_memory();
        let mut both = from;
        for other in &others {
            both = merge::of_parents(&aside, [both, other.commit])?;
        }
        let state = Snapshot::open(&aside, store.reference(), both)?;
        let mut paths = Paths::hidden_in(&state)?;
        if paths.is_empty() {
            return Ok(None);
        }
        let mut rewritten = rewrite(store, from, &others, &mut paths, Subjects::new(state.clone()), None)?;
        let to = rewritten.to;
        if to == from && rewritten.first.is_empty() {
            return Ok(None);
        }
        // Note them before the ref moves: as long as the ref itself contains these commits, nothing refuses them.
        memory::add(store.repo(), &rewritten.first)?;
        let is_done = to == from
            || store.publish(&mut lock, &mut rewritten.objects, to, Some(from), "redact: purge")?;
        if is_done {
            let (commits, files) = (rewritten.commits, rewritten.files);
            let (remotes, held_by) = forget(store, &rewritten)?;
            let renamed = paths.renamed().to_vec();
            return Ok(Some(Purged { from, to, commits, files, renamed, merged: others, remotes, held_by }));
        }
    }
    Err(StoreError::Contended { reference: store.reference().to_owned(), times: TRIES })
}

/// Rewrites the history so that no commit has a tree that hosts refuse. Returns the number of rewritten commits.
pub(in crate::ops::store) fn mend_trees(store: &Store) -> Result<usize, StoreError> {
    store.refuse_mirror()?;
    let mut lock = store.lock()?;
    for _ in 0..TRIES {
        let from = store.existing_tip()?;
        let mut check = TreeCheck::default();
        let mut is_any_refused = false;
        for (commit, _) in store.parents_first(&[from], None)? {
            if let Ok(tree) = store.commit_tree(commit) {
                is_any_refused |= check.is_refused(store.repo(), tree);
            }
        }
        if !is_any_refused {
            return Ok(0);
        }
        let Some(state) = store.state_at(from)? else { return Ok(0) };
        let mut paths = Paths::claims_in(&state)?;
        let mut rewritten = rewrite(store, from, &[], &mut paths, Subjects::new(state), Some(check))?;
        if store.publish(&mut lock, &mut rewritten.objects, rewritten.to, Some(from), "fsck: repair")? {
            return Ok(rewritten.commits);
        }
    }
    Err(StoreError::Contended { reference: store.reference().to_owned(), times: TRIES })
}

/// Remote heads that a purge separates from the ref. A remote head with any other commits that are not in the ref
/// is refused, since they would be lost.
fn apart_from(store: &Store, from: ObjectId) -> Result<Vec<Tracked>, StoreError> {
    let mut apart = Vec::new();
    for tracked in store.tracked()? {
        let Tracked { tracking, commit, .. } = &tracked;
        if store.is_ancestor(*commit, from)? {
            continue;
        }
        store.refuse_large_commits(*commit, &[from], tracking)?;
        let is_store = store.state_at(*commit)?.is_some();
        if !is_store || store.unpurged(&store.in_memory(), from, *commit)?.is_none() {
            let (tracking, reference) = (tracking.clone(), store.reference().to_owned());
            return Err(StoreError::Unmerged { tracking, reference });
        }
        apart.push(tracked);
    }
    Ok(apart)
}

/// With `refused`, trees that hosts refuse are cleaned.
fn rewrite(
    store: &Store,
    tip: ObjectId,
    others: &[Tracked],
    paths: &mut Paths,
    mut subjects: Subjects<'_>,
    mut refused: Option<TreeCheck>,
) -> Result<Rewritten, StoreError> {
    let failed = StoreError::object("cannot read the history of the store");
    let work = store.in_memory();
    let mut cleaner = TreeCleaner::new(&work);
    let mut done = Rewritten {
        moved: HashMap::new(),
        to: tip,
        commits: 0,
        first: Vec::new(),
        files: 0,
        objects: ObjectBatch::default(),
        packs: Vec::new(),
    };
    let heads: Vec<ObjectId> = [tip].into_iter().chain(others.iter().map(|other| other.commit)).collect();
    for (id, _) in store.parents_first(&heads, None)? {
        let object = store.repo().object(id).map_err(&failed)?;
        let mut commit = RawCommit::parse(&object.data, store.repo().hash_kind()).map_err(&failed)?;
        if let Some(check) = &mut refused
            && check.is_refused(store.repo(), commit.tree)
        {
            commit.tree = cleaner.clean(commit.tree)?;
        }
        commit.tree = paths.rewrite(&work, commit.tree, &done.moved)?;
        let old_parents = commit.parents.clone();
        for parent in &mut commit.parents {
            *parent = *done.moved.get(parent).ok_or(StoreError::Shallow)?;
        }
        let stands_on_old = commit.parents != old_parents;
        let mut joined = None;
        if stands_on_old {
            joined = join_parents(store, &work, &mut commit, &old_parents)?;
        }
        let new = match joined {
            Some(parent) => parent,
            None => rewritten(&work, commit, id, &object.data, &mut subjects)?,
        };
        if new != id && !stands_on_old {
            done.first.push(id);
        }
        done.moved.insert(id, new);
        if work.count_in_memory() >= MOST_IN_MEMORY {
            done.packs.push(ObjectBatch::write(&work, store.repo())?.forget());
        }
    }
    let own = store.parents_first(&[tip], None)?;
    done.commits = own.iter().filter(|(id, _)| done.is_old(*id)).count();
    done.to = done.moved[&tip];
    for other in others {
        let theirs = done.moved[&other.commit];
        let merged = merge::heads(store, &work, Some(done.to), theirs, &other.tracking, EqualTrees::Join)?;
        if let Some(merged) = merged {
            done.to = merged.commit;
        }
    }
    done.files = paths.rewritten();
    done.objects = ObjectBatch::write(&work, store.repo())?;
    Ok(done)
}

/// Sets the new parents of a commit as a merge of them would. Returns the parent that replaces the commit if it
/// merged the old history with the new one: both are the same now, so nothing is left to merge.
fn join_parents(
    store: &Store,
    work: &Repository,
    commit: &mut RawCommit<'_>,
    before: &[ObjectId],
) -> Result<Option<ObjectId>, StoreError> {
    if let ([one, two], [old_one, old_two]) = (&commit.parents[..], before) {
        // A restoring merge has two parents, one of which contains the other.
        let repo = store.repo();
        let was_apart = !repo.is_ancestor(*old_one, *old_two)? && !repo.is_ancestor(*old_two, *old_one)?;
        let held_by = if was_apart && work.is_ancestor(*one, *two)? {
            Some(*two)
        } else if was_apart && work.is_ancestor(*two, *one)? {
            Some(*one)
        } else {
            None
        };
        if let Some(parent) = held_by {
            let failed = StoreError::object("cannot read the history of the store");
            let tree = work.tree_of(parent).map_err(failed)?;
            if tree == commit.tree {
                return Ok(Some(parent));
            }
        }
        if one == two {
            commit.parents.truncate(1);
        }
    }
    if commit.is_merge_of_ours() && before.is_sorted() {
        // The order that a merge of the new heads would use.
        commit.parents.sort();
    }
    Ok(None)
}

/// Removes the old history from everywhere this repository keeps it for the ref: the reflog, and the
/// remote-tracking refs, which the next sync would otherwise merge.
fn forget(store: &Store, rewritten: &Rewritten) -> Result<(Vec<Tracked>, Vec<String>), StoreError> {
    let git = store.git();
    let mut remotes = store.tracked()?;
    remotes.retain(|remote| rewritten.is_old(remote.commit));
    // Until they are fetched again, these remotes count as having the old history.
    for (remote, commit) in memory::remotes(&store.common_dir())? {
        let tracking = store.tracking(&remote);
        let is_known =
            remotes.iter().any(|tracked| tracked.remote == remote) || store.read_ref(&tracking)?.is_some();
        if !is_known && store.repo().remotes().contains(&remote) {
            remotes.push(Tracked { remote, tracking, commit });
        }
    }
    let pending: Vec<_> = remotes.iter().map(|remote| (remote.remote.clone(), remote.commit)).collect();
    memory::set_remotes(store.repo(), &pending)?;
    for Tracked { tracking, commit, .. } in remotes.iter().filter(|remote| rewritten.is_old(remote.commit)) {
        store.repo().delete_ref(tracking, *commit)?;
    }
    git.expire_reflog(store.reference())?;
    let held_by = git.refs_containing(rewritten.first.iter().take(MOST_LOOKED_FOR))?;
    Ok((remotes, held_by))
}
