//! Publishing the outcome of a claim to the remote of the store, if the claim was made through a remote.

use std::time::Duration;

use crate::model::{
    Code, Execution, ExecutionId, ExecutionStatus, Explain, IssueId, Other, Remedies, RemedyCall, Time, shell,
};
use crate::ops::{Notice, Refusal, Session, clones};
use crate::rules::{ExecutionFolder, facts, lease};
use crate::store::{Store, StoreError, records};
use crate::sync::{self, SyncError};
use crate::trail::active;

/// Removes the worktree's binding to this execution, if there is one.
pub(crate) fn unbind_worktree(session: &Session, id: &ExecutionId) {
    let store = session.store();
    let result = active::read(store).and_then(|active| match active {
        Some(active) if active.execution_id == *id => active::clear(store),
        _ => Ok(()),
    });
    if let Err(error) = result {
        // The end is recorded; the next command will see that the remaining binding is over.
        session.notice(Notice::warning(error.to_string()));
    }
}

/// The remote of the store, if a claim was made through it; `None` for a claim within this clone. The record has the name
/// by which another clone may know it, and here that can be the name of any other remote.
pub(crate) fn through(store: &Store, execution: &Execution) -> Result<Option<String>, Refusal> {
    match &execution.via {
        Some(_) => Ok(sync::remote::of_the_ref(store)?),
        None => Ok(None),
    }
}

/// The result of asking the remote of a claim.
#[derive(Debug)]
pub(crate) enum Asked {
    /// It was not asked, because the claim is local to this clone, or because the remote's store cannot be merged.
    Nothing,
    /// The remote's state was merged.
    Merged,
    /// It could not be reached, and why.
    Unreached(String),
}

/// Before a claim that was made through a remote changes: merges the state of the remote of the store, if it can be
/// reached.
///
/// # Errors
/// Only errors of this store.
pub(crate) fn ask(session: &Session, execution: &Execution) -> Result<Asked, Refusal> {
    match through(session.store(), execution)? {
        Some(remote) => Ok(pull(session, &remote)?.unwrap_or_else(|error| not_merged(&error))),
        None => Ok(Asked::Nothing),
    }
}

/// Merges the state of the remote of the store, if one of these issues is claimed through a remote. If it cannot be asked, a
/// notice says so: then the local state counts.
///
/// # Errors
/// Only errors of this store.
pub(crate) fn ask_about(session: &Session, issues: &[IssueId]) -> Result<(), Refusal> {
    let store = session.store();
    let Some(remote) = sync::remote::of_the_ref(store)? else { return Ok(()) };
    let snapshot = store.snapshot()?;
    for id in issues {
        let folder = match records::outline(&snapshot, id) {
            Ok(Some(folder)) => folder,
            Ok(None) | Err(StoreError::Broken { .. }) => continue,
            Err(error) => return Err(error.into()),
        };
        if facts::holder(&folder).is_none_or(|holder| holder.execution.via.is_none()) {
            continue;
        }
        if let Err(error) = pull(session, &remote)? {
            let message = format!("could not fetch from `{remote}`: {error}");
            session.notice(Notice::warning(message).remedy(Other::Sync, "tries again"));
        }
        break;
    }
    Ok(())
}

/// Fetches and merges; the inner error says why the remote could not be asked.
fn pull(session: &Session, remote: &str) -> Result<Result<Asked, SyncError>, Refusal> {
    let store = session.store();
    let before = store.tip()?;
    match session.asking(|watch| sync::pull(store, remote, watch)) {
        Ok(synced) => {
            session.notice_all(clones::came_with(store, &synced, before)?);
            Ok(Ok(Asked::Merged))
        }
        Err(error) => Ok(Err(error)),
    }
}

fn not_merged(error: &SyncError) -> Asked {
    if error.is_unreachable() { Asked::Unreached(error.to_string()) } else { Asked::Nothing }
}

