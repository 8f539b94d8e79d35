//! The solution record: who planned, for which issue, and the plan.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::digest::digest;
use super::id::{IssueId, SolutionId};
use super::plan::{PLAN, Plan};
use super::schema::{Births, Field, Schema};
use super::time::Time;
use super::typed;

/// A plan for one issue, as stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Solution {
    /// Written once.
    pub(crate) id: SolutionId,
    /// The issue it is for.
    pub(crate) issue_id: IssueId,
    /// The planner.
    pub(crate) author: String,
    /// When.
    pub(crate) created_at: Time,
    /// The plan as it was given, its known keys in order.
    #[serde(deserialize_with = "typed::any")]
    #[schemars(with = "Plan")]
    pub(crate) plan: Value,
}

impl Solution {
    /// The plan's types. Plans are checked before they are stored and when they are read, so this cannot fail on a
    /// record that [`SOLUTION`] accepted.
    pub(crate) fn typed_plan(&self) -> Plan {
        typed::read(&self.plan).unwrap_or_default()
    }

    /// `sha256:…` over the plan as it is now.
    pub(crate) fn plan_digest(&self) -> String {
        digest(&self.plan)
    }
}

fn check(fields: &Value) -> Result<(), String> {
    let solution: Solution = typed::read(fields).map_err(|e| e.to_string())?;
    typed::read::<Plan>(&solution.plan).map(|_| ()).map_err(|e| format!("plan: {e}"))
}

/// How `solution.json` merges and is written.
pub(crate) static SOLUTION: Schema = Schema {
    name: "solution",
    fields: &[
        Field::once("id"),
        Field::once("issue_id"),
        Field::once("author").decides(),
        Field::once("created_at"),
        Field::register("plan").shaped(PLAN),
    ],
    births: Births::LaterStands,
    check,
};
