//! Creating a store, or fetching that of the remote.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::hooks::{HookSide, HookState, InstallHooks, install_hooks};
use crate::model::{CommitHash, Op, Other};
use crate::ops::{Answer, Notice, Refusal, Session, clones};
use crate::sync::{self, Synced};

/// Options of `init`.
#[derive(Debug, Default)]
pub(crate) struct Init {
    /// The remote of the store (default: the only one, or `origin`).
    pub(crate) remote: Option<String>,
    /// Also installs the git hooks, which run this program (an absolute path).
    pub(crate) hooks: Option<PathBuf>,
}

/// What `init` did.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Initialised {
    /// The full name of the ref.
    pub(crate) reference: String,
    /// Whether the store was created now.
    pub(crate) created: bool,
    /// Whether the remote was reached and has a store, which was merged into this one.
    pub(crate) fetched: bool,
    /// The remote whose store a plain `git fetch` also fetches; null if there is none.
    pub(crate) remote: Option<String>,
    /// The commit that the ref points to.
    pub(crate) tip: CommitHash,
    /// The git hooks, if requested.
    pub(crate) hooks: Vec<HookState>,
    /// Why the requested hooks could not be installed. The store is there anyway.
    #[serde(skip)]
    pub(crate) hooks_refused: Option<Refusal>,
    /// Whether a plain `git fetch` was now configured to fetch it.
    #[serde(skip)]
    pub(crate) is_refspec_added: bool,
    /// How many commits came from the remote.
    #[serde(skip)]
    pub(crate) incoming: u64,
}

/// Creates the store, or fetches the remote's. If there is a store already, the remote's is merged into it.
///
/// # Errors
/// A remote that does not exist, or whose ref is not a store; any error from writing. Hooks that cannot be installed are
/// no error.
pub(crate) fn init(session: &Session, input: &Init) -> Answer<Initialised> {
    let store = session.store();
    if store.is_in_run() {
        // It fetches, and changes the configuration.
        session.permit(Op::Merge)?;
    }
    let named = input.remote.as_deref();
    if named.is_some() || store.tip()?.is_some() {
        // Where an existing store is fetched from and pushed to is the owner's choice.
        session.refuse_roles("init")?;
    }
    store.refuse_mirror()?;
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
        && !matches!(sync::remote::of_the_ref(store), Ok(Some(known)) if known == remote)
    {
        sync::remote::choose(store, remote)?;
    }
    let tip = store.snapshot()?.commit();
    let installed = input.hooks.as_ref().map(|program| {
        let client = InstallHooks { program: program.clone(), side: HookSide::Client, force: false };
        install_hooks(session, &client)
    });
    let (hooks, hooks_refused) = match installed {
        Some(Ok(installed)) => {
            session.notice_all(installed.notices);
            (installed.view, None)
        }
        Some(Err(refused)) => (vec![], Some(refused)),
        None => (vec![], None),
    };
    let view = Initialised {
        reference: store.reference().to_owned(),
        created: is_new,
        fetched: pulled.as_ref().is_some_and(|pulled| pulled.fetched),
        remote,
        tip: tip.into(),
        hooks,
        hooks_refused,
        is_refspec_added,
        incoming: pulled.map_or(0, |pulled| pulled.incoming),
    };
    Ok(session.done(view, is_new.then_some(tip)))
}

/// Merges the remote's store into this one. An unreachable remote is not an error: what was fetched from it before is
/// merged, and the rest can be merged later, since all stores have the same root.
fn pull(session: &Session, remote: &str) -> Result<Option<Synced>, Refusal> {
    match session.asking(|watch| sync::pull(session.store(), remote, watch)) {
        Ok(pulled) => {
            session.notice_all(clones::losses(&pulled));
            Ok(Some(pulled))
        }
        Err(error) if error.is_unreachable() => {
            session.notice(Notice::warning(error.to_string()).remedy(Other::Sync, "will fetch its store"));
            Ok(Some(sync::merge_fetched(session.store(), remote)?))
        }
        Err(error) => Err(error.into()),
    }
}
