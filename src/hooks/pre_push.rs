//! `pre-push`: publishes the ref along with a push, to remotes that are configured for it (`git config
//! remote.origin.wfPush true`), and if others would soon take a claim over that was renewed here. Otherwise it says how
//! many records the remote does not have.

use bstr::ByteSlice;

use super::HookVerdict;
use crate::agent::in_hook;
use crate::model::{Detail, Other, RemedyCall, count};
use crate::ops::work;
use crate::store::{Snapshot, Store, StoreError};
use crate::sync;

/// Publishes the ref if configured, or due. `remote` and `url` are the hook's arguments, `input` its stdin: one line for
/// each pushed ref. The push itself continues whatever happens here.
pub(crate) fn run(store: &Store, remote: &str, url: &str, input: &[u8]) -> Result<HookVerdict, StoreError> {
    // The user may push the ref in this push anyway.
    let pushes_it = |line: &[u8]| line.fields().nth(2) == Some(store.reference().as_bytes());
    if in_hook::is_in_dry_push() || store.tip()?.is_none() || input.lines().any(pushes_it) {
        return Ok(HookVerdict::Go);
    }
    let is_known = store.repo().remotes().iter().any(|known| known == remote);
    if is_known && !is_first(store, remote, url)? {
        return Ok(HookVerdict::Go);
    }
    let setting = |name: &str| format!("remote.{name}.wfPush");
    if is_known && store.config_bool(&setting(remote), false)? {
        return Ok(publish(store, remote));
    }
    // The code may go elsewhere, such as to a fork of one's own. Whatever fails here must not fail the push.
    let Ok(Some(home)) = sync::remote::of_the_ref(store) else { return Ok(HookVerdict::Go) };
    if !store.config_bool(&setting(&home), true)? {
        return Ok(HookVerdict::Go);
    }
    if work::is_renewal_due(store, &home).unwrap_or(false) {
        return Ok(publish(store, &home));
    }
    let is_code = input.lines().any(is_branch);
    if home == remote && is_code { unsent(store, remote) } else { Ok(HookVerdict::Go) }
}

/// Whether a line of the input pushes a branch, and does not delete it.
fn is_branch(line: &[u8]) -> bool {
    let mut fields = line.fields().skip(1);
    let is_there = fields.next().is_some_and(|hash| !hash.iter().all(|digit| *digit == b'0'));
    is_there && fields.next().is_some_and(|name| name.starts_with(b"refs/heads/"))
}

fn publish(store: &Store, remote: &str) -> HookVerdict {
    match sync::sync(store, remote, &|_, _, _| {}) {
        Ok(synced) if synced.pushed => {
            let (commits, reference) = (count(synced.outgoing, "commit"), store.reference());
            HookVerdict::Note(format!("pushed {commits} of {reference} to {remote}").into())
        }
        Ok(_) => HookVerdict::Go,
        Err(error) => HookVerdict::Note(
            Detail::from(format!("{} was not pushed: {error}", store.reference()))
                .remedy(RemedyCall::new(Other::Sync, [remote]), "tries again"),
        ),
    }
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
