//! The commits that the branch will have: made in the object store, without a work tree, and held by no ref.

use std::collections::hash_map::{Entry, HashMap};
use std::collections::{BTreeSet, HashSet};

use super::LandMethod;
use super::chosen::ChosenIssue;
use super::conflict::rivals;
use super::drivers::merge_git;
use super::follow::FollowedPlans;
use super::messages::{merge_message, squash_message};
use super::step::{Candidate, ConflictReason, ConflictedIssue, LandConflict, LandStep, ReplacedCommit};
use super::target::TargetTips;
use crate::git::{CommitAuthor, Git, MergeGit, NewCommit, TreeConflict, TreeMerge};
use crate::model::{Branch, CommitHash, ExecutionId, IssueId, LandHow};
use crate::ops::{Refusal, Session};
use crate::store::{CodeCommit, ObjectId, Snapshot, Store, StoreError, records};
use crate::trail::exact_change;
use crate::trail::landed::derive_one_without_trailers;
use crate::trail::sources::Sources;

/// The most bytes of a conflict that feedback quotes.
const MOST_QUOTED: usize = 16 * 1024;

/// The candidate for a group of issues on top of the branch. `blocked` did not land before; the files of `followed` plans are
/// changed with each issue.
pub(super) fn candidate(
    session: &Session,
    tips: &TargetTips,
    method: LandMethod,
    issues: &[ChosenIssue],
    group: &[usize],
    blocked: &BTreeSet<&IssueId>,
    followed: &FollowedPlans,
) -> Result<Candidate, Refusal> {
    let store = session.store();
    let builder = Builder {
        store,
        git: store.git(),
        merges: merge_git(session)?,
        local: tips.local,
        is_signed: store.config_bool("commit.gpgSign", false)?,
    };
    let mut made = Candidate { tip: tips.tip, steps: vec![], conflicts: vec![] };
    let mut left_out: BTreeSet<&IssueId> = blocked.clone();
    for &place in group {
        let issue = &issues[place];
        if let Some(other) = issue.depends_on.iter().find(|it| left_out.contains(it)) {
            let why = ConflictReason::Dependency(other.clone());
            made.conflicts.push(ConflictedIssue { issue: place, why });
            left_out.insert(&issue.issue);
            continue;
        }
        match builder.step(made.tip, method, issue)? {
            Ok(built) => {
                let BuiltIssue { after: work_end, how, replaced } = built;
                let is_own = |pair: &ReplacedCommit| issue.commits.contains(&pair.old);
                let (replaced, replaced_of_others) = replaced.into_iter().partition(is_own);
                let before = made.tip;
                let after = followed.commit_on(session, work_end, issue, builder.is_signed)?;
                made.steps.push(LandStep {
                    issue: place,
                    before,
                    after,
                    work_end,
                    how,
                    replaced,
                    replaced_of_others,
                });
                made.tip = after;
            }
            Err(conflict) => {
                let with = rivals(store, made.tip, issue, &conflict.files)?;
                let hunks = builder.merges.patch(made.tip, conflict.tree, &conflict.files, MOST_QUOTED);
                let hunks = hunks.map_err(StoreError::Git)?;
                let theirs = if let [only] = issue.heads[..] { Some(only) } else { None };
                let conflict = LandConflict { conflict, with, hunks, ours: made.tip, theirs };
                let why = ConflictReason::Conflict(Box::new(conflict));
                made.conflicts.push(ConflictedIssue { issue: place, why });
                left_out.insert(&issue.issue);
            }
        }
    }
    Ok(made)
}

/// The commits of an execution whose changes are in the history of `tip` in whatever form, in all their versions.
fn landed_of(
    store: &Store,
    snapshot: &Snapshot<'_>,
    tip: ObjectId,
    execution: &ExecutionId,
) -> Result<HashSet<CommitHash>, Refusal> {
    let Some(folder) = records::execution(snapshot, execution, &mut Vec::new())? else {
        return Ok(HashSet::new());
    };
    let branch = Branch::of_plan(&folder.execution.solution_id);
    let there = derive_one_without_trailers(store, &branch, &[tip], &folder)?.landed.commits;
    let mut found = HashSet::new();
    for commit in folder.work().into_iter().filter(|commit| there.contains(&commit.link.hash)) {
        found.insert(commit.link.hash);
        found.extend(commit.rewritten_from);
    }
    Ok(found)
}

/// Makes commits on top of a branch.
struct Builder<'a> {
    store: &'a Store,
    git: Git,
    merges: MergeGit,
    /// The branch of this clone, which may have work that the remote has not.
    local: Option<ObjectId>,
    is_signed: bool,
}

