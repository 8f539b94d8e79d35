//! The context of planners, explorers, reviewers and executors.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Tool};
use crate::model::op::Op;
use crate::ops::Answer;
use crate::ops::plans::{self, AgentContext};
use crate::rules::roles::Role;

pub(super) struct PlanContext;

/// Whose context to answer.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// An issue, for its planner or explorer; a plan, item or execution, for its executor or reviewer.
    id: String,
    /// The role: planner (default) or explorer of an issue, executor (default) or reviewer of a plan.
    role: Option<Role>,
}

/// The context.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Context {
    /// The role that it is for.
    role: Role,
    /// What is known.
    context: AgentContext,
}

impl Tool for PlanContext {
    const NAME: &'static str = "plan_context";
    const TITLE: &'static str = "Read the context of a plan";
    const ABOUT: &'static str = "Read what you need before you plan an issue, or review or execute a plan: the issue, earlier \
        attempts and how they ended, feedback, reviews, what was learned, and rules of the project.";
    const PERFORMS: &'static [Op] = &[];
    type Input = Input;
    type Output = Context;

    fn call(call: &Call<'_>, Input { id, role }: Input) -> Answer<Context> {
        let done = plans::context(call.session, &id, role)?;
        Ok(done.map(|context| {
            let role = match &context {
                AgentContext::Explorer(_) => Role::Explorer,
                AgentContext::Planner(_) => Role::Planner,
                AgentContext::Executor(_) => Role::Executor,
                AgentContext::Reviewer(_) => Role::Reviewer,
            };
            Context { role, context }
        }))
    }
}
