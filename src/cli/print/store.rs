//! The store itself.

use std::io::{self, Write};

use serde_json::Value;

use crate::model::{Project, count, shell};
use crate::ops::store::{Gates, Initialised, ProjectField, Settings};
use crate::rules::policy::ONTO;
use crate::rules::{Gate, GateValue};
use crate::ui::{Cell, Column, Screen, Table, UiSettings, clean_line, indent, style, width};

/// The value of each gate. What it requires is shown nowhere else, so it is never cut: if a terminal is too narrow for
/// the table, it is below each gate.
fn gates(screen: &mut Screen, gates: &Gates) -> io::Result<()> {
    let longest = Gate::ALL.iter().map(|gate| width(&meaning(*gate))).max().unwrap_or_default();
    let narrow = screen.columns().filter(|columns| *columns < GATE_AND_VALUE + longest);
    if let Some(columns) = narrow
        && !UiSettings::get().is_plain
    {
        for gate in Gate::ALL {
            let value = gates.0.get(gate.as_str()).map_or("", |value| value);
            let painter = screen.painter();
            writeln!(
                screen,
                "{} {}",
                painter.label(gate.as_str()),
                painter.paint(look_of(*gate, value), value)
            )?;
            writeln!(screen, "{}", filled(&meaning(*gate), columns, 4))?;
        }
        if let Some(onto) = gates.0.get(ONTO) {
            writeln!(screen, "{} {}", screen.painter().label(ONTO), clean_line(onto))?;
            writeln!(screen, "{}", filled(ABOUT_ONTO, columns, 4))?;
        }
        return Ok(());
    }
    let mut table = Table::new([Column::left("GATE"), Column::left("SET TO"), Column::flexible("MEANING")]);
    for gate in Gate::ALL {
        let value = gates.0.get(gate.as_str()).map_or("", |value| value);
        table.row([
            Cell::new(gate.as_str(), style::ID),
            Cell::new(value, look_of(*gate, value)),
            Cell::from(meaning(*gate)),
        ]);
    }
    if let Some(onto) = gates.0.get(ONTO) {
        table.row([Cell::new(ONTO, style::ID), Cell::from(&**onto), Cell::from(ABOUT_ONTO)]);
    }
    table.print(screen)
}

/// What a gate requires, once it is set so.
fn meaning(gate: Gate) -> String {
    format!("if required: {}", gate.about())
}

/// What the setting for the target branch means.
const ABOUT_ONTO: &str = "the branch on which completed work lands";

/// The columns of a gate and its value, with the gaps behind them.
const GATE_AND_VALUE: usize = 20;

/// A text in lines of at most `columns`, each indented by `margin` blanks.
fn filled(text: &str, columns: usize, margin: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut().filter(|line| width(line) + 1 + width(word) <= columns) {
            Some(line) => line.extend([" ", word]),
            None => lines.push(format!("{:margin$}{word}", "")),
        }
    }
    lines.join("\n")
}

fn look_of(gate: Gate, value: &str) -> style::Style {
    if value == gate.word(GateValue::Open) { style::PLAIN } else { style::WARN }
}

/// The gates, and the project context for planners.
pub(in crate::cli) fn settings(screen: &mut Screen, settings: &Settings) -> io::Result<()> {
    gates(screen, &settings.policy)?;
    writeln!(screen)?;
    project(screen, &settings.project)
}

/// The project context for planners.
fn project(screen: &mut Screen, project: &Project) -> io::Result<()> {
    for field in ProjectField::ALL {
        let heading = screen.painter().paint(style::HEADING, field.name());
        let text = match field.value_in(project) {
            None => "(not set)".to_owned(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => format!("{other:#}"),
        };
        writeln!(screen, "{heading}\n{}", indent(&text, 4))?;
    }
    Ok(())
}

/// The result of `init` for the store.
pub(in crate::cli) fn initialised(screen: &mut Screen, answer: &Initialised) -> io::Result<()> {
    let reference = &answer.reference;
    let remote = answer.remote.as_deref().map(clean_line).unwrap_or_default();
    let incoming = answer.incoming;
    match (answer.created, answer.fetched) {
        (true, true) => writeln!(screen, "fetched {reference} from {remote}: {}", count(incoming, "commit"))?,
        (true, false) => writeln!(screen, "created {reference}")?,
        (false, _) if incoming > 0 => {
            writeln!(
                screen,
                "{reference} already exists; fetched {} from {remote}",
                count(incoming, "commit")
            )?;
        }
        (false, _) => writeln!(screen, "{reference} already exists")?,
    }
    let hooks = &answer.hooks;
    if !hooks.is_empty() {
        let names: Vec<&str> = hooks.iter().map(|hook| hook.name).collect();
        writeln!(screen, "hooks installed: {}", names.join(", "))?;
    }
    if answer.is_refspec_added {
        writeln!(screen, "`git fetch {}` also fetches it from now on", shell::operand(&remote))?;
    }
    if !screen.is_terminal() {
        return Ok(());
    }
    let hooks = if hooks.is_empty() { "`git wf hooks install` links commits to plans; " } else { "" };
    let next = "`git wf new TITLE` creates an issue, `git wf` shows where you are";
    writeln!(screen, "{}", screen.painter().paint(style::DIM, &format!("next: {hooks}{next}")))
}
