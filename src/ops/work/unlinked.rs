//! Commits that were made since a claim and are not linked to it, and why.

use super::{WorktreeClaim, own};
use crate::git::{ObjectId, Revisions};
use crate::model::{Branch, CommitHash, Execution, Op, Other, RemedyCall, count};
use crate::ops::trail::{RecordCommit, record_commit};
use crate::ops::{Notice, Refusal, Session};
use crate::rules::ExecutionFolder;
use crate::store::{CodeCommit, Store, StoreError, records};
use crate::trail::binding::CommittingWorktree;
use crate::trail::hooked::{HookRoute, UncalledHook};
use crate::trail::own_branch::{Relation, relation};
use crate::trail::sources::Sources;
use crate::trail::{active, hooked};

/// At most this many of the latest commits are checked.
const MOST_COMMITS: usize = 200;

/// At most this many commits of an earlier attempt are named.
const MOST_NAMED: usize = 20;

/// At most this many unlinked commits are named in one line; the others are counted.
const MOST_IN_LINE: usize = 5;

/// The notice that hooks are off, missing or do not call us, and what that means for commits.
pub(crate) fn notice_of_hooks(store: &Store) -> Option<Notice> {
    if let Some(off) = hooked::turned_off(store) {
        let message = format!("{off}: commits are not linked, and do not renew the lease");
        return Some(Notice { remedies: off.remedies().into_vec(), ..Notice::warning(message) });
    }
    let uncalled = hooked::uncalled(store);
    let message = match &uncalled[..] {
        [] => return None,
        some if some.iter().filter(|hook| hook.route == HookRoute::Absent).count()
            == hooked::LINKING.len() =>
        {
            "the hooks are not installed: commits are not linked, and do not renew the lease".to_owned()
        }
        some => {
            let names: Vec<String> = some.iter().map(|hook| format!("`{}`", hook.name)).collect();
            // Without a link, nothing else matters.
            let is_unlinked = some.iter().any(|hook| hook.name == "post-commit");
            let lost = some.iter().filter(|hook| !is_unlinked || hook.name == "post-commit");
            let lost: Vec<&str> = lost.map(|hook| hook.lost).collect();
            let (do_not, why) = (if some.len() == 1 { "does not" } else { "do not" }, reason(some));
            format!(
                "the hooks are not all in place: {} {do_not} call git-wf{why}, so {}",
                names.join(", "),
                lost.join(", and ")
            )
        }
    };
    let does = if hooked::managers(store).is_empty() {
        "installs the hooks"
    } else {
        "installs them, and shows the lines that keep them"
    };
    Some(Notice::warning(message).remedy(Other::HooksInstall, does))
}

/// [`notice_of_hooks`], but only in a clone that needs the hooks: it executes a plan, or they were installed and some no
/// longer call git-wf.
pub(crate) fn notice_of_lost_hooks(store: &Store) -> Result<Option<Notice>, StoreError> {
    let is_wanted = active::read(store)?.is_some() || hooked::was_installed(store);
    Ok(if is_wanted { notice_of_hooks(store) } else { None })
}

/// What is there instead of the first of these hooks, in brackets; empty if nothing is.
fn reason(uncalled: &[UncalledHook]) -> String {
    let reasons = uncalled.iter().filter_map(|hook| match &hook.route {
        HookRoute::Foreign { manager: Some(manager), .. } => Some(format!(" (replaced by {manager})")),
        HookRoute::Foreign { manager: None, .. } => Some(" (another hook is there)".to_owned()),
        HookRoute::WithoutProgram => Some(" (the program to run is gone)".to_owned()),
        _ => None,
    });
    reasons.into_iter().next().unwrap_or_default()
}

/// The notice that commits are not linked because another branch is checked out.
///
/// # Errors
/// Any error from reading the store.
pub(super) fn notice_of_branch(store: &Store, execution: &Execution) -> Result<Option<Notice>, Refusal> {
    let on = other_branch(store, execution)?;
    Ok(on.map(|branch| {
        Notice::warning(format!("commits here are not linked: only those on `{}` are", branch.own))
    }))
}

/// [`notice_of_branch`] for the plan that this worktree executes.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn notice_of_place(store: &Store, own: &WorktreeClaim) -> Result<Option<Notice>, Refusal> {
    match own {
        WorktreeClaim::Held(held, _) => notice_of_branch(store, &held.execution),
        _ => Ok(None),
    }
}

