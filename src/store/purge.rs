//! Rewrites the history of the ref so that none of its commits holds a hidden value. Each commit keeps its author,
//! its times and its position; a commit without hidden values or rewritten ancestors stays the same, so all stores
//! still share the first commit. The result depends on the history alone: two clones that purge the same history get
//! the same result.

mod apart;
mod commit;
mod memory;
mod paths;

use std::collections::{HashMap, HashSet};

use super::error::StoreError;
use super::lock::WriteLock;
use super::merge::{self, EqualTrees};
use super::repo::Store;
use super::snapshot::Snapshot;
use super::subjects::Subjects;
use crate::git::persist::{Keep, Made};
use crate::git::{Args, ObjectId};
use crate::git::{Kind, Repository, make};
pub(crate) use apart::Unpurged;
use commit::Commit;
use paths::Paths;

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

/// The last known head of a remote.
#[derive(Debug)]
pub(crate) struct Tracked {
    /// Its name.
    pub(crate) remote: String,
    /// The remote-tracking ref.
    pub(crate) tracking: String,
    /// The commit.
    pub(crate) commit: ObjectId,
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
    /// The objects that are not on disk yet, and the `.keep` files of those that are.
    made: Made,
    packs: Vec<Keep>,
}

impl Rewritten {
    fn is_old(&self, commit: ObjectId) -> bool {
        self.moved.get(&commit).is_some_and(|new| *new != commit)
    }
}

impl Store {
    /// Rewrites the history according to the redactions of the newest state. `None` if it no longer holds any hidden
    /// value.
    ///
    /// Remote heads that only a purge separates from the ref are merged in: they are rewritten in the same way, so
    /// that both share their commits again.
    pub(crate) fn purge(&self) -> Result<Option<Purged>, StoreError> {
        self.refuse_mirror()?;
        let mut lock = WriteLock::acquire(&self.common_dir(), self.lock_timeout()?)?;
        for _ in 0..TRIES {
            let from = self.snapshot()?.commit();
            let others = self.apart_from(from)?;
            let aside = self.in_memory();
            let mut both = from;
            for other in &others {
                both = merge::of_parents(&aside, [both, other.commit])?;
            }
            let state = Snapshot::open(&aside, self.reference(), both)?;
            let mut paths = Paths::hidden_in(&state)?;
            if paths.is_empty() {
                return Ok(None);
            }
            let rewritten = self.rewrite(from, &others, &mut paths, Subjects::new(state.clone()))?;
            let to = rewritten.to;
            if to == from && rewritten.first.is_empty() {
                return Ok(None);
            }
            // Note them before the ref moves: as long as the ref itself contains these commits, nothing refuses them.
            memory::add(&self.common_dir(), &rewritten.first)?;
            let is_done = to == from || {
                let keep = rewritten.made.write(&self.repo)?;
                self.publish_made(&mut lock, (&rewritten.made, keep), to, Some(from), "redact: purge")?
            };
            if is_done {
                let (commits, files) = (rewritten.commits, rewritten.files);
                let (remotes, held_by) = self.forget(&rewritten)?;
                let renamed = paths.renamed().to_vec();
                return Ok(Some(Purged {
                    from,
                    to,
                    commits,
                    files,
                    renamed,
                    merged: others,
                    remotes,
                    held_by,
                }));
            }
        }
        Err(StoreError::Contended { reference: self.reference().to_owned(), times: TRIES })
    }

    /// Remote heads that a purge separates from the ref. A remote head with any other commits that are not in the ref
    /// is refused, since they would be lost.
    fn apart_from(&self, from: ObjectId) -> Result<Vec<Tracked>, StoreError> {
        let mut apart = Vec::new();
        for tracked in self.tracked()? {
            let Tracked { tracking, commit, .. } = &tracked;
            if self.is_ancestor(*commit, from)? {
                continue;
            }
            self.refuse_large_commits(*commit, &[from], tracking)?;
            let is_store = self.state_at(*commit)?.is_some();
            if !is_store || self.unpurged(&self.in_memory(), from, *commit)?.is_none() {
                let (tracking, reference) = (tracking.clone(), self.reference().to_owned());
                return Err(StoreError::Unmerged { tracking, reference });
            }
            apart.push(tracked);
        }
        Ok(apart)
    }

    /// The commits in the history of the ref that a purge rewrote, and all their descendants. A purge that left no
    /// trace in any file is not recognized.
    pub(super) fn since_purge(&self) -> Result<HashSet<ObjectId>, StoreError> {
        let now = self.snapshot()?;
        let mut paths = Paths::hidden_in(&now)?;
        let mut since = HashSet::new();
        if paths.is_empty() {
            return Ok(since);
        }
        for (commit, parents) in self.parents_first(&[now.commit()], None)? {
            if parents.iter().any(|parent| since.contains(parent))
                || paths.has_purged(self.repo(), self.commit_tree(commit)?)?
            {
                since.insert(commit);
            }
        }
        Ok(since)
    }

