//! How records changed between two states of the store.

use std::io::{self, Write};

use crate::cli::print::record;
use crate::ops::trail::StoreDiff;
use crate::ui::{Screen, style, time};

/// The two states, followed by their differences.
pub(in crate::cli) fn diff(screen: &mut Screen, diff: &StoreDiff) -> io::Result<()> {
    let painter = screen.painter();
    for (sign, look, side) in [("---", style::BAD, diff.from.as_ref()), ("+++", style::GOOD, Some(&diff.to))]
    {
        let sign = painter.paint(look, sign);
        let Some(side) = side else {
            writeln!(screen, "{sign} before there was a store")?;
            continue;
        };
        let short = painter.paint(style::WARN, side.commit.short());
        let at = time::when(side.at);
        let name = painter.paint(style::DIM, &side.name);
        writeln!(screen, "{sign} {short} ({at})  {name}")?;
    }
    if diff.changes.is_empty() {
        writeln!(screen, "no difference")?;
    }
    record::print(&diff.changes, 0, screen)
}