/// The notice that commits on a detached HEAD are on no branch and belong to no plan, although the execution ended
/// without them. `store` is that of the worktree.
///
/// # Errors
/// Any error from reading the store.
pub(super) fn notice_of_detached(store: &Store, execution: &Execution) -> Result<Option<Notice>, Refusal> {
    let base = execution.base_commit.as_ref().and_then(|base| store.commit_here(base));
    let (Some(base), None) = (base, store.branch()?) else { return Ok(None) };
    let wanted = Revisions::of("HEAD").without(base).on_no_branch().no_merges().at_most(MOST_COMMITS);
    let since = store.git().named_revisions(wanted).map_err(StoreError::Git)?.unwrap_or_default();
    let snapshot = store.snapshot()?;
    let sources = Sources::new(store, &snapshot);
    let mut left_out = Vec::new();
    for id in since {
        if sources.known(&id.into())?.is_empty() {
            let commit = store.code_commit(id)?;
            left_out.push(format!("{} \"{}\"", CommitHash::from(id).short(), commit.subject));
        }
    }
    if left_out.is_empty() {
        return Ok(None);
    }
    let more = left_out.len().saturating_sub(MOST_NAMED);
    left_out.truncate(MOST_NAMED);
    if more > 0 {
        left_out.push(format!("and {more} more"));
    }
    let (these, are) = if left_out.len() == 1 { ("a commit", "is") } else { ("commits", "are") };
    let message =
        format!("HEAD is detached, and {these} on it {are} linked to no plan: {}", left_out.join(", "));
    let link = RemedyCall::new(Op::Link, ["COMMIT", execution.issue_id.as_str()]);
    Ok(Some(
        Notice::warning(message)
            .remedy(link, "links one")
            .command("git switch -c BRANCH", "gives them a branch"),
    ))
}

/// What is checked out instead of the branch of an execution.
struct OtherBranch {
    /// In words.
    on: String,
    /// The branch of the execution.
    own: Branch,
}

/// What is checked out here, if commits on it are not those of the execution.
fn other_branch(store: &Store, execution: &Execution) -> Result<Option<OtherBranch>, StoreError> {
    let Some(own) = &execution.branch else { return Ok(None) };
    let CommittingWorktree { branch, active } = CommittingWorktree::load(store)?;
    let is_own = match (&branch, active) {
        (Some(branch), Some(active)) => relation(store, &active, execution, branch)? == Relation::Own,
        (branch, _) => branch.as_ref() == Some(own),
    };
    let on = branch.map_or_else(|| "a detached HEAD".to_owned(), |branch| format!("`{branch}`"));
    Ok((!is_own).then(|| OtherBranch { on, own: own.clone() }))
}

/// Why there are no linked commits.
pub(super) struct Causes {
    /// One line each.
    pub(super) details: Vec<String>,
    /// The commits since the claim that are linked to other executions, oldest first.
    pub(super) of_others: Vec<CommitHash>,
    /// The commits since the claim that are linked to none, oldest first.
    pub(super) of_nobody: Vec<CommitHash>,
}

impl Causes {
    /// `store` is that of the worktree.
    pub(super) fn find(store: &Store, execution: &ExecutionFolder) -> Result<Self, Refusal> {
        let claim = &execution.execution;
        let mut details = Vec::new();
        if let Some(OtherBranch { on, own }) = other_branch(store, claim)? {
            details.push(format!("{on} is checked out, and commits are linked on `{own}`"));
        }
        let snapshot = store.snapshot()?;
        for earlier in records::executions(&snapshot, &claim.issue_id)? {
            let (before, attempt) = (&earlier.execution, earlier.execution.attempt);
            if before.solution_id == claim.solution_id && attempt < claim.attempt {
                details.extend(earlier.work().into_iter().take(MOST_NAMED).map(|commit| {
                    let (hash, subject) = (commit.link.hash.short(), commit.link.subject);
                    format!("{hash} \"{subject}\" is linked to attempt {attempt} of the plan")
                }));
            }
        }
        let sources = Sources::new(store, &snapshot);
        let (mut of_nobody, mut of_others, mut plans) = (Vec::new(), Vec::new(), Vec::new());
        for hash in since_claim(store, claim)?.into_iter().rev().map(CommitHash::from) {
            let known = sources.known(&hash)?;
            plans.extend(known.iter().map(|id| format!("`{}`", id.short())));
            if known.is_empty() {
                of_nobody.push(hash);
            } else {
                of_others.push(hash);
            }
        }
        plans.sort();
        plans.dedup();
        if !of_others.is_empty() {
            let are = if of_others.len() == 1 { "is" } else { "are" };
            let commits = count(of_others.len(), "commit");
            details.push(format!("{commits} since the claim {are} linked to {}", plans.join(", ")));
        }
        if !of_nobody.is_empty() {
            let are = if of_nobody.len() == 1 { "is" } else { "are" };
            let commits = count(of_nobody.len(), "commit");
            details.push(format!("{commits} since the claim {are} linked to no plan"));
        }
        Ok(Self { details, of_others, of_nobody })
    }
}

