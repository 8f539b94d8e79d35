//! The ref across clones: fetch, merge, push. The transport is the installed git's.

mod backoff;
pub(crate) mod conflicts;
mod error;
mod partial;
pub(crate) mod remote;
mod round;
mod transfer;
mod words;

pub(crate) use error::SyncError;
pub(crate) use round::{Moved, Synced, pull, push, sync};
