use crate::cli::input::fields::FieldArgs;
use crate::cli::{CliContext, Outcome, print};
use crate::ops::clones::{self, Settle};

/// Show and resolve fields that two clones changed differently
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<ConflictCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum ConflictCommand {
    /// List unresolved conflicts
    List(FieldArgs),
    /// Restore the other value instead of the current one
    Take {
        #[command(flatten)]
        which: Which,
        /// The number of the value, if several lost: 1 is the first that `conflicts` shows for this field
        #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        number: Option<u32>,
    },
    /// Keep the current value
    Keep(Which),
}

#[derive(Debug, clap::Args)]
struct Which {
    /// The record: its id, or an unambiguous prefix
    record: String,
    /// The field (default: the only unresolved field of the record)
    field: Option<String>,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let (which, is) = match args.command.unwrap_or_else(|| ConflictCommand::List(FieldArgs::default())) {
        ConflictCommand::List(fields) => {
            context.only(fields);
            let done = clones::conflicts(&session)?;
            return context.answer(done, |all, _, screen| print::clones::conflicts(screen, all));
        }
        ConflictCommand::Take { which, number } => (which, clones::Which::Lost(number)),
        ConflictCommand::Keep(which) => (which, clones::Which::Current),
    };
    let settle = Settle { record: which.record, field: which.field, which: is, seen: None };
    let done = clones::settle(&session, &settle)?;
    context.answer(done, |it, is_changed, screen| print::clones::settled(screen, it, is, is_changed))
}
