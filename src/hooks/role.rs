//! Someone who set `WF_ROLE` to a role that executes nothing neither commits nor pushes code.

use bstr::ByteSlice;

use super::HookVerdict;
use crate::agent::in_hook;
use crate::rules::roles;
use crate::store::{Store, StoreError};

/// Refuses a commit that the role does not allow; `None` if it may be made.
pub(crate) fn refuse_commit(store: &Store) -> Result<Option<HookVerdict>, StoreError> {
    refuse(store, "commit")
}

/// Refuses a push that the role does not allow; `None` if it may be made. `input` is the hook's stdin: one line for each
/// pushed ref. Everyone may push the records.
pub(crate) fn refuse_push(store: &Store, input: &[u8]) -> Result<Option<HookVerdict>, StoreError> {
    let is_code = |line: &[u8]| line.fields().nth(2).is_some_and(|name| name != store.reference().as_bytes());
    if input.lines().any(is_code) { refuse(store, "push") } else { Ok(None) }
}

fn refuse(store: &Store, doing: &str) -> Result<Option<HookVerdict>, StoreError> {
    let Err(error) = roles::admit_git(store.role(), doing) else { return Ok(None) };
    // A coordinator's run commits and merges what its agents made.
    if store.tip()?.is_none() || in_hook::is_of_this_program() {
        return Ok(None);
    }
    Ok(Some(HookVerdict::NotTheirs(error)))
}
