//! The files of coding agents, and what was changed in them.

use std::io::{self, Write};

use crate::interchange::agent_files::{Gives, State};
use crate::ops::work::{AgentFiles, PieceState, SetupTask};
use crate::ui::{Cell, Column, Screen, Table, clean_line, style};

fn state_style(state: State) -> style::Style {
    match state {
        State::Current => style::GOOD,
        State::Outdated => style::WARN,
        State::Missing => style::DIM,
        State::Own => style::PLAIN,
        State::Unusable => style::BAD,
    }
}

/// What each agent reads.
pub(in crate::cli) fn list(screen: &mut Screen, files: &AgentFiles) -> io::Result<()> {
    let mut table = Table::new([
        Column::left("AGENT"),
        Column::flexible("FILE"),
        Column::left("GIVES"),
        Column::left("STATE"),
    ]);
    for agent in &files.agents {
        for it in &agent.files {
            table.row([
                Cell::new(agent.agent.as_str(), style::ID),
                it.path.as_str().into(),
                it.gives.as_str().into(),
                Cell::new(it.state.as_str(), state_style(it.state)),
            ]);
        }
    }
    table.print(screen)?;
    for agent in &files.agents {
        for why in agent.files.iter().filter_map(|it| it.why.as_deref()) {
            let name = screen.painter().paint(style::ID, agent.agent.as_str());
            writeln!(screen, "{name}: {}", clean_line(why))?;
        }
    }
    consents(screen, files)
}

/// What agents want from their users before they use what is there.
fn consents(screen: &mut Screen, files: &AgentFiles) -> io::Result<()> {
    let is_there = |it: &PieceState| matches!(it.state, State::Current | State::Outdated | State::Own);
    for agent in files.agents.iter().filter(|it| it.files.iter().any(is_there)) {
        if let Some(consent) = agent.consent {
            let name = screen.painter().paint(style::ID, agent.agent.as_str());
            writeln!(screen, "{name} {consent}")?;
        }
    }
    Ok(())
}

/// What is missing or outdated.
pub(in crate::cli) fn check(screen: &mut Screen, files: &AgentFiles) -> io::Result<()> {
    if files.agents.is_empty() {
        return writeln!(screen, "no agent is set up; `git wf agents setup AGENT` sets one up");
    }
    for agent in &files.agents {
        let is_wrong =
            |it: &&PieceState| matches!(it.state, State::Missing | State::Outdated | State::Unusable);
        let wrong: Vec<&PieceState> = agent.files.iter().filter(is_wrong).collect();
        let name = screen.painter().paint(style::ID, agent.agent.as_str());
        if wrong.is_empty() {
            writeln!(screen, "{name}: set up")?;
        }
        let is_mended = wrong.iter().any(|it| it.state != State::Unusable);
        for it in wrong {
            match &it.why {
                Some(why) => writeln!(screen, "{name}: {} {}: {}", it.gives, it.state, clean_line(why))?,
                None => writeln!(screen, "{name}: {} {} in {}", it.gives, it.state, clean_line(&it.path))?,
            }
        }
        if is_mended {
            writeln!(screen, "{name}: `git wf agents setup {}` repairs it", agent.agent)?;
        }
    }
    consents(screen, files)
}

/// What someone wrote by hand in the place of ours.
fn own(gives: Gives) -> &'static str {
    match gives {
        Gives::Instructions => "instructions",
        Gives::Reading => "`read` entry",
        Gives::Mcp => "MCP entry",
        Gives::Hooks => "hooks",
    }
}

/// What was changed, or would be.
pub(in crate::cli) fn changes(
    screen: &mut Screen,
    files: &AgentFiles,
    task: SetupTask,
    is_dry: bool,
) -> io::Result<()> {
    for it in &files.changes {
        match &it.diff {
            Some(diff) => diff.lines().try_for_each(|line| writeln!(screen, "{}", clean_line(line)))?,
            None => writeln!(screen, "{} {}", it.change, clean_line(&it.path))?,
        }
    }
    for agent in &files.agents {
        for it in agent.files.iter().filter(|it| it.state == State::Own) {
            writeln!(screen, "kept your own {} in {}", own(it.gives), clean_line(&it.path))?;
        }
    }
    if files.changes.is_empty() {
        writeln!(screen, "nothing to change")?;
    }
    if is_dry || task != SetupTask::Write {
        return Ok(());
    }
    if !files.changes.is_empty() {
        let them = if files.changes.len() == 1 { "the file" } else { "these files" };
        let hint = format!("commit {them} to share the setup with every clone");
        writeln!(screen, "{}", screen.painter().paint(style::DIM, &hint))?;
    }
    consents(screen, files)
}
