//! Taking a landing back: a commit on a branch of its own that reverts it, for someone to look at and to push. The branch
//! itself is not touched.

use schemars::JsonSchema;
use serde::Serialize;

use super::drivers::merge_git;
use super::place::HalfDonePlace;
use super::target::LandTarget;
use crate::git::{MergeGit, NewCommit, Revisions, TreeMerge};
use crate::model::execution::LandHow;
use crate::model::{Branch, Code, CommitHash, Event, IssueId, Land, LogEntry, Op, Other, RemedyCall, shell};
use crate::ops::{Refusal, Session};
use crate::store::{ObjectId, Store, StoreError, layout, object_id, read_blob};

/// A commit that takes a landing back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct PreparedRevert {
    /// The issues that had landed.
    pub(crate) issue_ids: Vec<IssueId>,
    /// The branch that they are on.
    pub(crate) onto: Branch,
    /// The branch with the commit.
    pub(crate) branch: Branch,
    /// The commit.
    pub(crate) commit: CommitHash,
    /// The command that brings it to the branch.
    pub(crate) command: String,
}

/// A landing that a commit of the store records.
struct RecordedLanding {
    issue: IssueId,
    land: Land,
}

/// Prepares a revert of the landing that a commit of the store records. Doing so again gives the same branch.
///
/// # Errors
/// `cannot-undo` if the commit recorded no landing in git, or the revert conflicts with what came later.
pub(crate) fn prepare_revert(session: &Session, commit: &CommitHash) -> Result<PreparedRevert, Refusal> {
    let store = session.store();
    let mut landings = recorded(store, commit)?;
    // The last comes off first.
    landings.reverse();
    if landings.is_empty() {
        return Err(landed_nothing(session, commit)?);
    }
    let by_git = landings.iter().all(|it| it.land.how != LandHow::As);
    let onto = if by_git { landings.first().and_then(|it| it.land.onto.clone()) } else { None };
    let Some(onto) = onto else {
        return Err(Refusal::new(
            Code::CannotUndo,
            "that landing is only a statement, with no commits to take back",
        )
        .remedy(RemedyCall::new(Op::Land, ["ISSUE"]).option("as", "COMMIT"), "states what is true now"));
    };
    let target = LandTarget::find(session, Some(onto.short()))?;
    let tips = target.look(session)?;
    let merges = merge_git(session)?;
    let mut at = tips.tip;
    for landing in &landings {
        at = reverted(store, &merges, at, landing)?;
    }
    let issue_ids: Vec<IssueId> = landings.into_iter().map(|it| it.issue).collect();
    let (branch, known) = free_branch(store, &issue_ids, commit, at)?;
    if !store.git().move_branch(&branch, known, at).map_err(StoreError::Git)? {
        return Err(Refusal::new(Code::Contended, format!("`{}` was moved meanwhile", branch.short()))
            .command(format!("git log {}", branch.operand()), "shows what is on it; then try again"));
    }
    let command = match &target.remote {
        Some(remote) => {
            format!("git push {} {}:{}", shell::operand(remote), branch.short(), onto.short())
        }
        None => format!("git merge --ff-only {}", branch.operand()),
    };
    Ok(PreparedRevert { issue_ids, onto, branch, commit: at.into(), command })
}

/// A commit on top of `at` that takes a landing back; `at` itself if it changed nothing.
fn reverted(
    store: &Store,
    merges: &MergeGit,
    at: ObjectId,
    RecordedLanding { issue, land }: &RecordedLanding,
) -> Result<ObjectId, Refusal> {
    if land.before.is_none() {
        let message = format!("nothing tells with which commit the landing of `{issue}` began");
        return Err(Refusal::new(Code::CannotUndo, message)
            .command("git revert", "takes its commits back by hand, on a branch of yours"));
    }
    let (Some(before), Some(after)) = (here(store, land.before.as_ref()), here(store, land.after.as_ref()))
    else {
        let message = format!("the commits of the landing of `{issue}` are not here");
        return Err(Refusal::new(Code::CannotUndo, message).command("git fetch", "may bring them"));
    };
    let (old, new) = (store.code_tree_of(before)?, store.code_tree_of(after)?);
    if old == new {
        return Ok(at);
    }
    let tree = match merges.merge(at, before, Some(new)).map_err(StoreError::Git)? {
        TreeMerge::Clean(tree) => tree,
        TreeMerge::Conflict(conflict) => {
            let files = conflict.files.join(", ");
            let message = format!("a revert of `{issue}` conflicts with what came later, in {files}");
            return Err(Refusal::new(Code::CannotUndo, message).command(
                by_hand(store, before, after)?,
                "begins the revert on a branch, where you can resolve it",
            ));
        }
    };
    let message = message(store, issue, before, after)?;
    let is_signed = store.config_bool("commit.gpgSign", false)?;
    let new = NewCommit { tree, parents: &[at], message: message.as_bytes(), author_of: None, is_signed };
    Ok(store.git().make_commit(&new).map_err(StoreError::Git)?)
}

