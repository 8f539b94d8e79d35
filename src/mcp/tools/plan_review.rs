//! Reviewing plans.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Call, Tool};
use crate::model::{Op, typed};
use crate::ops::Answer;
use crate::ops::plans::{self, Judgement, ReviewInput, Reviewed};

pub(super) struct PlanReview;

/// A plan and its review.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The plan, or an issue for its bound or only plan.
    plan: String,
    /// The review.
    #[serde(deserialize_with = "typed::any")]
    #[schemars(with = "ReviewInput")]
    review: Value,
}

impl Tool for PlanReview {
    const NAME: &'static str = "plan_review";
    const TITLE: &'static str = "Review a plan";
    const ABOUT: &'static str = "Review a plan that someone else wrote, with three scores, 0 to 100, and findings. Read it first with \
        `plan_context`. 80 or more approves it; under 60 it is rejected.";
    const PERFORMS: &'static [Op] = &[Op::SolutionReview];
    const OBJECTS: &'static [&'static str] = &["review"];
    type Input = Input;
    type Output = Reviewed;

    fn call(call: &Call<'_>, Input { plan, review }: Input) -> Answer<Reviewed> {
        let judgement = Judgement::parse(review.to_string().as_bytes(), "`review`")?;
        plans::review(call.session, &plans::ReviewPlan { solution: plan, judgement, force: None })
    }
}
