//! Making a store, or fetching the one that a remote has.

use schemars::JsonSchema;
use serde::Serialize;

use crate::ops::{Answer, Notice, Refusal, Session, clones};
use crate::sync::{self, Synced};

/// How to begin.
#[derive(Debug, Default)]
pub(crate) struct Init {
    /// The remote that the store shall belong to; the only one, or `origin`, where none is named.
    pub(crate) remote: Option<String>,
}

/// What `init` did.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Initialised {
    /// The full name of the ref.
    pub(crate) reference: String,
    /// Whether there was no store here before.
    pub(crate) created: bool,
    /// Whether the remote was reached and has a store, which is part of this one now.
    pub(crate) fetched: bool,
    /// The remote whose store a plain `git fetch` brings along; null where there is none.
    pub(crate) remote: Option<String>,
    /// The commit that the ref points to.
    pub(crate) tip: String,
    /// Whether a plain `git fetch` did not bring it along before.
    #[serde(skip)]
    pub(crate) is_refspec_added: bool,
    /// How many commits came from the remote.
    #[serde(skip)]
    pub(crate) incoming: u64,
}

/// Makes the store, or fetches the remote's. Where there is one already, what the remote has is brought in.
///
/// # Errors
/// A remote that there is not, or whose ref is no store; what writing can come to.
pub(crate) fn init(session: &Session, input: &Init) -> Answer<Initialised> {
    let store = session.store();
    store.refuse_mirror()?;
    let named = input.remote.as_deref();
    let remote = sync::remote::to_begin_with(store, named)?;
    let is_new = store.tip()?.is_none();
    let pulled = match &remote {
        Some(remote) if is_new || !store.fetches_from(remote) => pull(session, remote)?,
        _ => None,
    };
    if store.tip()?.is_none() {
        store.create()?;
    }
    let is_refspec_added = match &remote {
        Some(remote) => sync::remote::add_refspec(store, remote)?,
        None => false,
    };
    if let Some(remote) = named
        && sync::remote::of_the_ref(store)?.as_deref() != Some(remote)
    {
        sync::remote::choose(store, remote)?;
    }
    let tip = store.snapshot()?.commit();
    let view = Initialised {
        reference: store.reference().to_owned(),
        created: is_new,
        fetched: pulled.as_ref().is_some_and(|pulled| pulled.fetched),
        remote,
        tip: tip.to_string(),
        is_refspec_added,
        incoming: pulled.map_or(0, |pulled| pulled.incoming),
    };
    Ok(session.done(view, is_new.then_some(tip)))
}

/// What the remote has already becomes part of this store. A remote that cannot be reached is no reason to wait: all
/// stores have one root and merge later.
fn pull(session: &Session, remote: &str) -> Result<Option<Synced>, Refusal> {
    match sync::pull(session.store(), remote) {
        Ok(pulled) => {
            session.notice_all(clones::losses(&pulled));
            Ok(Some(pulled))
        }
        Err(error) if error.is_unreachable() => {
            session.notice(Notice::warning(error.to_string()).remedy("sync", "will bring what it has"));
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}
