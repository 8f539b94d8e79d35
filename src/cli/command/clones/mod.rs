//! Commands that exchange the store with others.

pub(in crate::cli) mod conflicts;
pub(in crate::cli) mod pull;
pub(in crate::cli) mod push;
pub(in crate::cli) mod sync;