    fn rewrite(
        &self,
        tip: ObjectId,
        others: &[Tracked],
        paths: &mut Paths,
        mut subjects: Subjects<'_>,
    ) -> Result<Rewritten, StoreError> {
        let failed = StoreError::object("cannot read the history of the store");
        let work = self.in_memory();
        let mut done = Rewritten {
            moved: HashMap::new(),
            to: tip,
            commits: 0,
            first: Vec::new(),
            files: 0,
            made: Made::taken_from(&work),
            packs: Vec::new(),
        };
        let heads: Vec<ObjectId> = [tip].into_iter().chain(others.iter().map(|it| it.commit)).collect();
        for (id, _) in self.parents_first(&heads, None)? {
            let object = self.repo.object(id).map_err(&failed)?;
            let mut commit = Commit::parse(&object.data, self.repo.hash_kind()).map_err(&failed)?;
            commit.tree = paths.rewrite(&work, commit.tree, &done.moved)?;
            let old_parents = commit.parents.clone();
            for parent in &mut commit.parents {
                *parent = *done.moved.get(parent).ok_or(StoreError::Shallow)?;
            }
            let stands_on_old = commit.parents != old_parents;
            let mut joined = None;
            if stands_on_old {
                joined = self.join_parents(&work, &mut commit, &old_parents)?;
            }
            let new = match joined {
                Some(parent) => parent,
                None => rewritten(&work, commit, (id, &object.data), &mut subjects)?,
            };
            if new != id && !stands_on_old {
                done.first.push(id);
            }
            done.moved.insert(id, new);
            if work.count_in_memory() >= MOST_IN_MEMORY {
                done.packs.push(Keep(Made::taken_from(&work).write(&self.repo)?));
            }
        }
        let own = self.parents_first(&[tip], None)?;
        done.commits = own.iter().filter(|(id, _)| done.is_old(*id)).count();
        done.to = done.moved[&tip];
        for other in others {
            let theirs = (done.moved[&other.commit], other.tracking.as_str());
            if let Some(merged) = merge::heads(self, &work, Some(done.to), theirs, EqualTrees::Join)? {
                done.to = merged.commit;
            }
        }
        done.files = paths.rewritten();
        done.made = Made::taken_from(&work);
        Ok(done)
    }

    /// Sets the new parents of a commit as a merge of them would. Returns the parent that replaces the commit if it
    /// merged the old history with the new one: both are the same now, so nothing is left to merge.
    fn join_parents(
        &self,
        work: &Repository,
        commit: &mut Commit<'_>,
        before: &[ObjectId],
    ) -> Result<Option<ObjectId>, StoreError> {
        if let ([one, two], [old_one, old_two]) = (&commit.parents[..], before) {
            let within = |repo: &Repository, old, new| repo.is_ancestor(old, new);
            // A restoring merge has two parents of which one contains the other.
            let was_apart =
                !within(&self.repo, *old_one, *old_two)? && !within(&self.repo, *old_two, *old_one)?;
            let held_by = match was_apart {
                true if within(work, *one, *two)? => Some(*two),
                true if within(work, *two, *one)? => Some(*one),
                _ => None,
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
    fn forget(&self, rewritten: &Rewritten) -> Result<(Vec<Tracked>, Vec<String>), StoreError> {
        let git = self.git();
        let mut remotes = self.tracked()?;
        remotes.retain(|it| rewritten.is_old(it.commit));
        // Until they are fetched again, these remotes count as having the old history.
        for (remote, commit) in memory::remotes(&self.common_dir())? {
            let tracking = self.tracking(&remote);
            let is_known =
                remotes.iter().any(|it| it.remote == remote) || self.read_ref(&tracking)?.is_some();
            if !is_known && self.repo.remotes().contains(&remote) {
                remotes.push(Tracked { remote, tracking, commit });
            }
        }
        let pending: Vec<_> = remotes.iter().map(|it| (it.remote.clone(), it.commit)).collect();
        memory::set_remotes(&self.common_dir(), &pending)?;
        for Tracked { tracking, commit, .. } in remotes.iter().filter(|it| rewritten.is_old(it.commit)) {
            git.run(Args::new(&["update-ref", "-d"]).value(tracking).value(commit.to_string()))?;
        }
        // A bare repository has no reflog.
        if git.output(Args::new(&["reflog", "exists"]).value(self.reference()))?.status.success() {
            git.run(Args::new(&["reflog", "expire", "--expire=all"]).value(self.reference()))?;
        }
        if rewritten.first.is_empty() {
            // git would list all of them.
            return Ok((remotes, vec![]));
        }
        let mut args = Args::new(&["for-each-ref", "--format=%(refname)"]);
        for id in rewritten.first.iter().take(MOST_LOOKED_FOR) {
            args = args.with("--contains=", id);
        }
        let listed = git.run(args)?;
        let held_by = String::from_utf8_lossy(&listed).lines().map(str::to_owned).collect();
        Ok((remotes, held_by))
    }

    /// Remotes that held the old history when it was purged here, and that were not fetched since.
    pub(crate) fn unpurged_remotes(&self) -> Result<Vec<Tracked>, StoreError> {
        let mut found = Vec::new();
        for (remote, commit) in memory::remotes(&self.common_dir())? {
            let tracking = self.tracking(&remote);
            if self.repo.remotes().contains(&remote) && self.read_ref(&tracking)?.is_none() {
                found.push(Tracked { remote, tracking, commit });
            }
        }
        Ok(found)
    }

    /// The last known head of each remote.
    fn tracked(&self) -> Result<Vec<Tracked>, StoreError> {
        let mut found = Vec::new();
        for remote in self.repo.remotes() {
            let tracking = self.tracking(&remote);
            if let Some(commit) = self.read_ref(&tracking)? {
                found.push(Tracked { remote, tracking, commit });
            }
        }
        Ok(found)
    }
}

/// The commit in the new history, given its new tree and parents; `before` is the old commit.
fn rewritten(
    work: &Repository,
    mut commit: Commit<'_>,
    (id, before): (ObjectId, &[u8]),
    subjects: &mut Subjects<'_>,
) -> Result<ObjectId, StoreError> {
    commit.hide(subjects)?;
    match commit.changed(before) {
        Some(bytes) => Ok(make::bytes(work, Kind::Commit, &bytes)?),
        None => Ok(id),
    }
}
