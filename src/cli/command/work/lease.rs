use crate::cli::input::fields::FieldArgs;
use crate::cli::input::text as text_input;
use crate::cli::{CliContext, Force, Outcome, print};
use crate::ops::work::{self, ReleaseLease};

/// List, renew or release the leases of claims
///
/// Without a command, list all claims, their holders, and when they expire.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<LeaseCommand>,
    #[command(flatten)]
    fields: FieldArgs,
}

#[derive(Debug, clap::Subcommand)]
enum LeaseCommand {
    /// Renew a lease for another `wf.lease` (default: 4h); commits renew it automatically
    Renew {
        /// The item (default: the one this worktree executes)
        item: Option<String>,
    },
    /// Give up a claim: its item is queued again, and its commits stay in the trail
    Release {
        /// The item (default: the one this worktree executes)
        item: Option<String>,
        #[command(flatten)]
        force: Force,
    },
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    match args.command {
        None => {
            context.only(args.fields);
            list(context)
        }
        Some(LeaseCommand::Renew { item }) => renew(item.as_deref(), context),
        Some(LeaseCommand::Release { item, force }) => release(item, &force, context),
    }
}

fn renew(item: Option<&str>, context: &mut CliContext) -> Outcome {
    text_input::refuse_text(item, "git wf lease renew")?;
    let session = context.session()?;
    let done = work::renew(&session, item)?;
    context.answer(done, |lease, _, screen| print::work::renewed(screen, lease))
}

fn list(context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let (done, now) = (work::leases(&session)?, session.now()?.millis());
    context.answer(done, |leases, _, screen| print::work::leases(screen, leases, now))
}

fn release(item: Option<String>, force: &Force, context: &mut CliContext) -> Outcome {
    text_input::refuse_text(item.as_deref(), "git wf lease release")?;
    let session = context.session()?;
    let done = work::release(&session, &ReleaseLease { item, force: force.why() })?;
    context.answer(done, |released, _, screen| print::work::released(screen, released))
}
