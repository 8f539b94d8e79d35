//! What people see: tables, colour, the pager, JSON answers. Prints only; knows neither issues nor git objects.

pub(crate) mod text;
pub(crate) mod time;
