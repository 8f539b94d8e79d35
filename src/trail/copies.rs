//! Commits that only repeat changes which other people made and nobody linked: cherry-picks and squashes. Both are
//! recognized by git's patch id, so a copy that was changed on the way (such as a resolved conflict) counts as new
//! work.

use std::collections::{HashMap, HashSet};

use super::patch_id;
use super::referred::Referred;
use crate::git::{ObjectId, Revisions};
use crate::model::hash::SHORT;
use crate::model::{CommitHash, PatchId};
use crate::rules::{ExecutionFolder, LinkedCommit};
use crate::store::{CodeCommit, Store, StoreError};

/// At most this many of the latest commits of an execution are examined.
const MOST_COMMITS: usize = 50;
/// At most this many commits of others, and this many whole branches, are compared with each.
const MOST_COMPARED: usize = 100;

/// The author of a commit, and the time in seconds.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Authorship {
    author: String,
    authored: i64,
    committer: String,
    committed: i64,
}

impl Authorship {
    /// Whether it copies `other`, which another person made before. A rebase keeps author dates.
    fn is_from(&self, other: &Self) -> bool {
        let is_pick =
            (&self.author, self.authored) == (&other.author, other.authored) && self.author != self.committer;
        self.committer != other.committer && (is_pick || other.committed < self.authored)
    }
}

/// The commits of an execution that only repeat others, with a message for each.
pub(crate) fn of_others(
    store: &Store,
    execution: &ExecutionFolder,
    commits: &[(LinkedCommit, CodeCommit)],
) -> Result<HashMap<CommitHash, String>, StoreError> {
    let own: HashSet<&CommitHash> = execution.known_commits().collect();
    let asked = commits.iter().rev().filter(|(_, code)| code.parents.len() == 1).take(MOST_COMMITS);
    let asked: Vec<_> = asked.collect();
    if asked.is_empty() {
        return Ok(HashMap::new());
    }
    let makers = made(store, asked.iter().map(|(_, code)| code.id))?;
    let mut copies = HashMap::new();
    let mut ranges = Ranges { store, patches: HashMap::new() };
    let tips = store.repo().newest_tips(MOST_COMPARED)?;
    for (linked, code) in asked {
        let hash = &linked.link.hash;
        let Some(maker) = makers.get(hash) else { continue };
        let named = Referred::parse(&code.message).copies;
        let named: Vec<ObjectId> = named.iter().filter_map(|id| store.commit_named(id)).collect();
        let (mut others, mut whole) = (others(store, linked, &named)?, tips.clone());
        whole.extend(named.first());
        let known = made(store, others.iter().chain(&whole).copied())?;
        let may_be_source = |id: &ObjectId| {
            let id = CommitHash::from(*id);
            !own.contains(&id) && known.get(&id).is_some_and(|other| maker.is_from(other))
        };
        others.retain(may_be_source);
        whole.retain(may_be_source);
        let files = &linked.link.files;
        retain_alike(store, files, &mut others)?;
        if others.is_empty() && whole.is_empty() {
            continue;
        }
        let Some(patch) = patch_id::of_commits(store, std::slice::from_ref(hash))?.remove(hash) else {
            continue;
        };
        let found = match same(store, &patch, &others)? {
            Some(found) => Some(found),
            None => ranges.same(&patch, files, code, &whole)?,
        };
        if let Some((id, by)) = found.and_then(|id| Some((id, known.get(&CommitHash::from(id))?))) {
            let short = id.to_hex_with_len(SHORT);
            copies.insert(hash.clone(), format!("repeats what {} made ({short})", by.author));
        }
    }
    Ok(copies)
}

/// Commits that touch the first file of a commit, and those that its message names.
fn others(store: &Store, linked: &LinkedCommit, named: &[ObjectId]) -> Result<Vec<ObjectId>, StoreError> {
    let mut found = named.to_vec();
    if let Some(file) = linked.link.files.first() {
        let wanted = Revisions::none().and_branches().no_merges().at_most(MOST_COMPARED).touching([file]);
        found.extend(store.git().named_revisions(wanted)?.unwrap_or_default());
    }
    Ok(found)
}

