//! What a hook decides about git's operation.

use crate::model::remedy::Detail;
use crate::store::FarFuture;

/// The decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HookVerdict {
    /// git continues.
    Go,
    /// git continues, with a message to the user.
    Note(Detail),
    /// The policy refuses the commit.
    Refused(String),
    /// The role of an agent does not allow it.
    OutOfBounds(String),
    /// The push is rejected.
    NotReceived {
        /// Why, in one line.
        what: String,
        /// Each problem, one per line.
        details: Vec<Detail>,
        /// What to do.
        hint: &'static str,
    },
}

impl HookVerdict {
    /// git continues, with a warning if the log that was written to contains entries stamped in the far future.
    pub(super) fn about(far_future: &FarFuture) -> Self {
        far_future.warnings().next().map_or(Self::Go, Self::Note)
    }
}
