//! Work that a commit reverts or copies although its message names none of it: recognized by git's patch id, or by the
//! files that the commit restores.

use std::collections::{BTreeSet, HashSet};

use super::compared::{ComparedChange, MadeChange, alike};
use super::{MOST_COMPARED, Same, SourceWork, Sources, add};
use crate::git::{ObjectId, Revisions};
use crate::model::{CommitHash, CommitLink, ExecutionId, ExecutionStatus, PatchId, SolutionId};
use crate::rules::ExecutionFolder;
use crate::store::{CodeCommit, MOST_FILES, ReadState, StoreError, object_id, records};
use crate::trail::parts::FilesByCommit;
use crate::trail::patch_id;

/// At most this many commits are recognized as reverted by one whose message names only the last of them.
const MOST_RESTORED: usize = 10;
/// With more files than these, parts of a change are not looked for.
const MOST_NAMED: usize = 50;
/// Commits that no branch has any more are searched among this many of the last moves of HEAD.
const MOST_MOVES: usize = 50;
/// How a reflog begins to say that HEAD moved to a commit which contains the one before.
const GOES_ON: [&str; 7] =
    ["commit:", "commit (merge):", "commit (initial):", "merge ", "clone:", "cherry-pick:", "revert:"];
/// Before a commit is made, at most this many of the latest commits are examined.
const MOST_RECENT: usize = 200;

