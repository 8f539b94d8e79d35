use crate::cli::input::fields::FieldArgs;
use crate::cli::{CliContext, Outcome, print};
use crate::ops::clones::{self, Settle};

/// Show and resolve fields that two clones changed differently
///
/// Without a command, list those that nobody has resolved.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<FieldConflictCommand>,
    #[command(flatten)]
    fields: FieldArgs,
}

#[derive(Debug, clap::Subcommand)]
enum FieldConflictCommand {
    /// Restore the other value instead of the current one
    Take {
        #[command(flatten)]
        which: NamedConflict,
        /// The number of the other value, if there are several: 1 is the first that `conflicts` shows for this field
        #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        number: Option<u32>,
    },
    /// Keep the current value
    Keep(NamedConflict),
}

#[derive(Debug, clap::Args)]
struct NamedConflict {
    /// The record: its id, or an unambiguous prefix
    record: String,
    /// The field (default: the only unresolved field of the record)
    field: Option<String>,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let (which, is) = match args.command {
        None => {
            context.only(args.fields);
            let done = clones::conflicts(&session)?;
            return context.answer(done, |all, _, screen| print::clones::conflicts(screen, all));
        }
        Some(FieldConflictCommand::Take { which, number }) => (which, clones::KeptValue::Lost(number)),
        Some(FieldConflictCommand::Keep(which)) => (which, clones::KeptValue::Current),
    };
    let settle = Settle { record: which.record, field: which.field, which: is, seen: None };
    let done = clones::settle(&session, &settle)?;
    context
        .answer(done, |conflict, is_changed, screen| print::clones::settled(screen, conflict, is, is_changed))
}
