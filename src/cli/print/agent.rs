//! Agents: the list, their output while they work, and whether they answer.

use std::io::{self, Write};

use crate::agent::talk::{AgentObserver, TextKind};
use crate::model::count;
use crate::ops::work::{AgentView, Tested};
use crate::process::supervise::Interrupts;
use crate::ui::{Cell, Column, Painter, Remarks, Screen, Table, clean_line, indent, style};

/// A longer line is split into pieces of this many bytes.
const LONGEST_LINE: usize = 1000;
/// Further lines are only in the transcript.
const MOST_LINES: usize = 500;

/// Each agent on a line, and its problems on the next.
pub(in crate::cli) fn agents(screen: &mut Screen, agents: &[AgentView]) -> io::Result<()> {
    let mut table = Table::new([
        Column::left("AGENT"),
        Column::flexible("ROLES"),
        Column::left("PROTOCOL").spare(),
        Column::left("TIMEOUT").spare(),
        Column::flexible("FROM").spare(),
        Column::left("FOUND"),
        Column::flexible("COMMAND"),
    ]);
    for agent in agents {
        let found = match (&agent.problem, &agent.program) {
            (Some(_), _) => Cell::new("invalid", style::BAD),
            (None, Some(_)) => Cell::new("yes", style::GOOD),
            (None, None) => Cell::new("no", style::DIM),
        };
        let origin = agent.command.as_ref().map(|command| command.origin.to_string());
        table.row([
            Cell::new(&agent.name, style::ID),
            Cell::from(agent.roles.iter().map(|role| role.as_str()).collect::<Vec<_>>().join(", ")),
            Cell::from(agent.protocol.as_ref().map_or("", |protocol| protocol.value.as_str())),
            Cell::from(agent.timeout.as_ref().map(|timeout| in_words(timeout.value)).unwrap_or_default()),
            Cell::from(origin.unwrap_or_default()),
            found,
            Cell::from(agent.command.as_ref().map(|command| command.value.clone()).unwrap_or_default()),
        ]);
    }
    table.print(screen)?;
    let painter = screen.painter();
    for agent in agents {
        if let Some(problem) = &agent.problem {
            let label = painter.paint(style::BAD, "invalid:");
            writeln!(screen, "{label} {}", clean_line(&super::with_remedies(problem, &agent.remedies)))?;
        }
    }
    Ok(())
}

/// Seconds in the format of a setting.
fn in_words(seconds: u64) -> String {
    match seconds {
        n if n % 3600 == 0 => format!("{}h", n / 3600),
        n if n % 60 == 0 => format!("{}m", n / 60),
        n => format!("{n}s"),
    }
}

/// An agent that answered.
pub(in crate::cli) fn tested(screen: &mut Screen, tested: &Tested) -> io::Result<()> {
    let painter = screen.painter();
    writeln!(
        screen,
        "{} {} in {:.1} s ({})",
        painter.paint(style::ID, &tested.agent),
        painter.paint(style::GOOD, "answered"),
        tested.took_ms as f64 / 1000.0,
        tested.protocol,
    )?;
    if let Some(name) = &tested.calls_itself {
        writeln!(screen, "it identifies itself as {}", clean_line(name))?;
    }
    if let Some(answer) = &tested.answer {
        writeln!(screen, "{}", indent(&serde_json::to_string_pretty(answer)?, 2))?;
    }
    if let Some(branch) = &tested.branch {
        writeln!(screen, "{} on its branch", count(branch.commits.len() as u64, "commit"))?;
        for why in &branch.refused {
            writeln!(screen, "a run would not take them: {}", clean_line(why))?;
        }
        for file in &branch.changed {
            writeln!(screen, "  {}", clean_line(file))?;
        }
    }
    writeln!(screen, "{}", clean_line(&tested.confinement.text))?;
    writeln!(screen, "transcript: {}", clean_line(&tested.transcript))
}

/// Shows an agent's output on stderr, with a margin before each line so that it cannot look like this program's own.
/// Shows nothing if the answer is JSON.
pub(in crate::cli) struct RunningAgent {
    interrupts: Interrupts,
    out: Option<Remarks>,
    painter: Painter,
    /// The line so far, and what it is part of.
    line: String,
    kind: TextKind,
    left: usize,
}

impl RunningAgent {
    pub(in crate::cli) fn new(interrupts: Interrupts, json: bool) -> Self {
        let out = if json { None } else { Some(Remarks::new()) };
        let (painter, kind) = (Painter::stderr(), TextKind::Answer);
        Self { interrupts, out, painter, line: String::new(), kind, left: MOST_LINES }
    }

    /// Shows the last line, even if it is incomplete.
    pub(in crate::cli) fn finish(&mut self) {
        if !self.line.is_empty() {
            self.show();
        }
    }

    fn show(&mut self) {
        let Some(out) = &mut self.out else { return };
        let margin = self.painter.paint(style::DIM, "|");
        // A closed pipe does not stop the agent.
        let _ = writeln!(out, "  {margin} {}", clean_line(self.line.trim_end()));
        self.line.clear();
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            let _ = writeln!(out, "  {margin} … (the transcript has the rest)");
            self.out = None;
        }
    }
}

impl AgentObserver for RunningAgent {
    fn said(&mut self, kind: TextKind, text: &str) {
        if self.out.is_none() {
            return;
        }
        // Texts of two kinds never share a line.
        if kind != self.kind {
            self.finish();
            self.kind = kind;
        }
        for c in text.chars() {
            if c == '\n' || self.line.len() >= LONGEST_LINE {
                self.show();
            }
            if self.out.is_none() {
                return;
            }
            if c != '\n' {
                self.line.push(c);
            }
        }
    }

    fn noticed(&mut self, what: &str) {
        self.said(TextKind::Log, &format!("{what}\n"));
    }

    fn stop(&mut self) -> bool {
        self.interrupts.take()
    }
}
