//! What work may cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agent_session::Cost;

/// What work may cost at most: in money, tokens and time, each if it is limited.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Budget {
    /// Money, or other units in which agents report costs, each at most once. Amounts in different units are not added.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) costs: Vec<Cost>,
    /// Tokens read and written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tokens: Option<u64>,
    /// Milliseconds: of a run, while it is driven; of an issue, while agents work on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) time_ms: Option<u64>,
}
