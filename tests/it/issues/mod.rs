//! Issues: registering, listing, changing, naming them.

mod change;
mod filters;
mod ids;
mod list;
mod new;
mod search;
mod show;
