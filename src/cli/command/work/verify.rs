use std::io::BufRead;
use std::time::Duration;

use crate::agent::in_hook;
use crate::cli::input::parse_limit;
use crate::cli::{Context, Exit, Failure, Outcome, environment, print};
use crate::model::code::Code;
use crate::model::op::Op;
use crate::model::remedy::Call;
use crate::ops::work::{self, Verification};
use crate::ui;

/// Run the plan's test commands and record the results
///
/// You are asked before commands run. Your consent covers the commands shown, for this version of the plan. A command
/// with a line break or an invisible character is never run.
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
    /// Stop a command that takes longer than this, such as 90s, 30m or 2h
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = parse_limit)]
    timeout: Duration,
    /// Run the commands without asking
    #[arg(long)]
    yes: bool,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    refuse_in_hook("git wf verify")?;
    let session = context.session()?;
    let verification = work::verification(&session, args.execution.as_deref(), &args.tasks)?;
    context.show_notices(session.notices());
    if !args.yes {
        agree(&verification, context.json())?;
    }
    let done = verification.run(args.timeout, &mut print::verify::Running::on(&mut context.screen))?;
    let passed = done.view.passed;
    context.answer(done, |verified, _, screen| print::verify::verified(screen, verified))?;
    Ok(if passed { Exit::Done } else { Exit::Failed })
}

/// Refuses to run a plan's commands from a git hook.
pub(super) fn refuse_in_hook(command: &str) -> Result<(), Failure> {
    let Some(shown) = in_hook::shown_by(&environment()) else { return Ok(()) };
    let message = format!("a plan's commands never run from a git hook, and {shown}");
    Err(Failure::new(Code::InAHook, message).command(command, "runs them, by hand or from your own script"))
}

/// Asks for consent to commands that nobody here has agreed to yet.
pub(super) fn agree(verification: &Verification<'_>, json: bool) -> Result<(), Failure> {
    let new = verification.unseen()?;
    if new.is_empty() {
        return Ok(());
    }
    let yes = Call::new(Op::Verify, [verification.execution_id()]).flag("yes");
    if !ui::can_ask() || json {
        return Err(Failure::new(Code::NotAgreed, "these commands need your consent")
            .details(new.iter().map(|test| print::verify::line(test)).collect())
            .hint("run it in a terminal to be asked")
            .remedy(yes, "runs them, once you have read them"));
    }
    print::verify::asked(&new, new.len() < verification.count(), verification.folder());
    ui::ask("Run them, now and whenever this plan is verified here? [y/N] ");
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    if !matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
        return Err(Failure::new(Code::NotAgreed, "the commands were not run")
            .hint("they run only once you agree")
            .remedy(yes, "agrees and runs them"));
    }
    Ok(verification.agree(&new)?)
}
