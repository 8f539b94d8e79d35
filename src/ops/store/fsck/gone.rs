//! A store whose ref is gone or was rewritten: which commit it named last, and whether that commit is still here.

use crate::index;
use crate::model::{Code, Explain, Other, RemedyCall, shell};
use crate::ops::Refusal;
use crate::store::{Store, StoreError};
use crate::sync::rewritten_ref;

/// Refuses a store whose records are pointers of `git lfs`: to repair it would be to begin with nothing.
///
/// # Errors
/// `not-a-store`.
pub(super) fn refuse_migrated(store: &Store) -> Result<(), Refusal> {
    let Some(tip) = store.tip()? else { return Ok(()) };
    if !rewritten_ref::is_migrated(store, tip)? {
        return Ok(());
    }
    let reference = store.reference();
    let what = format!("`git lfs migrate` rewrote `{reference}`: its records are pointers to large files");
    Err(Refusal::new(Code::NotAStore, what).remedy(Other::Sync, "brings back what it was"))
}

/// The refusal if there is no store, with what is known of the one that was here.
pub(super) fn refusal(store: &Store, error: StoreError) -> Refusal {
    let reference = store.reference();
    let StoreError::NotInitialised(_) = &error else { return error.into() };
    let filtered = rewritten_ref::filtered(store).filter(|(_, new)| new.is_null()).map(|(old, _)| old);
    let Some(last) = filtered.or_else(|| index::indexed_commit(store)) else { return error.into() };
    let by = if filtered.is_some() { "`git filter-repo` deleted" } else { "something deleted" };
    let is_here = store.commit_here(&last.into()).is_some();
    let rest = if is_here { "" } else { ", which is no longer here" };
    let refusal = Refusal::new(
        error.code(),
        format!("this repository no longer has a store: {by} `{reference}`; it was at `{last}`{rest}"),
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
