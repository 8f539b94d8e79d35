//! Which work of a completed issue has to land yet, and what keeps it from landing: all of it lands or nothing.

use super::chosen::ChosenIssue;
use super::target::{LandTarget, TargetTips};
use crate::model::branch::Branch;
use crate::model::code::Code;
use crate::model::execution::CommitLink;
use crate::model::hash::CommitHash;
use crate::model::id::IssueId;
use crate::model::op::{Op, Other};
use crate::model::remedy::RemedyCall;
use crate::model::shell;
use crate::model::words::count;
use crate::ops::Refusal;
use crate::rules::folder::ExecutionFolder;
use crate::rules::landed::{LandedState, LandingProof};
use crate::store::{ObjectId, Store, StoreError};
use crate::trail::landed::{derive_one, standing_reverts};
use crate::trail::reach::Unreached;

/// The work of an issue that has to land yet.
pub(super) enum WorkLeft {
    /// This, with the commits that are on a branch.
    Lands(Box<ChosenIssue>),
    /// None, as the text says.
    Nothing(String),
    /// Some, and it cannot land.
    Stuck(Refusal),
}

/// Decides what of an issue lands on the branch as it is now.
///
/// # Errors
/// Errors of git and of the store.
pub(super) fn work_left(
    store: &Store,
    target: &LandTarget,
    tips: &TargetTips,
    issue: ChosenIssue,
    execution: &ExecutionFolder,
) -> Result<WorkLeft, Refusal> {
    let proof = derive_one(store, &target.branch, &[tips.tip], execution)?;
    work_left_by(store, target, tips, issue, execution, proof)
}

/// The same, for what is known about the branch.
pub(super) fn work_left_by(
    store: &Store,
    target: &LandTarget,
    tips: &TargetTips,
    issue: ChosenIssue,
    execution: &ExecutionFolder,
    LandingProof { landed, reverts, .. }: LandingProof,
) -> Result<WorkLeft, Refusal> {
    let (id, branch) = (issue.issue.clone(), target.branch.short());
    let linked: Vec<CommitHash> = execution.work().iter().map(|work| work.link.hash.clone()).collect();
    if linked.is_empty() {
        return Ok(WorkLeft::Nothing(format!("`{id}` has no commits, so nothing of it can land")));
    }
    if landed.state == LandedState::Landed {
        return Ok(WorkLeft::Nothing(format!("`{id}` is already on `{branch}`")));
    }
    // A rebase without hooks leaves the old commits behind: only what some branch has is work to land.
    let has_branch = |hash: &CommitHash| landed.missing.contains(hash) && !landed.on_no_branch.contains(hash);
    let unreached = if linked.iter().all(has_branch) {
        Unreached::default()
    } else {
        Unreached::among(store, linked.iter())?
    };
    let on_branches = issue.links.iter().cloned().zip(issue.commits.iter().copied());
    let (links, commits): (Vec<CommitLink>, Vec<ObjectId>) =
        on_branches.filter(|(link, _)| !unreached.has(&link.hash)).unzip();
    let heads = store.git().independent(&commits).map_err(StoreError::Git)?;
    for head in &heads {
        if store.merge_bases(tips.tip, *head)?.is_empty() {
            return Ok(WorkLeft::Stuck(unrelated(store, &issue, branch)));
        }
    }
    let with_heads: Vec<ObjectId> = heads.iter().copied().chain([tips.tip]).collect();
    // The work itself may revert the revert.
    let reverts = standing_reverts(store, &with_heads, &reverts)?;
    if !reverts.is_empty() {
        return Ok(WorkLeft::Stuck(reverted(&issue, branch, &landed.reverted, &reverts)));
    }
    let comes = |hash: &CommitHash| links.iter().any(|link| link.hash == *hash);
    let is_whole = landed.unknown.is_empty() && landed.missing.iter().all(comes);
    if !is_whole && let Some(refusal) = lost_part(store, &target.branch, &with_heads, &issue, execution)? {
        return Ok(WorkLeft::Stuck(refusal));
    }
    Ok(WorkLeft::Lands(Box::new(ChosenIssue { links, commits, heads, ..issue })))
}

