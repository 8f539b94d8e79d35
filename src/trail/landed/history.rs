//! The commits of a target branch since some state, with what their messages say of other work.

use std::collections::{HashMap, HashSet};

use crate::git::ObjectId;
use crate::model::{CommitHash, SolutionId};
use crate::store::{Store, StoreError, object_id};
use crate::trail::referred::Referred;
use crate::trail::trailers;

/// A reverted merge takes back at most this many commits.
const MOST_OF_A_MERGE: usize = 10_000;

/// A chain of reverts of reverts is followed this far.
const MOST_REVERTS: usize = 16;

/// A commit of the target that says something about work.
#[derive(Debug)]
pub(super) struct TargetCommit {
    /// Its id.
    pub(super) id: ObjectId,
    /// The first line of its message; empty if it has no trailers.
    pub(super) subject: String,
    /// Whether it is a merge, which is no copy of anything.
    is_merge: bool,
    /// Its trailers.
    trailers: Vec<(String, String)>,
}

/// What these commits say, each with the commits that it reverts. One that cannot be read says nothing.
fn said(store: &Store, ids: Vec<ObjectId>) -> Result<Vec<(TargetCommit, Vec<ObjectId>)>, StoreError> {
    let mut found = Vec::new();
    for id in ids {
        let Some(commit) = store.commit_message(id)? else { continue };
        let reverts = reverts(store, &commit.message);
        let is_merge = commit.parents.len() > 1;
        let trailers = trailers::parse(&commit.message);
        let subject = if trailers.is_empty() { String::new() } else { commit.subject() };
        found.push((TargetCommit { id, subject, is_merge, trailers }, reverts));
    }
    Ok(found)
}

impl TargetCommit {
    /// The plans that it names.
    pub(super) fn plans(&self) -> impl Iterator<Item = SolutionId> {
        let named = self.trailers.iter().filter(|(key, _)| key == trailers::SOLUTION);
        named.filter_map(|(_, value)| SolutionId::parse(value).ok())
    }

    /// Whether it names this task of this plan; any task if the linked commit has none.
    pub(super) fn names(&self, plan: &SolutionId, task: Option<&str>) -> bool {
        task.is_none_or(|task| trailers::tasks(&self.trailers, plan.as_str()).contains(task))
    }
}

/// The commits that came to a target branch.
#[derive(Debug, Default)]
pub(super) struct TargetHistory {
    /// All of them, parents first.
    all: Vec<ObjectId>,
    places: HashMap<ObjectId, usize>,
    /// The commits that are not merges.
    pub(super) single: Vec<ObjectId>,
    /// The commits with trailers that are not merges.
    pub(super) named: Vec<TargetCommit>,
    /// What their messages say that they revert.
    reverts: HashMap<ObjectId, Vec<ObjectId>>,
}

/// What reverts take back: for each of them, the commits.
pub(super) type Reverts = HashMap<ObjectId, Vec<ObjectId>>;

impl TargetHistory {
    /// Reads the history of `tips` without that of `without`.
    pub(super) fn read(store: &Store, tips: &[ObjectId], without: &[ObjectId]) -> Result<Self, StoreError> {
        let all = store.git().between(tips, without)?;
        let mut history = Self::default();
        for (commit, reverts) in store.read_in_parts(all.clone(), said)? {
            if !reverts.is_empty() {
                history.reverts.insert(commit.id, reverts);
            }
            if commit.is_merge {
                continue;
            }
            history.single.push(commit.id);
            if !commit.trailers.is_empty() {
                history.named.push(commit);
            }
        }
        let places = all.iter().enumerate().map(|(n, id)| (*id, n)).collect();
        Ok(Self { all, places, ..history })
    }

