//! What people see: tables, colour, the pager, JSON answers. Prints only; knows neither issues nor git objects.

use std::io::Write;

pub(crate) mod lanes;
pub(crate) mod pager;
pub(crate) mod picture;
pub(crate) mod progress;
pub(crate) mod screen;
pub(crate) mod style;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod time;

pub(crate) use progress::Progress;
pub(crate) use screen::{Screen, is_broken_pipe};
pub(crate) use style::Painter;
pub(crate) use table::{Cell, Column, Table};

/// Says something beside the answer: one line on stderr. Nowhere to say it is no reason to end in another way, which
/// is what the macros of the standard library would do.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
