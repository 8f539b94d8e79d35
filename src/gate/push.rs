//! A push to a server: the checks that nobody can skip, run in `pre-receive` by the policy in force before the push.
//!
//! The ref must move forward, lose nothing, and bring only valid records. If the policy requires it, claimed plans
//! must be reviewed and completed work must have evidence (see [`evidence`]), and each new commit of a branch must
//! belong to a plan (see [`unbound`]). The server decides how far a push may loosen the policy itself (see
//! [`floor`]).

use std::collections::HashSet;

use bstr::ByteSlice;

use super::{evidence, floor, received::received, unbound};
use crate::git::ObjectId;
use crate::model::Detail;
use crate::rules::{Gate, GateValue};
use crate::store::{Store, StoreError, object_id, records};

/// At most this many errors are reported.
const MOST_TOLD: usize = 10;

/// The decision about a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PushVerdict {
    /// It is accepted.
    Accepted,
    /// It is accepted, with a message to who pushes.
    Noted(Detail),
    /// It is rejected.
    Rejected {
        /// Why, in one line.
        what: String,
        /// Each problem, one per line.
        details: Vec<Detail>,
        /// The rule that it breaks.
        fault: PushFault,
    },
}

/// The rule that a push breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PushFault {
    /// The list of refs cannot be read.
    Unreadable,
    /// The ref of the store has moved meanwhile.
    Moved,
    /// Records would be lost, or are invalid.
    Unsound,
    /// It loosens the policy.
    Loosened,
    /// It loosens the policy by a decision that was made on an earlier state.
    Stale,
    /// Reviews or evidence are missing; this evidence is asked for.
    Unshown(GateValue),
    /// Commits belong to no plan.
    Unbound,
}

/// One line of the hook's stdin.
#[derive(Debug)]
pub(super) struct Update {
    /// The commit that the pusher expects there; `None` if the ref is new.
    old: Option<ObjectId>,
    /// The new commit; `None` if the ref is deleted.
    pub(super) new: Option<ObjectId>,
    pub(super) name: String,
}

/// Checks the whole push: git accepts all of it or nothing.
pub(crate) fn judge_push(store: Store, input: &[u8]) -> Result<PushVerdict, StoreError> {
    let held = store.with_quarantine()?;
    let store = &held.store;
    let updates = input.lines().map(update).collect::<Option<Vec<Update>>>();
    let Some(updates) = updates.filter(|updates| are_distinct(updates)) else {
        let what = "cannot read which refs are being pushed".to_owned();
        return Ok(refused::<Detail>(what, vec![], PushFault::Unreadable));
    };
    let floor = floor::read(store)?;
    let tip = store.tip()?;
    let of_store = updates.iter().find(|update| update.name == store.reference());
    if let Some(update) = of_store
        && let Some(refused) = refuse_records(store, update, tip)?
    {
        return Ok(refused);
    }
    let pushed = of_store.and_then(|of_store| of_store.new);
    let before = match (tip, pushed) {
        (Some(tip), _) => Some(store.snapshot_at(tip)?),
        // The checks passed, so its history starts with that commit.
        (None, Some(_)) => Some(store.snapshot_at(store.first_commit()?)?),
        (None, None) => None,
    };
    let stored = before.as_ref().map(records::root).transpose()?.map(|root| root.policy).unwrap_or_default();
    let policy = floor.under(&stored);
    let mut forced = Vec::new();
    let state = match (before, pushed) {
        (Some(before), Some(new)) => {
            let after = store.snapshot_at(new)?;
            let loosened = floor::refusal(store, &floor, tip, &stored, new, &records::root(&after)?.policy)?;
            if let Some(floor::FloorRefusal { faults, is_stale }) = loosened {
                let fault = if is_stale { PushFault::Stale } else { PushFault::Loosened };
                return Ok(refused("the policy must not be loosened".into(), faults, fault));
            }
            let passed = evidence::look(store, &before, &after, &policy)?;
            if !passed.faults.is_empty() {
                let what = "the policy requires reviews or evidence that are missing";
                let evidence = Gate::Evidence.setting(&policy);
                return Ok(refused(what.into(), passed.faults, PushFault::Unshown(evidence)));
            }
            forced = passed.forced;
            Some(after)
        }
        (before, _) => before,
    };
    if Gate::Commits.is_required(&policy) {
        let faults = unbound::faults(store, state.as_ref(), &updates)?;
        if !faults.is_empty() {
            let what = "the policy requires a plan for each commit, but some commits belong to no plan that is being executed";
            return Ok(refused(what.into(), faults, PushFault::Unbound));
        }
    }
    Ok(if forced.is_empty() { PushVerdict::Accepted } else { PushVerdict::Noted(overridden(forced).into()) })
}

/// Why the ref of the store, which is at `tip`, may not be updated; `None` if it may.
fn refuse_records(
    store: &Store,
    update: &Update,
    tip: Option<ObjectId>,
) -> Result<Option<PushVerdict>, StoreError> {
    // Someone else may have pushed in the meantime and changed the policy.
    if update.old != tip {
        let what = format!("`{}` was moved while this was pushed", update.name);
        return Ok(Some(refused::<Detail>(what, vec![], PushFault::Moved)));
    }
    let faults = match update.new {
        Some(new) => received(store, update.old, new)?,
        None => vec!["it cannot be deleted".into()],
    };
    if faults.is_empty() {
        return Ok(None);
    }
    let what = format!("this update of `{}` is not allowed", update.name);
    Ok(Some(refused(what, faults, PushFault::Unsound)))
}

/// git itself never updates one ref twice in a push.
fn are_distinct(updates: &[Update]) -> bool {
    let mut names = HashSet::new();
    updates.iter().all(|update| names.insert(&update.name))
}

/// The overridden gates, in one line.
fn overridden(mut forced: Vec<String>) -> String {
    let more = forced.len().saturating_sub(MOST_TOLD);
    forced.truncate(MOST_TOLD);
    if more > 0 {
        forced.push(format!("{more} more"));
    }
    format!("gate overridden: {}", forced.join("; "))
}

fn refused<D: Into<Detail>>(what: String, details: Vec<D>, fault: PushFault) -> PushVerdict {
    let mut details: Vec<Detail> = details.into_iter().map(D::into).collect();
    let more = details.len().saturating_sub(MOST_TOLD);
    details.truncate(MOST_TOLD);
    if more > 0 {
        details.push(format!("and {more} more").into());
    }
    PushVerdict::Rejected { what, details, fault }
}

fn update(line: &[u8]) -> Option<Update> {
    let mut words = line.splitn(3, |c| *c == b' ');
    let old = object_id(words.next()?.to_str().ok()?)?;
    let new = object_id(words.next()?.to_str().ok()?)?;
    let name = words.next()?.to_str_lossy().into_owned();
    Some(Update { old: existing(old), new: existing(new), name })
}

/// git writes zeros for a ref that does not exist.
fn existing(id: ObjectId) -> Option<ObjectId> {
    (!id.is_null()).then_some(id)
}
