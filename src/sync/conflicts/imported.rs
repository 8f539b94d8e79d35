//! Imports by two clones: an imported value that someone has replaced does not count as one side of a conflict.

use super::WHOLE;
use super::found::rank;
use super::history::read;
use crate::git::ObjectId;
use crate::model::{Apart, EpochStamp, Schema};
use crate::store::{Store, StoreError};

/// Whether the lost value comes from an import, and the value in force was written over that same imported value:
/// then the two clones did not change the field differently.
pub(super) fn has_replaced_import(
    store: &Store,
    heads: [ObjectId; 2],
    schema: &'static Schema,
    path: &str,
    apart: &Apart,
) -> Result<bool, StoreError> {
    let [first, second] = &apart.sides;
    let (won, lost, head) =
        if rank(first) > rank(second) { (first, second, heads[0]) } else { (second, first, heads[1]) };
    let is_import = |stamp: Option<&EpochStamp>| stamp.is_some_and(EpochStamp::is_import);
    if apart.key == WHOLE || !is_import(lost.stamp.as_ref()) || is_import(won.stamp.as_ref()) {
        return Ok(false);
    }
    let failed = StoreError::object("cannot read the history of the store");
    let (mut at, mut stamp) = (head, won.stamp.clone());
    loop {
        let commit = store.repo().commit(at).map_err(&failed)?;
        let here = store.snapshot_at(at).ok().map(|state| state.entry(path)).transpose()?;
        let mut before = None;
        for parent in commit.parents() {
            let Ok(state) = store.snapshot_at(parent) else { continue };
            // Most commits do not change the file.
            if here == Some(state.entry(path)?) {
                before = Some((parent, stamp.clone()));
                break;
            }
            let Some(doc) = read(&state, schema, path)? else { continue };
            let made = doc.made(&apart.key);
            if made == stamp {
                before = Some((parent, made));
                break;
            }
            if is_import(made.as_ref()) && doc.value(&apart.key) == lost.value.as_ref() {
                return Ok(true);
            }
            before = before.or(Some((parent, made)));
        }
        match before {
            // If an earlier import had another value, the lost value was never replaced.
            Some((parent, made)) if !is_import(made.as_ref()) => (at, stamp) = (parent, made),
            _ => return Ok(false),
        }
    }
}
