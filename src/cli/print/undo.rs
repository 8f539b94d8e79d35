//! Prints what was undone.

use std::io::{self, Write};

use crate::ops::store::{KeptField, Restored, Undone};
use crate::ui::text::clean_line;
use crate::ui::{Screen, style};

pub(in crate::cli) fn undone(screen: &mut Screen, it: &Undone) -> io::Result<()> {
    let painter = screen.painter();
    let short = painter.paint(style::WARN, it.commit.short());
    writeln!(screen, "undid {short} {}", clean_line(&it.subject))?;
    for Restored { record, comment, item, field } in &it.restored {
        let id = |id: &str| painter.paint(style::ID, id).to_string();
        let what = match (comment, item) {
            (Some(comment), _) => format!("comment {} of {}", id(comment.short()), id(record)),
            (None, Some(plan)) => {
                writeln!(screen, "  removed {} from {}", id(plan), id(record))?;
                continue;
            }
            (None, None) => id(record),
        };
        match field {
            Some(field) => writeln!(screen, "  restored `{}` of {what}", clean_line(field))?,
            None => writeln!(screen, "  withdrew {what}")?,
        }
    }
    for KeptField { what, why } in &it.kept {
        writeln!(
            screen,
            "  {} {}: {}",
            painter.paint(style::WARN, "kept"),
            clean_line(what),
            clean_line(why)
        )?;
    }
    Ok(())
}
