use crate::cli::input::fields::FieldArgs;
use crate::cli::{CliContext, Outcome, print};
use crate::ops::queue;

#[derive(Debug, clap::Subcommand)]
pub(super) enum ConflictCommand {
    /// Declare a conflict that shared files do not reveal
    Add(Box<super::conflict_add::ConflictAddCommand>),
    /// List declared conflicts, and files that several plans touch
    List {
        /// The queue (default: the active queues)
        queue: Option<String>,
        #[command(flatten)]
        fields: FieldArgs,
    },
    /// Find branches that conflict, by merging those of items in memory
    ///
    /// Nothing is checked out and no branch moves. The branches are merged with each other and with the
    /// current branch; branches that the current one already contains are skipped.
    /// A branch that was renamed in this clone is found. If it was renamed elsewhere, its last linked commit is merged
    /// instead.
    Check(super::check::Check),
}

pub(super) fn run(command: Option<ConflictCommand>, context: &mut CliContext) -> Outcome {
    match command {
        None => list(None, context),
        Some(ConflictCommand::Add(args)) => super::conflict_add::add(*args, context),
        Some(ConflictCommand::List { queue, fields }) => {
            context.only(fields);
            list(queue.as_deref(), context)
        }
        Some(ConflictCommand::Check(args)) => super::check::check(&args, context),
    }
}

fn list(queue: Option<&str>, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = queue::conflicts(&session, queue)?;
    context.answer(done, |all, _, screen| print::conflict::table(screen, all))
}
