//! The overview, and the state of one issue.

use std::io::{self, Write};

use super::issues::status_style;
use crate::index::Freshness;
use crate::model::branch::Branch;
use crate::ops::issues::{IssueWithExecutor, Overview};
use crate::ui::text::{clean_line, count};
use crate::ui::{Cell, Column, Screen, Table, style};

/// Counts of issues, queues, and this worktree's execution.
pub(in crate::cli) fn overview(screen: &mut Screen, overview: &Overview) -> io::Result<()> {
    let painter = screen.painter();
    let short = overview.tip.short();
    writeln!(screen, "{} at {short}: {}", overview.reference, count(overview.total, "issue"))?;
    let mut table = Table::new([Column::left(""), Column::right("")]);
    for (status, count) in &overview.issues {
        let status = Cell::new(format!("  {status}"), status_style(*status));
        table.row([status, Cell::from(count.to_string())]);
    }
    table.print(screen)?;
    if overview.broken > 0 {
        let broken = format!("  {} cannot be read", overview.broken);
        writeln!(screen, "{}", painter.paint(style::BAD, &broken))?;
    }
    let index = match &overview.index {
        Freshness { path: None, .. } => "the index was missing, and is now up to date".to_owned(),
        Freshness { commit: None, .. } => "the index was empty, and is now up to date".to_owned(),
        Freshness { is_fresh: true, .. } => "the index is up to date".to_owned(),
        Freshness { commit: Some(commit), .. } => {
            format!("the index was at {}, and is now up to date", commit.short())
        }
    };
    writeln!(screen, "{}", painter.paint(style::DIM, &index))?;
    for queue in &overview.queues {
        let counts: Vec<String> =
            queue.items.iter().map(|(status, count)| format!("{count} {status}")).collect();
        let counts = if counts.is_empty() { "empty".to_owned() } else { counts.join(", ") };
        let id = painter.paint(style::ID, screen.id(queue.id.as_str()));
        writeln!(screen, "queue {id} ({}): {counts}", queue.status)?;
    }
    match &overview.active {
        Some(active) => writeln!(
            screen,
            "this worktree executes {} on {}",
            painter.paint(style::ID, screen.id(active.solution_id.as_str())),
            clean_line(active.branch.as_ref().map_or("an unknown branch", Branch::short))
        ),
        None => writeln!(screen, "this worktree executes nothing; `git wf next` claims the next item"),
    }
}

/// The state of one issue, in one line.
pub(in crate::cli) fn standing(screen: &mut Screen, it: &IssueWithExecutor) -> io::Result<()> {
    let (painter, status) = (screen.painter(), it.issue.derived.status);
    let other = it.ended_by.as_ref().map(|person| format!(", ended by {person}")).unwrap_or_default();
    let by = it.actor.as_ref().map(|actor| format!(" (by {actor}{other})")).unwrap_or_default();
    let id = painter.paint(style::ID, it.issue.issue.id.as_str());
    let status = painter.paint(status_style(status), status.as_str());
    writeln!(screen, "{id} {status}{}", clean_line(&by))
}
