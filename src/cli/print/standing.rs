//! The state of one issue.

use std::io::{self, Write};

use crate::ops::issues::IssueWithExecutor;
use crate::page::looks::issue_style;
use crate::ui::{Screen, clean_line, style};

/// The state of one issue, in one line.
pub(in crate::cli) fn standing(screen: &mut Screen, it: &IssueWithExecutor) -> io::Result<()> {
    let (painter, status) = (screen.painter(), it.issue.derived.status);
    let other = it.ended_by.as_ref().map(|person| format!(", ended by {person}")).unwrap_or_default();
    let by = it.actor.as_ref().map(|actor| format!(" (by {actor}{other})")).unwrap_or_default();
    let id = painter.paint(style::ID, it.issue.issue.id.as_str());
    let status = painter.paint(issue_style(status), status.as_str());
    writeln!(screen, "{id} {status}{}", clean_line(&by))
}
