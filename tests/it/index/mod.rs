//! The index: what can be asked of it, and that it can always be thrown away.

mod freshness;
mod list;
mod places;
mod search;
