//! The solution record: who planned, for which issue, and the plan.

use serde_json::Value;

use super::declare::record;
use super::digest::digest;
use super::id::{IssueId, SolutionId};
use super::plan::{PLAN, Plan};
use super::time::Time;
use super::typed;

record! {
    /// A plan for one issue, as stored.
    Solution {
        /// Its id, which never changes.
        once id: SolutionId,
        /// The issue it is for.
        once issue_id: IssueId,
        /// The planner.
        once author: String => decides(),
        /// When.
        once created_at: Time,
        /// The plan as it was given, its known keys in order.
        #[serde(deserialize_with = "typed::any")]
        #[schemars(with = "Plan")]
        register plan: Value => shaped(PLAN),
    }
    /// How `solution.json` merges and is written.
    SOLUTION = "solution", LaterStands, check
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
