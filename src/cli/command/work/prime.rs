use std::io::{IsTerminal, Read, Write};

use serde_json::Value;

use crate::cli::{CliContext, Exit, Failure, Outcome, print};
use crate::interchange::agent_files::{Agent, HookForm};
use crate::model::{Code, strict};
use crate::ops::work::{self, PrimeAgent};
use crate::rules::Means;

/// Print what an agent needs at the start of a session: where it is, its task, what is ready
///
/// Prints at most about 1,200 tokens: what this worktree executes, the current task with its criteria, what is ready, the
/// commands that the agent needs, and the rules of its role. Nothing is fetched or changed, and the same state gives the
/// same text. Outside a repository, or without a store, nothing is printed.
///
/// `git wf agents setup` lets agents run this when a session starts.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The role to print it for (default: WF_ROLE)
    #[arg(long, value_parser = super::mcp::parse_role)]
    role: Option<String>,
    /// Print a reminder of an execution that has not ended, for a hook that runs when the agent stops
    #[arg(long, conflicts_with = "role")]
    stop: bool,
    /// Answer as the hooks of this agent expect: claude, codex, gemini, qwen, cursor or copilot
    #[arg(long, value_name = "AGENT", value_parser = parse_hook, conflicts_with = "json")]
    hook: Option<HookForm>,
}

fn parse_hook(text: &str) -> Result<HookForm, String> {
    Agent::parse(text).and_then(Agent::hook_form).ok_or_else(|| {
        let all = Agent::ALL.iter().filter(|agent| agent.hook_form().is_some());
        format!("expected one of {}", all.map(|agent| agent.as_str()).collect::<Vec<_>>().join(", "))
    })
}

/// Errors that say that there is no store here.
const NOWHERE: [Code; 2] = [Code::NotARepository, Code::Reftable];

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = match context.session() {
        Ok(session) => session,
        Err(Failure::Refused(refusal)) if NOWHERE.contains(&refusal.code) => return Ok(Exit::Done),
        Err(failure) => return Err(failure),
    };
    if args.stop {
        let already_continued = args.hook.is_some() && print::prime::already_continued(&hook_input());
        let reminder = work::reminder(&session)?.view;
        if already_continued {
            return Ok(Exit::Done);
        }
        let Some(reminder) = reminder else { return Ok(Exit::Done) };
        match args.hook {
            Some(form) => {
                if let Some(answer) = print::prime::stop_for(form, &reminder) {
                    context.screen.print_json(&answer)?;
                }
            }
            None if context.json() => context.screen.print_json(&reminder)?,
            None => writeln!(context.screen, "{}", print::prime::reminder(&reminder))?,
        }
        return Ok(Exit::Done);
    }
    let input = PrimeAgent { role: args.role, means: Means::Commands };
    let Some(prime) = work::prime(&session, &input)?.view else {
        return Ok(Exit::Done);
    };
    match args.hook {
        Some(form) => {
            let answer = print::prime::start_for(form, print::prime::prime(&prime));
            context.screen.print_json(&answer)?;
        }
        None if context.json() => context.screen.print_json(&prime)?,
        None => write!(context.screen, "{}", print::prime::prime(&prime))?,
    }
    Ok(Exit::Done)
}

/// What an agent writes to the stdin of a hook; null if it writes nothing that can be read.
fn hook_input() -> Value {
    const MOST: u64 = 1 << 20;
    let mut text = String::new();
    let stdin = std::io::stdin();
    if stdin.is_terminal() || stdin.lock().take(MOST).read_to_string(&mut text).is_err() {
        return Value::Null;
    }
    strict::parse_text(&text).unwrap_or_default()
}
