mod items;
mod manage;
mod overlaps;
mod show;

use crate::cli::input::fields::FieldArgs;
use crate::cli::{CliContext, Force, Outcome};

/// Show and change queues: bound plans in order of execution
///
/// Without a command, show the active queues; with --json, as an array. `git wf show QUEUE` shows one.
///
/// GROUP: items of a group "in order" share files and are executed one after another; those of a "parallel" group can be
/// executed side by side, those of group 2 after those of group 1. RANK: up to 1, the most urgent; it follows from the
/// priority of the issue, the number of tasks and the dependencies.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<QueueCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum QueueCommand {
    /// Put the bound plans of issues into a queue
    ///
    /// New items are sorted in among the waiting ones by the priority of their issues. Of items with the same priority,
    /// those with fewer dependencies come first, then those with more tasks, then those that create a file before those
    /// that extend it, then those of older issues. Items already in the queue do not move. Adding a plan that has changed
    /// since it was queued updates its item.
    Add(items::AddCommand),
    /// Remove items from their queue
    Remove {
        /// The items: S-1, QUE-…:S-1, or the ids of plans or issues
        #[arg(required = true)]
        items: Vec<String>,
        #[command(flatten)]
        force: Force,
    },
    /// Show a queue with its items, the first active one unless given
    #[command(hide = true)]
    Show {
        /// The queue
        queue: Option<String>,
        #[command(flatten)]
        fields: FieldArgs,
    },
    /// Draw the dependency graph
    Graph(show::Graph),
    /// Move an item before or after another
    ///
    /// An item always comes after the items it depends on, and a decided order (`queue resolve`) is kept.
    Order(items::Order),
    /// Hold items back until they are released
    Hold(items::Hold),
    /// Release items that were held back
    Release {
        /// The items: S-1, QUE-…:S-1, or the ids of plans or issues
        #[arg(required = true)]
        items: Vec<String>,
    },
    /// List files that several plans touch and declared conflicts, or declare one
    ///
    /// With --add or --from-json, declare conflicts that shared files do not reveal.
    Overlaps(Box<overlaps::Overlaps>),
    /// Show which branches of items conflict, by merging them in memory
    ///
    /// Nothing is checked out and no branch moves. The branches are merged with each other and with the
    /// current branch; branches that the current one already contains are skipped.
    /// A branch that was renamed in this clone is found. If it was renamed elsewhere, its last linked commit is merged
    /// instead.
    Forecast(show::Forecast),
    /// Decide the order of items that conflict
    Resolve(overlaps::Resolve),
    /// Create, list, activate, pause, archive and merge queues
    Manage {
        #[command(subcommand)]
        command: manage::ManageCommand,
    },
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let Some(command) = args.command else { return show::active(context) };
    match command {
        QueueCommand::Add(args) => items::add(args, context),
        QueueCommand::Remove { items, force } => items::remove(&items, &force, context),
        QueueCommand::Show { queue, fields } => {
            context.only(fields);
            show::show(queue.as_deref(), context)
        }
        QueueCommand::Graph(args) => show::graph(&args, context),
        QueueCommand::Order(args) => items::order(args, context),
        QueueCommand::Hold(args) => items::hold(args, context),
        QueueCommand::Release { items } => items::release(&items, context),
        QueueCommand::Overlaps(args) => overlaps::overlaps(*args, context),
        QueueCommand::Forecast(args) => show::forecast(&args, context),
        QueueCommand::Resolve(args) => overlaps::resolve(args, context),
        QueueCommand::Manage { command } => manage::run(command, context),
    }
}
