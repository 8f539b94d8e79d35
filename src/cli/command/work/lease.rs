use crate::cli::input::fields::FieldArgs;
use crate::cli::input::text as text_input;
use crate::cli::{CliContext, Force, Outcome, print};
use crate::ops::work::{self, ReleaseLease};

/// List, renew or release the leases of claims
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: LeaseCommand,
}

#[derive(Debug, clap::Subcommand)]
enum LeaseCommand {
    /// Renew a lease for another `wf.lease` (default: 4h); commits do this by themselves
    Renew {
        /// The item (default: the one this worktree executes)
        item: Option<String>,
    },
    /// List all claims, their holders, and when they expire
    List(FieldArgs),
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
        LeaseCommand::Renew { item } => renew(item.as_deref(), context),
        LeaseCommand::List(fields) => {
            context.only(fields);
            list(context)
        }
        LeaseCommand::Release { item, force } => release(item, &force, context),
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
