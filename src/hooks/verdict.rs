//! What a hook says of what git is about to do.

use crate::store::FarFuture;

/// What becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It goes on.
    Go,
    /// It goes on, with a message to the user.
    Told(String),
    /// The policy refuses the commit.
    Refused(String),
    /// What was pushed is not let in.
    NotReceived {
        /// Why, in one line.
        what: String,
        /// What exactly is wrong, a line each.
        details: Vec<String>,
        /// What to do.
        hint: &'static str,
    },
}

impl Verdict {
    /// It goes on, with a warning if the log that was written to has a stamp of the far future.
    pub(super) fn about(far_future: &FarFuture) -> Self {
        far_future.warnings().next().map_or(Self::Go, Self::Told)
    }
}
