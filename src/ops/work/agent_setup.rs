//! Sets a repository up for coding agents: their instructions, the MCP server, and hooks. Either all files are changed or
//! none.
//!
//! `agents setup` edits what coding agents read: `interchange/agent_files/table.rs` says which files, and the modules beside it
//! edit a text (a section between markers, entries of JSON) so that it can be restored byte for byte.
//! `ops/work/agent_setup.rs` reads all files, makes all texts, and writes them only if every file can be edited. The
//! hooks call `prime` (`ops/work/prime.rs`, `rules/prime.rs`) when a session starts, and `ops/work/reminder.rs` when the
//! agent stops.

mod work_files;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use crate::interchange::agent_files::{
    self as files, AGENTS, Agent, AgentFileFault, Gives, Piece, Reads, SHARED, State,
};
use crate::model::{Code, Other};
use crate::ops::{Answer, Notice, Refusal, Session};
use work_files::{Change, WorkFiles};

/// The action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SetupTask {
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
    pub(crate) task: SetupTask,
    /// Whether to change nothing, and show the differences.
    pub(crate) is_dry: bool,
}

/// The state of agents in a work tree, and what was changed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentFiles {
    /// The agents.
    pub(crate) agents: Vec<AgentState>,
    /// The files that were changed, or would be.
    pub(crate) changes: Vec<SetupChange>,
}

/// What one agent reads.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentState {
    /// The agent.
    pub(crate) agent: Agent,
    /// Whether the repository has files of it.
    pub(crate) is_found: bool,
    /// Whether something that only this agent reads is there.
    pub(crate) is_set_up: bool,
    /// What it reads.
    pub(crate) files: Vec<PieceState>,
    /// What the agent asks its user before it uses these files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) consent: Option<&'static str>,
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
    /// Why it is `unusable`; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
}

/// A file that was changed, or would be.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SetupChange {
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
/// `no-work-tree`; `cannot-edit` for a file that cannot be read or safely changed, except to check: then its state is
/// `unusable`.
pub(crate) fn agent_setup(session: &Session, input: &AgentSetup) -> Answer<AgentFiles> {
    if !input.is_dry && !matches!(input.task, SetupTask::Check) {
        session.refuse_roles(Other::AgentsSetup.as_str())?;
    }
    let top = session.store().work_dir().ok_or_else(|| {
        Refusal::new(Code::NoWorkTree, "a bare repository has no files for agents")
            .command("git worktree add DIRECTORY", "creates a work tree, which can have them")
    })?;
    let mut work = WorkFiles::at(&top)?;
    let chosen = chosen(&mut work, input);
    match input.task {
        SetupTask::Check => {}
        SetupTask::Write => {
            for reads in &chosen {
                for piece in &reads.pieces {
                    let path = path_of(&mut work, reads.agent, piece)?;
                    let text = work.text(&path)?.map(str::to_owned);
                    refuse_unreadable(reads.agent, piece, &path, text.as_deref())?;
                    let with = piece.put_into(text.as_deref()).map_err(|fault| unfit(&path, &fault))?;
                    work.set(&path, Some(with))?;
                }
            }
        }
        SetupTask::Remove => {
            for kept in remove(&mut work, &chosen)? {
                session.notice(Notice::note(kept));
            }
        }
    }
    let changes = work.changes(input.is_dry);
    let mut agents = Vec::new();
    for reads in &chosen {
        agents.push(match input.task {
            SetupTask::Check => checked(&mut work, reads),
            SetupTask::Write | SetupTask::Remove => state_of(&mut work, reads)?,
        });
    }
    if !input.is_dry {
        work.apply()?;
    }
    if input.task == SetupTask::Write && session.store().tip()?.is_none() {
        session.notice(Notice::note("this repository has no store yet").remedy(Other::Init, "creates it"));
    }
    Ok(session.done(AgentFiles { agents, changes }, None))
}

/// The agents to look at.
fn chosen<'a>(work: &mut WorkFiles, input: &AgentSetup) -> Vec<&'a Reads> {
    let wanted: BTreeSet<Agent> = input.agents.iter().copied().collect();
    let all = AGENTS.iter();
    match (wanted.is_empty(), input.task) {
        (false, _) => all.filter(|reads| wanted.contains(&reads.agent)).collect(),
        (true, SetupTask::Check) => all.filter(|reads| may_be_set_up(work, reads)).collect(),
        (true, SetupTask::Write | SetupTask::Remove) => all.collect(),
    }
}

/// Whether an agent is set up. If that cannot be determined: whether its files contain something of ours.
fn may_be_set_up(work: &mut WorkFiles, reads: &Reads) -> bool {
    is_set_up(work, reads).unwrap_or_else(|_| is_mentioned(work, reads))
}

