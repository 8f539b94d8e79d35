//! Claiming an item: for this worktree or a new one, and through which remote.

use std::path::{Path, PathBuf};

use super::begin::{NewClaim, settle};
use super::claim_view::{ClaimView, TakenClaim, view};
use super::preparing::{self, ClaimedWorktree};
use super::session::joins;
use super::unseen_claim::{LeftBehind, is_shown, left_behind, lost, made_of, withdraw, withdraw_here};
use super::{WorktreeClaim, own, publish_waiting, shared_files};
use crate::git::fault;
use crate::model::{Branch, Code, Execution, IssueId, IssueStatus, Op, RemedyCall, RunId};
use crate::ops::queue::ClaimBase;
use crate::ops::{Answer, Refusal, RefusalKind, Session, queue};
use crate::rules::ExecutionFolder;
use crate::store::{ReadState, Store, Tx, resolve};
use crate::sync;
use crate::trail::active;

/// The requested item.
#[derive(Debug, Default)]
pub(crate) enum Claimable {
    /// The first ready one.
    #[default]
    First,
    /// The item with this name.
    Item(String),
    /// The item of this issue, which is queued if needed; with the reason for overriding a gate.
    Issue(String, Option<String>),
}

impl Claimable {
    /// What a name stands for: an issue, whose plan may have to be queued first, or an item. `force` is the reason for
    /// overriding a gate of queueing.
    ///
    /// # Errors
    /// A usage error if there is such a reason but nothing to queue.
    pub(crate) fn named(
        session: &Session,
        name: Option<String>,
        force: Option<String>,
    ) -> Result<Self, Refusal> {
        let read = session.store().snapshot()?;
        match name {
            Some(name) if resolve::issue(&read, &name).is_ok() => Ok(Self::Issue(name, force)),
            _ if force.is_some() => Err(Refusal::usage(
                "only queueing has a gate to override, and no issue is named",
            )
            .remedy(RemedyCall::new(Op::Next, ["ISSUE"]), "queues the plan of an issue and claims it")),
            Some(name) => Ok(Self::Item(name)),
            None => Ok(Self::First),
        }
    }
}

/// The worktree in which a claimed item is executed.
#[derive(Debug, Default)]
pub(crate) enum ClaimWorktree {
    /// This one.
    #[default]
    Here,
    /// One that is created beside the repository.
    Beside,
    /// One that is created at this absolute path.
    At(PathBuf),
}

impl ClaimWorktree {
    /// Whether the worktree is created for the claim.
    pub(super) fn is_new(&self) -> bool {
        !matches!(self, Self::Here)
    }

    /// The path that was given.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::At(path) => Some(path),
            Self::Here | Self::Beside => None,
        }
    }
}

/// A request for an item.
#[derive(Debug, Default)]
pub(crate) struct ClaimRequest {
    /// Which item.
    pub(crate) what: Claimable,
    /// Only from this queue.
    pub(crate) queue: Option<String>,
    /// Also accept an item that shares files with a running execution, or with an item before it.
    pub(crate) allow_overlap: bool,
    /// Also accept an item whose base lacks the commits of completed work that comes before it.
    pub(crate) allow_missing: bool,
    /// The branch on which its worktree starts; without it, the one on which work lands.
    pub(crate) on: Option<Branch>,
    /// Claim only among the worktrees of this clone, without the remote.
    pub(crate) local: bool,
    /// The worktree in which it is executed.
    pub(crate) worktree: ClaimWorktree,
    /// Start that worktree from HEAD on a new branch, not on the branch of an earlier attempt.
    pub(crate) is_fresh: bool,
    /// The run that claims.
    pub(crate) run: Option<RunId>,
    /// The model of the agent that claims, if it names one. The agent itself is the session's caller.
    pub(crate) model: Option<String>,
}

impl ClaimRequest {
    /// Where the work begins.
    pub(super) fn base(&self) -> ClaimBase {
        match &self.on {
            Some(branch) => ClaimBase::Branch(branch.clone()),
            // The worktree of a run starts at the branch of the run, which is checked out where it claims.
            None if self.worktree.is_new() && self.run.is_none() => ClaimBase::Target,
            None => ClaimBase::Head,
        }
    }

