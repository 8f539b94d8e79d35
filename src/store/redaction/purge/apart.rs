//! Recognizes the same history before and after a purge. A merge of the two would restore what was removed, and the
//! log would show each commit twice.

use std::collections::{HashMap, HashSet};

use super::commit::RawCommit;
use super::paths::Paths;
use super::{memory, rewritten};
use crate::git::{ObjectId, Repository};
use crate::store::{Snapshot, Store, StoreError, Subjects, merge};

/// At most this many commits are compared with a counterpart. One pair is enough, and a purge leaves few candidates.
const MOST: usize = 16;

/// Which of two histories still holds what a purge removed from the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unpurged {
    /// Ours.
    Ours,
    /// The head that could not be merged into ours.
    Theirs,
}

impl Store {
    /// Whether one of two heads has the purged history of the other.
    pub(crate) fn unpurged(
        &self,
        work: &Repository,
        ours: ObjectId,
        theirs: ObjectId,
    ) -> Result<Option<Unpurged>, StoreError> {
        let their_own = alone(work, theirs, &[ours])?;
        let purged = memory::read(&self.common_dir())?;
        if their_own.keys().any(|commit| purged.contains(commit)) {
            return Ok(Some(Unpurged::Theirs));
        }
        let our_own = alone(work, ours, &[theirs])?;
        let mut twins = PurgePair { store: self, work, heads: [ours, theirs] };
        for (one, two, head) in [(&their_own, &our_own, ours), (&our_own, &their_own, theirs)] {
            for commit in first(one).take(MOST) {
                for other in candidates(work, one, commit, two, head)?.into_iter().take(MOST) {
                    let pair = if head == ours { (other, commit) } else { (commit, other) };
                    if let Some(side) = twins.unpurged(pair.0, pair.1)? {
                        return Ok(Some(side));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Whether this repository was ever purged.
    pub(crate) fn has_purged(&self) -> Result<bool, StoreError> {
        Ok(!memory::read(&self.common_dir())?.is_empty())
    }

    /// Refuses a head that a purge, on its side or ours, separates from ours.
    pub(crate) fn refuse_unpurged(&self, theirs: ObjectId, name: &str) -> Result<(), StoreError> {
        match self.tip()? {
            Some(ours) => merge::refuse_unpurged(self, &self.in_memory(), ours, theirs, name),
            None => Ok(()),
        }
    }
}

/// Commits with their parents.
type CommitParents = HashMap<ObjectId, Vec<ObjectId>>;

/// The commits in the history of `head` that are in none of `without`.
fn alone(work: &Repository, head: ObjectId, without: &[ObjectId]) -> Result<CommitParents, StoreError> {
    let failed = StoreError::object("cannot read the history of the store");
    let mut found = HashMap::new();
    for info in work.walk([head], without.iter().copied()).map_err(&failed)? {
        let info = info.map_err(&failed)?;
        found.insert(info.id, info.parents.to_vec());
    }
    Ok(found)
}

/// The commits whose parents are all in both histories, in the same order in every clone.
fn first(history: &CommitParents) -> impl Iterator<Item = ObjectId> {
    let mut first: Vec<ObjectId> = history
        .iter()
        .filter(|(_, parents)| {
            !parents.is_empty() && !parents.iter().any(|parent| history.contains_key(parent))
        })
        .map(|(commit, _)| *commit)
        .collect();
    first.sort();
    first.into_iter()
}

/// Commits of the other side with the same parents as `commit`, made by the same person at the same time. All commits
/// of `head` since the common history are searched: the side of `commit` may contain both if someone merged them.
fn candidates(
    work: &Repository,
    own: &CommitParents,
    commit: ObjectId,
    others: &CommitParents,
    head: ObjectId,
) -> Result<Vec<ObjectId>, StoreError> {
    let Some(parents) = own.get(&commit) else { return Ok(vec![]) };
    let wanted = set_of(parents);
    let mut found: Vec<ObjectId> =
        others.iter().filter(|(_, parents)| set_of(parents) == wanted).map(|(id, _)| *id).collect();
    if found.is_empty() {
        let since = alone(work, head, parents)?;
        found = since.iter().filter(|(_, parents)| set_of(parents) == wanted).map(|(id, _)| *id).collect();
    }
    let made = made(work, commit)?;
    let mut same = Vec::new();
    for id in found.into_iter().filter(|id| *id != commit) {
        if self::made(work, id)? == made {
            same.push(id);
        }
    }
    same.sort();
    Ok(same)
}

fn set_of(parents: &[ObjectId]) -> HashSet<ObjectId> {
    parents.iter().copied().collect()
}

/// The author and committer of a commit, with their times, as git writes them.
fn made(work: &Repository, id: ObjectId) -> Result<(Vec<u8>, Vec<u8>), StoreError> {
    let failed = StoreError::object("cannot read the history of the store");
    let commit = work.commit(id).map_err(&failed)?;
    let decoded = commit.decode().map_err(&failed)?;
    Ok((decoded.author.to_vec(), decoded.committer.to_vec()))
}

struct PurgePair<'a> {
    store: &'a Store,
    work: &'a Repository,
    heads: [ObjectId; 2],
}

impl PurgePair<'_> {
    /// Whether a purge of everything that either side hides turns both commits into one, and if so, the side that was
    /// not purged. Nothing computed here is kept.
    fn unpurged(&mut self, ours: ObjectId, theirs: ObjectId) -> Result<Option<Unpurged>, StoreError> {
        let aside = self.work.clone();
        let both = merge::of_parents(&aside, self.heads)?;
        let state = Snapshot::open(&aside, self.store.reference(), both)?;
        let mut paths = Paths::hidden_in(&state)?;
        if paths.is_empty() {
            return Ok(None);
        }
        let mut subjects = Subjects::new(state.clone());
        let mut purged = |id| -> Result<ObjectId, StoreError> {
            let failed = StoreError::object("cannot read the history of the store");
            let object = aside.object(id).map_err(&failed)?.detach();
            let mut commit = RawCommit::parse(&object.data, aside.hash_kind()).map_err(&failed)?;
            commit.tree = paths.rewrite(&aside, commit.tree, &HashMap::new())?;
            rewritten(&aside, commit, id, &object.data, &mut subjects)
        };
        let (our_own, their_own) = (purged(ours)?, purged(theirs)?);
        if our_own != their_own {
            return Ok(None);
        }
        if our_own == ours {
            return Ok(Some(Unpurged::Theirs));
        }
        // If more was hidden since the purge, the purged commit is the one with its traces.
        let has_traces = their_own == theirs || paths.has_purged(&aside, commit_tree(&aside, theirs)?)?;
        Ok(Some(if has_traces { Unpurged::Ours } else { Unpurged::Theirs }))
    }
}

fn commit_tree(work: &Repository, id: ObjectId) -> Result<ObjectId, StoreError> {
    work.tree_of(id).map_err(StoreError::object("cannot read the history of the store"))
}
