//! The leases of claims: list, renew, release.

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    ChangedExecution, ExecutionTarget, Intent, ask, confirm, known_lease, publish, publish_after,
    publish_in_batch, refuse_foreign, set_aside, target, unbind_worktree,
};
use crate::model::{
    AsideReason, Branch, Event, Execution, ExecutionId, IssueId, IssueStatus, ItemId, Op, Person, QueueId,
    Renew, RunId, SolutionId, Time,
};
use crate::ops::{Answer, Refusal, Session};
use crate::rules::{claim, facts, lease};
use crate::store::{StoreError, records};

#[serde_with::skip_serializing_none]
/// A running claim.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Lease {
    /// The queue that it was taken from.
    pub(crate) queue_id: Option<QueueId>,
    /// Its item in that queue.
    pub(crate) item_id: Option<ItemId>,
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// The plan.
    pub(crate) solution_id: SolutionId,
    /// The execution.
    pub(crate) execution_id: ExecutionId,
    /// The executor.
    pub(crate) actor: Person,
    /// The branch that it works on, with its full name, such as `refs/heads/main`.
    pub(crate) branch: Option<Branch>,
    /// The worktree in which it was claimed.
    pub(crate) worktree: Option<String>,
    /// The remote through which the claim was made; absent for a local claim.
    pub(crate) via: Option<String>,
    /// When the lease expires.
    pub(crate) lease_expires_at: Time,
    /// Whether it has expired; ten minutes after that, `next` may give the item to others.
    pub(crate) expired: bool,
}

/// Which claim to release.
#[derive(Debug, Default)]
pub(crate) struct ReleaseLease {
    /// The item (default: that of this worktree).
    pub(crate) item: Option<String>,
    /// The reason for releasing someone else's claim.
    pub(crate) force: Option<String>,
}

impl Lease {
    fn new(execution: &Execution, until: Time, now: Time) -> Self {
        Self {
            queue_id: execution.queue_id.clone(),
            item_id: execution.item_id.clone(),
            issue_id: execution.issue_id.clone(),
            solution_id: execution.solution_id.clone(),
            execution_id: execution.id.clone(),
            actor: execution.actor.clone(),
            branch: execution.branch.clone(),
            worktree: execution.worktree.clone(),
            via: execution.via.clone(),
            lease_expires_at: until,
            expired: now > until,
        }
    }
}

/// Renews the claim of the named item, or else of this worktree, as each commit does. A lease that already lasts
/// longer is kept.
///
/// # Errors
/// The errors of [`target`]; `claim-of-another`, `lease-ran-out`.
pub(crate) fn renew(session: &Session, item: Option<&str>) -> Answer<Lease> {
    let permit = session.permit(Op::LeaseRenew)?;
    let store = session.store();
    let before = target(store, &store.snapshot()?, item)?;
    let lease = store.lease()?;
    // If others could renew a claim, it might never expire.
    refuse_foreign(store, &before.execution, Intent::Keep, None)?;
    let asked = confirm(session, &before.execution)?;
    let committed = session.transact(permit, |tx| {
        let ExecutionTarget { execution, .. } = target(store, tx, item)?;
        let claim = &execution.execution;
        let lease_expires_at = tx.stamper().now().plus_millis(lease);
        // Never shorten a lease.
        if lease_expires_at > execution.lease_expires_at() {
            tx.log(&claim.id, Event::Renew(Renew { lease_expires_at }))?;
            tx.describe(format!("execution: renew {} until {lease_expires_at}", claim.solution_id));
        }
        Ok(claim.id.clone())
    })?;
    publish_in_batch(session, &before.execution.execution, &asked)?;
    let renewed = ChangedExecution::now(store, &committed.answer)?.execution.execution;
    let lease = Lease::new(&renewed, renewed.lease_expires_at, store.now()?);
    Ok(session.done(lease, committed.commit))
}

/// Renews the claim that a run has of an issue, here or as the remote knows it, if less than half of its lease is left.
/// Does nothing if the run no longer has it: then someone took it over.
///
/// # Errors
/// The errors of [`renew`].
pub(crate) fn keep_lease(session: &Session, run: &RunId, issue: &IssueId) -> Result<(), Refusal> {
    let (store, snapshot) = (session.store(), session.store().snapshot()?);
    let Some(folder) = records::outline(&snapshot, issue)? else { return Ok(()) };
    let Some(holder) = facts::holder(&folder) else { return Ok(()) };
    let is_own = holder.execution.run_id.as_ref() == Some(run);
    if !is_own || facts::status(&folder) != IssueStatus::Executing {
        return Ok(());
    }
    let (now, length) = (store.now()?, store.lease()?);
    if lease::is_half_over(holder.lease_expires_at(), length, now) {
        renew(session, Some(holder.execution.id.as_str()))?;
    } else if lease::is_half_over(known_lease(store, holder)?, length, now) {
        publish(session, &holder.execution)?;
    }
    Ok(())
}

/// All running claims, those that expire first at the front.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn leases(session: &Session) -> Answer<Vec<Lease>> {
    let store = session.store();
    let (now, snapshot) = (store.now()?, store.snapshot()?);
    let mut leases = Vec::new();
    for id in records::issue_ids(&snapshot)? {
        let folder = match records::outline(&snapshot, &id) {
            Ok(Some(folder)) => folder,
            Ok(None) | Err(StoreError::Broken { .. }) => continue,
            Err(error) => return Err(error.into()),
        };
        if let Some(holder) = claim::held(&folder.executions) {
            leases.push(Lease::new(&holder.execution, holder.lease_expires_at(), now));
        }
    }
    leases.sort_by(|a, b| (a.lease_expires_at, &a.execution_id).cmp(&(b.lease_expires_at, &b.execution_id)));
    Ok(session.done(leases, None))
}

/// Releases a claim: its item is queued again, and its commits stay in the trail. The remote of the claim is asked
/// first, since someone else may have ended it or taken it over.
///
/// # Errors
/// The errors of [`target`]; `claim-of-another`.
pub(crate) fn release(session: &Session, input: &ReleaseLease) -> Answer<ChangedExecution> {
    let permit = session.permit(Op::LeaseRelease)?;
    let (store, item) = (session.store(), input.item.as_deref());
    let before = target(store, &store.snapshot()?, item)?;
    let execution = &before.execution.execution;
    let asked = ask(session, execution)?;
    let committed = session.transact(permit, |tx| {
        let ExecutionTarget { folder, execution: now } = target(store, tx, item)?;
        refuse_foreign(store, &now, Intent::Keep, input.force.as_deref())?;
        set_aside(tx, &folder, AsideReason::Release, input.force.as_deref())?;
        tx.note.force.clone_from(&input.force);
        tx.describe(format!("execution: release {}", execution.solution_id));
        Ok(())
    })?;
    unbind_worktree(session, &execution.id);
    publish_after(session, execution, &asked)?;
    Ok(session.done(ChangedExecution::now(store, &execution.id)?, committed.commit))
}
