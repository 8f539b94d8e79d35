//! `pre-receive`: judges a push on the server.

use super::{HookError, HookVerdict};
use crate::gate::push::{PushFault, PushVerdict, judge_push};
use crate::rules::GateValue;
use crate::store::Store;

/// Checks the whole push: git accepts all of it or nothing.
pub(crate) fn run(store: Store, input: &[u8]) -> Result<HookVerdict, HookError> {
    Ok(match judge_push(store, input)? {
        PushVerdict::Accepted => HookVerdict::Go,
        PushVerdict::Noted(detail) => HookVerdict::Note(detail),
        PushVerdict::Rejected { what, details, fault } => {
            HookVerdict::NotReceived { what, details, hint: hint(fault) }
        }
    })
}

const NOT_ALLOWED: &str = "ask an owner named in the server's `git config wf.owner` to sign the commit of `git wf settings`, \
    or lower the server's `wf.floor`; `git wf settings` restores the policy";
const STALE: &str = "an owner must decide it again on the latest state: `git wf pull`, set the gate to another value and back with \
    `git wf settings`, then `git wf sync`";
const UNSOUND: &str =
    "`git wf sync` merges and pushes; `git wf fsck` reports what is wrong, `git wf fsck --repair` repairs it";
const UNSHOWN: &str = "`git wf verify` and `git wf link` record evidence, `git wf plan review` records a review; `git wf reopen` starts over";
const UNPROVED: &str = "`git wf verify --fresh` checks that the tests test the work; someone else can vouch for them with `git wf vouch`; `git wf link` and `git wf plan review` record the rest; `git wf reopen` starts over";
const UNSIGNED: &str = "`git wf verify --as-verifier`, run by a verifier who is not the executor, signs the results; `git wf link` \
    and `git wf plan review` record the rest; `git wf reopen` starts over";
const UNBOUND: &str =
    "`git wf sync` publishes the links that the hooks recorded; `git wf link COMMIT PLAN` adds one";

fn hint(fault: PushFault) -> &'static str {
    match fault {
        PushFault::Unreadable => "git gives `pre-receive` lines of `old new name` on stdin",
        PushFault::Moved => "`git wf sync` fetches the new commits and tries again",
        PushFault::Unsound => UNSOUND,
        PushFault::Loosened => NOT_ALLOWED,
        PushFault::Stale => STALE,
        PushFault::Unshown(GateValue::Open | GateValue::Required) => UNSHOWN,
        PushFault::Unshown(GateValue::Proved) => UNPROVED,
        PushFault::Unshown(GateValue::Signed) => UNSIGNED,
        PushFault::Unbound => UNBOUND,
    }
}
