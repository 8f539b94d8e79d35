//! Links by hand, and links that `relink` restores.

mod commands;
mod found;
mod history;
