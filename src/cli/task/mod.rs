//! `task`: one file a subcommand.

mod add;
mod change;
mod edit;
mod fields;
mod list;

use super::{Context, Outcome};

/// The tasks of a plan: list them, and change them by hand
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
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    match args.command {
        TaskCommand::Add(args) => add::run(args, context),
        TaskCommand::Edit(args) => edit::run(args, context),
        TaskCommand::List(args) => list::run(args, context),
    }
}
