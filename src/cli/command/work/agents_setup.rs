use crate::cli::input::ask;
use crate::cli::{CliContext, Exit, Failure, Outcome, print};
use crate::interchange::agent_files::{Agent, State};
use crate::model::{Other, RemedyCall};
use crate::ops::Refusal;
use crate::ops::work::{self, AgentFiles, AgentSetup, SetupTask};
use crate::ui;

/// Let coding agents use git wf in this repository: instructions, the MCP server and hooks
///
/// Writes what each agent reads, and nothing else: a section in AGENTS.md, CLAUDE.md or GEMINI.md, the MCP server `git-wf
/// mcp` in its configuration, and hooks that run `git wf prime` when a session starts and before the agent stops. --list
/// shows the files. Other content stays byte for byte; --remove restores the files as they were. An entry that someone
/// wrote by hand is kept. All of the files are changed, or none. Commit them to share them.
///
/// Without AGENT, --check covers the agents that are set up; --list and --remove cover all. gitwf-agents(7) says where the
/// formats come from, and what each agent asks before it uses them.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The agents: claude, codex, gemini, qwen, cursor, opencode, copilot or aider
    #[arg(value_name = "AGENT")]
    agents: Vec<Agent>,
    /// Fail if something is missing or outdated, and say what; change nothing
    #[arg(long, conflicts_with_all = ["remove", "list", "dry_run"])]
    check: bool,
    /// Remove what was written
    #[arg(long, conflicts_with = "list")]
    remove: bool,
    /// List the files that each agent reads, and their state
    #[arg(long, conflicts_with = "dry_run")]
    list: bool,
    /// Show the changes, and make none
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let task = match (args.check || args.list, args.remove) {
        (true, _) => SetupTask::Check,
        (_, true) => SetupTask::Remove,
        _ => SetupTask::Write,
    };
    let mut agents = args.agents;
    if agents.is_empty() && (args.list || task == SetupTask::Write) {
        let all = Agent::ALL.to_vec();
        agents = if args.list { all } else { asked(&session, context)? };
    }
    let is_dry = args.dry_run || task == SetupTask::Check;
    let done = work::agent_setup(&session, &AgentSetup { agents, task, is_dry })?;
    let fails = args.check && is_missing(&done.view);
    context.answer(done, |files, _, screen| match task {
        SetupTask::Check if args.list => print::agent_files::list(screen, files),
        SetupTask::Check => print::agent_files::check(screen, files),
        SetupTask::Write | SetupTask::Remove => print::agent_files::changes(screen, files, task, is_dry),
    })?;
    Ok(if fails { Exit::Failed } else { Exit::Done })
}

/// Whether a file is missing or must be written again, or nothing is set up.
fn is_missing(files: &AgentFiles) -> bool {
    let mut states = files.agents.iter().flat_map(|agent| &agent.files).map(|file| file.state);
    files.agents.is_empty()
        || states.any(|state| matches!(state, State::Missing | State::Outdated | State::Unusable))
}

fn listing() -> RemedyCall {
    RemedyCall::from(Other::AgentsSetup).flag("list")
}

fn unnamed() -> Failure {
    Refusal::usage("no agent is named")
        .hint(format!("name at least one of {}", Agent::words()))
        .remedy(listing(), "shows what each of them gets")
        .into()
}

/// Asks for which agents, beginning with those that the repository has files of.
fn asked(session: &crate::ops::Session, context: &CliContext) -> Result<Vec<Agent>, Failure> {
    if context.json() || !ui::can_ask() {
        return Err(unnamed());
    }
    let all = AgentSetup { agents: Agent::ALL.to_vec(), task: SetupTask::Check, is_dry: true };
    let view = work::agent_setup(session, &all)?.view;
    let found: Vec<&str> =
        view.agents.iter().filter(|agent| agent.is_found).map(|agent| agent.agent.as_str()).collect();
    let usual = found.join(" ");
    let offer = if usual.is_empty() { String::new() } else { format!(" [{usual}]") };
    let answer = ask::answer(&format!("For which agents ({})?{offer} ", Agent::words()))?;
    let answer = answer.ok_or_else(unnamed)?;
    let answer = if answer.is_empty() { usual } else { answer };
    let words = answer.split([' ', ',']).filter(|word| !word.is_empty());
    let agents: Vec<Agent> = words
        .map(|word| {
            word.parse().map_err(|why| {
                Refusal::usage(format!("`{word}` is not an agent; {why}"))
                    .remedy(listing(), "shows what each of them gets")
            })
        })
        .collect::<Result<_, _>>()?;
    if agents.is_empty() {
        return Err(unnamed());
    }
    Ok(agents)
}
