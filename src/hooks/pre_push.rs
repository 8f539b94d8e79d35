//! `pre-push`: publishes the ref along with a push, to remotes that are configured for it: `git config
//! remote.origin.wfPush true`.

use bstr::ByteSlice;

use super::HookVerdict;
use crate::agent::in_hook;
use crate::model::op::Other;
use crate::model::remedy::{Detail, RemedyCall};
use crate::model::words::count;
use crate::store::{Store, StoreError};
use crate::sync;

/// Publishes the ref if configured. `remote` and `url` are the hook's arguments, `input` its stdin: one line for each
/// pushed ref. The push itself continues whatever happens here.
pub(crate) fn run(store: &Store, remote: &str, url: &str, input: &[u8]) -> Result<HookVerdict, StoreError> {
    let is_wanted = store.config_bool(&format!("remote.{remote}.wfPush"), false)?
        && store.repo().remotes().iter().any(|known| known == remote);
    if !is_wanted || in_hook::is_in_dry_push() || store.tip()?.is_none() {
        return Ok(HookVerdict::Go);
    }
    // The user pushes the ref in this push anyway.
    let pushes_it = |line: &[u8]| line.fields().nth(2) == Some(store.reference().as_bytes());
    if input.lines().any(pushes_it) || !is_first(store, remote, url)? {
        return Ok(HookVerdict::Go);
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

/// Whether `url` is the first push URL of the remote: git runs the hook for each of them.
fn is_first(store: &Store, remote: &str, url: &str) -> Result<bool, StoreError> {
    let urls = store.transport().push_urls(remote)?;
    Ok(urls.first().is_none_or(|first| first == url) || urls.len() < 2)
}
