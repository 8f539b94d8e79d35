use serde_json::Value;

use super::change;
use super::fields::FieldArgs;
use crate::cli::{Context, Failure, Force, Outcome, plan_named};

/// Edit a task of a plan that is not queued
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The plan, or an issue for its bound or only plan
    solution: String,
    /// The task, such as T1
    task: String,
    #[command(flatten)]
    fields: FieldArgs,
    #[command(flatten)]
    force: Force,
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let edit = args.fields.edit()?;
    if edit.is_empty() {
        return Err(Failure::usage("nothing to change")
            .hint("name a field, such as --title TEXT, or --from-json FILE"));
    }
    let store = context.store()?;
    let id = plan_named(&store.snapshot()?, &args.solution)?;
    let (task, changed) = change::plan(&store, &id, "task edit", &args.force, context, |tasks| {
        let name = |task: &Value| task["id"].as_str().unwrap_or_default().to_owned();
        let wanted = args.task.trim();
        let Some(at) = tasks.iter().position(|task| name(task).eq_ignore_ascii_case(wanted)) else {
            let ids: Vec<String> = tasks.iter().map(name).collect();
            return Err(Failure::new("not-found", format!("plan `{id}` has no task `{wanted}`"))
                .hint(format!("its tasks are {}", ids.join(", "))));
        };
        let old = name(&tasks[at]);
        let Some(task) = tasks[at].as_object_mut() else {
            return Err(Failure::unreadable(&format!("task `{old}`")));
        };
        edit.apply(task);
        let new = name(&tasks[at]);
        if new != old {
            return Err(Failure::new("other-task", format!("the input is task `{new}`, not `{old}`"))
                .hint("a task keeps its id; leave `id` out of the input"));
        }
        Ok(old)
    })?;
    change::show(&store, &id, (&task, changed), "changed", context)
}
