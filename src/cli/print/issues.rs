//! Issues.

use std::io::{self, Write};

use crate::index::IssueRow;
use crate::ops::issues::{ClosedAs, IssueView, ManyChanged, Rows};
use crate::page::looks::issue_style;
use crate::page::terminal::priority_style;
use crate::ui::{Cell, Column, Screen, Table, clean_line, count, style, time};

/// The result of an operation that changes one issue.
pub(in crate::cli) fn changed(
    screen: &mut Screen,
    view: &IssueView,
    is_changed: bool,
    verb: &str,
) -> io::Result<()> {
    let (id, status) = (screen.painter().paint(style::ID, view.issue.id.as_str()), view.derived.status);
    match (is_changed, verb) {
        (true, _) if verb == status.to_string() => writeln!(screen, "{verb} {id}"),
        (true, _) => writeln!(screen, "{verb} {id} ({status})"),
        (false, "unbound") => writeln!(screen, "{id} has no bound plan; nothing changed"),
        (false, "changed") => writeln!(screen, "{id} already has these values; nothing changed"),
        (false, _) => writeln!(screen, "{id} is already {status}; nothing changed"),
    }
}

/// The result of `close`.
pub(in crate::cli) fn closed(
    screen: &mut Screen,
    view: &IssueView,
    is_changed: bool,
    closed_as: ClosedAs,
) -> io::Result<()> {
    let id = screen.painter().paint(style::ID, view.issue.id.as_str());
    let how = match closed_as {
        ClosedAs::Completed => "",
        ClosedAs::Cancelled => " as cancelled",
        ClosedAs::Duplicate => " as a duplicate",
    };
    if is_changed {
        writeln!(screen, "closed {id}{how}")
    } else {
        writeln!(screen, "{id} is already {}; nothing changed", view.derived.status_words())
    }
}

/// A new issue; for programs only its id.
pub(in crate::cli) fn created(screen: &mut Screen, view: &IssueView) -> io::Result<()> {
    if screen.is_terminal() {
        writeln!(screen, "registered {}", screen.painter().paint(style::ID, view.issue.id.as_str()))
    } else {
        writeln!(screen, "{}", view.issue.id)
    }
}

/// Prints issues in groups, each under its name; in a pipe, only one issue per line.
pub(in crate::cli) fn grouped(
    screen: &mut Screen,
    groups: Vec<(String, Vec<IssueRow>)>,
    is_by_closing: bool,
) -> io::Result<()> {
    if !screen.is_terminal() {
        let rows = groups.into_iter().flat_map(|(_, rows)| rows).collect();
        return table(screen, &Rows { rows, total: None, is_by_closing }, 0);
    }
    for (n, (name, rows)) in groups.into_iter().enumerate() {
        if n > 0 {
            writeln!(screen)?;
        }
        writeln!(screen, "{}", screen.painter().paint(style::HEADING, &name))?;
        table(screen, &Rows { rows, total: None, is_by_closing }, 0)?;
    }
    Ok(())
}

/// Prints one issue per line, and on a terminal the total. `skipped` issues come before these.
pub(in crate::cli) fn table(screen: &mut Screen, found: &Rows, skipped: usize) -> io::Result<()> {
    let closed = found.is_by_closing.then(|| Column::left("CLOSED"));
    let columns = [Column::left("ID"), Column::left("PRIORITY"), Column::left("STATUS")].into_iter();
    let columns = columns.chain(closed);
    let mut table = Table::new(columns.chain([Column::flexible("TITLE"), Column::flexible("TAGS").spare()]));
    for issue in &found.rows {
        let closed =
            found.is_by_closing.then(|| Cell::from(issue.finished.map(time::when).unwrap_or_default()));
        let cells = [
            Cell::new(screen.id(issue.id.as_str()), style::ID),
            Cell::new(issue.priority.name(), priority_style(issue.priority)),
            Cell::new(issue.status_words(), row_style(issue)),
        ];
        let text = [Cell::from(issue.title.as_str()), Cell::new(issue.tags.as_str(), style::DIM)];
        table.row(cells.into_iter().chain(closed).chain(text));
    }
    table.print(screen)?;
    if !screen.is_terminal() {
        return Ok(());
    }
    let note = match (found.rows.len(), found.total) {
        (0, _) => "no issues match".to_owned(),
        (shown, Some(total)) if skipped + shown < total.number() => {
            format!("{shown} of {total} issues; --offset {} shows the next ones", skipped + shown)
        }
        (shown, Some(total)) if shown < total.number() => format!("{shown} of {total} issues"),
        (shown, _) => count(shown, "issue"),
    };
    writeln!(screen, "{}", screen.painter().paint(style::DIM, &note))
}

/// Lists the issues that were or would be changed at once; `verb` as in "closed".
pub(in crate::cli) fn many(screen: &mut Screen, it: &ManyChanged, verb: &str) -> io::Result<()> {
    let mut table = Table::new([Column::left(""), Column::left(""), Column::flexible("")]);
    for issue in &it.issues {
        table.row([
            Cell::new(screen.id(issue.id.as_str()), style::ID),
            Cell::new(issue.status.as_str(), issue_style(issue.status)),
            Cell::from(issue.title.as_str()),
        ]);
    }
    table.print(screen)?;
    let all = count(it.issues.len(), "issue");
    if it.is_preview { writeln!(screen, "{all} would be {verb}") } else { writeln!(screen, "{verb} {all}") }
}

/// An issue in a numbered list to choose from.
pub(in crate::cli) fn numbered(n: usize, row: &IssueRow) -> String {
    format!("{n:>2}  {}  {}  {}", row.id, row.priority.name(), clean_line(&row.title))
}

/// The colour of the status of a row: work that has not landed is not over.
fn row_style(issue: &IssueRow) -> style::Style {
    if issue.not_landed.is_some() { style::WARN } else { issue_style(issue.status) }
}
