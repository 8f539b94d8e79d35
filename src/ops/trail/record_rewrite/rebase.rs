//! Commits that someone made while a rebase was stopped. `post-commit` skipped them, since the rebase might have been
//! aborted; at its end they are linked as `post-commit` would have done.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::compose::composed;
use crate::git::{GitError, ObjectId, Revisions};
use crate::model::{Branch, CommitHash, Event, LinkedBy, Renew, Rewrite, SolutionId};
use crate::rules::lease;
use crate::store::{CodeCommit, ReadState, Store, StoreError, Tx, records};
use crate::trail::binding::CommittingWorktree;
use crate::trail::link_targets::{LinkTarget, not_linked, open_targets};
use crate::trail::links::{self, files, link};
use crate::trail::rebase::{Rebase, amended, picked};
use crate::trail::sources::Sources;
use crate::trail::trailers;

/// A rebase that has ended.
pub(super) struct EndOfRebase {
    here: CommittingWorktree,
    /// Its commits, oldest first; empty if HEAD was detached.
    commits: Vec<ObjectId>,
    rewritten: Vec<Rewrite>,
    /// The commits that were made on top of a replayed one, which git reports in its place.
    on_top: HashMap<CommitHash, CommitHash>,
}

/// The commits that a rebase leaves and that did not replace others.
#[derive(Debug)]
pub(super) struct RebaseCommits {
    here: CommittingWorktree,
    /// Oldest first.
    commits: Vec<NewCommit>,
}

/// A commit that was made during a rebase.
#[derive(Debug)]
struct NewCommit {
    commit: CodeCommit,
    /// The paths that it changed.
    files: Vec<String>,
    /// Whether a replayed commit comes after it.
    is_followed: bool,
    /// The work that it is a part of, if it was split off a replayed commit without naming a plan; or, if it replaces a
    /// commit, the work that was added to it.
    decided: Option<Vec<LinkTarget>>,
}

impl NewCommit {
    fn targets(
        &self,
        store: &Store,
        read: &impl ReadState,
        here: &CommittingWorktree,
    ) -> Result<Vec<LinkTarget>, StoreError> {
        match &self.decided {
            Some(targets) => not_linked(read, targets.clone(), &self.commit),
            None => open_targets(store, read, here, &self.commit),
        }
    }
}

/// The commits made during a rebase, oldest first. A commit that is also on another branch, a tag or a remote came
/// from there, for example by a merge or a fast-forward, unless someone committed it here, and then made that branch.
fn made(store: &Store, rebase: &Rebase, branch: &Branch) -> Result<Vec<ObjectId>, GitError> {
    let new = Revisions::of("HEAD").without(rebase.onto).without(rebase.before).oldest_first();
    let mut all = store.git().revisions(new.clone())?;
    let alone = store.git().revisions(new.on_no_other_branch(branch))?;
    if alone.len() == all.len() {
        return Ok(all);
    }
    let moves = store.repo().reflog("HEAD", MOST_MOVES)?;
    // In a pull, it begins with `pull`.
    let start = moves
        .iter()
        .position(|step| !step.why.starts_with("commit") && step.why.contains("(start): checkout"));
    let Some(start) = start else { return Ok(alone) };
    let since = &moves[..start];
    let committed: HashSet<ObjectId> =
        since.iter().filter(|step| step.why.starts_with("commit")).map(|step| step.commit).collect();
    let alone: HashSet<ObjectId> = alone.into_iter().collect();
    all.retain(|id| alone.contains(id) || committed.contains(id));
    Ok(all)
}

/// At most this many moves of HEAD are searched for commits that were made at a stop.
const MOST_MOVES: usize = 1_000;

/// The pairs without those of commits that the rebase dropped, since they were skipped or their change was there already:
/// git reports in their place what was checked out at that moment, which is someone else's commit.
fn without_dropped(
    store: &Store,
    rebase: &Rebase,
    rewritten: Vec<Rewrite>,
) -> Result<Vec<Rewrite>, StoreError> {
    let picked = picked(&store.git_dir());
    let mut replacements = HashSet::new();
    let mut kept = Vec::new();
    for pair in rewritten {
        let is_first = replacements.insert(pair.new.clone());
        let is_of_upstream = match store.commit_here(&pair.new) {
            Some(new) => store.is_ancestor(new, rebase.onto)?,
            None => false,
        };
        let is_picked = store.commit_here(&pair.old).is_some_and(|old| picked.contains(&old));
        if !is_of_upstream && (is_first || !is_picked) {
            kept.push(pair);
        }
    }
    Ok(kept)
}

