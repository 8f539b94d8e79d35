use serde_json::Value;

use crate::cli::command::issues::list;
use crate::cli::print::solution as solution_print;
use crate::cli::{Context, Exit, Outcome, answer, existing};
use crate::store::resolve;

/// List the plans of an issue, or all plans
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The issue
    issue: Option<String>,
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let snapshot = store.snapshot()?;
    let folders = match &args.issue {
        Some(text) => vec![existing(&snapshot, &resolve::issue(&snapshot, text)?)?],
        None => list::all_issues(&snapshot, &mut 0)?,
    };
    if context.json() {
        let all: Vec<Value> = folders
            .iter()
            .flat_map(|folder| folder.solutions.iter().map(|s| answer::solution(folder, &s.record)))
            .collect();
        context.screen.print_json(&all)?;
    } else {
        solution_print::table(&folders, context)?;
    }
    Ok(Exit::Done)
}
