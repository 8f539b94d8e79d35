//! A store whose ref is gone: which commit it named last, and whether that commit is still here.

use crate::git::ObjectId;
use crate::index;
use crate::model::{Explain, Other, RemedyCall, shell};
use crate::ops::Refusal;
use crate::store::{Store, StoreError, object_id};

/// Where `git filter-repo` notes what became of each ref: lines of `old new ref`.
const REF_MAP: &str = "filter-repo/ref-map";

/// The refusal if there is no store, with what is known of the one that was here.
pub(super) fn refusal(store: &Store, error: StoreError) -> Refusal {
    let reference = store.reference();
    let StoreError::NotInitialised(_) = &error else { return error.into() };
    let filtered = filtered(store).filter(|(_, new)| new.is_null()).map(|(old, _)| old);
    let Some(last) = filtered.or_else(|| index::indexed_commit(store)) else { return error.into() };
    let by = if filtered.is_some() { "`git filter-repo` deleted" } else { "something deleted" };
    let is_here = store.commit_here(&last.into()).is_some();
    let rest = if is_here { "" } else { ", which is no longer here" };
    let refusal = Refusal::new(
        error.code(),
        format!("this repository has no store any more: {by} `{reference}`; it was at `{last}`{rest}"),
    );
    if is_here {
        return refusal
            .command(format!("git update-ref {} {last}", shell::operand(reference)), "brings it back");
    }
    refusal
        .command(
            format!("git fetch PATH {reference}:{reference}"),
            "brings it back from another clone or a backup",
        )
        .remedy(RemedyCall::new(Other::Sync, ["REMOTE"]), "from a remote, which you may have to add again")
}

/// What `git filter-repo` made of the store's ref: its commit before, and after; the latter is null if it deleted the ref.
pub(super) fn filtered(store: &Store) -> Option<(ObjectId, ObjectId)> {
    let map = std::fs::read_to_string(store.common_dir().join(REF_MAP)).ok()?;
    map.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        let (old, new, name) = (words.next()?, words.next()?, words.next()?);
        if name == store.reference() { Some((object_id(old)?, object_id(new)?)) } else { None }
    })
}
