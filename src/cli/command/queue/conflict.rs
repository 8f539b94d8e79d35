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
    /// Find branches that conflict
    Check(super::check::Check),
}

pub(super) fn run(command: ConflictCommand, context: &mut CliContext) -> Outcome {
    match command {
        ConflictCommand::Add(args) => super::conflict_add::add(*args, context),
        ConflictCommand::List { queue, fields } => {
            context.only(fields);
            let session = context.session()?;
            let done = queue::conflicts(&session, queue.as_deref())?;
            context.answer(done, |all, _, screen| print::conflict::table(screen, all))
        }
        ConflictCommand::Check(args) => super::check::check(&args, context),
    }
}
