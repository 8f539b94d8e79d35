//! What people see: tables, colour, the pager, JSON answers. Prints only; knows neither issues nor git objects.

use std::io::IsTerminal;

pub(crate) mod lanes;
pub(crate) mod manual;
pub(crate) mod outlet;
pub(crate) mod pager;
pub(crate) mod picture;
pub(crate) mod progress;
pub(crate) mod screen;
pub(crate) mod style;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod time;

pub(crate) use outlet::{Remarks, ask, say};
pub(crate) use progress::Progress;
pub(crate) use screen::{Screen, is_broken_pipe};
pub(crate) use style::Painter;
pub(crate) use table::{Cell, Column, Table};

/// Whether somebody is there to answer a question: both stdin and stderr are a terminal.
pub(crate) fn can_ask() -> bool {
    #[allow(clippy::disallowed_methods)] // It only asks.
    let is_terminal = std::io::stderr().is_terminal();
    is_terminal && std::io::stdin().is_terminal()
}

/// How many columns a line of help may take.
pub(crate) fn columns_of_help() -> usize {
    Screen::from_env(false).columns().or_else(screen::columns_of_variable).unwrap_or(screen::DEFAULT_COLUMNS)
}

/// How many columns of stderr a line may take; none if it is no terminal.
pub(crate) fn columns_of_remarks() -> Option<usize> {
    #[allow(clippy::disallowed_methods)] // It only asks.
    let size = terminal_size::terminal_size_of(std::io::stderr());
    size.map(|(terminal_size::Width(columns), _)| usize::from(columns)).filter(|columns| *columns > 0)
}
