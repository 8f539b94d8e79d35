//! What work may cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Cost;

/// What work may cost at most: in money, tokens and time, each if it is limited.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Budget {
    /// Money, or other units in which agents report costs, each at most once. Amounts in different units are not added.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) costs: Vec<Cost>,
    /// Tokens read and written.
    pub(crate) tokens: Option<u64>,
    /// Milliseconds: of a run, while it is driven; of an issue, while agents work on it.
    pub(crate) time_ms: Option<u64>,
}
