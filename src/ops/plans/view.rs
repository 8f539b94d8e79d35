//! The view that every operation on a plan returns.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::model::{IssueId, Person, Plan, PlanDigest, RepoPath, Review, Solution, SolutionId, Time};
use crate::rules::{CombinedReview, Complexity, IssueFolder, complexity, plan_check, review};

/// A plan in the flat form in which planners write it, with derived fields.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct SolutionView {
    /// Its id.
    pub(crate) id: SolutionId,
    /// The issue it is for.
    pub(crate) issue_id: IssueId,
    /// The plan as stored.
    #[serde(flatten, serialize_with = "without_derived")]
    #[schemars(with = "Plan")]
    pub(super) plan: Value,
    /// The planner.
    pub(crate) author: Person,
    /// The time.
    pub(crate) created_at: Time,
    /// Whether it is the plan that will be executed.
    pub(crate) is_bound: bool,
    /// Why it was withdrawn; absent if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) withdrawn: Option<String>,
    /// The digest of the plan as it is now.
    pub(crate) plan_digest: PlanDigest,
    /// The measured quality of the plan, 0 to 1; binding requires 0.8.
    #[schemars(range(min = 0, max = 1))]
    pub(crate) quality: f64,
    /// Files that its tasks touch.
    #[schemars(with = "BTreeSet<String>")]
    pub(crate) files_touched: BTreeSet<RepoPath>,
    /// How many tasks it has.
    pub(crate) task_count: usize,
    /// Its size by files and tasks: up to 2 files and 3 tasks is low, up to 5 and 6 is medium.
    pub(crate) computed_complexity: Complexity,
    /// The combined verdict of the reviews of the current plan; absent if there are none.
    #[schemars(extend("enum" = ["none", "approved", "concerns", "rejected"]))]
    review: &'static str,
    /// All its reviews in order; those with another `plan_digest` no longer count.
    pub(crate) reviews: Vec<Review>,
    /// The plan as a typed record.
    #[serde(skip)]
    pub(crate) typed: Plan,
    /// Whether its quality is sufficient for binding.
    #[serde(skip)]
    pub(crate) suffices: bool,
    /// The combined verdict of its reviews, and whether there are only reviews of an earlier version.
    #[serde(skip)]
    pub(crate) standing: CombinedReview,
}

impl SolutionView {
    /// The view of a plan of the issue in this directory.
    pub(crate) fn new(folder: &IssueFolder, solution: &Solution) -> Self {
        let typed = solution.typed_plan();
        let quality = plan_check::quality(&solution.plan);
        let reviews = folder.reviews(&solution.id);
        let standing = review::standing(solution, reviews);
        Self {
            id: solution.id.clone(),
            issue_id: solution.issue_id.clone(),
            plan: solution.plan.clone().into(),
            author: solution.author.clone(),
            created_at: solution.created_at,
            is_bound: folder.issue.record.bound_solution_id.as_ref() == Some(&solution.id),
            withdrawn: solution.withdrawn.clone(),
            plan_digest: solution.plan_digest(),
            quality: quality.total(),
            files_touched: typed.touches(),
            task_count: typed.tasks.len(),
            computed_complexity: complexity::of_plan(&typed),
            review: standing.word(),
            reviews: reviews.to_vec(),
            typed,
            suffices: quality.suffices(),
            standing,
        }
    }

    /// All plans of an issue.
    pub(crate) fn all(folder: &IssueFolder) -> Vec<Self> {
        folder.solutions.iter().map(|solution| Self::new(folder, &solution.record)).collect()
    }
}

/// The members of the answer that are not the plan's.
const BESIDE: &[&str] = &[
    "id",
    "issue_id",
    "author",
    "created_at",
    "is_bound",
    "withdrawn",
    "plan_digest",
    "quality",
    "files_touched",
    "task_count",
    "computed_complexity",
    "review",
    "reviews",
];

/// Serializes a plan without members that have the name of a derived field, since the derived field wins.
fn without_derived<S: Serializer>(plan: &Value, serializer: S) -> Result<S::Ok, S::Error> {
    let fields = plan.as_object().into_iter().flatten();
    serializer.collect_map(fields.filter(|(name, _)| !BESIDE.contains(&name.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::plan_check::OWNED;

    fn properties<T: JsonSchema>() -> BTreeSet<String> {
        let schema = schemars::schema_for!(T);
        schema.get("properties").and_then(Value::as_object).unwrap().keys().cloned().collect()
    }

    /// Else a plan that is read and added again would have another digest.
    #[test]
    fn what_an_answer_says_beside_the_plan_is_no_part_of_a_plan_that_is_given() {
        let plan = properties::<Plan>();
        let beside: Vec<String> = properties::<SolutionView>().difference(&plan).cloned().collect();
        assert!(beside.len() > 10, "{beside:?}");
        for name in beside {
            assert!(BESIDE.contains(&name.as_str()), "{name}");
            assert!(OWNED.contains(&name.as_str()), "{name}");
        }
    }
}