/// Asks the remote of the store whether a claim that was made through a remote still holds there: another clone may have
/// released, taken over or ended it. If the remote cannot be asked, the local state counts until the lease that the
/// remote knows has expired.
///
/// # Errors
/// `lease-ran-out`.
pub(crate) fn confirm(session: &Session, execution: &ExecutionFolder) -> Result<Asked, Refusal> {
    let store = session.store();
    // Checked before anything is written, so that an invalid value leaves nothing half done.
    store.push_interval()?;
    let Some(remote) = through(store, &execution.execution)? else { return Ok(Asked::Nothing) };
    let error = match pull(session, &remote)? {
        Ok(asked) => return Ok(asked),
        Err(error) => error,
    };
    let until = published_lease(store, &remote, &execution.execution)?;
    if store.now()? <= until {
        return Ok(not_merged(&error));
    }
    let id = &execution.execution.id;
    Err(Refusal::new(
        Code::LeaseRanOut,
        format!("the lease of `{id}` at `{remote}` expired at {until}, and whether it was taken over cannot be checked: {error}"),
    )
    .hint("someone may have taken over the item")
    .command(
        format!("git ls-remote {}", shell::operand(&remote)),
        "shows when the remote is back; then try again",
    ))
}

/// When the lease ends that the remote knows of.
fn published_lease(store: &Store, remote: &str, claim: &Execution) -> Result<Time, Refusal> {
    // A remote whose state is not a store, or cannot be read, does not know the claim.
    let there = store.read_ref(&store.tracking(remote))?.and_then(|head| store.snapshot_at(head).ok());
    let published = match &there {
        Some(there) => records::execution(there, &claim.id, &mut Vec::new())?,
        None => None,
    };
    Ok(published.map_or(claim.lease_expires_at, |claim| claim.lease_expires_at()))
}

/// When the lease of a claim ends as others know it: those who claim through the remote, or through this repository.
pub(crate) fn known_lease(store: &Store, claim: &ExecutionFolder) -> Result<Time, Refusal> {
    match through(store, &claim.execution)? {
        Some(remote) => published_lease(store, &remote, &claim.execution),
        None => Ok(claim.lease_expires_at()),
    }
}