impl<R: ReadState> Sources<'_, R> {
    /// By a commit's change: the latest work on the same files with the same change, or with the reverse of it.
    pub(crate) fn by_change(
        &self,
        commit: &CodeCommit,
        files: &[String],
    ) -> Result<Vec<SourceWork>, StoreError> {
        let [parent] = commit.parents[..] else { return Ok(vec![]) };
        let mut others = self.of_same_files(parent, files)?;
        others.extend(self.lost_of_same_files(commit.id, files)?);
        others.retain(|hash| *hash != CommitHash::from(commit.id));
        Ok(match self.same_change(&others, files, &MadeChange { store: self.store, commit, parent })? {
            Same::Nobody | Same::Several(_) => vec![],
            Same::Of(found) => found,
        })
    }

    /// Like [`Self::by_change`], for a change that is about to be committed, among the commits of [`Self::recent`].
    pub(crate) fn by_staged(
        &self,
        recent: &[CommitHash],
        files: &[String],
        change: &impl ComparedChange,
    ) -> Result<Same, StoreError> {
        if recent.is_empty() { Ok(Same::Nobody) } else { self.same_change(recent, files, change) }
    }

    /// The latest linked commits that touch some of these files, newest first: only few, since the user waits. Those that
    /// were lost since come last.
    pub(crate) fn recent(&self, head: ObjectId, files: &[String]) -> Result<Vec<CommitHash>, StoreError> {
        if files.is_empty() || !self.knows_quickly().unwrap_or(false) {
            return Ok(vec![]);
        }
        let mut linked = Vec::new();
        let repo = self.store.repo();
        let tips = repo.branch_tips()?.into_iter().chain([head]);
        for id in repo.newest(tips, MOST_RECENT).unwrap_or_default() {
            if !self.known(&id.into())?.is_empty() {
                linked.push(id);
            }
        }
        linked.extend(self.lost(head)?);
        if linked.is_empty() {
            return Ok(vec![]);
        }
        let touching = self.store.git().touching(linked, some_of(files))?;
        Ok(touching.into_iter().map(CommitHash::from).take(MOST_COMPARED).collect())
    }

    /// Commits of completed work that HEAD had here, and that no branch, tag or remote has any more, newest first. Who
    /// makes their changes again restores that work; an attempt that failed or was given up is made again as other work.
    fn lost(&self, head: ObjectId) -> Result<Vec<ObjectId>, StoreError> {
        let mut tips: Vec<ObjectId> = Vec::new();
        let moves = self.store.repo().reflog("HEAD", MOST_MOVES)?;
        // As long as HEAD only goes on, as usual, nothing is lost.
        if moves.iter().all(|step| GOES_ON.iter().any(|word| step.why.starts_with(word))) {
            return Ok(vec![]);
        }
        for step in moves {
            if !tips.contains(&step.commit) && self.store.repo().is_commit(step.commit) {
                tips.push(step.commit);
            }
        }
        let mut lost = Vec::new();
        for id in self.store.git().unreachable(tips, [head.to_string()])? {
            for execution in self.known(&id.into())? {
                let folder = records::execution(self.read, &execution, &mut Vec::new())?;
                if !lost.contains(&id)
                    && folder.as_ref().is_some_and(|folder| folder.outcome() == ExecutionStatus::Completed)
                {
                    lost.push(id);
                }
            }
        }
        lost.truncate(MOST_COMPARED);
        Ok(lost)
    }

    /// The work of HEAD, for an amend.
    pub(crate) fn of_head(&self, head: ObjectId) -> Result<Vec<SourceWork>, StoreError> {
        if !self.knows_quickly()? {
            return Ok(vec![]);
        }
        let hash = CommitHash::from(head);
        self.linking(&hash, &self.known(&hash)?)
    }

    /// The work that makes the same change, or the reverse of it: that of the first matching commit
    /// among `others` (newest first), if all matches belong to the same plans.
    fn same_change(
        &self,
        others: &[CommitHash],
        files: &[String],
        change: &impl ComparedChange,
    ) -> Result<Same, StoreError> {
        let names = files;
        let files: HashSet<&str> = files.iter().map(String::as_str).collect();
        let mut linked = Vec::new();
        let mut smaller: Vec<(CommitHash, Vec<String>)> = Vec::new();
        for hash in others {
            let links = self.links(hash, &self.known(hash)?)?;
            // The same change touches the same files; but a link lists only a limited number of them.
            let is_like = links.iter().any(|(_, link)| {
                files.len() >= MOST_FILES
                    || link.files.iter().map(String::as_str).collect::<HashSet<_>>() == files
            });
            if is_like {
                linked.push(hash.clone());
            } else if let Some((_, link)) = links.into_iter().find(|(_, link)| link.files.len() < files.len())
            {
                smaller.push((hash.clone(), link.files.clone()));
            }
        }
        let linked = alike(self.store, linked, change);
        let mut parts = FilesByCommit::new(names.iter().map(String::as_str));
        let mut of_parts = Vec::new();
        for (hash, files) in &smaller {
            if names.len() < MOST_FILES && parts.add(files.iter().map(String::as_str)) {
                of_parts.push(hash.clone());
            }
        }
        if linked.is_empty() && !parts.may_do() {
            return Ok(Same::Nobody);
        }
        let [own, undone] = change.patch_ids()?;
        let known = patch_id::of_commits(self.store, &linked)?;
        let mut latest: Option<Vec<SourceWork>> = None;
        let mut plans: BTreeSet<SolutionId> = BTreeSet::new();
        for hash in linked {
            let patch = known.get(&hash);
            let takes_back = undone.is_some() && patch == undone.as_ref();
            if patch.is_none() || (patch != own.as_ref() && !takes_back) {
                continue;
            }
            let Some(id) = object_id(&hash) else { continue };
            let mut found = self.of_commit(id, 0)?;
            for source in &mut found {
                source.reverts = if takes_back { source.commits.clone() } else { vec![] };
            }
            let of: BTreeSet<SolutionId> = found.iter().map(|known| known.solution_id.clone()).collect();
            match &latest {
                None => latest = Some(found),
                Some(latest) if latest.iter().any(|source| of.contains(&source.solution_id)) => {}
                Some(_) => {
                    plans.extend(of);
                    return Ok(Same::Several(plans.into_iter().collect()));
                }
            }
            plans.extend(latest.iter().flatten().map(|source| source.solution_id.clone()));
        }
        if let Some(found) = latest.filter(|found| !found.is_empty()) {
            return Ok(Same::Of(found));
        }
        let found = self.put_together(&parts, &of_parts, [own, undone])?;
        Ok(if found.is_empty() { Same::Nobody } else { Same::Of(found) })
    }

    /// The work whose changes together make this change, or are undone by it.
    fn put_together(
        &self,
        parts: &FilesByCommit<'_>,
        commits: &[CommitHash],
        [own, undone]: [Option<PatchId>; 2],
    ) -> Result<Vec<SourceWork>, StoreError> {
        if !parts.may_do() {
            return Ok(vec![]);
        }
        let known = patch_id::of_commits(self.store, commits)?;
        let ids: Vec<Option<&PatchId>> = commits.iter().map(|hash| known.get(hash)).collect();
        for (whole, takes_back) in [(own, false), (undone, true)] {
            let Some(chosen) = whole.and_then(|whole| parts.making(&whole, &ids)) else { continue };
            let mut found = Vec::new();
            for id in chosen.iter().filter_map(|n| object_id(&commits[*n])) {
                for mut source in self.of_commit(id, 0)? {
                    source.reverts = if takes_back { source.commits.clone() } else { vec![] };
                    add(&mut found, source);
                }
            }
            return Ok(found);
        }
        Ok(vec![])
    }

    /// The latest revert among the commits of an execution that this commit undoes, for example by picking a reverted
    /// commit again: the copy's message names its source, not the revert.
    pub(crate) fn reapplied(
        &self,
        commit: &CodeCommit,
        execution: &ExecutionId,
    ) -> Result<Vec<CommitHash>, StoreError> {
        let [parent] = commit.parents[..] else { return Ok(vec![]) };
        let folder = records::execution(self.read, execution, &mut Vec::new())?;
        let commits = folder.iter().flat_map(ExecutionFolder::commits);
        let mut reverts: Vec<CommitLink> =
            commits.map(|commit| commit.link).filter(|link| !link.reverts.is_empty()).collect();
        if reverts.is_empty() {
            return Ok(vec![]);
        }
        let files: BTreeSet<String> = self.store.changed_files(commit)?.into_iter().collect();
        reverts.retain(|link| link.files.iter().cloned().collect::<BTreeSet<_>>() == files);
        let reverts: Vec<CommitHash> = reverts.into_iter().map(|link| link.hash).collect();
        if reverts.is_empty() {
            return Ok(vec![]);
        }
        let undone = patch_id::between(self.store, Some(commit.id), parent)?;
        let known = patch_id::of_commits(self.store, &reverts)?;
        for hash in
            reverts.iter().rev().filter(|hash| undone.is_some() && known.get(*hash) == undone.as_ref())
        {
            if let Some(id) = self.store.commit_here(hash)
                && (id == parent || self.store.is_ancestor(id, parent)?)
            {
                return Ok(vec![hash.clone()]);
            }
        }
        Ok(vec![])
    }

    /// The commits that a commit reverts, if it restores its files to what they were before some commits: all commits
    /// that changed one of these files since, newest first. This recognizes `git revert --no-commit` of several
    /// commits, of which git names only the last.
    pub(crate) fn restored(&self, commit: &CodeCommit) -> Result<Vec<CommitHash>, StoreError> {
        let [parent] = commit.parents[..] else { return Ok(vec![]) };
        let files = self.store.changed_files(commit)?;
        if files.is_empty() || files.len() >= MOST_FILES {
            return Ok(vec![]);
        }
        let mut since = Vec::new();
        for id in self.listed(Revisions::of(parent).touching(&files).at_most(MOST_RESTORED))? {
            since.push(CommitHash::from(id));
            let [before] = self.store.code_commit(id)?.parents[..] else { break };
            if self.store.git().are_equal_in([before, commit.id], &files)? {
                return Ok(since);
            }
        }
        Ok(vec![])
    }

    /// The files that a commit changed; none if it is not here.
    fn files_of(&self, hash: &CommitHash) -> Result<Vec<String>, StoreError> {
        match self.store.commit_here(hash) {
            Some(id) => self.store.changed_files(&self.store.code_commit(id)?),
            None => Ok(vec![]),
        }
    }

    /// The commits of different files whose changes this one undoes together, although its message names only `stated`.
    /// Their files may have changed since.
    pub(crate) fn undone_in_parts(
        &self,
        commit: &CodeCommit,
        stated: &[CommitHash],
    ) -> Result<Vec<CommitHash>, StoreError> {
        let [parent] = commit.parents[..] else { return Ok(vec![]) };
        let files = self.store.changed_files(commit)?;
        let mut of_stated: BTreeSet<String> = BTreeSet::new();
        for hash in stated {
            of_stated.extend(self.files_of(hash)?);
        }
        // Either the named commits explain everything, or there is too much to search.
        if files.len() > MOST_NAMED || files.iter().all(|file| of_stated.contains(file)) {
            return Ok(vec![]);
        }
        let touching = self.listed(Revisions::of(parent).touching(some_of(&files)).at_most(MOST_COMPARED))?;
        let mut smaller: Vec<(CommitHash, Vec<String>)> = Vec::new();
        for hash in touching.into_iter().map(CommitHash::from) {
            let files = self.files_of(&hash)?;
            smaller.push((hash, files));
        }
        let mut parts = FilesByCommit::new(files.iter().map(String::as_str));
        let mut commits = Vec::new();
        for (hash, files) in &smaller {
            if parts.add(files.iter().map(String::as_str)) {
                commits.push(hash.clone());
            }
        }
        if !parts.may_do() {
            return Ok(vec![]);
        }
        let known = patch_id::of_commits(self.store, &commits)?;
        let ids: Vec<Option<&PatchId>> = commits.iter().map(|hash| known.get(hash)).collect();
        let undone = patch_id::between(self.store, Some(commit.id), parent)?;
        let chosen = undone.and_then(|undone| parts.making(&undone, &ids)).unwrap_or_default();
        Ok(chosen.into_iter().map(|n| commits[n].clone()).collect())
    }

    /// The work that reverted commits belong to.
    pub(crate) fn of_taken_back(&self, commits: &[CommitHash]) -> Result<Vec<SourceWork>, StoreError> {
        let mut found = Vec::new();
        for id in commits.iter().filter_map(|hash| self.store.commit_here(hash)) {
            for mut source in self.of_commit(id, 0)? {
                source.reverts.clone_from(&source.commits);
                add(&mut found, source);
            }
        }
        Ok(found)
    }

    /// Commits of the branches that touch these files, newest first.
    fn of_same_files(&self, parent: ObjectId, files: &[String]) -> Result<Vec<CommitHash>, StoreError> {
        if files.is_empty() {
            return Ok(vec![]);
        }
        let wanted = Revisions::of(parent).and_branches().touching(some_of(files));
        // `link --find` finds what this misses.
        Ok(self.listed(wanted.at_most(MOST_COMPARED))?.into_iter().map(CommitHash::from).collect())
    }

    /// Those of the lost commits that touch these files.
    fn lost_of_same_files(&self, head: ObjectId, files: &[String]) -> Result<Vec<CommitHash>, StoreError> {
        let lost = self.lost(head)?;
        if lost.is_empty() || files.is_empty() {
            return Ok(vec![]);
        }
        let touching = self.store.git().touching(lost, some_of(files))?;
        Ok(touching.into_iter().map(CommitHash::from).collect())
    }

    /// The commits, without merges; none if git cannot list them.
    pub(super) fn listed(&self, wanted: Revisions) -> Result<Vec<ObjectId>, StoreError> {
        Ok(self.store.git().named_revisions(wanted.no_merges())?.unwrap_or_default())
    }
}

/// The files by which commits are searched. If there are very many, only the first, which any commit with the same
/// change touches too.
fn some_of(files: &[String]) -> &[String] {
    let most = if files.len() <= MOST_NAMED { files.len() } else { 1 };
    &files[..most]
}
