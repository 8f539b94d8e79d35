//! Prints what was undone.

use std::io::{self, Write};

use crate::ops::store::{KeptField, Restored, Undone};
use crate::ui::text::clean_line;
use crate::ui::{Screen, style};

pub(in crate::cli) fn undone(screen: &mut Screen, it: &Undone) -> io::Result<()> {
    let painter = screen.painter();
    let short = painter.paint(style::WARN, it.commit.short());
    writeln!(screen, "undid {short} {}", clean_line(&it.subject))?;
    for Restored { record, field } in &it.restored {
        let record = painter.paint(style::ID, record);
        match field {
            Some(field) => writeln!(screen, "  restored {} of {record}", clean_line(field))?,
            None => writeln!(screen, "  withdrew {record}")?,
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
