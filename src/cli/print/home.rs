//! Prints the overview, and what to do next.

use std::io::{self, Write};

use super::remedy;
use crate::model::Remedy;
use crate::ops::issues::Home;
use crate::page;
use crate::ui::{Cell, Column, Screen, Table, UiSettings, clean_line, style};

pub(in crate::cli) fn home(screen: &mut Screen, home: &Home) -> io::Result<()> {
    page::terminal::print_blocks(screen, &page::home::blocks(home))?;
    next(screen, &home.next)
}

fn next(screen: &mut Screen, steps: &[Remedy]) -> io::Result<()> {
    writeln!(screen)?;
    if UiSettings::get().is_plain {
        // The label is not a cell, so nothing is read out between it and the command.
        for step in steps {
            let Some(call) = &step.call else { continue };
            writeln!(screen, "next: {}: {}", remedy::command(call), clean_line(&step.words))?;
        }
        return Ok(());
    }
    let mut table = Table::new([Column::left(""), Column::left(""), Column::flexible("").spare()]);
    for (n, step) in steps.iter().enumerate() {
        let Some(call) = &step.call else { continue };
        let label = if n == 0 { "next:" } else { "" };
        table.row([
            Cell::new(label, style::HEADING),
            Cell::new(screen.ids_in(&remedy::command(call)), style::GOOD),
            Cell::new(step.words.as_str(), style::DIM),
        ]);
    }
    table.print(screen)
}