/// The refusal to take only a part of the work of an issue: some of it is not in the history of these commits. What no branch has
/// any more may be there in another form.
pub(super) fn lost_part(
    store: &Store,
    branch: &Branch,
    heads: &[ObjectId],
    issue: &ChosenIssue,
    execution: &ExecutionFolder,
) -> Result<Option<Refusal>, StoreError> {
    let whole = derive_one(store, branch, heads, execution)?.landed;
    let lost: Vec<&CommitHash> = whole.absent().chain(&whole.unknown).collect();
    if lost.is_empty() {
        return Ok(None);
    }
    let all = whole.commits.len() + whole.missing.len() + whole.unknown.len();
    Ok(Some(incomplete(store, issue, &lost, all)))
}

/// Whether a commit has all work of an issue that is here.
pub(super) fn is_within(store: &Store, issue: &ChosenIssue, head: ObjectId) -> Result<bool, StoreError> {
    for commit in &issue.heads {
        if !store.is_ancestor(*commit, head)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn reverted(issue: &ChosenIssue, branch: &str, commits: &[CommitHash], reverts: &[CommitHash]) -> Refusal {
    let id = &issue.issue;
    let commits: Vec<&str> = commits.iter().map(CommitHash::short).collect();
    let message = format!("`{id}` was on `{branch}` and was reverted there: {}", commits.join(", "));
    // The last one comes off first.
    let reverts: Vec<&str> = reverts.iter().rev().map(CommitHash::as_str).collect();
    Refusal::new(Code::WasReverted, message)
        .hint(format!("to bring it back, revert what reverts it, on `{branch}` or in the work"))
        .command(format!("git revert {}", reverts.join(" ")), "does that on what is checked out")
}

/// A merge of commits without a common ancestor would bring back whatever the branch has deleted.
fn unrelated(store: &Store, issue: &ChosenIssue, branch: &str) -> Refusal {
    let id = &issue.issue;
    if store.repo().is_shallow().unwrap_or(false) {
        let message =
            format!("this shallow clone does not have the commit from which `{id}` and `{branch}` parted");
        return Refusal::new(Code::Shallow, message).command("git fetch --unshallow", "brings the history");
    }
    let message = format!("the work of `{id}` has no common history with `{branch}`");
    Refusal::new(Code::NoCommit, message)
        .command(format!("git rebase --root --onto {}", shell::operand(branch)), "puts its branch on top")
}

/// The refusal to land only a part: `lost` would be left out.
fn incomplete(store: &Store, issue: &ChosenIssue, lost: &[&CommitHash], all: usize) -> Refusal {
    let id = &issue.issue;
    let away = lost.iter().filter(|hash| store.commit_here(hash).is_none()).count();
    let refusal = if away == 0 {
        let last = lost.last().map(|hash| hash.as_str()).unwrap_or_default();
        Refusal::new(Code::NoBranch, format!("no branch has {}", part(id, lost.len(), all))).command(
            format!("git branch wf/kept/{} {last}", issue.execution),
            "puts the last of them on a branch again",
        )
    } else {
        let is = if away == 1 { "is" } else { "are" };
        Refusal::new(Code::NoCommit, format!("{} {is} not in this clone", part(id, away, all)))
            .command("git fetch --all", "brings what was pushed")
    };
    let unlink = lost.last().map(|hash| RemedyCall::new(Op::Unlink, [hash.short(), id.as_str()]));
    let refusal = match unlink {
        Some(unlink) => refusal.remedy(unlink, "removes the link of one that is not the work"),
        None => refusal,
    };
    refusal
        .remedy(Op::Relink, "finds where a rebase or a squash put them")
        .remedy(RemedyCall::new(Other::Trace, [id]), "shows them")
}

/// `1 of 2 commits of ISS-001`, or all of them.
fn part(id: &IssueId, some: usize, all: usize) -> String {
    if some == all {
        format!("the {} of `{id}`", count(all, "commit"))
    } else {
        format!("{some} of {all} commits of `{id}`")
    }
}
