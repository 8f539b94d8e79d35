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

pub(super) use add::add_issue;
pub(super) use check::CheckAnswer;
pub(super) use conflict::ConflictAnswer;
pub(super) use conflict::decision;
pub(super) use conflict_add::ConflictInput;
pub(super) use dag::DagAnswer;
pub(super) use items::Removed;

use super::{Context, Force, Outcome};

/// The order of execution: bound plans in queues
///
/// Without a command it shows the active queues; with --json that is an array of them.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<QueueCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum QueueCommand {
    /// Make a queue; the first `queue add` makes one by itself
    New(queues::New),
    /// Put the bound plans of issues into a queue
    ///
    /// Each goes where the rule wants it among what waits there: by the issue's priority, then fewer dependencies, then
    /// more tasks, then what creates a file before what extends it, then the older issue. Nothing that is in the queue
    /// moves. A plan that changed since it was queued is queued as it is now.
    Add(add::Add),
    /// Take items out of their queue
    Remove {
        /// Items: S-1, QUE-…:S-1, or the id of a plan or issue
        #[arg(required = true)]
        items: Vec<String>,
        #[command(flatten)]
        force: Force,
    },
    /// List the queues
    List {
        /// Also those that are archived
        #[arg(short, long)]
        all: bool,
    },
    /// Show a queue with its items; the active ones unless given
    Show {
        /// The queue
        queue: Option<String>,
    },
    /// Draw what comes before what
    Dag(dag::Dag),
    /// Put an item before or behind another
    ///
    /// An item never stands before what it depends on, nor against an order that was decided (`queue resolve`).
    Order(order::Order),
    /// Hold an item back until it is released
    Hold {
        /// Items: S-1, QUE-…:S-1, or the id of a plan or issue
        #[arg(required = true)]
        items: Vec<String>,
        /// Why; it shows with the item
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// Let items go on that were held back
    Release {
        /// Items: S-1, QUE-…:S-1, or the id of a plan or issue
        #[arg(required = true)]
        items: Vec<String>,
    },
    /// Hand out the items of these queues, also of paused and archived ones; several may be active
    Activate {
        /// The queues
        #[arg(required = true)]
        queues: Vec<String>,
        /// Pause all others that are active
        #[arg(long)]
        only: bool,
    },
    /// Hand out no items of these queues for now
    Pause {
        /// The queues
        #[arg(required = true)]
        queues: Vec<String>,
    },
    /// Hand out the items of paused queues again
    Resume {
        /// The queues
        #[arg(required = true)]
        queues: Vec<String>,
    },
    /// Put queues away
    ///
    /// With --force, items that wait leave the queue first, so that their issues can be queued elsewhere.
    Archive {
        /// The queues
        #[arg(required = true)]
        queues: Vec<String>,
        #[command(flatten)]
        force: Force,
    },
    /// Set which queue is served first: the one with the lower number
    Priority {
        /// The queue
        queue: String,
        /// The number; 0 where none was set
        #[arg(allow_negative_numbers = true)]
        number: i64,
    },
    /// Move all items of one queue behind those of another, and archive it
    Merge {
        /// The queue that is emptied
        source: String,
        /// The queue that takes its items
        target: String,
        #[command(flatten)]
        force: Force,
    },
    /// Conflicts between items
    Conflict {
        #[command(subcommand)]
        command: conflict::ConflictCommand,
    },
    /// Decide in which order items in conflict are carried out
    Resolve(resolve::Resolve),
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let Some(command) = args.command else { return queues::active(context) };
    match command {
        QueueCommand::New(args) => queues::new(args, context),
        QueueCommand::Add(args) => add::add(&args, context),
        QueueCommand::Remove { items, force } => items::remove(&items, &force, context),
        QueueCommand::List { all } => queues::list(all, context),
        QueueCommand::Show { queue } => queues::show(queue.as_deref(), context),
        QueueCommand::Dag(args) => dag::dag(&args, context),
        QueueCommand::Order(args) => order::order(&args, context),
        QueueCommand::Hold { items, reason } => items::hold(&items, &reason, context),
        QueueCommand::Release { items } => items::release(&items, context),
        QueueCommand::Activate { queues, only } => decide::activate(&queues, only, context),
        QueueCommand::Pause { queues } => decide::pause(&queues, context),
        QueueCommand::Resume { queues } => decide::resume(&queues, context),
        QueueCommand::Archive { queues, force } => decide::archive(&queues, &force, context),
        QueueCommand::Priority { queue, number } => decide::priority(&queue, number, context),
        QueueCommand::Merge { source, target, force } => merge::merge(&source, &target, &force, context),
        QueueCommand::Conflict { command } => conflict::run(command, context),
        QueueCommand::Resolve(args) => resolve::resolve(&args, context),
    }
}