    /// The call that asks for the same again, wherever it is worked on.
    pub(super) fn again(&self) -> RemedyCall {
        let mut call = match &self.what {
            Claimable::First => RemedyCall::from(Op::Next),
            Claimable::Item(item) => RemedyCall::new(Op::Next, [item]),
            Claimable::Issue(issue, _) => RemedyCall::new(Op::Next, [issue]),
        };
        if let Claimable::Issue(_, Some(reason)) = &self.what {
            call = call.flag("force").option("reason", reason);
        }
        if let Some(queue) = &self.queue {
            call = call.option("queue", queue);
        }
        if let Some(branch) = &self.on {
            call = call.option("on", branch.short());
        }
        let flags = [
            ("allow-overlap", self.allow_overlap),
            ("allow-missing", self.allow_missing),
            ("local", self.local),
        ];
        for (name, _) in flags.into_iter().filter(|(_, is_wanted)| *is_wanted) {
            call = call.flag(name);
        }
        call
    }

    /// The call that asks for the same, in the same worktree.
    pub(super) fn again_there(&self) -> RemedyCall {
        match &self.worktree {
            ClaimWorktree::Here => self.again(),
            ClaimWorktree::Beside => self.again().flag("worktree"),
            ClaimWorktree::At(path) => self.again().option("worktree", path.to_string_lossy()),
        }
    }

    /// The call that asks for the same in this clone only.
    fn only_here(&self) -> RemedyCall {
        let call = self.again_there();
        if self.local { call } else { call.flag("local") }
    }
}

/// Claims the requested item, and binds the worktree to it. For a worktree that already has a claim, returns that
/// claim.
///
/// # Errors
/// `nothing-to-do` if no item is ready; `bare`, `detached-head`, `claim-held`; any reason why the remote cannot be
/// reached.
pub(crate) fn claim(session: &Session, wish: &ClaimRequest) -> Answer<ClaimView> {
    let store = session.store();
    store.snapshot()?;
    if store.work_dir().is_none() && !wish.worktree.is_new() {
        return Err(Refusal::new(Code::Bare, "a bare repository has no work tree to execute a plan in")
            .remedy(wish.again().flag("worktree"), "creates one; so does `git worktree add`"));
    }
    let preparation = preparing::preparation(session, wish)?;
    let remote = if wish.local { None } else { sync::remote::of_the_ref(store)? };
    let mut taken = once(session, wish, remote.as_deref()).or_else(|refusal| {
        if refusal.kind == RefusalKind::Nothing
            && let Some(remote) = remote
        {
            publish_waiting(session, &remote)?;
        }
        Err(refusal)
    })?;
    if !taken.is_new {
        joins(session, &taken.execution, wish.model.as_deref())?;
    }
    // A worktree that an interrupted command has not made yet is new, too.
    let new_place = taken.path.clone();
    let shared = taken.shared.take();
    let mut claimed = view(session, taken)?;
    if claimed.is_new {
        shared_files::tell(session, wish, &claimed.solution_id, shared)?;
    }
    if let (Some(preparation), Some(place)) = (preparation, new_place) {
        let (path, solution) = (&*place, &claimed.solution_id);
        claimed.prepared = preparing::prepare(session, &preparation, &ClaimedWorktree { path, solution });
    }
    Ok(session.done(claimed, None))
}

fn once(session: &Session, wish: &ClaimRequest, remote: Option<&str>) -> Result<TakenClaim, Refusal> {
    let permit = session.permit(Op::Next)?;
    let store = session.store();
    // If two processes ask at once in one worktree, the second gets the claim of the first.
    let _alone = active::lock(store)?;
    let snapshot = store.snapshot()?;
    if !wish.worktree.is_new()
        && let Some(held) = held(session, &snapshot)?
    {
        refuse_other(store, &snapshot, wish, &held)?;
        return Ok(TakenClaim { execution: held.execution.id, path: None, is_new: false, shared: None });
    }
    // The claims made for this request: if the process is killed after one of them, the next run finds it.
    let mut made = match left_behind(session, &snapshot, !wish.worktree.is_new())? {
        LeftBehind::Held(held) if is_shown(session, &held)? => {
            refuse_other(store, &snapshot, wish, &held)?;
            let path = settle(session, wish, &held.execution)?;
            return Ok(TakenClaim { execution: held.execution.id, path, is_new: false, shared: None });
        }
        LeftBehind::Held(held) => {
            withdraw_here(session, &held.execution)?;
            Vec::new()
        }
        LeftBehind::Unknown(made) if remote.is_some() => made,
        _ => Vec::new(),
    };
    let new = NewClaim::prepare(session, wish, remote)?;
    let index = session.index_at_hand()?;
    let mut shared = None;
    let change = |tx: &mut Tx<'_>| {
        if let Some((id, held)) = made_of(tx, &made)? {
            return held.map(|held| held.execution).ok_or_else(|| lost(&id));
        }
        let picked = new.pick(tx, index.as_ref())?;
        let execution = new.write(tx, &picked, &mut made)?;
        shared = picked.shared;
        let of = execution.item_id.as_ref().map(|item| format!(" as {item}")).unwrap_or_default();
        let missing: Vec<&str> = execution.missing.iter().map(IssueId::as_str).collect();
        let without =
            if missing.is_empty() { String::new() } else { format!(", without {}", missing.join(", ")) };
        tx.describe(format!(
            "execution: claim {}{of} (attempt {}){without}",
            execution.solution_id, execution.attempt
        ));
        Ok(execution)
    };
    let claimed = session.transact_through(permit, remote, change, Some(&mut withdraw));
    let execution = claimed.map_err(|refusal| {
        if !may_be_made(&refusal, remote) {
            let _ = active::forget(store);
        }
        offer_local(refusal, wish)
    })?;
    fault::point("claimed");
    let path = settle(session, wish, &execution)?;
    Ok(TakenClaim { execution: execution.id, path, is_new: true, shared })
}

