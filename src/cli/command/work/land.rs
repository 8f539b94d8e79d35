use std::time::Duration;

use crate::cli::input::consent::{agree_to_landing, refuse_commands_in_hook};
use crate::cli::input::parse_limit;
use crate::cli::{CliContext, Exit, Outcome, print};
use crate::ops::work::{self, LandMethod, LandWork};

/// Land completed work on the branch that everyone shares
///
/// The work is put on top of the target branch as it is now, without touching a work tree. The tests of the plans and those of
/// `wf.land.test` run on the result in a fresh workplace; if they pass, the branch moves: at the remote first, together with
/// the store, then here. If the branch has moved meanwhile, all of it starts again. Nothing is locked while tests run.
///
/// The target is the policy `land.onto`, else `wf.land.onto`, else the remote's default branch, else `main` or `master`.
///
/// Work that conflicts with the branch does not land; its issue gets feedback that names the other plan and shows the
/// conflict. The branch of this clone only moves forward; if it is checked out, changes of yours in other files stay.
///
/// You are asked before commands run, as with `verify`. Landing needs git 2.45.1 or later.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Issues, plans, items, or a run (default: what is completed on the current branch)
    #[arg(value_name = "ISSUE|RUN")]
    what: Vec<String>,
    /// Land everything that is completed
    #[arg(long, conflicts_with = "what")]
    all: bool,
    /// The branch to land on
    #[arg(long, value_name = "BRANCH")]
    onto: Option<String>,
    /// How the work comes to the branch: merge, rebase or squash
    #[arg(long, value_name = "HOW", default_value = "merge", value_parser = parse_how)]
    how: LandMethod,
    /// Test and push up to N issues together; if their tests fail, halves of them
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true, value_parser = parse_batch)]
    batch: usize,
    /// Show what would land, in which order, with conflicts and tests
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Stop a test that takes longer than this, such as 90s, 30m or 2h
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = parse_limit)]
    timeout: Duration,
    /// Run the tests without asking
    #[arg(long)]
    yes: bool,
}

fn parse_how(text: &str) -> Result<LandMethod, String> {
    LandMethod::parse(text).ok_or_else(|| format!("expected one of {}", LandMethod::words()))
}

fn parse_batch(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|count| *count > 0).ok_or_else(|| "expected a number of issues, at least 1".into())
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    if !args.dry_run {
        refuse_commands_in_hook("git wf land")?;
    }
    let Args { what, all, onto, how, batch, dry_run, timeout, yes } = args;
    let session = context.session()?;
    let landing = work::landing(&session, LandWork { what, all, onto, how, batch, dry_run })?;
    context.show_notices(session.notices());
    if yes && !dry_run {
        landing.agree()?;
    } else {
        agree_to_landing(&landing, context.json())?;
    }
    let is_verbose = context.is_verbose();
    let mut running = print::verify::RunningTests::on(&mut context.screen, is_verbose);
    let done = landing.run(timeout, &mut running)?;
    drop(running);
    let is_whole = done.view.not_landed.is_empty();
    context.answer(done, |view, _, screen| print::land::landed(screen, view))?;
    Ok(if is_whole { Exit::Done } else { Exit::Failed })
}
