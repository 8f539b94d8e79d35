//! The commits that the branch will have: made in the object store, without a work tree, and held by no ref.

use std::collections::BTreeSet;

use super::LandMethod;
use super::chosen::ChosenIssue;
use super::conflict::rivals;
use super::drivers::merge_git;
use super::follow::FollowedPlans;
use super::messages::{merge_message, squash_message};
use super::target::TargetTips;
use super::tests::LandTest;
use super::view::{LandedIssue, NotLanded, WhyNotLanded};
use crate::git::{CommitAuthor, Git, MergeGit, NewCommit, TreeConflict, TreeMerge};
use crate::model::{IssueId, LandHow, SolutionId};
use crate::ops::{Refusal, Session};
use crate::store::{ObjectId, Store, StoreError};

/// The most bytes of a conflict that feedback quotes.
const MOST_QUOTED: usize = 16 * 1024;

/// What the branch would get.
#[derive(Debug)]
pub(super) struct Candidate {
    /// Its new commit.
    pub(super) tip: ObjectId,
    /// One step for each issue, in order.
    pub(super) steps: Vec<LandStep>,
    /// The issues that are left out.
    pub(super) conflicts: Vec<ConflictedIssue>,
}

/// The work of one issue, as the branch would get it.
#[derive(Debug)]
pub(super) struct LandStep {
    /// Its place among the chosen issues.
    pub(super) issue: usize,
    /// The commit before.
    pub(super) before: ObjectId,
    /// The commit that has it.
    pub(super) after: ObjectId,
    /// The last commit of the work itself: that, or the one before if that ticks it off in the files of a plan tool.
    pub(super) work_end: ObjectId,
    /// How.
    pub(super) how: LandHow,
    /// Linked commits with what replaces them.
    pub(super) replaced: Vec<ReplacedCommit>,
    /// The same of commits that came along, such as work of others on which this builds.
    pub(super) replaced_of_others: Vec<ReplacedCommit>,
}

/// A commit with what replaces it on the branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReplacedCommit {
    /// The linked commit.
    pub(super) old: ObjectId,
    /// The commit on the branch.
    pub(super) new: ObjectId,
}

/// An issue that cannot land now.
#[derive(Debug)]
pub(super) struct ConflictedIssue {
    /// Its place among the chosen issues.
    pub(super) issue: usize,
    /// Why.
    pub(super) why: ConflictReason,
}

/// Why an issue cannot land now.
#[derive(Debug)]
pub(super) enum ConflictReason {
    /// An issue that it depends on did not land.
    Dependency(IssueId),
    /// It conflicts with what the branch has.
    Conflict(Box<LandConflict>),
}

