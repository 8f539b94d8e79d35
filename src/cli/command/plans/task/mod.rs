//! `task`: one file for each subcommand; `task start` is in `command/work`.

mod add;
mod edit;
mod fields;
mod list;

use crate::cli::command::work::task_start;
use crate::cli::{CliContext, Outcome};

/// List, add, edit and start the tasks of a plan
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: TaskCommand,
}

#[derive(Debug, clap::Subcommand)]
enum TaskCommand {
    Add(add::Args),
    Edit(edit::Args),
    List(list::Args),
    Start(task_start::Args),
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    match args.command {
        TaskCommand::Add(args) => add::run(args, context),
        TaskCommand::Edit(args) => edit::run(args, context),
        TaskCommand::List(args) => list::run(args, context),
        TaskCommand::Start(args) => task_start::run(args, context),
    }
}