/// Removes what these agents read, except instructions that another agent still reads. Returns what was kept, and why.
fn remove(work: &mut WorkFiles, chosen: &[&Reads]) -> Result<BTreeSet<String>, Refusal> {
    let mut still_read: BTreeMap<PathBuf, String> = BTreeMap::new();
    for other in AGENTS.iter().filter(|agent| chosen.iter().all(|reads| reads.agent != agent.agent)) {
        let why = match is_set_up(work, other) {
            Ok(false) => continue,
            Ok(true) => format!("{} also reads it", other.agent),
            // It may be set up, unless its files contain nothing of ours.
            Err(_) if !is_mentioned(work, other) => continue,
            Err(refusal) => format!("{} may read it, but {}", other.agent, refusal.message),
        };
        for piece in other.pieces.iter().filter(|piece| piece.gives == Gives::Instructions) {
            // If its settings cannot be read, it reads its usual files.
            let path = path_of(work, other.agent, piece).unwrap_or_else(|_| piece.paths[0].to_owned());
            // These agents do not share a file through a link that leads out of the work tree.
            let Ok(real) = work.real(&path) else { continue };
            still_read.entry(real).or_insert_with(|| why.clone());
        }
    }
    let mut kept = BTreeSet::new();
    for reads in chosen {
        // In reverse order of installation.
        for piece in reads.pieces.iter().rev() {
            let mut paths: Vec<String> = piece.paths.iter().map(|path| (*path).to_owned()).collect();
            paths.push(path_of(work, reads.agent, piece)?);
            paths.dedup();
            for path in paths {
                let Some(text) = work.text(&path)?.map(str::to_owned) else { continue };
                let without = piece.take_out_of(&text).map_err(|fault| unfit(&path, &fault))?;
                if piece.gives == Gives::Instructions
                    && let Some(why) = still_read.get(&work.real(&path)?)
                {
                    if without.as_deref() != Some(&*text) {
                        kept.insert(format!("kept the section in `{path}`: {why}"));
                    }
                    continue;
                }
                work.set(&path, without)?;
            }
        }
    }
    Ok(kept)
}

/// Whether this program occurs in any file of an agent, whether or not the file can be understood. A file that cannot be read
/// at all counts, unless it is outside of the work tree, where this program writes nothing.
fn is_mentioned(work: &mut WorkFiles, reads: &Reads) -> bool {
    let others = reads.pieces.iter().filter(|piece| piece.gives != Gives::Instructions);
    let mut paths = others.flat_map(|piece| piece.paths);
    paths.any(|path| {
        work.real(path).is_ok()
            && work.text(path).map_or(true, |text| text.is_some_and(|text| text.contains(files::PROGRAM)))
    })
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
    let asked =
        |work: &mut WorkFiles, path: &str, ask: fn(Option<&str>) -> Result<String, AgentFileFault>| {
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
        found.push(PieceState { path, gives: piece.gives, state, why: None });
    }
    let is_set_up = is_set_up(work, reads)?;
    Ok(with_files(work, reads, is_set_up, found))
}

/// The state of an agent's files, even if one cannot be read.
fn checked(work: &mut WorkFiles, reads: &Reads) -> AgentState {
    let files = reads.pieces.iter().map(|piece| {
        let found = path_of(work, reads.agent, piece).and_then(|path| {
            let text = work.text(&path)?.map(str::to_owned);
            let state = piece.state(text.as_deref()).map_err(|fault| unfit(&path, &fault))?;
            // What is set up in a file that its agent cannot read is of no use.
            if state != State::Missing {
                refuse_unreadable(reads.agent, piece, &path, text.as_deref())?;
            }
            Ok((path, state))
        });
        let (path, state, why) = match found {
            Ok((path, state)) => (path, state, None),
            Err(refusal) => (piece.paths[0].to_owned(), State::Unusable, Some(refusal.message)),
        };
        PieceState { path, gives: piece.gives, state, why }
    });
    let files = files.collect();
    let is_set_up = may_be_set_up(work, reads);
    with_files(work, reads, is_set_up, files)
}

fn with_files(work: &WorkFiles, reads: &Reads, is_set_up: bool, files: Vec<PieceState>) -> AgentState {
    let is_found = reads.signs.iter().any(|path| work.exists(path));
    AgentState { agent: reads.agent, is_found, is_set_up, files, consent: reads.consent }
}

/// Whether anything was written that only this agent reads.
fn is_set_up(work: &mut WorkFiles, reads: &Reads) -> Result<bool, Refusal> {
    for piece in &reads.pieces {
        let path = path_of(work, reads.agent, piece)?;
        if piece.gives == Gives::Instructions && is_shared(work, reads, &path)? {
            continue;
        }
        let state = piece.state(work.text(&path)?).map_err(|fault| unfit(&path, &fault))?;
        if matches!(state, State::Current | State::Outdated) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether other agents also read a file of instructions; `CLAUDE.md` may be a link to `AGENTS.md`.
fn is_shared(work: &mut WorkFiles, reads: &Reads, path: &str) -> Result<bool, Refusal> {
    let real = work.real(path)?;
    for other in AGENTS.iter().filter(|agent| agent.agent != reads.agent) {
        for piece in other.pieces.iter().filter(|piece| piece.gives == Gives::Instructions) {
            // If its settings cannot be read, it reads its usual files.
            let path = path_of(work, other.agent, piece).unwrap_or_else(|_| piece.paths[0].to_owned());
            if work.real(&path).is_ok_and(|other| other == real) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn refuse_unreadable(agent: Agent, piece: &Piece, path: &str, text: Option<&str>) -> Result<(), Refusal> {
    text.map_or(Ok(()), |text| piece.refuse_unreadable(text, agent)).map_err(|fault| unfit(path, &fault))
}

fn unfit(path: &str, fault: &AgentFileFault) -> Refusal {
    Refusal::new(Code::CannotEdit, format!("`{path}` {fault}"))
        .hint(format!("{}; nothing was changed", fault.advice()))
}
