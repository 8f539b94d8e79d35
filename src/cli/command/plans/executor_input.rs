//! What the executor of a plan is given.

use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::command::plans::planning_context::{issue_told, warn_of_source};
use crate::cli::print::background as background_print;
use crate::cli::{Context, Exit, Outcome};
use crate::model::digest::DIGEST_PATTERN;
use crate::model::id::{ExecutionId, IssueId, ItemId, QueueId, SolutionId};
use crate::ops::work;
use crate::rules::background::{self, Background, IssueTold, Reader};
use crate::rules::facts;
use crate::rules::folder::IssueFolder;
use crate::store::{Read, Store};
use crate::ui::style;

/// What an executor is given: ids, what the issue says, what was tried and said before, and the commands that print the plan.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(example = executor_example())]
pub(in crate::cli) struct ExecutorInput {
    /// The plan.
    solution_id: SolutionId,
    /// Its issue.
    issue_id: IssueId,
    /// The plan as it was claimed, else as it is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = DIGEST_PATTERN))]
    plan_digest: Option<String>,
    /// The queue that it waits in.
    #[serde(skip_serializing_if = "Option::is_none")]
    queue_id: Option<QueueId>,
    /// Its item there.
    #[serde(skip_serializing_if = "Option::is_none")]
    item_id: Option<ItemId>,
    /// The attempt that is under way.
    #[serde(skip_serializing_if = "Option::is_none")]
    execution_id: Option<ExecutionId>,
    /// The branch that the attempt works on.
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    /// The linked worktree of the attempt; none for the main one.
    #[serde(skip_serializing_if = "Option::is_none")]
    worktree: Option<String>,
    /// The issue's title.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// What the issue says.
    #[serde(skip_serializing_if = "Option::is_none")]
    issue: Option<IssueTold>,
    #[serde(flatten)]
    background: Background,
    /// Commands that print the rest as JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    load: Option<Load>,
}

/// Commands that print what an executor reads by itself.
#[derive(Debug, Serialize, JsonSchema)]
struct Load {
    /// The plan with its tasks.
    solution: String,
    /// The issue with all that was said of it.
    issue: String,
    /// How work is done in this project.
    project: String,
}

fn executor_example() -> Value {
    json!({
        "solution_id": "SOL-ISS-20261121-7k3m2pq9-4x8r1tza",
        "issue_id": "ISS-20261121-7k3m2pq9",
        "plan_digest": format!("sha256:{}", "0".repeat(64)),
        "queue_id": "QUE-20261121-9w1nx3h2",
        "item_id": "S-1",
        "load": {
            "solution": "git wf detail SOL-ISS-20261121-7k3m2pq9-4x8r1tza --json",
            "issue": "git wf show ISS-20261121-7k3m2pq9 --json",
            "project": "git wf project show --json"
        }
    })
}

/// Prints what the executor of the plan `id` is given.
pub(in crate::cli) fn print(
    store: &Store,
    read: &impl Read,
    folder: &IssueFolder,
    id: &SolutionId,
    context: &mut Context,
) -> Outcome {
    let plan = work::planned(store, folder, id)?;
    let queued = folder.items.iter().find(|it| it.item.solution_id == *id && !it.item.is_removed());
    let attempt = facts::holder(folder).map(|it| &it.execution).filter(|it| it.solution_id == *id);
    let branch = attempt.and_then(|it| it.branch.as_deref());
    let issue_id = id.issue();
    let title = &folder.issue.record.title;
    let load = Load {
        solution: match queued {
            Some(_) => format!("git wf detail {id} --json"),
            None => format!("git wf solution show {id} --json"),
        },
        issue: format!("git wf show {issue_id} --json"),
        project: "git wf project show --json".into(),
    };
    warn_of_source(folder, context);
    let (issue, mut left_out) = issue_told(read, folder)?;
    let mut background = background::background(folder, Reader::Executor(&plan));
    left_out.append(&mut background.left_out);
    background.left_out = left_out;
    if !context.json() {
        let painter = context.screen.painter();
        let of = painter.paint(style::ID, issue_id.as_str());
        let (id, title) = (painter.paint(style::ID, id.as_str()), painter.paint(style::HEADING, title));
        writeln!(context.screen, "{id} for {of}  {title}")?;
        writeln!(context.screen, "{}", painter.paint(style::DIM, &plan.plan_digest()))?;
        for (name, command) in [("plan", &load.solution), ("issue", &load.issue), ("project", &load.project)]
        {
            writeln!(context.screen, "{} {command}", painter.paint(style::DIM, &format!("{name:<12}")))?;
        }
        background_print::issue(&issue, context)?;
        background_print::background(&background, context)?;
        background_print::left_out(&background.left_out, context)?;
        return Ok(Exit::Done);
    }
    context.screen.print_json(&ExecutorInput {
        plan_digest: Some(plan.plan_digest()),
        queue_id: queued.map(|it| it.queue.clone()),
        item_id: queued.map(|it| it.item.item_id.clone()),
        execution_id: attempt.map(|it| it.id.clone()),
        branch: branch.map(str::to_owned),
        worktree: attempt.and_then(|it| it.worktree.clone()),
        title: Some(title.clone()),
        issue: Some(issue),
        background,
        load: Some(load),
        solution_id: id.clone(),
        issue_id,
    })?;
    Ok(Exit::Done)
}
