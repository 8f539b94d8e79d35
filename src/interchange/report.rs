//! The result of an import.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::id::IssueId;
use crate::model::remedy::Remedy;

/// The result of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Report {
    /// Issues that were not here before.
    pub(crate) created: u64,
    /// Existing issues that changed.
    pub(crate) updated: u64,
    /// Issues that did not change: they are as last imported, or older than those here.
    pub(crate) unchanged: u64,
    /// Comments that are new here.
    pub(crate) comments: u64,
    /// Dependencies that are new here.
    pub(crate) dependencies: u64,
    /// Relations that are new here.
    pub(crate) relations: u64,
    /// What was left out.
    pub(crate) skipped: Vec<Skipped>,
    /// What differs from the source.
    pub(crate) notes: Vec<Noted>,
    /// Issues that got a new dependency.
    #[serde(skip)]
    pub(crate) dependent: Vec<IssueId>,
    /// The dependencies of the issues that were written.
    #[serde(skip)]
    pub(crate) depends_on: BTreeMap<IssueId, Vec<IssueId>>,
    /// The commit on the ref; null if nothing changed.
    pub(crate) commit: Option<String>,
}

/// A record that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Skipped {
    /// Its line in the source, starting at 1.
    pub(crate) line: u64,
    /// Its id there, if it had one.
    pub(crate) id: Option<String>,
    /// Why.
    pub(crate) reason: String,
}

/// A note on an imported issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Noted {
    /// The issue.
    pub(crate) id: String,
    /// The note.
    pub(crate) note: String,
    /// What can be done about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) remedies: Vec<Remedy>,
}
