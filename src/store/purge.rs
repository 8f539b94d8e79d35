//! Rewrites the history of the ref so that what is hidden is in none of its commits. Each commit keeps its author, its
//! times and its place; one that stands on nothing rewritten and shows nothing hidden stays what it is, so that all
//! stores still share the first one. A pure function of the history: two clones that purge the same one get the same.

mod commit;
mod paths;

use super::git::Args;
use std::collections::{HashMap, HashSet};

use gix::ObjectId;
use gix::objs::Kind;

use super::error::StoreError;
use super::lock::WriteLock;
use super::make;
use super::persist::{Keep, Made};
use super::repo::Store;
use super::subjects::Subjects;
use commit::Commit;
use paths::Paths;

/// How often it starts again because somebody without the lock moved the ref.
const TRIES: u32 = 5;
/// So many objects are in memory at most; more go to the disk as one pack, and wait there for the ref.
const MOST_IN_MEMORY: usize = 20_000;
/// So many commits are looked for in other references.
const MOST_LOOKED_FOR: usize = 100;

/// A rewritten history.
#[derive(Debug)]
pub(crate) struct Purged {
    /// Where the ref pointed.
    pub(crate) from: ObjectId,
    /// Where it points.
    pub(crate) to: ObjectId,
    /// Commits that were rewritten.
    pub(crate) commits: usize,
    /// Versions of files that were.
    pub(crate) files: usize,
    /// Entries that have another name, since they say something else: the old path and the new one.
    pub(crate) renamed: Vec<(String, String)>,
    /// What remotes were known to have, which was forgotten here since it is the old history.
    pub(crate) remotes: Vec<Tracked>,
    /// References that still hold commits of the old history.
    pub(crate) held_by: Vec<String>,
}

/// What a remote was last known to have.
#[derive(Debug)]
pub(crate) struct Tracked {
    /// Its name.
    pub(crate) remote: String,
    /// The reference that tells.
    pub(crate) tracking: String,
    /// The commit.
    pub(crate) commit: ObjectId,
}

/// What became of each commit.
struct Rewritten {
    moved: HashMap<ObjectId, ObjectId>,
    /// Rewritten commits that stand on nothing rewritten.
    first: Vec<ObjectId>,
    files: usize,
    /// The objects that are not on the disk yet, and what holds those that are.
    made: Made,
    packs: Vec<Keep>,
}

impl Rewritten {
    fn is_old(&self, commit: ObjectId) -> bool {
        self.moved.get(&commit).is_some_and(|new| *new != commit)
    }
}

impl Store {
    /// Rewrites the history by what the newest state hides. `None` where none of it holds anything hidden any more.
    pub(crate) fn purge(&self) -> Result<Option<Purged>, StoreError> {
        self.refuse_mirror()?;
        let mut lock = WriteLock::acquire(&self.common_dir(), self.lock_timeout()?)?;
        for _ in 0..TRIES {
            let now = self.snapshot()?;
            let from = now.commit();
            for Tracked { tracking, commit, .. } in self.tracked()? {
                if !self.is_ancestor(commit, from)? {
                    return Err(StoreError::Unmerged { tracking, reference: self.reference().to_owned() });
                }
            }
            let mut paths = Paths::hidden_in(&now)?;
            if paths.is_empty() {
                return Ok(None);
            }
            let rewritten = self.rewrite(from, &mut paths, Subjects::new(now))?;
            let to = rewritten.moved[&from];
            if to == from {
                return Ok(None);
            }
            let keep = rewritten.made.write(&self.repo)?;
            if self.publish_made(&mut lock, (&rewritten.made, keep), to, Some(from), "redact: purge")? {
                let commits = rewritten.moved.iter().filter(|(old, new)| old != new).count();
                let files = rewritten.files;
                let (remotes, held_by) = self.forget(&rewritten)?;
                let renamed = paths.renamed().to_vec();
                return Ok(Some(Purged { from, to, commits, files, renamed, remotes, held_by }));
            }
        }
        Err(StoreError::Contended { reference: self.reference().to_owned(), times: TRIES })
    }

