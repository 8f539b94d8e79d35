use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::command::work::detail;
use crate::cli::{Context, Exit, Failure, Outcome, existing};
use crate::model::id::{ExecutionId, SolutionId};
use crate::ops::trail;
use crate::ops::work::{self, Own};
use crate::trail::active::{self, Active};
use crate::ui::style;
use crate::ui::text::clean_line;

/// Set the task you work on; commits are linked to it from now on
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The task, such as T1
    task: String,
}

/// What `task start` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Started {
    /// The execution of this worktree.
    execution_id: ExecutionId,
    /// Its plan.
    solution_id: SolutionId,
    /// The task.
    task_id: String,
    /// What it is about.
    title: String,
}

pub(super) fn run(Args { task }: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let snapshot = store.snapshot()?;
    // `next` may be binding this worktree at the same time.
    let _alone = active::lock(&store)?;
    let execution = match work::own(&store, &snapshot)? {
        Own::Held(execution) => execution.execution,
        Own::Lost(active, why) => {
            let plan = active.solution_id;
            return Err(Failure::new("claim-lost", format!("this worktree no longer holds `{plan}`: {why}"))
                .hint("its commits stay in the trail; `git wf next` takes another item"));
        }
        Own::Nothing => {
            return Err(Failure::new("no-claim", "this worktree executes nothing")
                .hint("`git wf next` takes an item"));
        }
    };
    let folder = existing(&snapshot, &execution.issue_id)?;
    let plan = detail::planned(&store, &folder, &execution.solution_id)?.typed_plan();
    trail::in_plan(&plan, &execution.solution_id, &task)?;
    if let Some(now) = active::read(&store)?.filter(|now| now.task_id.as_ref() != Some(&task)) {
        active::write(&store, &Active { task_id: Some(task.clone()), ..now })?;
    }
    if store.branch()? != execution.branch {
        let branch = execution.branch.as_deref().unwrap_or_default();
        let branch = branch.strip_prefix("refs/heads/").unwrap_or(branch);
        context.warn(&format!("commits here are not linked: only those on `{branch}` are"));
    }
    let title = plan.tasks.iter().find(|it| it.id == task).map(|it| it.title.clone()).unwrap_or_default();
    if context.json() {
        let (execution_id, solution_id) = (execution.id, execution.solution_id);
        context.screen.print_json(&Started { execution_id, solution_id, task_id: task, title })?;
        return Ok(Exit::Done);
    }
    let painter = context.screen.painter();
    writeln!(
        context.screen,
        "works on {} of {}: {}",
        painter.paint(style::ID, &task),
        painter.paint(style::ID, execution.solution_id.as_str()),
        clean_line(&title)
    )?;
    Ok(Exit::Done)
}
