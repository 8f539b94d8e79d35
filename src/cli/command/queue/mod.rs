mod add;
mod check;
mod conflict;
mod conflict_add;
mod dag;
mod decide;
mod items;
mod merge;
mod order;
mod queues;
mod resolve;

use crate::cli::input::fields::FieldArgs;
use crate::cli::{CliContext, Force, Outcome};

/// Show and change queues: bound plans in order of execution
///
/// Without a command, show the active queues; with --json, as an array.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<QueueCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum QueueCommand {
    /// Create a queue; the first `queue add` creates one for you
    New(queues::New),
    /// Put the bound plans of issues into a queue
    ///
    /// New items are sorted in among the waiting ones by the priority of their issues. Of items with the same priority,
    /// those with fewer dependencies come first, then those with more tasks, then those that create a file before those
    /// that extend it, then those of older issues. Items already in the queue do not move. Adding a plan that has changed
    /// since it was queued updates its item.
    Add(add::AddCommand),
    /// Remove items from their queue
    Remove {
        /// The items: S-1, QUE-…:S-1, or the ids of plans or issues
        #[arg(required = true)]
        items: Vec<String>,
        #[command(flatten)]
        force: Force,
    },
    /// List queues
    List {
        /// Include archived queues
        #[arg(short, long)]
        all: bool,
        #[command(flatten)]
        fields: FieldArgs,
    },
    /// Show a queue with its items (default: the active queues)
    ///
    /// GROUP: items of an S group share files and are executed one after the other; items of a P group can be executed in
    /// parallel, those of P2 after those of P1. RANK: from 0.1 to 1, by the priority of the issue, the number of tasks
    /// and the dependencies.
    Show {
        /// The queue
        queue: Option<String>,
        #[command(flatten)]
        fields: FieldArgs,
    },
    /// Draw the dependency graph
    Dag(dag::Dag),
    /// Move an item before or after another
    ///
    /// An item always comes after the items it depends on, and a decided order (`queue resolve`) is kept.
    Order(order::Order),
    /// Hold items back until they are released
    Hold(items::Hold),
    /// Release items that were held back
    Release {
        /// The items: S-1, QUE-…:S-1, or the ids of plans or issues
        #[arg(required = true)]
        items: Vec<String>,
    },
    /// Activate queues, including paused and archived ones; several may be active
    Activate {
        /// The queues
        #[arg(required = true)]
        queues: Vec<String>,
        /// Pause all others that are active
        #[arg(long)]
        only: bool,
    },
    /// Pause queues: `next` takes none of their items
    Pause {
        /// The queues
        #[arg(required = true)]
        queues: Vec<String>,
    },
    /// Resume paused queues
    Resume {
        /// The queues
        #[arg(required = true)]
        queues: Vec<String>,
    },
    /// Archive queues
    ///
    /// With --force, waiting items are removed from the queue first, so their issues can be queued elsewhere.
    Archive {
        /// The queues
        #[arg(required = true)]
        queues: Vec<String>,
        #[command(flatten)]
        force: Force,
    },
    /// Set the priority of a queue; lower numbers are served first
    Priority {
        /// The queue
        queue: String,
        /// The priority; 0 is the default
        #[arg(allow_negative_numbers = true)]
        number: i64,
    },
    /// Move all items of a queue to the end of another, and archive it
    Merge {
        /// The queue to empty
        source: String,
        /// The queue that gets its items
        target: String,
        #[command(flatten)]
        force: Force,
    },
    /// List, declare or find conflicts between items
    ///
    /// Without a command, list them.
    Conflict {
        #[command(subcommand)]
        command: Option<conflict::ConflictCommand>,
    },
    /// Decide the order of items that conflict
    Resolve(resolve::Resolve),
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let Some(command) = args.command else { return queues::active(context) };
    match command {
        QueueCommand::New(args) => queues::new(args, context),
        QueueCommand::Add(args) => add::add(args, context),
        QueueCommand::Remove { items, force } => items::remove(items, &force, context),
        QueueCommand::List { all, fields } => {
            context.only(fields);
            queues::list(all, context)
        }
        QueueCommand::Show { queue, fields } => {
            context.only(fields);
            queues::show(queue.as_deref(), context)
        }
        QueueCommand::Dag(args) => dag::dag(&args, context),
        QueueCommand::Order(args) => order::order(args, context),
        QueueCommand::Hold(args) => items::hold(args, context),
        QueueCommand::Release { items } => items::release(&items, context),
        QueueCommand::Activate { queues, only } => decide::activate(queues, only, context),
        QueueCommand::Pause { queues } => decide::pause(&queues, context),
        QueueCommand::Resume { queues } => decide::resume(&queues, context),
        QueueCommand::Archive { queues, force } => decide::archive(queues, &force, context),
        QueueCommand::Priority { queue, number } => decide::priority(queue, number, context),
        QueueCommand::Merge { source, target, force } => merge::merge(source, target, &force, context),
        QueueCommand::Conflict { command } => conflict::run(command, context),
        QueueCommand::Resolve(args) => resolve::resolve(args, context),
    }
}
