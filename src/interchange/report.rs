//! The result of an import.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{CommitHash, Remedy};

/// The result of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ImportReport {
    /// The tracker.
    pub(crate) source: String,
    /// Whether this was a dry run, which writes nothing.
    pub(crate) dry_run: bool,
    /// Issues that were not here before.
    pub(crate) created: u64,
    /// Existing issues that changed.
    pub(crate) updated: u64,
    /// Issues that did not change: they are as last imported.
    pub(crate) unchanged: u64,
    /// Comments that are new here.
    pub(crate) comments: u64,
    /// Comments whose text changed in the source.
    pub(crate) edited_comments: u64,
    /// Dependencies that are new here.
    pub(crate) dependencies: u64,
    /// Relations that are new here.
    pub(crate) relations: u64,
    /// Plans, feedback, queues, items and executions.
    #[serde(flatten)]
    pub(crate) work: ImportedWork,
    /// Records that could not be read, or cannot be issues.
    pub(crate) skipped: Vec<Skipped>,
    /// Issues that the options left out, that are older than when they were last imported, or of which something is
    /// redacted here.
    pub(crate) left_out: Vec<LeftOutIssues>,
    /// Values that have no field here; they are kept with the issue as the source has them.
    pub(crate) kept: Vec<KeptValue>,
    /// What differs in the source as a whole.
    pub(crate) remarks: Vec<String>,
    /// What differs from the source in single issues.
    pub(crate) notes: Vec<Noted>,
    /// The commit on the ref; null if nothing changed.
    pub(crate) commit: Option<CommitHash>,
    /// The cycles of dependencies that it makes, and the relations that it left out since they lead in a circle; both are
    /// among the notes.
    #[serde(skip)]
    pub(crate) circles: Vec<String>,
}

/// What came with issues of a tracker that has plans.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ImportedWork {
    /// Plans that are new here or changed.
    pub(crate) plans: u64,
    /// Pieces of feedback that are new here.
    pub(crate) feedback: u64,
    /// Queues that are new here or changed.
    pub(crate) queues: u64,
    /// Items of queues that are new here or changed.
    pub(crate) items: u64,
    /// Executions that are new here or ended since.
    pub(crate) executions: u64,
}

impl ImportedWork {
    /// All of it.
    pub(crate) fn total(self) -> u64 {
        self.plans + self.feedback + self.queues + self.items + self.executions
    }
}

/// A record that was skipped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Skipped {
    /// What the number counts (line, bug, issue), or what has the id.
    pub(crate) unit: String,
    /// Its number in the source, starting at 1; 0 if it is about a whole file.
    #[serde(rename = "line")]
    pub(crate) number: u64,
    /// Its id there, if it had one.
    pub(crate) id: Option<String>,
    /// Why.
    pub(crate) reason: String,
}

/// Issues that an import leaves out for the same reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct LeftOutIssues {
    /// Why: `type chore`.
    pub(crate) reason: String,
    /// How many.
    pub(crate) issues: u64,
}

/// A value of several issues that has no field here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct KeptValue {
    /// What it is.
    pub(crate) what: String,
    /// How many of the written issues have it.
    pub(crate) issues: u64,
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