/// The work of a replayed commit that was split, for a part of it with these files; `None` if it is no part of it, since
/// it changes other files or names a plan.
fn split_off(
    store: &Store,
    read: &impl ReadState,
    commit: &CodeCommit,
    files: &[String],
    replayed: &CommitHash,
) -> Result<Option<Vec<LinkTarget>>, StoreError> {
    let named = links::solutions(read, &trailers::parse(&commit.message))?;
    if !named.is_empty() {
        return Ok(None);
    }
    let Some(id) = store.commit_here(replayed) else { return Ok(None) };
    let of_replayed = store.changed_files(&store.code_commit(id)?)?;
    if !files.iter().any(|file| of_replayed.contains(file)) {
        return Ok(None);
    }
    let mut targets = Vec::new();
    for source in Sources::new(store, read).of_commit(id, 0)? {
        let of_files = links::tasks(read, &source.solution_id, &[], vec![], || Ok(files.to_vec()))?;
        let tasks = if of_files.is_empty() && source.tasks.len() == 1 { source.tasks } else { of_files };
        targets.push(LinkTarget {
            execution_id: source.execution_id,
            solution_id: source.solution_id,
            tasks,
            linked_by: LinkedBy::Trailer,
            reverts: vec![],
            renews: false,
        });
    }
    Ok(Some(targets))
}

impl EndOfRebase {
    /// The rebase that is ending here, after which git reports these rewrites.
    pub(super) fn read(store: &Store, rewritten: Vec<Rewrite>) -> Result<Self, StoreError> {
        let here = CommittingWorktree::load(store)?;
        let rebase = Rebase::read(&store.git_dir());
        let (rewritten, mut on_top) = with_amended(store, rewritten)?;
        let rewritten = match &rebase {
            Some(rebase) => without_dropped(store, rebase, rewritten)?,
            None => rewritten,
        };
        let commits = match (&rebase, &here.branch) {
            (Some(rebase), Some(branch)) if rebase.branch.as_ref() == Some(branch) => {
                // If this fails, the links of the rewritten commits must still be recorded.
                made(store, rebase, branch).unwrap_or_default()
            }
            _ => vec![],
        };
        let replacing: HashSet<CommitHash> = rewritten.iter().map(|pair| pair.new.clone()).collect();
        let new: HashSet<ObjectId> =
            commits.iter().copied().filter(|id| !replacing.contains(&CommitHash::from(*id))).collect();
        let mut exact = Vec::new();
        for pair in rewritten {
            match copy_below(store, &pair, &new)? {
                None => exact.push(pair),
                Some(copy) => {
                    on_top.insert(pair.new, pair.old.clone());
                    if copy != pair.old {
                        exact.push(Rewrite { old: pair.old, new: copy, tree: None });
                    }
                }
            }
        }
        let rewritten = exact;
        Ok(Self { here, commits, rewritten, on_top })
    }

    /// What replaced what. If someone stopped at a commit, left it as it was and added others, git reports the last
    /// of those as its replacement; here it is replaced by its copy.
    pub(super) fn rewritten(&self) -> &Vec<Rewrite> {
        &self.rewritten
    }

    /// The commits of the rebase that did not replace others and that belong to an execution.
    pub(super) fn new_commits(
        &self,
        store: &Store,
        read: &impl ReadState,
    ) -> Result<RebaseCommits, StoreError> {
        let replaced: HashMap<&CommitHash, &CommitHash> =
            self.rewritten.iter().map(|pair| (&pair.new, &pair.old)).collect();
        let mut commits = Vec::new();
        // The last part of a commit that was split replaces it. The other parts come right before that.
        let mut next = None;
        let mut is_followed = false;
        for id in self.commits.iter().rev() {
            let hash = CommitHash::from(*id);
            if let Some(old) = replaced.get(&hash) {
                next = Some(*old);
                is_followed = true;
                commits.extend(self.of_added_plans(store, read, *id)?);
                continue;
            }
            next = self.on_top.get(&hash).or(next);
            let commit = store.code_commit(*id)?;
            let files = files(store, &commit)?;
            let decided = match next {
                Some(replayed) => split_off(store, read, &commit, &files, replayed)?,
                None => None,
            };
            let new = NewCommit { commit, files, is_followed, decided };
            if !new.targets(store, read, &self.here)?.is_empty() {
                commits.push(new);
            }
        }
        commits.reverse();
        Ok(RebaseCommits { here: self.here.clone(), commits })
    }

