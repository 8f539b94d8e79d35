//! Gates that were overridden for an issue.

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::{Index, IndexError};
use crate::model::{CommitHash, IssueId, Person, Time};
use crate::store::HistoryStep;

/// An override of a gate.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Override {
    /// The commit of the ref.
    pub(crate) commit: CommitHash,
    /// The command.
    pub(crate) operation: String,
    /// The person who overrode the gate.
    pub(crate) person: Person,
    /// Their role; absent for an owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) role: Option<String>,
    /// The reason.
    pub(crate) reason: String,
    /// The time.
    pub(crate) at: Time,
}

impl Override {
    /// `None` for a step that overrode no gate.
    fn from_step(step: HistoryStep) -> Option<Self> {
        Some(Self {
            reason: step.force?,
            commit: step.commit,
            operation: step.op.unwrap_or_default(),
            person: match step.actor {
                Some(actor) => format!("{} ({actor})", step.author).into(),
                None => step.author,
            },
            role: step.role,
            at: step.at,
        })
    }

    /// The overrides for an issue, its plans and its items, oldest first. The index must contain the log.
    pub(crate) fn about(index: &Index<'_>, id: &IssueId) -> Result<Vec<Self>, IndexError> {
        let steps = index.forced_steps(id.as_str())?.into_iter();
        steps.map(|n| index.step(n).map(Self::from_step)).filter_map(Result::transpose).collect()
    }
}
