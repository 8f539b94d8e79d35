//! `pre-receive`: judges a push on the server.

use super::{HookError, HookVerdict};
use crate::gate::push::{PushVerdict, judge_push};
use crate::store::Store;

/// Checks the whole push: git accepts all of it or nothing.
pub(crate) fn run(store: Store, input: &[u8]) -> Result<HookVerdict, HookError> {
    Ok(match judge_push(store, input)? {
        PushVerdict::Accepted => HookVerdict::Go,
        PushVerdict::Noted(detail) => HookVerdict::Note(detail),
        PushVerdict::Rejected { what, details, hint } => HookVerdict::NotReceived { what, details, hint },
    })
}
