//! What only the holder of a claim may do.

use crate::model::{Code, Execution, ExecutionId, Op, RemedyCall};
use crate::ops::Refusal;
use crate::rules::lease::LeaseState;
use crate::rules::{Claim, ExecutionFolder};
use crate::store::{ReadState, Store, layout, records};
use crate::trail::active;

/// What someone wants to do with a claim that may be someone else's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Intent {
    /// End it. Only the worktree that executes it knows how far it has come.
    End,
    /// Release or renew it. You can do this with your own claims from anywhere.
    Keep,
    /// Record its commits, or evidence for a criterion. You can do this for your own claims from
    /// anywhere.
    Record,
}

const TAKES_OVER: &str = "takes it over once its lease has expired";

/// Refuses what only the holder of a claim may do, until others may take the claim over. The holder is anyone who
/// works in its worktree, or the person who claimed it; that person can end it only in the clone that executes it.
/// `force` is the reason for overriding a gate.
///
/// # Errors
/// `claim-of-another`.
pub(crate) fn refuse_foreign(
    store: &Store,
    execution: &ExecutionFolder,
    intent: Intent,
    force: Option<&str>,
) -> Result<(), Refusal> {
    let claim = &execution.execution;
    let lease = LeaseState::new(execution.lease_expires_at(), store.now()?);
    if force.is_some() || matches!(lease, LeaseState::Free(_)) || is_bound_here(store, &claim.id)? {
        return Ok(());
    }
    let is_mine = store.identity()?.person() == claim.actor;
    if is_mine
        && (intent != Intent::End
            || active::work_dir_of(store, &claim.id)?.is_some()
            || is_unpublished(store, claim)?)
    {
        return Ok(());
    }
    let who = if is_mine {
        format!("you are executing `{}`, but in no worktree of this clone", claim.solution_id)
    } else {
        format!("{} is executing `{}`", claim.actor, claim.solution_id)
    };
    let refusal = Refusal::new(Code::ClaimOfAnother, format!("{who}; {lease}"));
    Err(match (is_mine, intent) {
        (true, _) => refusal
            .hint("end it in the clone that executes it, if there is one")
            .remedy(RemedyCall::new(Op::LeaseRelease, [&claim.issue_id]), "gives it up from here"),
        (false, Intent::End) => refusal.hint("only they can end it").remedy(Op::Next, TAKES_OVER),
        (false, Intent::Record) => {
            refusal.hint("only they can record commits and evidence for it").remedy(Op::Next, TAKES_OVER)
        }
        (false, Intent::Keep) => {
            let force =
                RemedyCall::new(Op::LeaseRelease, [&claim.issue_id]).flag("force").option("reason", "REASON");
            refusal
                .hint("the claim is theirs")
                .remedy(Op::Next, TAKES_OVER)
                .remedy(force, "ends it before that")
        }
    })
}

/// Refuses records about an execution that someone else holds. Once it has ended or been set aside, anyone may add to its
/// trail.
///
/// # Errors
/// `claim-of-another`.
pub(crate) fn refuse_foreign_record(
    store: &Store,
    read: &impl ReadState,
    execution: &ExecutionFolder,
    force: Option<&str>,
) -> Result<(), Refusal> {
    let all = records::executions(read, &execution.execution.issue_id)?;
    match Claim::find(&all, &execution.execution.id) {
        Claim::Holds(_) => refuse_foreign(store, execution, Intent::Record, force),
        Claim::Unknown | Claim::Ended(_) | Claim::Lost { .. } => Ok(()),
    }
}

/// The worktree in which someone claimed an execution in this clone, if it is gone: then nobody continues there. Of a claim that
/// a remote has, and that no worktree here is bound to, this clone cannot tell.
pub(crate) fn gone_worktree(
    store: &Store,
    read: &impl ReadState,
    id: &ExecutionId,
) -> Result<Option<String>, Refusal> {
    let Some(found) = records::execution(read, id, &mut Vec::new())? else { return Ok(None) };
    let claim = found.execution;
    if claim.run_id.is_some() {
        return Ok(None);
    }
    let Some(worktree) = claim.worktree.clone() else { return Ok(None) };
    let is_gone = match active::work_dir_of(store, id)? {
        Some(folder) => !folder.exists(),
        None => {
            store.identity().is_ok_and(|identity| identity.person() == claim.actor)
                && is_unpublished(store, &claim)?
        }
    };
    Ok(is_gone.then_some(worktree))
}

/// Whether this worktree is bound to the execution, or was killed while claiming it.
fn is_bound_here(store: &Store, id: &ExecutionId) -> Result<bool, Refusal> {
    let is_active = active::read(store)?.is_some_and(|active| active.execution_id == *id);
    Ok(is_active || active::begun(store)?.contains(id))
}

/// Whether no remote is known to have the claim: then no other clone made it.
fn is_unpublished(store: &Store, execution: &Execution) -> Result<bool, Refusal> {
    if execution.via.is_some() {
        return Ok(false);
    }
    for remote in store.repo().remotes() {
        let there = store.read_ref(&store.tracking(&remote))?.and_then(|head| store.snapshot_at(head).ok());
        if let Some(there) = there
            && there.file(&layout::execution(&execution.id))?.is_some()
        {
            return Ok(false);
        }
    }
    Ok(true)
}
