//! Work that a commit reverts or copies although its message names none of it: recognized by git's patch id, or by the
//! files that the commit restores.

use std::collections::BTreeSet;

use super::compared::{ComparedChange, MadeChange, alike};
use super::similar::PartsOfChange;
use super::{MOST_COMPARED, Same, SourceWork, Sources, add};
use crate::git::{ObjectId, RefMove, Revisions};
use crate::model::{CommitHash, CommitLink, ExecutionId, ExecutionStatus, PatchId};
use crate::rules::ExecutionFolder;
use crate::store::{CodeCommit, MOST_FILES, ReadState, StoreError, records};
use crate::trail::patch_id;

/// At most this many commits are recognized as reverted by one whose message names only the last of them.
const MOST_RESTORED: usize = 10;
/// With more files than these, parts of a change are not looked for.
const MOST_NAMED: usize = 50;
/// Commits that no branch has any more are searched among this many of the last moves of HEAD.
const MOST_MOVES: usize = 50;
/// At most this many linked commits are looked for here, until enough are found: others may be in other clones.
const MOST_LISTED: usize = 20 * MOST_COMPARED;
/// How a reflog begins to say that HEAD moved to a commit which contains the one before.
const GOES_ON: [&str; 7] =
    ["commit:", "commit (merge):", "commit (initial):", "merge ", "clone:", "cherry-pick:", "revert:"];
/// How a reflog begins to say that HEAD moved from a branch to another.
const LEAVES: &str = "checkout: moving from ";

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
        let change = MadeChange { store: self.store, commit, parent };
        Ok(match self.same_among(&self.similar(&others, files, &change)?, files, &change)? {
            Same::Nobody | Same::Several(_) => vec![],
            Same::Of(found) => found,
        })
    }

    /// Like [`Self::by_change`], for a change on top of `head` that is about to be committed, among the commits of
    /// [`Self::recent`].
    pub(crate) fn by_staged(
        &self,
        recent: &[CommitHash],
        files: &[String],
        change: &impl ComparedChange,
        head: ObjectId,
    ) -> Result<Same, StoreError> {
        if recent.is_empty() {
            return Ok(Same::Nobody);
        }
        let similar = self.similar(recent, files, change)?;
        self.same_among(&self.repeatable_of(similar, head)?, files, change)
    }

    /// The latest linked commits that touch some of these files, newest first, whether or not a branch has them: only few, since
    /// the user waits.
    pub(crate) fn recent(&self, files: &[String]) -> Result<Vec<CommitHash>, StoreError> {
        if files.is_empty() || !self.knows_quickly().unwrap_or(false) {
            return Ok(vec![]);
        }
        if let Some(index) = self.index()?
            && let Ok(found) = index.links_touching(some_of(files), MOST_LISTED)
        {
            let found = found.into_iter().map(CommitHash::from);
            let here = found.filter(|hash| self.store.commit_here(hash).is_some());
            return Ok(here.take(MOST_COMPARED).collect());
        }
        let mut found = Vec::new();
        for (hash, executions) in self.all()? {
            let links = self.links(hash, executions)?;
            let touching = links.into_iter().filter(|(_, link)| {
                link.files.len() >= MOST_FILES || link.files.iter().any(|file| files.contains(file))
            });
            found.extend(touching.map(|(_, link)| link.authored_at).max().map(|at| (at, hash.clone())));
        }
        found.sort();
        let latest = found.into_iter().rev().map(|(_, hash)| hash);
        Ok(latest.filter(|hash| self.store.commit_here(hash).is_some()).take(MOST_COMPARED).collect())
    }

    /// Those of `commits` whose change can be repeated or taken back on top of `head`: those that HEAD, a branch, a tag or a remote
    /// has, then the lost ones of completed work.
    pub(super) fn repeatable(
        &self,
        commits: &[CommitHash],
        head: ObjectId,
    ) -> Result<Vec<CommitHash>, StoreError> {
        let here: Vec<ObjectId> = commits.iter().filter_map(|hash| self.store.commit_here(hash)).collect();
        if here.is_empty() {
            return Ok(vec![]);
        }
        let gone = self.store.git().unreachable(&here, [head.to_string()])?;
        let lost = if gone.is_empty() { vec![] } else { self.lost(head)? };
        let (gone, mut found): (Vec<ObjectId>, Vec<ObjectId>) =
            here.into_iter().partition(|id| gone.contains(id));
        found.extend(gone.into_iter().filter(|id| lost.contains(id)));
        Ok(found.into_iter().map(CommitHash::from).collect())
    }

    /// Commits of completed work that HEAD had here, and that no branch, tag or remote has any more, newest first. Who
    /// makes their changes again restores that work; an attempt that failed or was given up is made again as other work.
    fn lost(&self, head: ObjectId) -> Result<Vec<ObjectId>, StoreError> {
        let mut tips: Vec<ObjectId> = Vec::new();
        let moves = self.store.repo().reflog("HEAD", MOST_MOVES)?;
        if self.lost_nothing(&moves)? {
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

    /// Whether HEAD only went on in these moves (latest first), stayed, or left a branch that is still there: as usual.
    fn lost_nothing(&self, moves: &[RefMove]) -> Result<bool, StoreError> {
        for (n, step) in moves.iter().enumerate() {
            let before = moves.get(n + 1).map(|earlier| earlier.commit);
            if before.is_none_or(|before| before == step.commit)
                || GOES_ON.iter().any(|word| step.why.starts_with(word))
            {
                continue;
            }
            let left = step.why.strip_prefix(LEAVES).and_then(|names| names.split(' ').next());
            let Some(branch) = left else { return Ok(false) };
            if self.store.read_ref(&format!("refs/heads/{branch}"))? != before {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The work of HEAD, for an amend.
    pub(crate) fn of_head(&self, head: ObjectId) -> Result<Vec<SourceWork>, StoreError> {
        if !self.knows_quickly()? {
            return Ok(vec![]);
        }
        let hash = CommitHash::from(head);
        self.linking(&hash, &self.known(&hash)?)
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
        let reverts = reverts.into_iter().map(|link| link.hash).collect();
        let reverts = alike(self.store, reverts, &MadeChange { store: self.store, commit, parent });
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
        let PartsOfChange { files: parts, commits } = PartsOfChange::of(&files, &smaller);
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
