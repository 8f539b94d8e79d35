//! What is rarely done with a whole queue.

use std::io::Write;

use crate::cli::input::fields::FieldArgs;
use crate::cli::{CliContext, Force, Outcome, print};
use crate::ops::Done;
use crate::ops::queue::{self, QueueAnswer};

#[derive(Debug, clap::Args)]
pub(super) struct New {
    /// The name
    name: Option<String>,
    /// The priority; lower numbers are served first
    #[arg(short, long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    priority: i64,
}

#[derive(Debug, clap::Subcommand)]
pub(super) enum ManageCommand {
    /// Create a queue; the first `queue add` creates one for you
    New(New),
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
    let session = context.session()?;
    match command {
        ManageCommand::New(New { name, priority }) => {
            let done = queue::new(&session, name.as_deref(), priority)?;
            context.answer(done, |queue, _, screen| writeln!(screen, "{}", queue.queue.id))
        }
        ManageCommand::List { all, fields } => {
            context.only(fields);
            let done = queue::list(&session, all)?;
            context.answer(done, |queues, _, screen| print::queue::table(screen, queues))
        }
        ManageCommand::Activate { queues, only } => {
            decided(queue::activate(&session, &queues, only)?, context)
        }
        ManageCommand::Pause { queues } => decided(queue::pause(&session, &queues)?, context),
        ManageCommand::Resume { queues } => decided(queue::resume(&session, &queues)?, context),
        ManageCommand::Archive { queues, force } => {
            decided(queue::archive(&session, &queues, force.why().as_deref())?, context)
        }
        ManageCommand::Priority { queue, number } => {
            let done = queue::prioritize(&session, &queue, number)?;
            context.answer(done, |queues, _, screen| print::queue::prioritized(screen, queues))
        }
        ManageCommand::Merge { source, target, force } => {
            let done = queue::merge(&session, &queue::MergeQueues { source, target, force: force.why() })?;
            context
                .answer(done, |merged, is_changed, screen| print::queue::merged(screen, merged, is_changed))
        }
    }
}

fn decided(done: Done<Vec<QueueAnswer>>, context: &mut CliContext) -> Outcome {
    context.answer(done, |queues, _, screen| print::queue::decided(screen, queues))
}
