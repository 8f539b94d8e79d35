//! What a hook says of what git is about to do.

use crate::store::FarFuture;

/// What becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It goes on.
    Go,
    /// It goes on, and whoever did it is told something.
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
    /// It goes on, and whoever did it is told what is wrong with a log that was written to.
    pub(super) fn about(far_future: &FarFuture) -> Self {
        far_future.warnings().next().map_or(Self::Go, Self::Told)
    }
}
