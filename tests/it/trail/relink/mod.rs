//! Links by hand, and links that are found again.

mod commands;
mod found;
mod history;
