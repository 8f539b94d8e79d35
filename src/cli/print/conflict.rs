//! Conflicts between items of a queue.

use std::io::{self, Write};

use super::queue::decision;
use crate::model::{Severity, SolutionId};
use crate::ops::queue::ConflictAnswer;
use crate::ui::{Cell, Column, Screen, Table, style};

/// Conflicts that were declared or resolved, one per line.
pub(in crate::cli) fn settled(screen: &mut Screen, all: &[ConflictAnswer]) -> io::Result<()> {
    for it in all {
        let name = it.conflict.id.as_deref().unwrap_or_default();
        writeln!(screen, "{name} of {}: {}", it.queue_id, line(it))?;
        decision(screen, &it.conflict)?;
    }
    Ok(())
}

/// All conflicts as a table for each queue; with several queues, each table has the queue's name above it.
pub(in crate::cli) fn table(screen: &mut Screen, all: &[ConflictAnswer]) -> io::Result<()> {
    let queues: Vec<&[ConflictAnswer]> = all.chunk_by(|a, b| a.queue_id == b.queue_id).collect();
    for queue in &queues {
        let mut table = Table::new([
            Column::left("CONFLICT"),
            Column::left("TYPE"),
            Column::left("SEVERITY"),
            Column::left("RESOLUTION"),
            Column::flexible("ABOUT"),
        ]);
        queue.iter().for_each(|it| table.row(row(it)));
        if queues.len() > 1 {
            let name = screen.painter().paint(style::ID, queue[0].queue_id.as_str());
            writeln!(screen, "{name}")?;
        }
        table.print(screen)?;
        queue.iter().try_for_each(|it| decision(screen, &it.conflict))?;
    }
    Ok(())
}

/// A conflict in words: `api, high: sequential: S-2 → S-1`.
fn line(answer: &ConflictAnswer) -> String {
    format!("{}, {}: {}", answer.conflict.kind, answer.conflict.severity, way(answer))
}

/// `S-1`, or the plan if the item has left the queue.
fn item_name(answer: &ConflictAnswer, id: &SolutionId) -> String {
    answer.names.get(id).map_or_else(|| id.to_string(), ToString::to_string)
}

/// How the conflict is resolved.
fn way(answer: &ConflictAnswer) -> String {
    let it = &answer.conflict;
    let names = |ids: &[SolutionId]| ids.iter().map(|id| item_name(answer, id)).collect::<Vec<_>>();
    match (&it.clarification, it.resolution_order.is_empty()) {
        (Some(_), _) => format!("undecided: {}", names(&it.solutions).join(", ")),
        (None, true) => format!("{}: {}", it.resolution, names(&it.solutions).join(", ")),
        (None, false) => format!("{}: {}", it.resolution, names(&it.resolution_order).join(" → ")),
    }
}

fn row(answer: &ConflictAnswer) -> Vec<Cell> {
    let it = &answer.conflict;
    let severity = match it.severity {
        Severity::High => style::BAD,
        Severity::Medium => style::PLAIN,
        Severity::Low => style::DIM,
    };
    let resolved = if it.clarification.is_some() { style::BAD } else { style::PLAIN };
    vec![
        Cell::new(it.id.as_deref().unwrap_or("-"), style::ID),
        Cell::from(it.kind.as_str()),
        Cell::new(it.severity.as_str(), severity),
        Cell::new(way(answer), resolved),
        Cell::from(it.file.clone().or_else(|| it.rationale.clone()).unwrap_or_default()),
    ]
}
