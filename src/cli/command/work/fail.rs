use std::io::Write;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::cli::command::work::claim::{self, Intent, Meant};
use crate::cli::command::work::ended::{self, Then};
use crate::cli::input::text as text_input;
use crate::cli::{Context, Failure, Force, Outcome, strict_fault};
use crate::model::execution::{End, Failure as Reported};
use crate::model::id::SolutionId;
use crate::model::issue::{Feedback, FeedbackDetail, FeedbackType, Stage};
use crate::model::status::ExecutionStatus;
use crate::model::{shell, strict, typed};
use crate::ops::work;
use crate::rules::facts;
use crate::store::layout;

/// Fail the execution of this worktree
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The item (default: the one this worktree executes)
    item: Option<String>,
    /// What went wrong: a text, or a JSON object with task_id, error_type, message, stack_trace (a single word needs -m; `-` for stdin)
    #[arg(value_name = "TEXT|JSON")]
    text: Option<String>,
    /// What went wrong; repeat for more paragraphs
    #[arg(short = 'm', long, value_name = "TEXT|JSON")]
    message: Vec<String>,
    #[command(flatten)]
    then: Then,
    #[command(flatten)]
    force: Force,
}

/// What was said as JSON.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::cli) struct ReasonInput {
    /// The task of the plan that went wrong.
    task_id: Option<String>,
    /// test_failure, compilation, timeout, …
    error_type: Option<String>,
    /// What went wrong.
    #[schemars(with = "String", regex(pattern = r"\S"))]
    message: Option<String>,
    /// Where it was raised.
    stack_trace: Option<String>,
    /// The plan that was carried out.
    solution_id: Option<SolutionId>,
}

/// What was reported.
pub(in crate::cli) struct Told {
    pub(in crate::cli) failure: Reported,
    /// The plan that it names.
    pub(in crate::cli) solution_id: Option<SolutionId>,
}

/// Reads what went wrong: a text, or JSON.
pub(in crate::cli) fn parse(text: &str) -> Result<Told, Failure> {
    let text = text.trim();
    if !text.starts_with('{') {
        let failure = Reported { message: Some(text.to_owned()), ..Reported::default() };
        return Ok(Told { failure, solution_id: None });
    }
    let not_one = |why: String| {
        Failure::new("invalid-json", format!("the text is not a failure as JSON: {why}"))
            .hint("its fields are solution_id, task_id, error_type, message and stack_trace")
    };
    let value = strict::parse_text(text).map_err(|fault| not_one(strict_fault(&fault)))?;
    let input: ReasonInput = typed::read(&value).map_err(|error| not_one(error.to_string()))?;
    if input.message.as_deref().is_none_or(|message| message.trim().is_empty()) {
        return Err(Failure::new("invalid-json", "the failure has no `message`")
            .hint("say in `message` what went wrong"));
    }
    let ReasonInput { task_id, error_type, message, stack_trace, solution_id } = input;
    Ok(Told { failure: Reported { task_id, error_type, message, stack_trace }, solution_id })
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let (item, text) = text_input::item_and_text(args.item, args.text);
    let text = text_input::said(&args.message, text.as_deref())?.ok_or_else(|| {
        let what = item.as_ref().map(|word| format!(": `{word}` is taken for an item")).unwrap_or_default();
        let text = item.as_deref().map_or_else(|| "TEXT".into(), shell::word);
        Failure::usage(format!("a failure needs a text{what}"))
            .hint(format!("`git wf fail -m {text}`, or `git wf fail ITEM TEXT`"))
    })?;
    let Told { failure: reported, solution_id } = parse(&text)?;
    let store = context.store()?;
    let before = claim::meant(&store, &store.snapshot()?, item.as_deref())?;
    work::confirm(&*context.session()?, &before.execution)?;
    let committed = context.transact(&store, |tx| {
        let Meant { folder, execution } = claim::meant(&store, tx, item.as_deref())?;
        claim::refuse_foreign(&store, &execution, Intent::End, &args.force)?;
        let it = &execution.execution;
        if let Some(other) = solution_id.as_ref().filter(|other| **other != it.solution_id) {
            return Err(Failure::new(
                "other-plan",
                format!("the failure is about `{other}`, but `{}` is being executed", it.solution_id),
            )
            .hint("name the item whose execution failed: `git wf fail ITEM`"));
        }
        if let (Some(task), Some(solution)) = (&reported.task_id, folder.solution(&it.solution_id)) {
            let plan = solution.typed_plan();
            if plan.task(task).is_none() {
                let ids: Vec<&str> = plan.tasks.iter().map(|task| task.id.as_str()).collect();
                return Err(Failure::new(
                    "not-found",
                    format!("plan `{}` has no task `{task}`", it.solution_id),
                )
                .hint(format!("its tasks are {}", ids.join(", "))));
            }
        }
        let status = ExecutionStatus::Failed;
        claim::end(
            tx,
            &execution,
            End {
                status,
                result: None,
                failure: Some(reported.clone()),
                patch_id: None,
                forced: args.force.why(),
            },
        )?;
        let (author, created_at) = (tx.person().to_owned(), tx.stamper().now());
        let message = reported.message.clone().unwrap_or_default();
        tx.append(&layout::feedback(&it.issue_id), |id| Feedback {
            id,
            kind: FeedbackType::Failure,
            stage: Stage::Execute,
            content: message.clone(),
            detail: FeedbackDetail {
                solution_id: Some(it.solution_id.clone()),
                task_id: reported.task_id.clone(),
                error_type: reported.error_type.clone(),
                message: reported.message.clone(),
                stack_trace: reported.stack_trace.clone(),
                queue_id: it.queue_id.as_ref().map(ToString::to_string),
                item_id: it.item_id.as_ref().map(ToString::to_string),
            },
            author,
            created_at,
        })?;
        tx.note.force = args.force.why();
        tx.describe("fail", format!("execution: fail {}: {message}", it.solution_id));
        Ok(it.id.clone())
    })?;
    let id = committed.answer;
    work::unbind_worktree(&*context.session()?, &id);
    let ended = &before.execution.execution;
    ended::finish(&args.then, &store, ended, context, |folder, context| {
        let (issue, status) = (id.issue(), facts::status(folder));
        Ok(writeln!(
            context.screen,
            "{issue} is {status}; `git wf retry {issue}` queues it again, `git wf solution add {issue}` brings another plan"
        )?)
    })
}