/// Whether the remote may have accepted a claim although it is refused; then its note helps to find it.
pub(super) fn may_be_made(refusal: &Refusal, remote: Option<&str>) -> bool {
    remote.is_some()
        && refusal.kind != RefusalKind::Nothing
        && !matches!(refusal.code, Code::ClaimLost | Code::NotShown)
}

/// Adds what can be done while the remote cannot be asked.
fn offer_local(refusal: Refusal, wish: &ClaimRequest) -> Refusal {
    match refusal.code {
        Code::NotShown => {
            let message = format!("the claim was withdrawn: {}", refusal.message);
            let does = "claims it in this clone only; another clone may claim the same item";
            Refusal { message, ..refusal }.remedy(wish.only_here(), does)
        }
        Code::Unreachable | Code::Credentials | Code::TooManyRequests | Code::NoTurn | Code::Refused => {
            let does = "claims it in this clone only; another clone may claim the same item";
            refusal.remedy(wish.only_here(), does)
        }
        _ => refusal,
    }
}

/// The claim that this worktree is bound to, if it holds. Otherwise the worktree is free for another item.
///
/// # Errors
/// `claim-held` if the issue was paused, closed or cancelled meanwhile: its commits are still linked, so nothing else is
/// claimed over it.
fn held(session: &Session, read: &impl ReadState) -> Result<Option<ExecutionFolder>, Refusal> {
    let store = session.store();
    let own = own(store, read)?;
    let notice = own.notice();
    match own {
        WorktreeClaim::Held(execution, issue) if issue.status == IssueStatus::Executing => {
            session.notice_all(notice);
            Ok(Some(*execution))
        }
        WorktreeClaim::Held(execution, issue) => Err(over(&execution, issue.status)),
        WorktreeClaim::Nothing | WorktreeClaim::Ended(..) | WorktreeClaim::Lost(..) => {
            session.notice_all(notice);
            active::clear(store)?;
            Ok(None)
        }
    }
}

/// The refusal of a claim in a worktree whose issue nobody waits for any more.
fn over(held: &ExecutionFolder, status: IssueStatus) -> Refusal {
    let Execution { issue_id, solution_id, .. } = &held.execution;
    let message = format!("issue `{issue_id}` is {status}, but this worktree still executes `{solution_id}`");
    Refusal::new(Code::ClaimHeld, message)
        .remedy(Op::LeaseRelease, "gives it up; its commits stay linked")
        .remedy(RemedyCall::from(Op::Done).option("message", "TEXT"), "completes it anyway")
        .remedy(RemedyCall::new(Op::Reopen, [issue_id]), "makes the issue wait for it again")
}

/// Refuses a request for another item than the one that is already claimed.
fn refuse_other(
    store: &Store,
    read: &impl ReadState,
    wish: &ClaimRequest,
    held: &ExecutionFolder,
) -> Result<(), Refusal> {
    let is_other = match &wish.what {
        Claimable::First => false,
        Claimable::Item(text) => queue::item(store, read, text)?.1.solution_id != held.execution.solution_id,
        Claimable::Issue(text, _) => resolve::issue(read, text)? != held.execution.issue_id,
    };
    let queue = wish.queue.as_deref().map(|text| resolve::queue(read, text)).transpose()?;
    if is_other || queue.is_some_and(|queue| held.execution.queue_id.as_ref() != Some(&queue)) {
        return Err(Refusal::new(
            Code::ClaimHeld,
            format!("this worktree already executes `{}`", held.execution.solution_id),
        )
        .remedy(RemedyCall::from(Op::Done).option("message", "TEXT"), "completes that execution")
        .remedy(RemedyCall::from(Op::Fail).option("message", "TEXT"), "ends it as failed")
        .hint("another worktree can take another item"));
    }
    Ok(())
}
