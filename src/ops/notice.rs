//! Notices: what an operation found besides its result.

use crate::model::{Detail, Remedy, RemedyCall};
use crate::rules::{DependencyCycle, RelationCycle};

/// Something to report that did not stop the operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notice {
    /// How important it is.
    pub(crate) weight: Weight,
    /// The text, in one line.
    pub(crate) message: String,
    /// What can be done about it.
    pub(crate) remedies: Vec<Remedy>,
}

/// How important a notice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    /// Information.
    Note,
    /// It may be intended, but deserves attention.
    Warning,
    /// Something is wrong.
    Error,
}

impl From<Detail> for Notice {
    /// A warning.
    fn from(detail: Detail) -> Self {
        let Detail { message, remedies } = detail;
        Self { weight: Weight::Warning, message, remedies }
    }
}

impl Notice {
    /// Something that may be intended, but should be reported.
    pub(crate) fn warning(message: impl Into<String>) -> Self {
        Self { weight: Weight::Warning, message: message.into(), remedies: vec![] }
    }

    /// Something that was done in addition to the request.
    pub(crate) fn note(message: impl Into<String>) -> Self {
        Self { weight: Weight::Note, ..Self::warning(message) }
    }

    /// Something wrong that did not stop the operation.
    pub(crate) fn error(message: impl Into<String>) -> Self {
        Self { weight: Weight::Error, ..Self::warning(message) }
    }

    /// Issues that can never be executed, since they wait for each other.
    pub(crate) fn of_cycle(cycle: &DependencyCycle) -> Self {
        let what =
            format!("issues depend on each other in a cycle, so none of them can be executed: {cycle}");
        Self { remedies: vec![cycle.remedy()], ..Self::warning(what) }
    }

    /// Issues whose relations lead back to them.
    pub(crate) fn of_relations(cycle: &RelationCycle) -> Self {
        Self { remedies: vec![cycle.remedy()], ..Self::warning(format!("issues are related by {cycle}")) }
    }

    /// Adds a remedy: an operation to call, and what it does.
    pub(crate) fn remedy(mut self, call: impl Into<RemedyCall>, does: impl Into<String>) -> Self {
        self.remedies.push(Remedy::call(call, does));
        self
    }

    /// Adds a command of another program, and what it does.
    pub(crate) fn command(mut self, command: impl Into<String>, does: impl Into<String>) -> Self {
        self.remedies.push(Remedy::command(command, does));
        self
    }
}
