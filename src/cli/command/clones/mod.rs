//! Commands that exchange the store with other clones.

pub(in crate::cli) mod conflicts;
pub(in crate::cli) mod pull;
pub(in crate::cli) mod push;
pub(in crate::cli) mod sync;
