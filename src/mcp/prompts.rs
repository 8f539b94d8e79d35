//! The prompts: what a planner, a reviewer and an executor begin with.

use rmcp::model::{ContentBlock, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role as Speaker};

use super::tools::{Allowed, Call, ContextAnswer};
use crate::model::Code;
use crate::ops::store::IdKind;
use crate::ops::work::PrimeAgent;
use crate::ops::{Refusal, plans, work};
use crate::rules::{Means, Role};

/// A row of the table of prompts.
struct PromptRow {
    name: &'static str,
    about: &'static str,
    /// The tool without which the prompt makes no sense.
    tool: &'static str,
    argument: &'static str,
    about_argument: &'static str,
    is_required: bool,
    kind: IdKind,
    role: Role,
    task: &'static str,
}

static TABLE: &[PromptRow] = &[
    PromptRow {
        name: "planner",
        about: "Plan an issue",
        tool: "plan_submit",
        argument: "issue",
        about_argument: "The issue to plan",
        is_required: true,
        kind: IdKind::Issue,
        role: Role::Planner,
        task: "Write a plan for the issue below, and submit it with the tool `plan_submit`. Read the code that it touches first, \
            and take earlier attempts and feedback into account. Give each task files, test commands and criteria that a \
            test or a person can check. If the answer has findings, submit a better plan.",
    },
    PromptRow {
        name: "reviewer",
        about: "Review a plan",
        tool: "plan_review",
        argument: "plan",
        about_argument: "The plan to review",
        is_required: true,
        kind: IdKind::Plan,
        role: Role::Reviewer,
        task: "Review the plan below, and record your review with the tool `plan_review`. Check it against the code: will it work, \
            what could break, does it cover the whole issue? Each finding says what should change.",
    },
    PromptRow {
        name: "executor",
        about: "Execute a plan",
        tool: "claim",
        argument: "item",
        about_argument: "The item, plan or execution (default: the next ready one)",
        is_required: false,
        kind: IdKind::Item,
        role: Role::Executor,
        task: "Execute a plan: call `claim`, work on its tasks in the order of their dependencies, and commit after each. Call `claim` \
            with `task` when you begin the next one. Call `verify` after the commits, and `finish` at the end: with evidence for \
            criteria that no test covers, or with outcome `failed` and the reason, if you cannot go on.",
    },
];

fn row(name: &str) -> Option<&'static PromptRow> {
    TABLE.iter().find(|row| row.name == name)
}

/// The prompts for those who may call these tools.
pub(super) fn list(allowed: &Allowed<'_>) -> Vec<Prompt> {
    let rows = TABLE.iter().filter(|row| allowed.has_tool(row.tool));
    rows.map(|row| {
        let argument = PromptArgument::new(row.argument)
            .with_description(row.about_argument)
            .with_required(row.is_required);
        Prompt::new(row.name, Some(row.about), Some(vec![argument]))
    })
    .collect()
}

/// The kind of ids that an argument of a prompt takes.
pub(super) fn kind(prompt: &str, argument: &str) -> Option<IdKind> {
    row(prompt).filter(|row| row.argument == argument).map(|row| row.kind)
}

/// The name of the argument of a prompt; `None` if there is no such prompt.
pub(super) fn argument(prompt: &str, allowed: &Allowed<'_>) -> Option<(&'static str, bool)> {
    let row = row(prompt).filter(|row| allowed.has_tool(row.tool))?;
    Some((row.argument, row.is_required))
}

/// A prompt about the record that it names, with the context that its role needs.
///
/// # Errors
/// `not-found`, `ambiguous-id`; any error from reading the store.
pub(super) fn get(call: &Call<'_>, prompt: &str, id: Option<&str>) -> Result<GetPromptResult, Refusal> {
    let row = row(prompt).ok_or_else(|| {
        Refusal::new(Code::NotFound, format!("there is no prompt `{prompt}`"))
            .hint("`prompts/list` names them")
    })?;
    let session = call.session;
    let mut text = row.task.to_owned();
    let primed =
        work::prime(session, &PrimeAgent { role: Some(row.role.to_string()), means: Means::Tools })?.view;
    for rule in primed.map(|primed| primed.rules).unwrap_or_default() {
        text.push_str("\n- ");
        text.push_str(rule);
    }
    let mut messages = vec![PromptMessage::new_text(Speaker::User, text)];
    if let Some(id) = id {
        let context = plans::context(session, id, Some(row.role))?.view;
        let context = ContextAnswer::new(&context, call.voice).fitting(call);
        let text = format!("The context, as JSON:\n{context}");
        messages.push(PromptMessage::new(Speaker::User, ContentBlock::text(text)));
    }
    Ok(GetPromptResult::new(messages).with_description(row.about))
}
