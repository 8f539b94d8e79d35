//! What is rarely done with a whole queue.

use super::{decide, queues};
use crate::cli::input::fields::FieldArgs;
use crate::cli::{CliContext, Force, Outcome, print};
use crate::ops::queue;

#[derive(Debug, clap::Subcommand)]
pub(super) enum ManageCommand {
    /// Create a queue; the first `queue add` creates one for you
    New(queues::New),
    /// List queues
    List {
        /// Include archived queues
        #[arg(short, long)]
        all: bool,
        #[command(flatten)]
        fields: FieldArgs,
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
}

pub(super) fn run(command: ManageCommand, context: &mut CliContext) -> Outcome {
    match command {
        ManageCommand::New(args) => queues::new(&args, context),
        ManageCommand::List { all, fields } => {
            context.only(fields);
            queues::list(all, context)
        }
        ManageCommand::Activate { queues, only } => decide::activate(&queues, only, context),
        ManageCommand::Pause { queues } => decide::pause(&queues, context),
        ManageCommand::Resume { queues } => decide::resume(&queues, context),
        ManageCommand::Archive { queues, force } => decide::archive(&queues, &force, context),
        ManageCommand::Priority { queue, number } => decide::priority(&queue, number, context),
        ManageCommand::Merge { source, target, force } => {
            let session = context.session()?;
            let done = queue::merge(&session, &queue::MergeQueues { source, target, force: force.why() })?;
            context
                .answer(done, |merged, is_changed, screen| print::queue::merged(screen, merged, is_changed))
        }
    }
}