/// An issue on top of a branch.
struct BuiltIssue {
    after: ObjectId,
    how: LandHow,
    replaced: Vec<ReplacedCommit>,
}

impl Builder<'_> {
    /// Puts an issue on top of `tip`; the inner error is a conflict.
    fn step(
        &self,
        tip: ObjectId,
        method: LandMethod,
        issue: &ChosenIssue,
    ) -> Result<Result<BuiltIssue, TreeConflict>, Refusal> {
        let mut at = tip;
        let mut replaced = Vec::new();
        let mut how = LandHow::from(method);
        let heads =
            if method == LandMethod::Squash { self.one_head(tip, issue)? } else { issue.heads.clone() };
        for head in heads {
            if self.store.is_ancestor(head, at)? {
                continue;
            }
            // Work that was done on the branch itself, in this clone, moves it forward.
            if self.is_own_work(head)? && self.store.is_ancestor(at, head)? {
                (at, how) = (head, LandHow::Merge);
                continue;
            }
            let built = match method {
                LandMethod::Merge => self.merged(at, head, issue, &mut replaced)?,
                LandMethod::Rebase => self.rebased(at, head, issue, &mut replaced)?,
                LandMethod::Squash => self.squashed(at, head, issue, &mut replaced)?,
            };
            match built {
                Ok(after) => at = after,
                Err(conflict) => return Ok(Err(conflict)),
            }
        }
        Ok(Ok(BuiltIssue { after: at, how, replaced }))
    }

    /// A commit that has all work of an issue, so that its squash is one commit. If its branches conflict with each other, each
    /// is squashed alone, which tells of the conflict.
    fn one_head(&self, tip: ObjectId, issue: &ChosenIssue) -> Result<Vec<ObjectId>, Refusal> {
        let mut heads = Vec::new();
        for &head in &issue.heads {
            if !self.store.is_ancestor(head, tip)? {
                heads.push(head);
            }
        }
        let [first, others @ ..] = &heads[..] else { return Ok(heads) };
        let mut joined = *first;
        for &other in others {
            let TreeMerge::Clean(tree) = self.merges.merge(joined, other, None).map_err(StoreError::Git)?
            else {
                return Ok(heads);
            };
            joined = self.commit(tree, &[joined, other], b"Join", None)?;
        }
        Ok(vec![joined])
    }

    fn is_own_work(&self, head: ObjectId) -> Result<bool, StoreError> {
        match self.local {
            Some(local) => self.store.is_ancestor(head, local),
            None => Ok(false),
        }
    }

    /// A merge commit. If the two sides conflict, each commit alone may still fit, such as after a squash of what they build on.
    fn merged(
        &self,
        at: ObjectId,
        head: ObjectId,
        issue: &ChosenIssue,
        replaced: &mut Vec<ReplacedCommit>,
    ) -> Result<Result<ObjectId, TreeConflict>, Refusal> {
        let (tree, side) = match self.merges.merge(at, head, None).map_err(StoreError::Git)? {
            TreeMerge::Clean(tree) => (tree, head),
            TreeMerge::Conflict(conflict) => match self.rebased(at, head, issue, replaced)? {
                Ok(rebased) if rebased != at => (self.store.code_tree_of(rebased)?, rebased),
                _ => return Ok(Err(conflict)),
            },
        };
        let message = merge_message(issue);
        // A merge that someone has resolved is already on top of the branch.
        if issue.resolved == Some(head) && self.store.code_commit(head)?.parents.first() == Some(&at) {
            return Ok(Ok(head));
        }
        Ok(Ok(self.commit(tree, &[at, side], message.as_bytes(), None)?))
    }

    /// Copies of the commits, one after the other. What a merge among them changes itself is a commit as well; a merge that
    /// changes nothing itself is left out.
    fn rebased(
        &self,
        at: ObjectId,
        head: ObjectId,
        issue: &ChosenIssue,
        replaced: &mut Vec<ReplacedCommit>,
    ) -> Result<Result<ObjectId, TreeConflict>, Refusal> {
        let mut at = at;
        let mut made = Vec::new();
        for old in self.picks(at, head, issue)? {
            let commit = self.store.code_commit(old)?;
            if commit.parents == [at] && !self.is_signed {
                at = old;
                continue;
            }
            let base = self.joined(&commit)?;
            if commit.parents.len() > 1 && commit.tree == base {
                continue;
            }
            let before = self.store.code_tree_of(at)?;
            let tree = match self.merges.merge(at, old, Some(base)).map_err(StoreError::Git)? {
                TreeMerge::Clean(tree) => tree,
                TreeMerge::Conflict(conflict) => return Ok(Err(conflict)),
            };
            // A commit that was empty stays; one whose change is there already goes.
            if tree == before && commit.tree != base {
                continue;
            }
            let new = self.commit(tree, &[at], &commit.message, Some(&self.author(old)?))?;
            made.push(ReplacedCommit { old, new });
            at = new;
        }
        replaced.extend(made);
        Ok(Ok(at))
    }

    /// The commits that are left to put on top of `at`. Those of others that landed in another form, such as a squash of work on
    /// which this builds, are not.
    fn picks(&self, at: ObjectId, head: ObjectId, issue: &ChosenIssue) -> Result<Vec<ObjectId>, Refusal> {
        let mut picks = exact_change::picks(self.store, at, head)?;
        if picks.iter().all(|id| issue.commits.contains(id)) {
            return Ok(picks);
        }
        let snapshot = self.store.snapshot()?;
        let sources = Sources::new(self.store, &snapshot);
        let mut landed: HashMap<ExecutionId, HashSet<CommitHash>> = HashMap::new();
        let mut there: HashSet<ObjectId> = HashSet::new();
        for id in picks.iter().filter(|id| !issue.commits.contains(id)) {
            let hash = CommitHash::from(*id);
            for execution in sources.known(&hash)? {
                let of_execution = match landed.entry(execution) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(free) => {
                        let found = landed_of(self.store, &snapshot, at, free.key())?;
                        free.insert(found)
                    }
                };
                if of_execution.contains(&hash) {
                    there.insert(*id);
                }
            }
        }
        picks.retain(|id| !there.contains(id));
        Ok(picks)
    }

    /// The tree on which a commit makes its change: of its parent, or what git makes of all its parents, with markers if they
    /// conflict.
    fn joined(&self, commit: &CodeCommit) -> Result<ObjectId, Refusal> {
        let [first, others @ ..] = &commit.parents[..] else {
            return Ok(ObjectId::empty_tree(commit.id.kind()));
        };
        let (mut at, mut tree) = (*first, self.store.code_tree_of(*first)?);
        for (n, other) in others.iter().enumerate() {
            let merged = self.merges.merge(at, *other, None).map_err(StoreError::Git)?;
            let (TreeMerge::Clean(of_both) | TreeMerge::Conflict(TreeConflict { tree: of_both, .. })) =
                merged;
            tree = of_both;
            if n + 1 < others.len() {
                at = self.commit(tree, &[at, *other], b"Join", None)?;
            }
        }
        Ok(tree)
    }

    /// One commit for all.
    fn squashed(
        &self,
        at: ObjectId,
        head: ObjectId,
        issue: &ChosenIssue,
        replaced: &mut Vec<ReplacedCommit>,
    ) -> Result<Result<ObjectId, TreeConflict>, Refusal> {
        let tree = match self.merges.merge(at, head, None).map_err(StoreError::Git)? {
            TreeMerge::Clean(tree) => tree,
            TreeMerge::Conflict(conflict) => match self.rebased(at, head, issue, &mut Vec::new())? {
                Ok(rebased) => self.store.code_tree_of(rebased)?,
                Err(_) => return Ok(Err(conflict)),
            },
        };
        if tree == self.store.code_tree_of(at)? {
            return Ok(Ok(at));
        }
        let mut commits = Vec::new();
        // The squash stands for merges as well: it has what they change themselves.
        let picks = self.picks(at, head, issue)?;
        for id in &picks {
            let commit = self.store.code_commit(*id)?;
            if commit.parents.len() < 2 {
                commits.push(commit);
            }
        }
        let message = squash_message(issue, &commits);
        let author = commits.first().map(|commit| self.author(commit.id)).transpose()?;
        let new = self.commit(tree, &[at], message.as_bytes(), author.as_ref())?;
        replaced.extend(picks.into_iter().map(|old| ReplacedCommit { old, new }));
        Ok(Ok(new))
    }

    fn author(&self, id: ObjectId) -> Result<CommitAuthor, Refusal> {
        let author = self.store.repo().author_of(id).map_err(StoreError::object("cannot read a commit"))?;
        Ok(author)
    }

    fn commit(
        &self,
        tree: ObjectId,
        parents: &[ObjectId],
        message: &[u8],
        author_of: Option<&CommitAuthor>,
    ) -> Result<ObjectId, StoreError> {
        let new = NewCommit { tree, parents, message, author_of, is_signed: self.is_signed };
        Ok(self.git.make_commit(&new)?)
    }
}