/// Whether the lease of a claim of this clone, as the remote of the store knows it, is half over or more, and was renewed
/// here since.
pub(crate) fn is_renewal_due(store: &Store, remote: &str) -> Result<bool, Refusal> {
    let (snapshot, now) = (store.snapshot()?, store.now()?);
    for active in active::all(store)? {
        let Some(here) = records::execution(&snapshot, &active.execution_id, &mut Vec::new())? else {
            continue;
        };
        if here.execution.via.is_none() || here.outcome() != ExecutionStatus::Executing {
            continue;
        }
        let until = published_lease(store, remote, &here.execution)?;
        if here.lease_expires_at() > until && lease::is_half_over(until, store.lease()?, now) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Publishes the end or the renewal of a claim, after the remote was asked. If `wf.pushInterval` does not allow a push
/// yet, leaves it to a later push, unless the lease that the remote knows of would expire before.
pub(crate) fn publish_in_batch(
    session: &Session,
    execution: &Execution,
    asked: &Asked,
) -> Result<(), Refusal> {
    let store = session.store();
    let interval = store.push_interval()?;
    if !interval.is_zero()
        && let (Asked::Merged, Some(remote)) = (asked, through(store, execution)?)
        && let Some(wait) = sync::until_due(store, &remote, interval)
        && published_lease(store, &remote, execution)?.millis()
            > store.now()?.millis().saturating_add(millis(wait))
    {
        let seconds = wait.as_secs().saturating_add(1);
        let carried = format!(
            "this is pushed to `{remote}` with the next claim, or with the next completion, failure or renewal after {seconds} s (`wf.pushInterval`)"
        );
        session.notice(Notice::note(carried).remedy(Other::Sync, "publishes it now"));
        return Ok(());
    }
    publish_after(session, execution, asked)
}

fn millis(wait: Duration) -> i64 {
    i64::try_from(wait.as_millis()).unwrap_or(i64::MAX)
}

/// Publishes ends and renewals that wait for a push, since no claim will carry them soon.
pub(crate) fn publish_waiting(session: &Session, remote: &str) -> Result<(), Refusal> {
    let store = session.store();
    if store.push_interval()?.is_zero() || store.tip()?.is_none() {
        return Ok(());
    }
    publish_to(session, remote)
}

/// Publishes the outcome of a claim whose remote was asked before: do not wait twice for a remote that cannot be
/// reached.
pub(crate) fn publish_after(session: &Session, execution: &Execution, asked: &Asked) -> Result<(), Refusal> {
    match (asked, through(session.store(), execution)?) {
        (Asked::Unreached(why), Some(remote)) => {
            session.notice(unpublished(&remote, why, Remedies::none()));
            Ok(())
        }
        _ => publish(session, execution),
    }
}

/// Publishes the outcome of a claim to the remote of the store, if the claim was made through a remote. If that fails, or the
/// store no longer has a remote, the outcome is still recorded here, and a notice says so.
pub(crate) fn publish(session: &Session, execution: &Execution) -> Result<(), Refusal> {
    match (through(session.store(), execution)?, &execution.via) {
        (Some(remote), _) => publish_to(session, &remote),
        (None, Some(via)) => {
            let (why, remedies) = no_remote(session.store(), via)?;
            let message =
                format!("this is recorded here only: it was claimed through the remote `{via}`, and {why}");
            session.notice(Notice { remedies: remedies.into_vec(), ..Notice::warning(message) });
            Ok(())
        }
        (None, None) => Ok(()),
    }
}

/// Why a store that has a claim made through `via` has no remote now, and what to do about it.
fn no_remote(store: &Store, via: &str) -> Result<(String, Remedies), Refusal> {
    const PUBLISHES: &str = "publishes it and remembers the remote";
    let sync_with = |remote: &str| Remedies::call(RemedyCall::new(Other::Sync, [remote]), PUBLISHES);
    match sync::remote::to_sync(store, None) {
        Ok(only) => Ok(("the store has no remote here".into(), sync_with(&only))),
        Err(error @ SyncError::NoRemote) => Ok((error.to_string(), error.remedies())),
        Err(error) => {
            let SyncError::WhichRemote { remotes, .. } = &error else { return Err(error.into()) };
            let known = remotes.iter().find(|remote| *remote == via).or(remotes.first());
            Ok((error.to_string(), known.map_or_else(Remedies::none, |remote| sync_with(remote))))
        }
    }
}

fn publish_to(session: &Session, remote: &str) -> Result<(), Refusal> {
    let store = session.store();
    let before = store.tip()?;
    match session.asking(|watch| sync::publish(store, remote, watch)) {
        Ok(synced) => session.notice_all(clones::came_with(store, &synced, before)?),
        Err(error) => {
            // Trying again helps only if the remote did not refuse.
            let is_declined = matches!(error, sync::SyncError::Refused { .. });
            let remedies = if is_declined { error.remedies() } else { Remedies::none() };
            session.notice(unpublished(remote, &error.to_string(), remedies));
        }
    }
    Ok(())
}

/// Publishes the store to its own remote, if it has one. If that fails, a notice says so.
pub(crate) fn publish_store(session: &Session) -> Result<(), Refusal> {
    match sync::remote::of_the_ref(session.store())? {
        Some(remote) => publish_to(session, &remote),
        None => Ok(()),
    }
}

/// The notice that the remote does not have the outcome yet, and what to do about it.
pub(crate) fn unpublished(remote: &str, why: &str, remedies: Remedies) -> Notice {
    let notice = Notice::warning(format!("this is recorded here but not yet at `{remote}`: {why}"));
    if remedies.is_empty() {
        notice.remedy(Other::Sync, "publishes it")
    } else {
        Notice { remedies: remedies.into_vec(), ..notice }
    }
}
