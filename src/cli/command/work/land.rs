use std::time::Duration;

use crate::cli::context::parse_reason;
use crate::cli::input::consent::{agree_to_landing, refuse_commands_in_hook};
use crate::cli::input::parse_limit;
use crate::cli::{CliContext, Exit, Outcome, print};
use crate::ops::Refusal;
use crate::ops::work::{
    self, LandByPullRequest, LandMethod, LandStatement, LandWork, PullState, StateLanded,
};

/// Land completed work on the branch that everyone shares
///
/// The work is put on top of the target branch as it is now, without touching a work tree. The tests of the plans and those of
/// `wf.land.test` run on the result in a fresh workplace; if they pass, the branch moves: at the remote first, together with
/// the store, then here. If the branch has moved meanwhile, landing starts over. Nothing is locked while tests run.
///
/// The target is the policy `land.onto`, else `wf.land.onto`, else the remote's default branch, else `main` or `master`.
///
/// Work that conflicts with the branch does not land; its issue gets feedback that names the other plan and shows the
/// conflict. Completed work of other issues on which it builds lands before it, with its own tests. The branch of this clone
/// only moves forward; if it is checked out, changes of yours in other files stay.
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
    /// How to land: merge, rebase or squash
    #[arg(long, value_name = "HOW", default_value = "merge")]
    how: LandMethod,
    /// Test and push up to N issues together; if their tests fail, halves of them
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true, value_parser = parse_batch)]
    batch: usize,
    /// Show what would land, in which order, with conflicts and tests
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Land a merge whose conflicts you have resolved in the work tree that `land` made for it
    #[arg(long = "continue", conflicts_with_all = ["all", "onto", "dry_run", "batch"])]
    resolved: bool,
    /// Open a pull request for each issue on GitHub with `gh`, or update it, instead of landing
    #[arg(long, conflicts_with_all = ["how", "batch", "dry_run", "resolved", "as_commit", "none", "timeout", "yes"])]
    pr: bool,
    /// Follow the pull requests until the host has merged or closed them; failed checks and reviews become feedback
    #[arg(long, requires = "pr")]
    watch: bool,
    /// Record that this commit of the target has the issue's work, if git does not show it
    #[arg(long = "as", value_name = "COMMIT", requires = "what", conflicts_with_all = ["all", "how", "batch", "dry_run", "resolved", "timeout", "yes"])]
    as_commit: Option<String>,
    /// Record that nothing of the issue needs to land; -m says why
    #[arg(long, requires_all = ["what", "message"], conflicts_with_all = ["all", "onto", "how", "batch", "dry_run", "resolved", "timeout", "yes", "as_commit"])]
    none: bool,
    /// Why, with --none or --as
    #[arg(short, long, value_name = "WHY", requires = "what", value_parser = parse_reason)]
    message: Option<String>,
    /// Stop a test that takes longer than this, such as 90s, 30m or 2h
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = parse_limit)]
    timeout: Duration,
    /// Run the tests without asking
    #[arg(long)]
    yes: bool,
}

fn parse_batch(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|count| *count > 0)
        .ok_or_else(|| "expected a number of issues, at least 1".into())
}

/// What a person says about the landing of an issue, if anything.
fn statement(args: &Args) -> Result<Option<StateLanded>, Refusal> {
    let statement = match (&args.as_commit, args.none) {
        (Some(commit), _) => LandStatement::As(commit.clone()),
        (None, true) => LandStatement::Nothing,
        (None, false) if args.message.is_some() => {
            return Err(
                Refusal::usage("`-m` says why with `--none` or `--as`").hint("leave it out to land work")
            );
        }
        (None, false) => return Ok(None),
    };
    let [issue] = &args.what[..] else {
        return Err(Refusal::usage("a statement is about one issue").hint("name one"));
    };
    let (issue, onto, reason) = (issue.clone(), args.onto.clone(), args.message.clone());
    Ok(Some(StateLanded { issue, statement, onto, reason }))
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    if let Some(input) = statement(&args)? {
        let done = work::state_landed(&session, &input)?;
        return context.answer(done, |stated, _, screen| print::land::stated(screen, stated));
    }
    if args.pr {
        let Args { what, all, onto, watch, .. } = args;
        let input = LandByPullRequest { what, all, onto, watch };
        let done = work::land_by_pull_request(&session, &input)?;
        let mut states = done.view.pulls.iter().map(|pulled| pulled.state);
        let is_any_lost = states.any(|state| matches!(state, PullState::Closed | PullState::Incomplete));
        context.answer(done, |view, _, screen| print::land::pulled(screen, view))?;
        return Ok(if is_any_lost { Exit::Failed } else { Exit::Done });
    }
    if !args.dry_run {
        refuse_commands_in_hook("git wf land")?;
    }
    let Args { what, all, onto, how, batch, dry_run, resolved, timeout, yes, .. } = args;
    let input = LandWork { what, all, onto, how, batch, dry_run, by_hand: true };
    let landing = if resolved { work::continued(&session, input)? } else { work::landing(&session, input)? };
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
    let is_whole =
        done.view.not_landed.is_empty() && done.view.landed.iter().all(|landed| landed.missing.is_empty());
    context.answer(done, |view, _, screen| print::land::landed(screen, view))?;
    Ok(if is_whole { Exit::Done } else { Exit::Failed })
}