/// Keeps the commits that change just these files. Any other makes another change, and its patch can be that of the
/// whole project, which takes git minutes to read.
fn retain_alike(store: &Store, files: &[String], others: &mut Vec<ObjectId>) -> Result<(), StoreError> {
    let mut alike = Vec::new();
    for id in others.drain(..) {
        let Some(code) = store.sound_commit(id)? else { continue };
        // At the end of a shallow history nobody knows what a commit changed.
        if store.require_parents(&code).is_ok() && store.changed_files(&code)? == files {
            alike.push(id);
        }
    }
    *others = alike;
    Ok(())
}

/// The oldest of these commits that makes that change.
fn same(store: &Store, patch: &PatchId, others: &[ObjectId]) -> Result<Option<ObjectId>, StoreError> {
    let hashes: Vec<CommitHash> = others.iter().map(|id| CommitHash::from(*id)).collect();
    let known = patch_id::of_commits(store, &hashes)?;
    Ok(others.iter().rev().find(|id| known.get(&CommitHash::from(**id)) == Some(patch)).copied())
}

/// A cache of the changes between two commits.
struct Ranges<'a> {
    store: &'a Store,
    patches: HashMap<(ObjectId, ObjectId), Option<PatchId>>,
}

impl Ranges<'_> {
    /// The tip of a branch whose commits, since it forked from the branch of this one, together make that change.
    fn same(
        &mut self,
        patch: &PatchId,
        files: &[String],
        code: &CodeCommit,
        tips: &[ObjectId],
    ) -> Result<Option<ObjectId>, StoreError> {
        let [parent] = code.parents[..] else { return Ok(None) };
        for tip in tips.iter().filter(|tip| **tip != code.id) {
            let [base] = self.store.merge_bases(parent, *tip)?[..] else { continue };
            if base == *tip {
                continue;
            }
            let known = match self.patches.get(&(base, *tip)) {
                Some(known) => known.clone(),
                None if self.changed_between(base, *tip)? != files => continue,
                None => patch_id::between(self.store, Some(base), *tip)?,
            };
            let is_same = known.as_ref() == Some(patch);
            self.patches.insert((base, *tip), known);
            if is_same {
                return Ok(Some(*tip));
            }
        }
        Ok(None)
    }

    /// The files in which two commits differ.
    fn changed_between(&self, base: ObjectId, tip: ObjectId) -> Result<Vec<String>, StoreError> {
        self.store.files_since(Some(base), &self.store.code_commit(tip)?)
    }
}

/// The authors and dates of commits; nothing is known of one that cannot be read.
fn made(
    store: &Store,
    commits: impl IntoIterator<Item = ObjectId>,
) -> Result<HashMap<CommitHash, Authorship>, StoreError> {
    let mut found = HashMap::new();
    for id in commits {
        if let Some(code) = store.sound_commit(id)? {
            let made = Authorship {
                author: code.author.as_str().to_owned(),
                authored: code.authored_at.millis(),
                committer: code.committer.as_str().to_owned(),
                committed: code.committed_at.millis(),
            };
            found.insert(id.into(), made);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(author: &str, authored: i64, committer: &str, committed: i64) -> Authorship {
        Authorship { author: author.into(), authored, committer: committer.into(), committed }
    }

    #[test]
    fn who_copied_whom_is_told_by_persons_and_dates() {
        let bobs = made("Bob", 10, "Bob", 10);
        // Ada's cherry-pick and her squash are copies.
        assert!(made("Bob", 10, "Ada", 20).is_from(&bobs));
        assert!(made("Ada", 20, "Ada", 20).is_from(&bobs));
        // Bob's cherry-pick of Ada's commit does not make hers a copy, even after she rebased it.
        let adas = made("Ada", 5, "Ada", 30);
        assert!(!adas.is_from(&made("Ada", 5, "Bob", 10)));
        // Her own commit on another branch does not count.
        assert!(!adas.is_from(&made("Ada", 5, "Ada", 10)));
    }
}
