mod items;
mod queues;

use super::{Context, Force, Outcome};

/// The order of execution: bound plans in queues
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<QueueCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum QueueCommand {
    /// Make a queue; the first `queue add` makes one by itself
    New {
        /// What people call it
        name: Option<String>,
    },
    /// Put the bound plans of issues at the end of a queue
    Add {
        /// The issues
        #[arg(required = true)]
        issues: Vec<String>,
        /// The queue; the first active one unless given
        #[arg(long, value_name = "QUEUE")]
        queue: Option<String>,
        #[command(flatten)]
        force: Force,
    },
    /// Take items out of their queue
    Remove {
        /// Items: S-1, QUE-…:S-1, or the id of a plan or issue
        #[arg(required = true)]
        items: Vec<String>,
        #[command(flatten)]
        force: Force,
    },
    /// List the queues
    List,
    /// Show a queue with its items; the active ones unless given
    Show {
        /// The queue
        queue: Option<String>,
    },
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    match args.command.unwrap_or(QueueCommand::Show { queue: None }) {
        QueueCommand::New { name } => queues::new(name, context),
        QueueCommand::Add { issues, queue, force } => items::add(&issues, queue.as_deref(), &force, context),
        QueueCommand::Remove { items, force } => items::remove(&items, &force, context),
        QueueCommand::List => queues::list(context),
        QueueCommand::Show { queue } => queues::show(queue.as_deref(), context),
    }
}
