//! The solution record: who planned, for which issue, and the plan.

use super::declare::record;
use super::plan::PLAN;
use super::{IssueId, Person, Plan, PlanDigest, PlanJson, SolutionId, Time};

record! {
    /// A plan for one issue, as stored.
    Solution {
        /// Its id, which never changes.
        once id: SolutionId,
        /// The issue it is for.
        once issue_id: IssueId,
        /// The planner.
        once author: Person => decides(),
        /// The time.
        once created_at: Time,
        /// The plan as it was given, its known keys in order.
        register plan: PlanJson => shaped(PLAN),
        /// Why it was withdrawn, so that it is no longer a candidate; absent if it was not.
        register withdrawn: Option<String> = default,
    }
    /// How `solution.json` merges and is written.
    SOLUTION = "solution", LaterStands, super::record::check_as::<Solution>
}

impl Solution {
    /// What the plan says.
    pub(crate) fn typed_plan(&self) -> Plan {
        self.plan.typed().clone()
    }

    /// `sha256:…` over the plan as it is now.
    pub(crate) fn plan_digest(&self) -> PlanDigest {
        PlanDigest::of_plan(&self.plan)
    }
}
