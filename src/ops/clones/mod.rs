//! Clones: exchanging the store with a remote, and what two clones changed differently.

mod conflicts;
mod exchange;
mod noticed;
mod sources;

#[cfg(all(test, feature = "web"))]
pub(crate) use conflicts::tests::{births, session};
pub(crate) use conflicts::{KeptValue, Settle, conflicts, settle};
pub(crate) use exchange::{catch_up, pull, push, sync};
pub(crate) use noticed::{came_with, losses, some};
pub(crate) use sources::follow_sources;