    /// Everything that its reverts name, directly, through older reverts that they revert, or as the commits that a reverted
    /// merge brought in.
    pub(super) fn reverted(&self, store: &Store) -> Result<HashSet<ObjectId>, StoreError> {
        let mut found = HashSet::new();
        let mut open: Vec<ObjectId> = self.reverts.values().flatten().copied().collect();
        while let Some(commit) = open.pop() {
            if found.insert(commit) {
                found.extend(all_of(store, commit)?);
                let said = store.commit_message(commit)?;
                open.extend(said.into_iter().flat_map(|said| reverts(store, &said.message)));
            }
        }
        Ok(found)
    }

    /// Its place among them; `None` for a commit that was there before.
    pub(super) fn place(&self, commit: ObjectId) -> Option<usize> {
        self.places.get(&commit).copied()
    }

    /// The commit at a place.
    pub(super) fn at(&self, place: usize) -> Option<ObjectId> {
        self.all.get(place).copied()
    }

    /// The commits that its message says it reverts.
    pub(super) fn reverted_by(&self, commit: ObjectId) -> &[ObjectId] {
        self.reverts.get(&commit).map_or(&[], Vec::as_slice)
    }

    /// The commits that are reverted at the end, each with the place of the revert: a revert of a revert brings back what that
    /// took. `recorded` are the reverts that links name, of which the message may say nothing.
    pub(super) fn taken_back(
        &self,
        store: &Store,
        recorded: &Reverts,
    ) -> Result<HashMap<ObjectId, usize>, StoreError> {
        let of = |commit: &ObjectId| self.reverts.get(commit).or_else(|| recorded.get(commit));
        let mut taken_back = HashMap::new();
        for (place, revert) in self.all.iter().enumerate() {
            for commit in of(revert).into_iter().flatten() {
                let mut open = vec![(*commit, true, 0)];
                while let Some((commit, takes, depth)) = open.pop() {
                    if takes {
                        taken_back.insert(commit, place);
                    } else {
                        taken_back.remove(&commit);
                    }
                    match of(&commit) {
                        // A record may name any commit, even in a circle.
                        Some(inner) if depth < MOST_REVERTS => {
                            open.extend(inner.iter().map(|id| (*id, !takes, depth + 1)));
                        }
                        _ if takes => {
                            taken_back.extend(all_of(store, commit)?.into_iter().map(|id| (id, place)));
                        }
                        _ => {
                            for commit in all_of(store, commit)? {
                                taken_back.remove(&commit);
                            }
                        }
                    }
                }
            }
        }
        Ok(taken_back)
    }
}

/// Those of some reverting commits that nothing in the history of `tips` reverts.
pub(crate) fn standing_reverts(
    store: &Store,
    tips: &[ObjectId],
    reverts: &[CommitHash],
) -> Result<Vec<CommitHash>, StoreError> {
    if reverts.is_empty() {
        return Ok(vec![]);
    }
    let ids: Vec<ObjectId> = reverts.iter().filter_map(|hash| store.commit_here(hash)).collect();
    let history = TargetHistory::read(store, tips, &ids)?;
    let taken_back = history.taken_back(store, &Reverts::new())?;
    let stands = |hash: &&CommitHash| object_id(hash).is_none_or(|id| !taken_back.contains_key(&id));
    Ok(reverts.iter().filter(stands).cloned().collect())
}

/// The commits that a message says it reverts, as far as they are here.
fn reverts(store: &Store, message: &[u8]) -> Vec<ObjectId> {
    let named = Referred::parse(message).reverts;
    named.iter().filter_map(|hash| store.commit_named(hash)).collect()
}

/// A commit, and for a merge what it brought in.
pub(super) fn all_of(store: &Store, commit: ObjectId) -> Result<Vec<ObjectId>, StoreError> {
    let parents = store.commit_message(commit)?.map(|commit| commit.parents).unwrap_or_default();
    let mut all = vec![commit];
    if let [first, _, ..] = parents[..] {
        all.extend(store.git().between(&[commit], &[first])?.into_iter().take(MOST_OF_A_MERGE));
    }
    Ok(all)
}
