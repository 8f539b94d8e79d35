//! What people see: tables, colour, the pager, JSON answers. Prints only; knows neither issues nor git objects.

pub(crate) mod pager;
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
