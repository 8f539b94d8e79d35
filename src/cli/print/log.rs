//! The audit log of the store.

use std::io::{self, Write};

use crate::cli::print::record;
use crate::store::HistoryStep;
use crate::trail::record_change::{self, RecordChange};
use crate::ui::{self, DrawnNode, Screen, UiSettings, clean_line, style, width};

/// One step: in one line, or with its author, its date (`now` is in milliseconds) and its changes. Its part of the
/// graph is printed in front.
pub(in crate::cli) fn step(
    screen: &mut Screen,
    step: &HistoryStep,
    drawn: Option<&DrawnNode>,
    now: Option<i64>,
) -> io::Result<()> {
    let lines = match now {
        None => vec![first_line(step, screen)],
        Some(now) => {
            let graph = drawn.map_or(0, |it| room_of(it) + 1);
            lines(step, now, screen.columns().map(|columns| columns.saturating_sub(graph)), screen)
        }
    };
    beside(drawn, &lines, screen)?;
    let changes: Vec<RecordChange> = step.changes.iter().filter_map(record_change::described).collect();
    record::print(&changes, 4, screen)?;
    if !changes.is_empty() && now.is_some() {
        writeln!(screen)?;
    }
    Ok(())
}

/// What comes before the lines below the first.
const MARGIN: &str = "           ";

fn first_line(step: &HistoryStep, screen: &Screen) -> String {
    let short = step.commit.short();
    format!("{} {}", screen.painter().paint(style::WARN, short), screen.ids_in(&clean_line(&step.subject)))
}

/// The lines of a step; the first is always shown. The time itself is left out if a line of `columns` has no room for it.
fn lines(step: &HistoryStep, now: i64, columns: Option<usize>, screen: &Screen) -> Vec<String> {
    let painter = screen.painter();
    let mut who = step.author.to_string();
    if let Some(actor) = &step.actor {
        who.push_str(&format!(" ({actor})"));
    }
    if let Some(role) = &step.role {
        who.push_str(&format!(" as {role}"));
    }
    let margin = if UiSettings::get().is_plain { "" } else { MARGIN };
    let mut line = format!("{margin}{who}, {}", ui::time::ago(now, step.at.millis()));
    if ui::time::is_relative() {
        // git stores whole seconds, so no milliseconds are shown.
        let at = format!(" ({})", ui::time::iso(step.at));
        if columns.is_none_or(|columns| width(&line) + width(&at) <= columns) {
            line.push_str(&at);
        }
    }
    let mut lines = vec![first_line(step, screen), painter.paint(style::DIM, &line)];
    if let Some(reason) = &step.force {
        lines.push(painter.paint(style::BAD, &format!("{margin}gate overridden: {reason}")));
    }
    lines
}

/// The columns that the graph takes beside a step.
fn room_of(drawn: &DrawnNode) -> usize {
    (width(&drawn.left) + 1 + width(&drawn.right)).max(width(&drawn.below))
}

/// Writes the lines of one step, each with its part of the graph in front.
fn beside(drawn: Option<&DrawnNode>, lines: &[String], screen: &mut Screen) -> io::Result<()> {
    let Some(drawn) = drawn else {
        return lines.iter().try_for_each(|line| writeln!(screen, "{line}"));
    };
    let painter = screen.painter();
    if let Some(link) = &drawn.link {
        writeln!(screen, "{}", painter.paint(style::DIM, link))?;
    }
    let room = room_of(drawn);
    for (n, line) in lines.iter().enumerate() {
        let (text, used) = match n {
            0 => {
                let (left, right) =
                    (painter.paint(style::DIM, &drawn.left), painter.paint(style::DIM, &drawn.right));
                (format!("{left}*{right}"), width(&drawn.left) + 1 + width(&drawn.right))
            }
            _ => (painter.paint(style::DIM, &drawn.below), width(&drawn.below)),
        };
        writeln!(screen, "{text}{:pad$} {line}", "", pad = room - used)?;
    }
    Ok(())
}
