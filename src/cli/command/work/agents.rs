use std::time::Duration;

use crate::cli::input::fields::FieldArgs;
use crate::cli::input::{parse_limit, parse_role};
use crate::cli::{CliContext, Failure, Outcome, named, print, read_text};
use crate::model::Code;
use crate::model::strict::{self, strict_fault};
use crate::ops::Refusal;
use crate::ops::work::{self, Question, TestAgent};
use crate::process::supervise::Interrupts;
use crate::rules::Role;

/// List and test the agents that plan, review and execute, and set the repository up for coding agents
///
/// An agent is a command. `git wf agents list` shows the presets; git config (wf.agent.NAME.command and others) adds agents
/// and changes presets. Instead of a name, you can give a command line that contains a space or a `/`; prefix it with `acp:`
/// if it speaks the Agent Client Protocol, or with `sh:` to run it in a shell. gitwf-agents(7) describes the settings, what an
/// agent is asked and how it answers.
///
/// `git wf agents setup` is for agents that you start yourself: it lets them find git wf in this repository.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: AgentCommand,
}

#[derive(Debug, clap::Subcommand)]
enum AgentCommand {
    Setup(super::agents_setup::Args),
    /// List the agents, where each setting comes from, and whether the program is found
    ///
    /// The column ROLES lists the roles for which git config (wf.run.explorer, .planner, .reviewer, .executor) names the agent:
    /// `git wf run` uses it for them unless told otherwise.
    List(FieldArgs),
    /// Start an agent, and test whether it answers
    ///
    /// Its output is shown on stderr, and kept in a file in the git directory.
    Test {
        /// An agent's name, or a command line
        agent: String,
        /// The agent's role
        #[arg(long, default_value = "explorer", value_parser = parse_role)]
        role: Role,
        /// Send it a request for ROLE with this JSON as input (`-` for stdin), and print a valid answer
        ///
        /// The input is what `git wf context --for ROLE --json` prints. The agent works in a clone of this repository, which is
        /// prepared like a worktree and removed afterwards. What an executor commits there is checked, and not kept.
        #[arg(long, value_name = "FILE")]
        input: Option<String>,
        /// Also send a request over the Agent Client Protocol; without this option, an agent that speaks it is only greeted
        #[arg(long, conflicts_with = "input")]
        ask: bool,
        /// Stop it if it takes longer than this, such as 90s, 30m or 2h (default: as configured)
        #[arg(long, value_name = "TIME", value_parser = parse_limit)]
        timeout: Option<Duration>,
    },
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    match args.command {
        AgentCommand::Setup(args) => super::agents_setup::run(args, context),
        AgentCommand::List(fields) => {
            context.only(fields);
            let done = work::agents(&*context.session()?)?;
            context.answer(done, |agents, _, screen| print::agent::agents(screen, agents))
        }
        AgentCommand::Test { agent, role, input, ask, timeout } => {
            let session = context.session()?;
            let question = question(input.as_deref(), ask)?;
            let mut running = print::agent::RunningAgent::new(
                Interrupts::catch_within(session.environment())?,
                context.json(),
            );
            let done =
                work::test_agent(&session, &TestAgent { agent, role, question, timeout }, &mut running);
            running.finish();
            context.answer(done?, |tested, _, screen| print::agent::tested(screen, tested))
        }
    }
}

fn question(input: Option<&str>, ask: bool) -> Result<Question, Failure> {
    let Some(path) = input else {
        return Ok(if ask { Question::Ping } else { Question::Greeting });
    };
    let text = read_text(path)?;
    let value = strict::parse_text(&text).map_err(|fault| {
        Refusal::new(Code::InvalidJson, format!("{} is not JSON: {}", named(path), strict_fault(&fault)))
            .hint("`git wf context --for ROLE --json` prints the input of a role")
    })?;
    Ok(Question::Input(value))
}
