//! Sets a repository up for coding agents: their instructions, the MCP server, and hooks. Either all files are changed or
//! none.

mod work_files;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::code::Code;
use crate::model::op::Other;
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::rules::agent_files::{self as files, AGENTS, Agent, Fault, Gives, Piece, Reads, SHARED, State};
pub(crate) use work_files::Change;
use work_files::WorkFiles;

/// The action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    /// Write what is missing or outdated.
    Write,
    /// Remove what was set up.
    Remove,
    /// Look only.
    Check,
}

/// For which agents to do what.
#[derive(Debug)]
pub(crate) struct AgentSetup {
    /// The agents. Without any: to remove, all; to check, those that are set up.
    pub(crate) agents: Vec<Agent>,
    /// The action.
    pub(crate) task: Task,
    /// Whether to change nothing, and show the differences.
    pub(crate) is_dry: bool,
}

/// The state of agents in a work tree, and what was changed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentFiles {
    /// The agents.
    pub(crate) agents: Vec<AgentState>,
    /// The files that were changed, or would be.
    pub(crate) changes: Vec<FileChange>,
}

/// What one agent reads.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentState {
    /// The agent.
    pub(crate) agent: Agent,
    /// Whether the repository has files of it.
    pub(crate) is_found: bool,
    /// Whether any of what only it reads is there.
    pub(crate) is_set_up: bool,
    /// What it reads.
    pub(crate) files: Vec<PieceState>,
}

/// Something that an agent reads.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PieceState {
    /// The file, from the top of the work tree.
    pub(crate) path: String,
    /// What it gives to the agent.
    pub(crate) gives: Gives,
    /// Whether it is there.
    pub(crate) state: State,
}

/// A file that was changed, or would be.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FileChange {
    /// The file, from the top of the work tree.
    pub(crate) path: String,
    /// What happened to it.
    pub(crate) change: Change,
    /// The differences; only with `--dry-run`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) diff: Option<String>,
}

/// Writes, removes or checks the files of agents.
///
/// # Errors
/// `no-work-tree`; `cannot-edit` for a file that cannot be read or safely changed.
pub(crate) fn agent_setup(session: &Session, input: &AgentSetup) -> Answer<AgentFiles> {
    let top = session.store().work_dir().ok_or_else(|| {
        Refusal::new(Code::NoWorkTree, "a bare repository has no files for agents")
            .command("git worktree add DIRECTORY", "creates a work tree, in which it has them")
    })?;
    let mut work = WorkFiles::at(&top)?;
    let chosen = chosen(&mut work, input)?;
    match input.task {
        Task::Check => {}
        Task::Write => {
            for reads in &chosen {
                for piece in &reads.pieces {
                    let path = path_of(&mut work, reads.agent, piece)?;
                    let text = work.text(&path)?.map(str::to_owned);
                    let with = piece.put_into(text.as_deref()).map_err(|fault| unfit(&path, &fault))?;
                    work.set(&path, Some(with))?;
                }
            }
        }
        Task::Remove => remove(&mut work, &chosen)?,
    }
    let changes = work.changes(input.is_dry);
    let mut agents = Vec::new();
    for reads in &chosen {
        agents.push(state_of(&mut work, reads)?);
    }
    if !input.is_dry {
        work.apply()?;
    }
    if input.task == Task::Write && session.store().tip()?.is_none() {
        session.notice(
            Notice::note("this repository has no issues yet").remedy(Other::Init, "creates their store"),
        );
    }
    Ok(session.done(AgentFiles { agents, changes }, None))
}

/// The agents to look at.
fn chosen<'a>(work: &mut WorkFiles, input: &AgentSetup) -> Result<Vec<&'a Reads>, Refusal> {
    let wanted: BTreeSet<Agent> = input.agents.iter().copied().collect();
    let all = AGENTS.iter();
    if !wanted.is_empty() {
        return Ok(all.filter(|it| wanted.contains(&it.agent)).collect());
    }
    let mut found = Vec::new();
    for reads in all {
        if input.task != Task::Check || is_set_up(work, reads)? {
            found.push(reads);
        }
    }
    Ok(found)
}