/// The commits on HEAD since the claim, without merges, newest first; none if the commit that the claim began with is
/// not here.
fn since_claim(store: &Store, execution: &Execution) -> Result<Vec<ObjectId>, StoreError> {
    let Some(base) = execution.base_commit.as_ref().and_then(|base| store.commit_here(base)) else {
        return Ok(vec![]);
    };
    // Usually they are in one line, and no walk by git is needed.
    if let Some(head) = store.head()?
        && let Ok(Some(line)) = store.repo().line(head, base, MOST_COMMITS)
    {
        return Ok(line);
    }
    let wanted = Revisions::of("HEAD").without(base).no_merges().at_most(MOST_COMMITS);
    Ok(store.git().named_revisions(wanted)?.unwrap_or_default())
}

/// The commits that the executor made on HEAD since the claim and that no plan knows, oldest first. Commits that came
/// from others, by a pull or a rebase, are not among them, nor is one whose link was removed by hand. `store` is that of
/// the worktree.
pub(super) fn made_since_claim(
    store: &Store,
    execution: &ExecutionFolder,
) -> Result<Vec<CodeCommit>, StoreError> {
    let claim = &execution.execution;
    let own = [claim.actor.clone(), store.identity()?.person()];
    // Commits have whole seconds.
    let begin = claim.started_at.millis().div_euclid(1000) * 1000;
    let snapshot = store.snapshot()?;
    let sources = Sources::new(store, &snapshot);
    let mut found = Vec::new();
    for id in since_claim(store, claim)? {
        let hash = CommitHash::from(id);
        // Most are linked to this execution itself.
        if execution.knows_commit(&hash) {
            continue;
        }
        let commit = store.code_commit(id)?;
        let is_own = own.contains(&commit.committer) && commit.committed_at.millis() >= begin;
        if is_own && !execution.has_unlinked(&hash) && sources.known(&hash)?.is_empty() {
            found.push(commit);
        }
    }
    found.reverse();
    Ok(found)
}

/// Links the commits that the executor of this worktree made on the branch of its plan and that no hook saw: agents that hide the
/// settings of their user hide the hooks, too. Returns their names. A run does this for its agents itself.
///
/// # Errors
/// Any error from reading or writing the store.
pub(super) fn link_unseen(session: &Session) -> Result<Vec<String>, Refusal> {
    let store = session.store();
    if store.is_in_run() || store.tip()?.is_none() {
        return Ok(vec![]);
    }
    let WorktreeClaim::Held(held, _) = own(store, &store.snapshot()?)? else { return Ok(vec![]) };
    if other_branch(store, &held.execution)?.is_some() {
        return Ok(vec![]);
    }
    let mut linked = Vec::new();
    for commit in made_since_claim(store, &held)? {
        let name = named(&commit);
        if record_commit(session, &RecordCommit { commit })?.commit.is_some() {
            linked.push(name);
        }
    }
    Ok(linked)
}

/// [`link_unseen`], with a notice that names the commits.
///
/// # Errors
/// Any error from reading or writing the store.
pub(crate) fn link_and_tell(session: &Session) -> Result<(), Refusal> {
    let linked = link_unseen(session)?;
    if !linked.is_empty() {
        session.notice(Notice::note(linked_words(linked)).remedy(
            RemedyCall::new(Op::Unlink, ["COMMIT"]),
            "removes the link of one that does not belong to the plan",
        ));
    }
    Ok(())
}

/// Which commits were linked, in words.
pub(crate) fn linked_words(names: Vec<String>) -> String {
    let (commits, were) = (count(names.len(), "commit"), if names.len() == 1 { "was" } else { "were" });
    format!("{commits} that no hook had seen {were} linked to the plan: {}", in_line(names))
}

/// A commit in words.
fn named(commit: &CodeCommit) -> String {
    format!("{} \"{}\"", crate::git::short(commit.id), commit.subject)
}

/// The first of these, in a line.
pub(super) fn in_line(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(MOST_IN_LINE);
    names.truncate(MOST_IN_LINE);
    if more > 0 {
        names.push(format!("and {more} more"));
    }
    names.join(", ")
}

/// The notice that the executor made these commits during an execution of `issue`, and that they belong to no plan.
pub(super) fn notice_of_unlinked(issue: &str, commits: &[CodeCommit]) -> Option<Notice> {
    if commits.is_empty() {
        return None;
    }
    let are = if commits.len() == 1 { "is" } else { "are" };
    let message = format!(
        "{} since the claim {are} linked to no plan: {}",
        count(commits.len(), "commit"),
        in_line(commits.iter().map(named).collect())
    );
    let link = match commits {
        [only] => RemedyCall::new(Op::Link, [crate::git::short(only.id).as_str(), issue]),
        _ => RemedyCall::new(Op::Link, ["COMMIT", issue]),
    };
    Some(
        Notice::warning(message)
            .remedy(link, "links one that belongs to it")
            .remedy(Op::Relink, "finds those whose message or change shows their plan"),
    )
}
