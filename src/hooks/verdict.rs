//! What a hook decides about git's operation.

use crate::model::Detail;
use crate::ops::Notice;
use crate::rules::roles::RoleError;

/// The decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HookVerdict {
    /// git continues.
    Go,
    /// git continues, with a message to the user.
    Note(Detail),
    /// The policy refuses the commit.
    Refused(String),
    /// The role of whoever runs git does not allow it.
    NotTheirs(RoleError),
    /// The role of an agent of a run does not allow it.
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
    /// git continues, with the first notice of an operation, if it has any.
    pub(crate) fn about(notices: Vec<Notice>) -> Self {
        let first = notices.into_iter().next();
        first.map_or(Self::Go, |Notice { message, remedies, .. }| Self::Note(Detail { message, remedies }))
    }
}
