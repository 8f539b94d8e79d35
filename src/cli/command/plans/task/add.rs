use std::io::Write;

use serde_json::{Map, Value, json};

use super::change;
use super::fields::FieldArgs;
use crate::cli::{Context, Exit, Failure, Force, Outcome, plan_named};
use crate::rules::task_edit::next_id;

/// Add a task to the end of a plan that is not queued
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The plan, or an issue for its bound or only plan
    solution: String,
    #[command(flatten)]
    fields: FieldArgs,
    #[command(flatten)]
    force: Force,
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let edit = args.fields.edit()?;
    if edit.is_empty() {
        return Err(Failure::usage("the task has no content")
            .hint("--title, --action, --step and --criterion at least, or --from-json FILE"));
    }
    let store = context.store()?;
    let id = plan_named(&store.snapshot()?, &args.solution)?;
    let (task, changed) = change::plan(&store, &id, "task add", &args.force, context, |tasks| {
        let mut task = Map::new();
        task.insert("id".into(), json!(next_id(tasks)));
        edit.apply(&mut task);
        // The id may have come from the JSON; what is wrong with it the checks say.
        let name = task["id"].as_str().unwrap_or_default().to_owned();
        tasks.push(Value::Object(task));
        Ok(name)
    })?;
    if !context.json() && !context.screen.is_terminal() {
        writeln!(context.screen, "{task}")?;
        return Ok(Exit::Done);
    }
    change::show(&store, &id, (&task, changed), "added", context)
}