/// A conflict with what the branch has.
#[derive(Debug)]
pub(super) struct LandConflict {
    /// git's answer.
    pub(super) conflict: TreeConflict,
    /// The plans whose work is on the other side, as far as links and trailers tell.
    pub(super) with: Vec<SolutionId>,
    /// The files with conflict markers, compared with the branch.
    pub(super) hunks: String,
    /// The commit on top of which it was put.
    pub(super) ours: ObjectId,
    /// Its own last commit.
    pub(super) theirs: Option<ObjectId>,
}

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
        for &head in &issue.heads {
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
                LandMethod::Rebase => self.rebased(at, head, &mut replaced)?,
                LandMethod::Squash => self.squashed(at, head, issue, &mut replaced)?,
            };
            match built {
                Ok(after) => at = after,
                Err(conflict) => return Ok(Err(conflict)),
            }
        }
        Ok(Ok(BuiltIssue { after: at, how, replaced }))
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
            TreeMerge::Conflict(conflict) => match self.rebased(at, head, replaced)? {
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

    /// Copies of the commits, one after the other.
    fn rebased(
        &self,
        at: ObjectId,
        head: ObjectId,
        replaced: &mut Vec<ReplacedCommit>,
    ) -> Result<Result<ObjectId, TreeConflict>, Refusal> {
        let mut at = at;
        let mut made = Vec::new();
        for old in self.git.picks(at, head).map_err(StoreError::Git)? {
            let commit = self.store.code_commit(old)?;
            if commit.parents == [at] && !self.is_signed {
                at = old;
                continue;
            }
            let base = match commit.parents.first() {
                Some(parent) => self.store.code_tree_of(*parent)?,
                None => ObjectId::empty_tree(old.kind()),
            };
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
            TreeMerge::Conflict(conflict) => match self.rebased(at, head, &mut Vec::new())? {
                Ok(rebased) => self.store.code_tree_of(rebased)?,
                Err(_) => return Ok(Err(conflict)),
            },
        };
        if tree == self.store.code_tree_of(at)? {
            return Ok(Ok(at));
        }
        let mut commits = Vec::new();
        for id in self.git.picks(at, head).map_err(StoreError::Git)? {
            commits.push(self.store.code_commit(id)?);
        }
        let message = squash_message(issue, &commits);
        let author = commits.first().map(|commit| self.author(commit.id)).transpose()?;
        let new = self.commit(tree, &[at], message.as_bytes(), author.as_ref())?;
        replaced.extend(commits.iter().map(|commit| ReplacedCommit { old: commit.id, new }));
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

impl LandStep {
    /// Whether commits of the branch stand for others.
    pub(super) fn replaces(&self) -> bool {
        !self.replaced.is_empty() || !self.replaced_of_others.is_empty()
    }

    /// The linked commits, as they are on the branch.
    pub(super) fn commits(&self, issue: &ChosenIssue) -> Vec<ObjectId> {
        let now =
            |id: &ObjectId| self.replaced.iter().find(|pair| pair.old == *id).map_or(*id, |pair| pair.new);
        let mut found: Vec<ObjectId> = Vec::new();
        for id in issue.commits.iter().map(now) {
            if !found.contains(&id) {
                found.push(id);
            }
        }
        found
    }

    /// As the answer shows it.
    pub(super) fn shown(&self, issue: &ChosenIssue, tests: &[LandTest]) -> LandedIssue {
        LandedIssue {
            issue_id: issue.issue.clone(),
            title: issue.title.clone(),
            solution_id: issue.solution.clone(),
            execution_id: issue.execution.clone(),
            how: self.how,
            before: self.before.into(),
            after: self.after.into(),
            commits: self.commits(issue).into_iter().map(Into::into).collect(),
            missing: vec![],
            tests: tests
                .iter()
                .filter(|it| it.is_of(self.issue))
                .map(|it| it.command.as_str().to_owned())
                .collect(),
        }
    }
}

impl ConflictedIssue {
    /// As the answer shows it.
    pub(super) fn shown(&self, issue: &ChosenIssue) -> NotLanded {
        let (why, message, files, with) = match &self.why {
            ConflictReason::Dependency(other) => (
                WhyNotLanded::Dependency,
                format!("it depends on `{other}`, which did not land"),
                vec![],
                vec![],
            ),
            ConflictReason::Conflict(it) => {
                (WhyNotLanded::Conflict, it.words(), it.conflict.files.clone(), it.with.clone())
            }
        };
        NotLanded {
            issue_id: issue.issue.clone(),
            title: issue.title.clone(),
            solution_id: issue.solution.clone(),
            why,
            message,
            files,
            with,
            place: None,
            output: None,
        }
    }
}

impl LandConflict {
    /// `conflict with SOL-… in src/a.rs`.
    pub(super) fn words(&self) -> String {
        let files = self.conflict.files.join(", ");
        match &self.with[..] {
            [] => format!("conflict with the branch in {files}"),
            with => {
                let with: Vec<&str> = with.iter().map(SolutionId::as_str).collect();
                format!("conflict with {} in {files}", with.join(", "))
            }
        }
    }
}
