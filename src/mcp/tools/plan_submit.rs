//! Submitting plans.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Call, Tool};
use crate::mcp::bounds;
use crate::model::{Code, Op, Operation, Other, Remedy, typed};
use crate::ops::plans::{self, AddPlans, Added, SolutionInput};
use crate::ops::queue::{self, ItemAnswer};
use crate::ops::{Answer, Refusal};

pub(super) struct PlanSubmit;

/// A plan.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The issue.
    issue: String,
    /// The plan; `git wf schema solution` describes all fields.
    #[serde(deserialize_with = "typed::any")]
    #[schemars(with = "SolutionInput")]
    plan: Value,
    /// Queue it as well, if it is bound and no gate forbids it.
    #[serde(default)]
    queue: bool,
    /// Store it without choosing it.
    #[serde(default)]
    no_bind: bool,
}

/// A plan that was stored.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Submitted {
    /// Its measured quality, 0 to 1; binding requires 0.8.
    #[schemars(range(min = 0, max = 1))]
    quality: f64,
    /// What happened to it, and what could be improved in it.
    #[serde(flatten)]
    added: Added,
    /// Its item, if it was queued.
    #[serde(skip_serializing_if = "Option::is_none")]
    queued: Option<ItemAnswer>,
}

impl Tool for PlanSubmit {
    const NAME: &'static str = "plan_submit";
    const TITLE: &'static str = "Submit a plan";
    const ABOUT: &'static str = "Submit a plan for an issue. It is checked, stored and, if it is the only one and good enough, chosen for \
        execution. The answer says what could be improved. Read `plan_context` first.";
    const PERFORMS: &'static [Op] = &[Op::SolutionAdd];
    const OBJECTS: &'static [&'static str] = &["plan"];
    type Input = Input;
    type Output = Submitted;

    fn restrict(schema: &mut Map<String, Value>, may: &dyn Fn(Op) -> bool) {
        if !may(Op::QueueAdd)
            && let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut)
        {
            properties.shift_remove("queue");
        }
    }

    fn call(call: &Call<'_>, input: Input) -> Answer<Submitted> {
        let session = call.session;
        let Input { issue, plan, queue: is_queued, no_bind } = input;
        if is_queued {
            session.permit(Op::QueueAdd)?;
        }
        if is_queued && no_bind {
            return Err(
                Refusal::usage("only a bound plan can be queued").hint("leave out `queue` or `no_bind`")
            );
        }
        bounds::refuse_cut(&plan, "plan", Some(&issue))?;
        let plans = plans::read(&plan.to_string(), "`plan`", "plan")?;
        let add = AddPlans { issue, plans, no_bind, add_reply_task: false, queue: is_queued, force: None };
        let done = plans::add(session, add).map_err(to_submit_again)?;
        session.notice_all(done.notices);
        let (added, commit) = (done.view, done.commit);
        let quality = added.handed.first().map_or(0.0, |(_, report)| report.quality.total());
        let queued = match (&added.queued_in, added.bound.first()) {
            (Some(queue), Some(bound)) => Some(queue::item_view(session, queue, &bound.solution_id)?),
            _ => None,
        };
        Ok(session.done(Submitted { quality, added, queued }, commit))
    }
}

/// An agent has no file to check, and this tool stores no plan that has errors.
fn to_submit_again(refusal: Refusal) -> Refusal {
    if refusal.code != Code::InvalidPlan {
        return refusal;
    }
    let remedies = refusal.remedies.into_iter().filter(|remedy| !is_check(remedy)).collect();
    Refusal { remedies, ..refusal }.hint("correct what is wrong, and call `plan_submit` again")
}

fn is_check(remedy: &Remedy) -> bool {
    remedy.call.as_ref().is_some_and(|call| call.operation == Operation::Other(Other::SolutionCheck))
}
