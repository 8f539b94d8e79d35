//! `pre-push`: publishes the ref along with a push, to remotes that are configured for it (`git config
//! remote.origin.wfPush true`), and if others would soon take a claim over that was renewed here. Otherwise it says how
//! many records the remote does not have.

use bstr::ByteSlice;

use super::HookVerdict;
use crate::agent::in_hook;
use crate::model::op::Other;
use crate::model::remedy::{Detail, RemedyCall};
use crate::model::words::count;
use crate::ops::work;
use crate::store::{Snapshot, Store, StoreError};
use crate::sync;

/// Publishes the ref if configured. `remote` and `url` are the hook's arguments, `input` its stdin: one line for each
/// pushed ref. The push itself continues whatever happens here.
pub(crate) fn run(store: &Store, remote: &str, url: &str, input: &[u8]) -> Result<HookVerdict, StoreError> {
    let is_known = store.repo().remotes().iter().any(|known| known == remote);
    if !is_known || in_hook::is_in_dry_push() || store.tip()?.is_none() {
        return Ok(HookVerdict::Go);
    }
    // The user pushes the ref in this push anyway.
    let pushes_it = |line: &[u8]| line.fields().nth(2) == Some(store.reference().as_bytes());
    if input.lines().any(pushes_it) || !is_first(store, remote, url)? {
        return Ok(HookVerdict::Go);
    }
    let setting = format!("remote.{remote}.wfPush");
    if !store.config_bool(&setting, false)? {
        // Whatever fails here must not fail the push.
        let is_of_the_store = sync::remote::of_the_ref(store).ok().flatten().as_deref() == Some(remote);
        if !is_of_the_store {
            return Ok(HookVerdict::Go);
        }
        if !work::is_renewal_due(store, remote).unwrap_or(false) {
            return if store.config(&setting).is_some() {
                Ok(HookVerdict::Go)
            } else {
                unsent(store, remote)
            };
        }
    }
    Ok(match sync::sync(store, remote, &|_, _, _| {}) {
        Ok(synced) if synced.pushed => {
            let (commits, reference) = (count(synced.outgoing, "commit"), store.reference());
            HookVerdict::Note(format!("pushed {commits} of {reference} to {remote}").into())
        }
        Ok(_) => HookVerdict::Go,
        Err(error) => HookVerdict::Note(
            Detail::from(format!("{} was not pushed: {error}", store.reference()))
                .remedy(RemedyCall::new(Other::Sync, [remote]), "tries again"),
        ),
    })
}

/// Says how many records the remote does not have, as far as this clone knows.
fn unsent(store: &Store, remote: &str) -> Result<HookVerdict, StoreError> {
    let tip = store.existing_tip()?;
    let theirs = store.read_ref(&store.tracking(remote))?;
    let base = match theirs {
        Some(theirs) => store.repo().merge_bases(tip, theirs)?.first().copied(),
        None => None,
    };
    let before = base.map(|base| store.snapshot_at(base)).transpose()?;
    let changed =
        store.differences(before.as_ref().map(Snapshot::tree), store.snapshot_at(tip)?.tree())?.len();
    if changed == 0 {
        return Ok(HookVerdict::Go);
    }
    let (records, verb) = (count(changed, "record"), if changed == 1 { "is" } else { "are" });
    Ok(HookVerdict::Note(
        Detail::from(format!("{records} of {} {verb} not at {remote} yet", store.reference()))
            .remedy(RemedyCall::new(Other::Sync, [remote]), "sends them"),
    ))
}

/// Whether `url` is the first push URL of the remote: git runs the hook for each of them.
fn is_first(store: &Store, remote: &str, url: &str) -> Result<bool, StoreError> {
    let urls = store.transport().push_urls(remote)?;
    Ok(urls.first().is_none_or(|first| first == url) || urls.len() < 2)
}
