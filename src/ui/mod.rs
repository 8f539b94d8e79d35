//! All output for people: tables, colour, pictures, the pager; and JSON answers. This module only prints; it knows
//! neither issues nor git objects.

use std::io::IsTerminal;

pub(crate) mod captured;
pub(crate) mod fullscreen;
pub(crate) mod lanes;
mod links;
pub(crate) mod live;
pub(crate) mod manual;
pub(crate) mod markdown;
pub(crate) mod outlet;
pub(crate) mod pager;
pub(crate) mod picture;
pub(crate) mod progress;
pub(crate) mod screen;
pub(crate) mod settings;
pub(crate) mod style;
pub(crate) mod svg;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod time;
mod wrap;

pub(crate) use captured::StyledLine;
pub(crate) use fullscreen::{Button, Input, Key};
pub(crate) use lanes::{DrawnNode, Strokes};
pub(crate) use live::Live;
use outlet::{OutletFilter, Replacement};
pub(crate) use outlet::{Remarks, ask, say};
pub(crate) use picture::{Picture, Stroke};
pub(crate) use progress::ProgressLine;
pub(crate) use screen::{JsonLines, Screen, is_broken_pipe};
pub(crate) use settings::{Color, DateChoice, DateForm, UiSettings};
pub(crate) use style::{Painter, Style};
pub(crate) use svg::{Arrow, Boxed, Scale, TimelineRow};
pub(crate) use table::{Cell, Column, Table};
pub(crate) use text::{clean_line, count, indent, truncate, width};

/// Whether someone can answer a question: both stdin and stderr are terminals.
pub(crate) fn can_ask() -> bool {
    #[allow(clippy::disallowed_methods)] // It only reads a property.
    let is_terminal = std::io::stderr().is_terminal();
    is_terminal && std::io::stdin().is_terminal()
}

/// The maximum width of a line of help, in columns.
pub(crate) fn columns_of_help() -> usize {
    Screen::from_env(false).columns().or_else(screen::columns_of_variable).unwrap_or(screen::DEFAULT_COLUMNS)
}

/// The maximum width of a line on stderr, in columns; `None` if stderr is not a terminal.
pub(crate) fn columns_of_remarks() -> Option<usize> {
    #[allow(clippy::disallowed_methods)] // It only reads a property.
    let size = terminal_size::terminal_size_of(std::io::stderr());
    size.map(|(terminal_size::Width(columns), _)| usize::from(columns)).filter(|columns| *columns > 0)
}
