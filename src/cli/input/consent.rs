//! Consent: to the commands of a plan, which nobody gives from a git hook.

use super::ask;
use crate::agent::in_hook;
use crate::cli::{Failure, environment, print};
use crate::model::{Code, Op, RemedyCall, exact};
use crate::ops::work::{self, Landing, Verification};
use crate::ops::{Refusal, Session};
use crate::ui;

/// Agents and the commands of plans never run from a git hook.
pub(in crate::cli) fn refuse_agents_in_hook(command: &str) -> Result<(), Failure> {
    let Some(shown) = in_hook::shown_by(&environment()) else { return Ok(()) };
    Err(Refusal::new(Code::InAHook, format!("agents never run from a git hook, and {shown}"))
        .hint(format!("run `git wf {command}` by hand or from your own script"))
        .into())
}

/// Refuses to run a plan's commands from a git hook.
pub(in crate::cli) fn refuse_commands_in_hook(command: &str) -> Result<(), Failure> {
    let Some(shown) = in_hook::shown_by(&environment()) else { return Ok(()) };
    let message = format!("a plan's commands never run from a git hook, and {shown}");
    Err(Refusal::new(Code::InAHook, message)
        .command(command, "runs them, by hand or from your own script")
        .into())
}

/// Asks for consent to commands that nobody here has agreed to yet.
pub(in crate::cli) fn agree(verification: &Verification<'_>, json: bool) -> Result<(), Failure> {
    let new = verification.unseen()?;
    if new.is_empty() {
        return Ok(());
    }
    let yes = RemedyCall::new(Op::Verify, [verification.execution_id()]).flag("yes");
    if !ui::can_ask() || json {
        return Err(Refusal::new(Code::NotAgreed, "these commands need your consent")
            .details(new.iter().map(|test| print::verify::line(test)).collect())
            .hint("run it in a terminal to be asked")
            .remedy(yes, "runs them, once you have read them")
            .into());
    }
    print::verify::asked(&new, new.len() < verification.count(), verification.folder());
    if !ask::agrees("Run them, now and whenever this plan is verified here? [y/N] ", false)? {
        return Err(Refusal::new(Code::NotAgreed, "the commands were not run")
            .hint("they run only once you agree")
            .remedy(yes, "agrees and runs them")
            .into());
    }
    Ok(verification.agree(&new)?)
}

/// Asks for consent to the setup commands of worktrees that nobody here has agreed to yet, or gives it if `yes`. Without
/// a terminal, the claim itself is refused.
pub(in crate::cli) fn agree_to_setup(session: &Session, yes: bool, json: bool) -> Result<(), Failure> {
    let new = work::unseen_setup(session)?;
    if new.is_empty() || (!yes && (!ui::can_ask() || json)) {
        return Ok(());
    }
    refuse_commands_in_hook("git wf next --worktree")?;
    if !yes {
        ui::say("Setup commands for new worktrees:");
        for command in &new {
            ui::say(&format!("  {}", exact(command.as_str())));
        }
        if !ask::agrees("Run them now and in every later worktree of this repository? [y/N] ", false)? {
            return Err(Refusal::new(Code::NotAgreed, "nothing was claimed")
                .hint("worktrees are set up only once you agree")
                .into());
        }
    }
    Ok(work::agree_to_own(session, &new)?)
}

/// Asks for consent to the tests of a landing that nobody here has agreed to yet.
pub(in crate::cli) fn agree_to_landing(landing: &Landing<'_>, json: bool) -> Result<(), Failure> {
    let new = landing.unseen()?;
    if new.is_empty() {
        return Ok(());
    }
    let yes = RemedyCall::new(Op::Land, landing.issue_ids()).flag("yes");
    if !ui::can_ask() || json {
        return Err(Refusal::new(Code::NotAgreed, "these commands need your consent")
            .details(new.iter().map(|test| print::verify::line(test)).collect())
            .hint("run it in a terminal to be asked")
            .remedy(yes, "runs them, once you have read them")
            .into());
    }
    ui::say(&format!("Landing runs {} in a fresh workplace:", ui::text::count(new.len(), "command")));
    for test in &new {
        ui::say(&format!("  {}", print::verify::line(test)));
    }
    if !ask::agrees("Run them, now and whenever this work is tested here? [y/N] ", false)? {
        return Err(Refusal::new(Code::NotAgreed, "the commands were not run, so nothing landed")
            .hint("they run only once you agree")
            .remedy(yes, "agrees and runs them")
            .into());
    }
    Ok(landing.agree()?)
}