    /// The commits in the history of the ref that a purge rewrote, and with them all that stand on those. What a purge
    /// hid without a trace of it in any file is not known.
    pub(super) fn since_purge(&self) -> Result<HashSet<ObjectId>, StoreError> {
        let now = self.snapshot()?;
        let mut paths = Paths::hidden_in(&now)?;
        let mut since = HashSet::new();
        if paths.is_empty() {
            return Ok(since);
        }
        for (commit, parents) in self.parents_first(now.commit(), None)? {
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
        paths: &mut Paths,
        mut subjects: Subjects<'_>,
    ) -> Result<Rewritten, StoreError> {
        let failed = StoreError::object("cannot read the history of the store");
        let work = self.in_memory();
        let mut done = Rewritten {
            moved: HashMap::new(),
            first: Vec::new(),
            files: 0,
            made: Made::taken_from(&work),
            packs: Vec::new(),
        };
        for (id, _) in self.parents_first(tip, None)? {
            let object = self.repo.find_object(id).map_err(&failed)?;
            let mut commit = Commit::parse(&object.data, self.repo.object_hash()).map_err(&failed)?;
            commit.tree = paths.rewrite(&work, commit.tree, &done.moved)?;
            let was_sorted = commit.parents.is_sorted();
            let mut stands_on_old = false;
            for parent in &mut commit.parents {
                let new = *done.moved.get(parent).ok_or(StoreError::Shallow)?;
                stands_on_old |= new != *parent;
                *parent = new;
            }
            if commit.is_merge_of_ours() && was_sorted {
                // As a merge of the new heads would have it.
                commit.parents.sort();
            }
            commit.hide(&mut subjects)?;
            let new = match commit.changed(&object.data) {
                Some(bytes) => make::bytes(&work, Kind::Commit, &bytes)?,
                None => id,
            };
            if new != id && !stands_on_old {
                done.first.push(id);
            }
            done.moved.insert(id, new);
            if work.objects.num_objects_in_memory() >= MOST_IN_MEMORY {
                done.packs.push(Keep(Made::taken_from(&work).write(&self.repo)?));
            }
        }
        done.files = paths.rewritten();
        done.made = Made::taken_from(&work);
        Ok(done)
    }

    /// Lets go of the old history wherever this repository holds it on behalf of the ref: its reflog, and what the
    /// remotes were known to have, which the next sync would take for something to be merged.
    fn forget(&self, rewritten: &Rewritten) -> Result<(Vec<Tracked>, Vec<String>), StoreError> {
        let git = self.git();
        let mut remotes = self.tracked()?;
        remotes.retain(|it| rewritten.is_old(it.commit));
        for Tracked { tracking, commit, .. } in &remotes {
            git.run(Args::new(&["update-ref", "-d"]).value(tracking).value(commit.to_string()))?;
        }
        git.run(Args::new(&["reflog", "expire", "--expire=all"]).value(self.reference()))?;
        let mut args = Args::new(&["for-each-ref", "--format=%(refname)"]);
        for id in rewritten.first.iter().take(MOST_LOOKED_FOR) {
            args = args.with("--contains=", id);
        }
        let listed = git.run(args)?;
        let held_by = String::from_utf8_lossy(&listed).lines().map(str::to_owned).collect();
        Ok((remotes, held_by))
    }

    /// What each remote was last known to have.
    fn tracked(&self) -> Result<Vec<Tracked>, StoreError> {
        let mut found = Vec::new();
        for remote in self.remotes() {
            let tracking = self.tracking(&remote);
            if let Some(commit) = self.read_ref(&tracking)? {
                found.push(Tracked { remote, tracking, commit });
            }
        }
        Ok(found)
    }
}
