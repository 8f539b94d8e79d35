//! Commits that only repeat changes which other people made and nobody linked: cherry-picks and squashes. Both are
//! recognized by git's patch id, so a copy that was changed on the way (such as a resolved conflict) counts as new
//! work.

use std::collections::HashSet;
use std::collections::hash_map::{Entry, HashMap};

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
    let mut copies = HashMap::new();
    let mut ranges = Ranges { store, patches: HashMap::new() };
    let mut changes = OtherChanges::new(store);
    let tips = store.repo().newest_tips(MOST_COMPARED)?;
    for (linked, code) in asked {
        let hash = &linked.link.hash;
        let Some(maker) = changes.authorship(code.id)?.cloned() else { continue };
        let named = Referred::parse(&code.message).copies;
        let named: Vec<ObjectId> = named.iter().filter_map(|id| store.commit_named(id)).collect();
        let mut whole = Vec::new();
        for id in tips.iter().chain(named.first()) {
            if !own.contains(&CommitHash::from(*id)) && changes.may_be_source(*id, &maker)? {
                whole.push(*id);
            }
        }
        let files = &linked.link.files;
        let mut others = Vec::new();
        for id in named.iter().copied().chain(changes.touching(files.first())?) {
            if !own.contains(&CommitHash::from(id))
                && changes.may_be_source(id, &maker)?
                && changes.files(id)? == Some(files)
            {
                others.push(id);
            }
        }
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
        if let Some(id) = found
            && let Some(by) = changes.authorship(id)?
        {
            let short = id.to_hex_with_len(SHORT);
            copies.insert(hash.clone(), format!("repeats what {} made ({short})", by.author));
        }
    }
    Ok(copies)
}

/// What is known of the commits that may be repeated. Each is read once, and git is asked once for each file.
struct OtherChanges<'a> {
    store: &'a Store,
    touching: HashMap<String, Vec<ObjectId>>,
    authors: HashMap<ObjectId, Option<Authorship>>,
    files: HashMap<ObjectId, Option<Vec<String>>>,
}

impl<'a> OtherChanges<'a> {
    fn new(store: &'a Store) -> Self {
        let (touching, authors, files) = Default::default();
        Self { store, touching, authors, files }
    }

    /// The latest commits of all branches that touch a file.
    fn touching(&mut self, file: Option<&String>) -> Result<Vec<ObjectId>, StoreError> {
        let Some(file) = file else { return Ok(vec![]) };
        if let Some(known) = self.touching.get(file) {
            return Ok(known.clone());
        }
        let wanted = Revisions::none().and_branches().no_merges().at_most(MOST_COMPARED).touching([file]);
        let found = self.store.git().named_revisions(wanted)?.unwrap_or_default();
        self.touching.insert(file.clone(), found.clone());
        Ok(found)
    }

    /// Who made a commit; `None` if it cannot be read.
    fn authorship(&mut self, id: ObjectId) -> Result<Option<&Authorship>, StoreError> {
        let known = match self.authors.entry(id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                unknown.insert(self.store.sound_commit(id)?.as_ref().map(Authorship::from))
            }
        };
        Ok(known.as_ref())
    }

    /// Whether another person made this commit before `maker` repeated it.
    fn may_be_source(&mut self, id: ObjectId, maker: &Authorship) -> Result<bool, StoreError> {
        Ok(self.authorship(id)?.is_some_and(|other| maker.is_from(other)))
    }

    /// The files that a commit changes. One that changes others makes another change, and its patch can be that of the whole
    /// project, which takes git minutes to read. `None` if it cannot be read, or at the end of a shallow history, where nobody
    /// knows.
    fn files(&mut self, id: ObjectId) -> Result<Option<&Vec<String>>, StoreError> {
        let known = match self.files.entry(id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                let code = self.store.sound_commit(id)?;
                let whole = code.filter(|code| self.store.require_parents(code).is_ok());
                unknown.insert(whole.map(|code| self.store.changed_files(&code)).transpose()?)
            }
        };
        Ok(known.as_ref())
    }
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

impl From<&CodeCommit> for Authorship {
    fn from(code: &CodeCommit) -> Self {
        Self {
            author: code.author.as_str().to_owned(),
            authored: code.authored_at.millis(),
            committer: code.committer.as_str().to_owned(),
            committed: code.committed_at.millis(),
        }
    }
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
