//! The context of planners, explorers, reviewers and executors.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Call, Tool};
use crate::mcp::bounds::Texts;
use crate::mcp::refused::{self, CallAnswer, Voice};
use crate::model::{Op, typed};
use crate::ops::Answer;
use crate::ops::plans::{self, AgentContext, CONTEXT_ROLES};
use crate::rules::Role;
use crate::rules::bounded::MOST;

pub(super) struct PlanContextTool;

/// The record, and the role whose context to answer.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// An issue, plan, item or execution.
    id: String,
    /// planner (default) or explorer of an issue; executor (default) or reviewer of a plan.
    role: Option<Role>,
}

/// The context.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Context {
    /// The role that it is for.
    role: Role,
    /// What is known.
    context: ContextAnswer,
}

/// A context that names tools where there are any, and otherwise commands.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(in crate::mcp) struct ContextAnswer(Value);

impl JsonSchema for ContextAnswer {
    fn schema_name() -> Cow<'static, str> {
        AgentContext::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        AgentContext::json_schema(generator)
    }
}

impl ContextAnswer {
    pub(in crate::mcp) fn new(context: &AgentContext, voice: Voice<'_>) -> Self {
        let mut whole = typed::own_json(context);
        let left_out = whole.get_mut("left_out").and_then(Value::as_array_mut).into_iter().flatten();
        for (written, omission) in left_out.zip(context.left_out()) {
            let Value::Object(written) = written else { continue };
            let mut instead = refused::instead(&omission.command, voice);
            if let CallAnswer::Tool { tool: "show", arguments } = &mut instead {
                // `show` cuts texts of parts just as short.
                if omission.entries == 0 {
                    continue;
                }
                if let Some(part) = part_of(&omission.what) {
                    arguments.insert("include".into(), vec![part].into());
                }
                if omission.what == "comments" {
                    arguments.insert("older".into(), MOST.into());
                }
            }
            if matches!(instead, CallAnswer::Tool { .. }) && omission.shortened == 0 {
                written.shift_remove("command");
            }
            if let Value::Object(instead) = typed::own_json(&instead) {
                written.extend(instead);
            }
        }
        for (name, call) in context.load().iter().flat_map(|load| load.calls()) {
            whole["load"][name] = typed::own_json(&refused::instead(call, voice));
        }
        Self(whole)
    }

    /// Without the rest of its long texts, for what is not the answer of a tool.
    pub(in crate::mcp) fn fitting(mut self, call: &Call<'_>) -> Self {
        Texts::new(call).fit(&mut self.0);
        self
    }
}

/// The part of an issue that `show` includes for a field of a context.
fn part_of(field: &str) -> Option<&'static str> {
    Some(match field {
        "comments" => "comments",
        "attempts" => "executions",
        "reviews" | "plans" => "solutions",
        "exploration" => "explorations",
        "feedback" | "failure_analysis" => "feedback",
        _ => return None,
    })
}

impl std::fmt::Display for ContextAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Tool for PlanContextTool {
    const NAME: &'static str = "plan_context";
    const TITLE: &'static str = "Read the context of a plan";
    const ABOUT: &'static str = "Read what you need to plan an issue, or to review or execute a plan: the issue, earlier attempts, \
        feedback, reviews, what was learned, and rules of the project.";
    const PERFORMS: &'static [Op] = &[];
    type Input = Input;
    type Output = Context;

    fn restrict(schema: &mut Map<String, Value>, _: &dyn Fn(Op) -> bool) {
        let role = schema.get_mut("properties").and_then(|all| all.get_mut("role"));
        if let Some(Value::Array(words)) = role.and_then(|role| role.get_mut("enum")) {
            words.retain(|word| CONTEXT_ROLES.iter().any(|role| word == role.as_str()));
        }
    }

    fn call(call: &Call<'_>, Input { id, role }: Input) -> Answer<Context> {
        let done = plans::context(call.session, &id, role)?;
        Ok(done.map(|context| {
            let role = match &context {
                AgentContext::Explorer(_) => Role::Explorer,
                AgentContext::Planner(_) => Role::Planner,
                AgentContext::Executor(_) => Role::Executor,
                AgentContext::Reviewer(_) => Role::Reviewer,
            };
            Context { role, context: ContextAnswer::new(&context, call.voice) }
        }))
    }
}
