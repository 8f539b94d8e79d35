//! Feedback for the next plan.

use std::io::{self, Write};

use crate::model::FeedbackType;
use crate::ops::plans::FeedbackShown;
use crate::ui::{Cell, Column, Screen, Table, clean_line, style, time};

/// Feedback that was added.
pub(in crate::cli) fn added(screen: &mut Screen, it: &FeedbackShown) -> io::Result<()> {
    writeln!(screen, "added {} feedback ({}) to {}", it.feedback.kind, it.feedback.stage, it.issue_id)
}

/// One entry of feedback per line.
pub(in crate::cli) fn table(screen: &mut Screen, all: &[FeedbackShown], now: i64) -> io::Result<()> {
    if all.is_empty() {
        return screen.nothing("no feedback; `git wf feedback ISSUE TEXT` adds some");
    }
    let mut table = Table::new([
        Column::left("ISSUE"),
        Column::left("TYPE"),
        Column::left("STAGE").spare(),
        Column::left("WHEN").spare(),
        Column::flexible("TEXT"),
    ]);
    for it in all {
        let look = if it.feedback.kind == FeedbackType::Clarification { style::PLAIN } else { style::BAD };
        let error = it.feedback.detail.error_type.as_deref();
        let error = error.map(|error| format!("{}: ", clean_line(error))).unwrap_or_default();
        table.row([
            Cell::new(screen.id(it.issue_id.as_str()), style::ID),
            Cell::new(it.feedback.kind.as_str(), look),
            Cell::from(it.feedback.stage.as_str()),
            Cell::from(time::ago(now, it.feedback.created_at.millis())),
            Cell::from(format!("{error}{}", it.feedback.content)),
        ]);
    }
    table.print(screen)
}
