//! What the shell may decide alone. `wf/unbound` in the git directory of a worktree names the state of the store and the
//! content of HEAD with which a commit belongs to no plan unless its message says so; `hooks/unbound.sh` reads it.

use std::path::Path;

use crate::rules::Gate;
use crate::store::{DEFAULT_REF, ReadState, Store, StoreError, records};
use crate::trail::last_reset::LastReset;
use crate::trail::sources::Sources;
use crate::trail::{active, binding};

/// The file, below the git directory of the worktree.
const FILE: &str = "wf/unbound";

/// Notes that the next commit here belongs to no plan, if that follows from the store, the branch and the policy. The shell
/// looks at the default ref only. `reset` is the last reset.
pub(super) fn note(store: &Store, reset: Option<&LastReset>) -> Result<(), StoreError> {
    if store.reference() != DEFAULT_REF || active::read(store)?.is_some() {
        return Ok(());
    }
    let snapshot = store.snapshot()?;
    let is_named = binding::is_any_named(&snapshot, store.branch()?.as_ref(), b"")?;
    if is_named
        || may_follow_parts(store, &snapshot, reset)?
        || Gate::Commits.is_required(&records::root(&snapshot)?.policy)
    {
        return Ok(());
    }
    let git_dir = store.git_dir();
    let Ok(head) = std::fs::read_to_string(git_dir.join("HEAD")) else { return Ok(()) };
    // Without the file, git-wf decides again: that is slower, and no error.
    let _ = write(store, &git_dir.join(FILE), &format!("{}\n{head}", snapshot.commit()));
    Ok(())
}

/// Whether the next commit may make a part of what a reset took away from a plan.
fn may_follow_parts(
    store: &Store,
    read: &impl ReadState,
    reset: Option<&LastReset>,
) -> Result<bool, StoreError> {
    let (Some(last), Some(head)) = (reset, store.head()?) else { return Ok(false) };
    if store.commit_tree(last.before)? == store.commit_tree(head)? {
        return Ok(false);
    }
    let sources = Sources::new(store, read);
    for old in &last.taken {
        if !sources.known(&old.id.into())?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn write(store: &Store, path: &Path, text: &str) -> std::io::Result<()> {
    let shared = store.repo().shared_mode();
    if let Some(folder) = path.parent() {
        shared.create_folder(folder)?;
    }
    shared.write(path, text)
}
