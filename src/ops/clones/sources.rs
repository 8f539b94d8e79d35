//! Two clones can import an issue from different states of its source. A merge takes the later value of each field, and
//! cannot know what the later state no longer has, so what the imports wrote follows that state after the merge.

use crate::interchange::import::follow_source;
use crate::model::{IssueId, Op, count};
use crate::ops::{Refusal, Session};
use crate::store::{Location, Owner, StoreError};

/// Lets the issues that the last merge joined follow their sources. Returns whether anything changed.
///
/// # Errors
/// Any error from reading or writing the store.
pub(crate) fn follow_sources(session: &Session) -> Result<bool, Refusal> {
    let joined = joined(session)?;
    if joined.is_empty() {
        return Ok(false);
    }
    // An agent of a run may not merge; the next import does it.
    let Ok(permit) = session.permit(Op::Merge) else { return Ok(false) };
    let committed = session.transact(permit, |tx| {
        let mut followed = 0;
        for id in &joined {
            match follow_source(tx, id) {
                Ok(is_changed) => followed += usize::from(is_changed),
                Err(StoreError::Broken { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        tx.describe(format!("sync: {} as last imported", count(followed, "issue")));
        Ok(())
    })?;
    Ok(committed.commit.is_some())
}

/// The issues that both sides of the last merge changed; none if that is not the newest commit or the one before it.
fn joined(session: &Session) -> Result<Vec<IssueId>, Refusal> {
    let store = session.store();
    let Some(tip) = store.tip()? else { return Ok(vec![]) };
    let mut parents = store.parents(tip)?;
    if let [before] = parents[..] {
        parents = store.parents(before)?;
    }
    let [one, two] = parents[..] else { return Ok(vec![]) };
    // A parent is not a store if someone emptied it.
    let (Ok(ours), Ok(theirs)) = (store.snapshot_at(one), store.snapshot_at(two)) else { return Ok(vec![]) };
    let mut bases = Vec::new();
    for base in store.merge_bases(one, two)? {
        bases.extend(store.snapshot_at(base).ok().map(|base| base.tree()));
    }
    let changed =
        store.repo().changed_on_both(ours.tree(), theirs.tree(), &bases).map_err(StoreError::from)?;
    Ok(changed
        .iter()
        .filter_map(|path| match Location::parse(path) {
            Some(Location::Record(Owner::Issue(id))) => Some(id),
            _ => None,
        })
        .collect())
}
