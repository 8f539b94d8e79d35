//! Issues.

use std::io::{self, Write};

use crate::model::status::IssueStatus;
use crate::ops::issues::IssueView;
use crate::ui::{Screen, style};

/// What came of an operation that changes one issue.
pub(in crate::cli) fn changed(
    screen: &mut Screen,
    view: &IssueView,
    is_changed: bool,
    verb: &str,
) -> io::Result<()> {
    let (id, status) = (screen.painter().paint(style::ID, view.issue.id.as_str()), view.derived.status);
    match is_changed {
        true => writeln!(screen, "{verb} {id} ({status})"),
        false => writeln!(screen, "{id} is already {status}; nothing changed"),
    }
}

/// A new issue; for programs its id alone.
pub(in crate::cli) fn created(screen: &mut Screen, view: &IssueView) -> io::Result<()> {
    match screen.is_terminal() {
        true => writeln!(screen, "registered {}", screen.painter().paint(style::ID, view.issue.id.as_str())),
        false => writeln!(screen, "{}", view.issue.id),
    }
}

/// How a status is coloured, everywhere.
pub(in crate::cli) fn status_style(status: IssueStatus) -> style::Style {
    match status {
        IssueStatus::Completed | IssueStatus::Closed => style::GOOD,
        IssueStatus::Failed => style::BAD,
        IssueStatus::Executing | IssueStatus::Queued => style::WARN,
        IssueStatus::Cancelled | IssueStatus::Paused => style::DIM,
        _ => style::PLAIN,
    }
}
