use std::time::Duration;

use crate::cli::input::consent::{agree, refuse_commands_in_hook};
use crate::cli::input::parse_limit;
use crate::cli::{CliContext, Exit, Failure, Outcome, print};
use crate::model::Code;
use crate::ops::work::{self, Verified, VerifyTests};
use crate::ops::{Done, Notice, Refusal, Session};

/// Run the plan's test commands and record the results
///
/// You are asked before commands run, except for those that you typed in this clone (with `plan` or `task`; not in a file
/// or in a role). Your consent covers the commands shown, for this version of the plan. A command with a line break or an
/// invisible character is never run.
///
/// A test that passes is one line; --verbose shows what every test prints, as it runs.
///
/// With --fresh, they run as in a run or in `land`: in a clone that is made for them, on what is committed, confined where
/// possible. If the work changes tests, they are tested themselves: they must pass as they were before the work, and fail
/// without it.
///
/// In a git hook, `verify` runs nothing. (Aliases, `git rebase --exec` and `git bisect run` are not hooks.) If a hook
/// starts `verify` in the background and exits, `verify` may not notice it: then it runs only the commands that you
/// have consented to, or all with --yes.
///
/// When `verify` ends, even by SIGKILL, its command is killed with its process group. On Linux, so is every process that
/// the command started, except through a service that was already running.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The execution, or its issue, plan or item (default: this worktree's)
    execution: Option<String>,
    /// Run only the tests of this task; repeat for more
    #[arg(long = "task", value_name = "TASK")]
    tasks: Vec<String>,
    /// Run them in a fresh workplace, on what is committed, and test the tests themselves
    #[arg(long)]
    fresh: bool,
    /// Run them as a verifier, and sign the results; without EXECUTION, those of each execution whose evidence lacks a signature
    #[arg(long, conflicts_with = "tasks")]
    as_verifier: bool,
    /// Stop a command that takes longer than this, such as 90s, 30m or 2h
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = parse_limit)]
    timeout: Duration,
    /// Run the commands without asking
    #[arg(long)]
    yes: bool,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    refuse_commands_in_hook("git wf verify")?;
    let session = context.session()?;
    if args.as_verifier && args.execution.is_none() {
        return run_waiting(&args, &session, context);
    }
    let Args { execution, tasks, fresh, as_verifier, .. } = &args;
    let tests = VerifyTests {
        execution: execution.clone(),
        tasks: tasks.clone(),
        fresh: *fresh,
        as_verifier: *as_verifier,
    };
    let done = verified(&args, &session, &tests, context)?;
    let passed = done.view.passed;
    context.answer(done, |verified, _, screen| print::verify::verified(screen, verified))?;
    Ok(if passed { Exit::Done } else { Exit::Failed })
}

fn verified(
    args: &Args,
    session: &Session,
    tests: &VerifyTests,
    context: &mut CliContext,
) -> Result<Done<Verified>, Failure> {
    let verification = work::verification(session, tests)?;
    context.show_notices(session.notices());
    if !args.yes {
        agree(&verification, context.json())?;
    }
    let is_verbose = context.is_verbose();
    let mut running = print::verify::RunningTests::on(&mut context.screen, is_verbose);
    Ok(verification.run(args.timeout, &mut running)?)
}

/// Verifies all that waits for a verifier. What cannot be verified does not stop the others.
fn run_waiting(args: &Args, session: &Session, context: &mut CliContext) -> Outcome {
    let mut all = Vec::new();
    let mut is_left = false;
    for id in work::waiting_for_verifier(session)? {
        let tests = VerifyTests { as_verifier: true, ..VerifyTests::new(&id) };
        match verified(args, session, &tests, context) {
            Ok(done) => all.push(done.view),
            Err(Failure::Refused(refusal)) if !stops_all(&refusal) => {
                is_left = true;
                let words = format!("`{}` is not verified: {}", id.short(), refusal.message);
                context.show_notices([Notice { remedies: refusal.remedies, ..Notice::warning(words) }]);
            }
            Err(failure) => return Err(failure),
        }
    }
    let passed = !is_left && all.iter().all(|verified| verified.passed);
    context.answer(session.done(all, None), |all, _, screen| {
        all.iter().try_for_each(|tests| print::verify::verified(screen, tests))
    })?;
    Ok(if passed { Exit::Done } else { Exit::Failed })
}

/// Whether the next execution would be refused for the same reason.
fn stops_all(refusal: &Refusal) -> bool {
    refusal.is_stop()
        || matches!(
            refusal.code,
            Code::NoSigningKey | Code::CannotSign | Code::Config | Code::NotAgreed | Code::GitTooOld
        )
}
