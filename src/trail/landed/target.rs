//! The branch on which work lands: the policy's `land.onto`, else `wf.land.onto`, else the remote's default branch, else
//! `main` or `master`.

use crate::model::Branch;
use crate::rules::policy::{land_onto, named_branch};
use crate::store::{ObjectId, Store, StoreError, records};

/// The key that names the branch in git's configuration.
const KEY: &str = "wf.land.onto";

/// The branches that are tried if nothing names one.
const USUAL: [&str; 2] = ["main", "master"];

/// The remote that git names so unless told otherwise.
const USUAL_REMOTE: &str = "origin";

/// The branch on which work lands, as it is in this clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LandingTarget {
    /// The branch.
    pub(crate) branch: Branch,
    /// The remote of the branch, else that of the store, else `origin`; `None` without such a remote.
    pub(crate) remote: Option<String>,
    /// The tip of the branch in this clone; `None` if only the remote has it.
    pub(crate) local: Option<ObjectId>,
    /// The remote's tip as fetched last; `None` if it was never fetched.
    pub(crate) fetched: Option<ObjectId>,
    /// Whether the policy or the configuration names it; otherwise it is the usual one.
    pub(crate) is_named: bool,
}

/// The branch of this clone on which work would land if it were pushed.
#[derive(Debug, Clone)]
pub(crate) struct UnpushedBranch {
    /// Its tip.
    pub(crate) tip: ObjectId,
    /// The branch at the remote, such as `origin/main`.
    pub(crate) remote_branch: String,
}

impl LandingTarget {
    /// The target of this clone; `None` if nothing names one and no usual branch is here.
    pub(crate) fn find(store: &Store) -> Result<Option<Self>, StoreError> {
        let remote = remote(store);
        if let Some(branch) = named(store)? {
            return Self::resolve(store, branch, remote, true).map(Some);
        }
        if let Some(branch) = store.repo().remote_head(remote.as_deref().unwrap_or(USUAL_REMOTE))? {
            return Self::resolve(store, branch, remote, false).map(Some);
        }
        for branch in USUAL.into_iter().filter_map(Branch::of_short) {
            let target = Self::resolve(store, branch, remote.clone(), false)?;
            if target.tip().is_some() {
                return Ok(Some(target));
            }
        }
        Ok(None)
    }

    /// A branch that someone names as the target.
    pub(crate) fn of_branch(store: &Store, branch: Branch) -> Result<Self, StoreError> {
        Self::resolve(store, branch, remote(store), true)
    }

    /// This branch as the target.
    fn resolve(
        store: &Store,
        branch: Branch,
        remote: Option<String>,
        is_named: bool,
    ) -> Result<Self, StoreError> {
        let remote = own_remote(store, &branch).or(remote);
        let local = store.read_ref(branch.as_str())?;
        // What was fetched from a remote stays when the remote is removed.
        let fetched = store.read_ref(&tracking(remote.as_deref().unwrap_or(USUAL_REMOTE), &branch))?;
        Ok(Self { branch, remote, local, fetched, is_named })
    }

    /// The commit to build on: the remote's, which all clones share, unless only this clone has the branch.
    pub(crate) fn tip(&self) -> Option<ObjectId> {
        self.fetched.or(self.local)
    }

    /// The tips that count: the remote's as fetched last. Without a remote, the branch of this clone counts as well as what was
    /// fetched once.
    pub(crate) fn tips(&self) -> Vec<ObjectId> {
        let local = if self.remote.is_some() && self.fetched.is_some() { None } else { self.local };
        let mut tips: Vec<ObjectId> = self.fetched.into_iter().chain(local).collect();
        tips.dedup();
        tips
    }

    /// The branch here, if only the remote's counts, and may lack some of it.
    pub(crate) fn unpushed(&self) -> Option<UnpushedBranch> {
        let remote = self.remote.as_ref()?;
        let tip = self.local.filter(|tip| self.fetched.is_some_and(|fetched| fetched != *tip))?;
        Some(UnpushedBranch { tip, remote_branch: format!("{remote}/{}", self.branch.short()) })
    }

    /// The later of both tips: the one here if it has everything that the remote's has.
    pub(crate) fn newest(&self, store: &Store) -> Result<Option<ObjectId>, StoreError> {
        match (self.local, self.fetched) {
            (Some(local), Some(fetched)) if store.is_ancestor(fetched, local)? => Ok(Some(local)),
            _ => Ok(self.tip()),
        }
    }
}

fn tracking(remote: &str, branch: &Branch) -> String {
    format!("refs/remotes/{remote}/{}", branch.short())
}

/// The remote that git's configuration names for the branch.
fn own_remote(store: &Store, branch: &Branch) -> Option<String> {
    let named = store.config(&format!("branch.{}.remote", branch.short()))?;
    store.repo().remotes().into_iter().find(|remote| *remote == named)
}

/// The branch that the policy or the configuration names.
fn named(store: &Store) -> Result<Option<Branch>, StoreError> {
    if let Some(tip) = store.tip()?
        && let Some(state) = store.state_at(tip)?
        && let Some(branch) = land_onto(&records::root(&state)?.policy)
    {
        return Ok(Some(branch));
    }
    let Some(value) = store.config(KEY).filter(|name| !name.is_empty()) else { return Ok(None) };
    let why = "expected the name of a branch, such as main";
    let branch = named_branch(&value).ok_or_else(|| StoreError::Config { key: KEY.into(), value, why })?;
    Ok(Some(branch))
}

/// The remote whose branches count: that of the store, else `origin`.
fn remote(store: &Store) -> Option<String> {
    let remotes = store.repo().remotes();
    let configured = store.config("wf.remote").filter(|name| remotes.contains(name));
    configured
        .or_else(|| match &remotes.iter().filter(|name| store.fetches_from(name)).collect::<Vec<_>>()[..] {
            [only] => Some((*only).clone()),
            _ => None,
        })
        .or_else(|| remotes.iter().find(|name| *name == USUAL_REMOTE).cloned())
}
