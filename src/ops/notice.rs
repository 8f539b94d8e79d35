//! Notices: what an operation found besides its result.

use crate::model::remedy::{Call, Remedy};

/// Something to report that did not stop the operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notice {
    /// How much it matters.
    pub(crate) weight: Weight,
    /// In one line.
    pub(crate) message: String,
    /// What can be done about it.
    pub(crate) remedies: Vec<Remedy>,
}

/// How much a notice matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    /// It is good to know.
    Note,
    /// It may be meant.
    Warning,
    /// Something is wrong.
    Error,
}

impl Notice {
    /// Something that may be intended, but should be reported.
    pub(crate) fn warning(message: impl Into<String>) -> Self {
        Self { weight: Weight::Warning, message: message.into(), remedies: vec![] }
    }

    /// Something that was done besides what was asked for.
    pub(crate) fn note(message: impl Into<String>) -> Self {
        Self { weight: Weight::Note, ..Self::warning(message) }
    }

    /// Something wrong that did not stop the operation.
    pub(crate) fn error(message: impl Into<String>) -> Self {
        Self { weight: Weight::Error, ..Self::warning(message) }
    }

    /// The same with an operation to call, and what that does.
    pub(crate) fn remedy(mut self, call: impl Into<Call>, does: impl Into<String>) -> Self {
        self.remedies.push(Remedy::call(call, does));
        self
    }
}