/// The refusal to take back a command that landed nothing: it recorded a conflict as feedback, which stays, as everything in a
/// log does.
fn landed_nothing(session: &Session, commit: &CommitHash) -> Result<Refusal, Refusal> {
    let store = session.store();
    let message = "that command landed nothing: it met a conflict, which is feedback for the issue now";
    let Some(issue) = issue_of_step(store, commit)? else {
        return Ok(Refusal::new(Code::CannotUndo, message)
            .remedy(RemedyCall::from(Other::Log).flag("patch"), "shows what it did"));
    };
    let place = HalfDonePlace::of(store, &issue)?.map(|place| place.folder.display().to_string());
    Ok(match place {
        Some(folder) => Refusal::new(Code::CannotUndo, message)
            .command(
                format!("git -C {} merge --abort", shell::operand(&folder)),
                "gives up the unfinished merge",
            )
            .remedy(RemedyCall::new(Op::Land, [&issue]).flag("continue"), "lands it, once it is resolved"),
        None => Refusal::new(Code::CannotUndo, message)
            .remedy(RemedyCall::new(Other::Show, [&issue]), "shows the feedback"),
    })
}

/// The issue whose files a commit of the store changes first.
fn issue_of_step(store: &Store, commit: &CommitHash) -> Result<Option<IssueId>, Refusal> {
    let Some(commit) = object_id(commit) else { return Ok(None) };
    let [parent] = store.parents(commit)?[..] else { return Ok(None) };
    let (old, new) = (store.snapshot_at(parent)?, store.snapshot_at(commit)?);
    let changed = store.differences(Some(old.tree()), new.tree())?;
    Ok(changed.iter().find_map(|file| layout::Location::parse(&file.path)?.issue()))
}

/// `revert-ISS-001`; of several issues, with the start of the commit that records them. A branch of this name that someone
/// else made stays as it is, and the next one has a number. Also returns the commit of a branch from an earlier call.
fn free_branch(
    store: &Store,
    issues: &[IssueId],
    commit: &CommitHash,
    revert: ObjectId,
) -> Result<(Branch, Option<ObjectId>), Refusal> {
    let name = match issues {
        [only] => format!("revert-{only}"),
        _ => format!("revert-landing-{}", commit.short()),
    };
    let message = store.code_commit(revert)?.message;
    let mut short = name.clone();
    let mut n = 1;
    loop {
        let branch = Branch::of_short(&short)
            .ok_or_else(|| Refusal::unreadable("the name of a branch for the revert"))?;
        let known = store.read_ref(branch.as_str())?;
        let is_earlier = match known {
            Some(tip) => {
                let there = store.code_commit(tip)?;
                // An amended one has another date.
                there.message == message && there.authored_at == there.committed_at
            }
            None => true,
        };
        if is_earlier {
            return Ok((branch, known));
        }
        n += 1;
        short = format!("{name}-{n}");
    }
}

fn here(store: &Store, hash: Option<&CommitHash>) -> Option<ObjectId> {
    hash.and_then(|hash| store.commit_here(hash))
}

/// The message as git writes it for a revert, by which it is known as one.
fn message(store: &Store, issue: &IssueId, before: ObjectId, after: ObjectId) -> Result<String, Refusal> {
    let commit = store.code_commit(after)?;
    let mut message = format!("Revert \"{}\"\n\n", commit.subject);
    if commit.parents.len() > 1 {
        message.push_str(&format!("This reverts commit {after}, reversing\nchanges made to {before}.\n"));
    } else {
        let commits = Revisions::of(after).without(before).no_merges().oldest_first();
        for id in store.git().revisions(commits).map_err(StoreError::Git)? {
            message.push_str(&format!("This reverts commit {id}.\n"));
        }
    }
    message.push_str(&format!("\nTakes back the landing of {issue}\n"));
    Ok(message)
}

/// The command of git that begins the same revert.
fn by_hand(store: &Store, before: ObjectId, after: ObjectId) -> Result<String, StoreError> {
    let is_merge = store.code_commit(after)?.parents.len() > 1;
    Ok(if is_merge { format!("git revert -m 1 {after}") } else { format!("git revert {before}..{after}") })
}

/// The landings that a commit of the store records, in the order in which they happened.
fn recorded(store: &Store, commit: &CommitHash) -> Result<Vec<RecordedLanding>, Refusal> {
    let mut found = Vec::new();
    if let Some(commit) = object_id(commit)
        && let [parent] = store.parents(commit)?[..]
    {
        let (old, new) = (store.snapshot_at(parent)?, store.snapshot_at(commit)?);
        for change in store.differences(Some(old.tree()), new.tree())? {
            let Some(issue) = layout::Location::parse(&change.path).and_then(|it| it.issue()) else {
                continue;
            };
            let Some(file) = change.new_file() else { continue };
            let bytes = read_blob(store.repo(), file, &change.path)?;
            if let Ok(LogEntry { event: Event::Land(land), .. }) = serde_json::from_slice(&bytes) {
                found.push(RecordedLanding { issue, land });
            }
        }
    }
    in_order(&mut found);
    Ok(found)
}

/// Each landing begins where the one before it ended.
fn in_order(found: &mut [RecordedLanding]) {
    for n in 0..found.len() {
        let is_first =
            |it: &RecordedLanding| !found[n..].iter().any(|other| other.land.after == it.land.before);
        if let Some(first) = found[n..].iter().position(is_first) {
            found.swap(n, n + first);
        }
    }
}
