//! Prints the overview, and what to do next.

use std::io::{self, Write};

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
        for (command, step) in steps.iter().filter_map(|step| Some((step.line()?, step))) {
            writeln!(screen, "next: {command}: {}", clean_line(&step.words))?;
        }
        return Ok(());
    }
    let mut table = Table::new([Column::left(""), Column::left(""), Column::left("")]);
    for (n, (command, step)) in steps.iter().filter_map(|step| Some((step.line()?, step))).enumerate() {
        let label = if n == 0 { "next:" } else { "" };
        table.row([
            Cell::new(label, style::HEADING),
            Cell::new(screen.ids_in(&command), style::GOOD),
            Cell::new(step.words.as_str(), style::DIM),
        ]);
    }
    table.print(screen)
}
