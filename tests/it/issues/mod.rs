//! Issues: registering, listing, changing, naming them.

mod change;
mod ids;
mod list;
mod new;
mod show;
