//! What the team learned.

use std::io::{self, Write};

use crate::model::wisdom::{Wisdom, WisdomType};
use crate::ui::{Cell, Column, Screen, Table, style, time};

/// A piece of wisdom that was added.
pub(in crate::cli) fn added(screen: &mut Screen, it: &Wisdom) -> io::Result<()> {
    writeln!(screen, "added a {}", it.kind)
}

/// One piece of wisdom per line.
pub(in crate::cli) fn table(screen: &mut Screen, all: &[Wisdom], now: i64) -> io::Result<()> {
    let mut table = Table::new([
        Column::left("TYPE"),
        Column::left("TAGS"),
        Column::left("ISSUE"),
        Column::left("WHEN"),
        Column::flexible("WHAT"),
    ]);
    for it in all {
        let look = if it.kind == WisdomType::Question { style::WARN } else { style::PLAIN };
        table.row([
            Cell::new(it.kind.as_str(), look),
            Cell::from(it.tags.join(", ")),
            Cell::new(it.issue_id.as_ref().map(ToString::to_string).unwrap_or_default(), style::ID),
            Cell::from(time::ago(now, it.created_at.millis())),
            Cell::from(it.text.as_str()),
        ]);
    }
    table.print(screen)
}
