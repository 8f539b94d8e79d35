//! Whether a hook links the commits that are made here.

use std::path::PathBuf;

use bstr::ByteSlice;

use crate::store::Store;

/// How a hook calls the program: our shim contains this, and so does a user's own hook that calls us.
const CALLS: [&[u8]; 2] = [b"git-wf", b"git wf"];

/// Whether git would run a `post-commit` that calls us. True if git cannot say where its hooks are.
pub(crate) fn links_commits(store: &Store) -> bool {
    let Ok(folder) = store.hooks_dir() else { return true };
    let hook: PathBuf = folder.join("post-commit");
    is_executable(&hook)
        && std::fs::read(&hook).is_ok_and(|text| CALLS.iter().any(|name| text.find(name).is_some()))
}

fn is_executable(hook: &std::path::Path) -> bool {
    let Ok(found) = hook.metadata() else { return false };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = true;
    found.is_file() && may_run
}
