use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::print::background as background_print;
use crate::cli::print::task as task_print;
use crate::cli::{Context, Exit, Failure, Outcome, existing};
use crate::model::digest::DIGEST_PATTERN;
use crate::model::id::{ExecutionId, IssueId, ItemId, QueueId, SolutionId};
use crate::model::solution::Solution;
use crate::model::status::IssueStatus;
use crate::ops::issues::IssueView;
use crate::ops::plans::{SolutionView, issue_told};
use crate::ops::work;
use crate::rules::background::{self, Background, Reader};
use crate::rules::facts;
use crate::rules::folder::{ExecutionFolder, IssueFolder};
use crate::trail::active;
use crate::ui::style;
use crate::ui::text::clean_line;

/// Show what an item asks for: its issue, its plan as claimed, and earlier attempts
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The item: S-1, QUE-…:S-1, or the id of a plan or issue (default: the one this worktree executes)
    item: Option<String>,
}

/// What `detail` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Detail {
    /// The queue that the plan is in.
    queue_id: Option<QueueId>,
    /// The item there.
    item_id: Option<ItemId>,
    issue_id: IssueId,
    solution_id: SolutionId,
    /// The digest of the plan that is shown: as it was claimed, else as it is now.
    #[schemars(regex(pattern = DIGEST_PATTERN))]
    plan_digest: String,
    /// Where the issue stands.
    status: IssueStatus,
    /// The execution of this plan that holds the issue.
    execution_id: Option<ExecutionId>,
    /// Who ended the execution that holds the issue.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_by: Option<String>,
    /// Why a gate was overridden to end it.
    #[serde(skip_serializing_if = "Option::is_none")]
    forced: Option<String>,
    /// The issue as `list` shows it.
    issue: IssueView,
    /// The plan.
    solution: SolutionView,
    #[serde(flatten)]
    background: Background,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let snapshot = store.snapshot()?;
    let solution_id = match &args.item {
        Some(text) => crate::ops::queue::item(&store, &snapshot, text)?.1.solution_id,
        None => match active::read(&store)? {
            Some(active) => {
                context.tell(work::notice_of_loss(&store, &snapshot)?);
                active.solution_id
            }
            None => {
                return Err(Failure::new("no-claim", "this worktree executes nothing")
                    .hint("`git wf next` takes an item; `git wf detail ITEM` shows any"));
            }
        },
    };
    let folder = existing(&snapshot, &solution_id.issue())?;
    let plan = work::planned(&store, &folder, &solution_id)?;
    let mut background = background::background(&folder, Reader::Executor(&plan));
    if context.json() {
        context.screen.print_json(&detail(&folder, &plan, background))?;
        return Ok(Exit::Done);
    }
    let issue = &folder.issue.record;
    let (told, left_out) = issue_told(&snapshot, &folder)?;
    background.left_out.splice(..0, left_out);
    let painter = context.screen.painter();
    writeln!(
        context.screen,
        "{} for {}  {}",
        painter.paint(style::ID, plan.id.as_str()),
        painter.paint(style::ID, issue.id.as_str()),
        painter.paint(style::HEADING, &issue.title)
    )?;
    background_print::issue(&told, &mut context.screen)?;
    let holder = facts::holder(&folder);
    for (name, value) in [
        ("ended by", holder.and_then(ExecutionFolder::ended_by)),
        ("override", holder.and_then(ExecutionFolder::forced)),
    ] {
        if let Some(value) = value {
            let label = painter.paint(style::DIM, &format!("{name:<12}"));
            writeln!(context.screen, "{label} {}", clean_line(value))?;
        }
    }
    let plan = plan.typed_plan();
    writeln!(context.screen, "\n{}", painter.paint(style::HEADING, "plan"))?;
    task_print::purpose(&plan, &mut context.screen)?;
    task_print::tasks(&plan, &mut context.screen)?;
    background_print::background(&background, &mut context.screen)?;
    background_print::left_out(&background.left_out, &mut context.screen)?;
    Ok(Exit::Done)
}

fn detail(folder: &IssueFolder, plan: &Solution, background: Background) -> Detail {
    let issue = &folder.issue.record;
    let queued = folder.items.iter().find(|it| it.item.solution_id == plan.id && !it.item.is_removed());
    let execution = facts::holder(folder).filter(|it| it.execution.solution_id == plan.id);
    Detail {
        queue_id: queued.map(|it| it.queue.clone()),
        item_id: queued.map(|it| it.item.item_id.clone()),
        issue_id: issue.id.clone(),
        solution_id: plan.id.clone(),
        plan_digest: plan.plan_digest(),
        status: facts::status(folder),
        execution_id: execution.map(|it| it.execution.id.clone()),
        ended_by: execution.and_then(ExecutionFolder::ended_by).map(str::to_owned),
        forced: execution.and_then(ExecutionFolder::forced).map(str::to_owned),
        issue: IssueView::of(folder),
        solution: SolutionView::of(folder, plan),
        background,
    }
}