/// Removes what these agents read, except instructions that another agent still reads.
fn remove(work: &mut WorkFiles, chosen: &[&Reads]) -> Result<(), Refusal> {
    let mut still_read = BTreeSet::new();
    for other in AGENTS.iter().filter(|it| chosen.iter().all(|reads| reads.agent != it.agent)) {
        // If a file of another agent cannot be read, it may be set up.
        if matches!(is_set_up(work, other), Ok(false)) {
            continue;
        }
        for piece in other.pieces.iter().filter(|it| it.gives == Gives::Instructions) {
            if let Ok(path) = path_of(work, other.agent, piece) {
                still_read.insert(work.real(&path)?);
            }
        }
    }
    for reads in chosen {
        // In reverse order of installation.
        for piece in reads.pieces.iter().rev() {
            let mut paths: Vec<String> = piece.paths.iter().map(|it| (*it).to_owned()).collect();
            paths.push(path_of(work, reads.agent, piece)?);
            paths.dedup();
            for path in paths {
                if piece.gives == Gives::Instructions && still_read.contains(&work.real(&path)?) {
                    continue;
                }
                let Some(text) = work.text(&path)?.map(str::to_owned) else { continue };
                let without = piece.take_out_of(&text).map_err(|fault| unfit(&path, &fault))?;
                work.set(&path, without)?;
            }
        }
    }
    Ok(())
}

/// Where something is, or belongs.
fn path_of(work: &mut WorkFiles, agent: Agent, piece: &Piece) -> Result<String, Refusal> {
    if piece.gives == Gives::Instructions {
        return instructions_of(work, agent, piece);
    }
    first_existing(work, piece)
}

fn first_existing(work: &mut WorkFiles, piece: &Piece) -> Result<String, Refusal> {
    for path in piece.paths {
        if work.text(path)?.is_some() {
            return Ok((*path).to_owned());
        }
    }
    Ok(piece.paths[0].to_owned())
}

/// The file in which an agent reads its instructions.
fn instructions_of(work: &mut WorkFiles, agent: Agent, piece: &Piece) -> Result<String, Refusal> {
    let asked = |work: &mut WorkFiles, path: &str, ask: fn(Option<&str>) -> Result<String, Fault>| {
        ask(work.text(path)?).map_err(|fault| unfit(path, &fault))
    };
    let path = match agent {
        Agent::Gemini => asked(work, ".gemini/settings.json", files::instructions_of_gemini)?,
        Agent::Aider => asked(work, ".aider.conf.yml", files::instructions_of_aider)?,
        _ => first_existing(work, piece)?,
    };
    if matches!(agent, Agent::Claude | Agent::Gemini)
        && let Some(text) = work.text(&path)?
        && files::imports_agents(text).map_err(|fault| unfit(&path, &fault))?
    {
        return Ok(SHARED.to_owned());
    }
    Ok(path)
}

fn state_of(work: &mut WorkFiles, reads: &Reads) -> Result<AgentState, Refusal> {
    let mut found = Vec::new();
    for piece in &reads.pieces {
        let path = path_of(work, reads.agent, piece)?;
        let state = piece.state(work.text(&path)?).map_err(|fault| unfit(&path, &fault))?;
        found.push(PieceState { path, gives: piece.gives, state });
    }
    let is_found = reads.signs.iter().any(|path| work.exists(path));
    Ok(AgentState { agent: reads.agent, is_found, is_set_up: is_set_up(work, reads)?, files: found })
}

/// Whether anything was written that only this agent reads.
fn is_set_up(work: &mut WorkFiles, reads: &Reads) -> Result<bool, Refusal> {
    for piece in &reads.pieces {
        let path = path_of(work, reads.agent, piece)?;
        if path == SHARED {
            continue;
        }
        let state = piece.state(work.text(&path)?).map_err(|fault| unfit(&path, &fault))?;
        if matches!(state, State::Current | State::Outdated) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn unfit(path: &str, fault: &Fault) -> Refusal {
    Refusal::new(Code::CannotEdit, format!("`{path}` {fault}"))
        .hint(format!("{}; nothing was changed", fault.advice()))
}