    /// A commit that replaces others, if its message names plans that theirs did not: someone added work of these plans
    /// at a stop.
    fn of_added_plans(
        &self,
        store: &Store,
        read: &impl ReadState,
        id: ObjectId,
    ) -> Result<Option<NewCommit>, StoreError> {
        let commit = store.code_commit(id)?;
        let mut added = links::solutions(read, &trailers::parse(&commit.message))?;
        let hash = CommitHash::from(id);
        let before: Vec<&CommitHash> =
            self.rewritten.iter().filter(|pair| pair.new == hash).map(|pair| &pair.old).collect();
        for old in &before {
            let Some(old) = store.commit_here(old) else { return Ok(None) };
            for plan in links::solutions(read, &trailers::parse(&store.code_commit(old)?.message))? {
                added.remove(&plan);
            }
        }
        if added.is_empty() {
            return Ok(None);
        }
        let mut decided = open_targets(store, read, &self.here, &commit)?;
        let mut knows = HashSet::new();
        for target in &decided {
            let folder = records::execution(read, &target.execution_id, &mut Vec::new())?;
            if folder.is_some_and(|folder| before.iter().any(|old| folder.knows_commit(old))) {
                knows.insert(target.execution_id.clone());
            }
        }
        decided
            .retain(|decided| added.contains(&decided.solution_id) && !knows.contains(&decided.execution_id));
        let files = files(store, &commit)?;
        let decided = Some(decided).filter(|decided| !decided.is_empty());
        Ok(decided.map(|decided| NewCommit { commit, files, is_followed: false, decided: Some(decided) }))
    }
}

/// What git reports, with the commits that were amended during the rebase: a command may amend what was just replayed, and
/// someone may amend a commit and add others, of which git reports the last as its replacement. Those are returned with
/// the commit below them, as it was before.
fn with_amended(
    store: &Store,
    reported: Vec<Rewrite>,
) -> Result<(Vec<Rewrite>, HashMap<CommitHash, CommitHash>), StoreError> {
    let head = store.head()?;
    let mut kept = Vec::new();
    for pair in composed(&amended(&store.git_dir())) {
        // What was dropped later replaces nothing.
        if let Some((new, head)) = store.commit_here(&pair.new).zip(head)
            && (new == head || store.is_ancestor(new, head)?)
        {
            kept.push(pair);
        }
    }
    let ends: HashMap<&CommitHash, &CommitHash> = kept.iter().map(|pair| (&pair.old, &pair.new)).collect();
    let mut on_top = HashMap::new();
    let mut all = Vec::new();
    for pair in reported {
        match ends.get(&pair.old) {
            Some(end) if **end != pair.new => drop(on_top.insert(pair.new, pair.old)),
            _ => all.push(pair),
        }
    }
    all.extend(kept.iter().cloned());
    Ok((composed(&all), on_top))
}

/// The unchanged copy of the old commit, or that commit itself, if the new one was only made on top of it. In between
/// are commits that were made during the rebase.
fn copy_below(
    store: &Store,
    pair: &Rewrite,
    new: &HashSet<ObjectId>,
) -> Result<Option<CommitHash>, StoreError> {
    let (Some(old), Some(mut at)) = (store.commit_here(&pair.old), store.commit_here(&pair.new)) else {
        return Ok(None);
    };
    let replaced = store.code_commit(old)?;
    loop {
        let Some(parent) = store.code_commit(at)?.parents.first().copied() else { return Ok(None) };
        if parent == old {
            return Ok(Some(pair.old.clone()));
        }
        if !new.contains(&parent) {
            return Ok(None);
        }
        if is_copy(&store.code_commit(parent)?, &replaced) {
            return Ok(Some(parent.into()));
        }
        at = parent;
    }
}

/// Whether a commit is the unchanged copy of another one.
fn is_copy(commit: &CodeCommit, of: &CodeCommit) -> bool {
    commit.author == of.author && commit.authored_at == of.authored_at && commit.message == of.message
}

impl RebaseCommits {
    pub(super) fn is_empty(&self) -> bool {
        self.commits.is_empty()
    }

    /// Links those that are not linked yet and that a replayed commit follows or not, and renews the leases of their
    /// executions. The log has the commits in the order of git, since the tests of the last one count. Adds the plans to
    /// `solutions`, and returns how many were linked.
    pub(super) fn link(
        &self,
        tx: &mut Tx<'_>,
        store: &Store,
        is_followed: bool,
        solutions: &mut BTreeSet<SolutionId>,
    ) -> Result<usize, StoreError> {
        let mut count = 0;
        let mut executions = BTreeMap::new();
        for new in self.commits.iter().filter(|new| new.is_followed == is_followed) {
            let targets = new.targets(store, tx, &self.here)?;
            count += usize::from(!targets.is_empty());
            for target in targets {
                let link =
                    link(&new.commit, &new.files, target.tasks, target.linked_by).taking_back(target.reverts);
                tx.log(&target.execution_id, Event::Commit(link))?;
                solutions.insert(target.solution_id);
                executions.insert(target.execution_id, target.renews);
            }
        }
        let lease = store.lease().unwrap_or(lease::DEFAULT);
        for execution in executions.into_iter().filter_map(|(id, renews)| renews.then_some(id)) {
            let lease_expires_at = tx.stamper().now().plus_millis(lease);
            tx.log(&execution, Event::Renew(Renew { lease_expires_at }))?;
        }
        Ok(count)
    }
}
