//! What other tools recorded about the agents behind a commit.

use schemars::JsonSchema;
use serde::Serialize;

use super::text_enum::text_enum;

text_enum!(
    /// A tool that records which agent wrote what.
    ProvenanceSource {
        /// Entire: trailers `Entire-Checkpoint` in messages, and checkpoints in refs of its own.
        Entire = "entire",
        /// Git AI: notes in `refs/notes/ai`.
        GitAi = "git-ai",
    }
);

/// What another tool recorded about the agent behind a commit, unverified.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Provenance {
    /// The tool.
    pub(crate) source: ProvenanceSource,
    /// The checkpoint of Entire that the commit names.
    pub(crate) checkpoint_id: Option<String>,
    /// The agent.
    pub(crate) agent: Option<String>,
    /// Its model.
    pub(crate) model: Option<String>,
    /// The agent's own id of the session.
    pub(crate) session_id: Option<String>,
    /// How many lines of the commit it wrote.
    pub(crate) line_count: Option<u64>,
}
