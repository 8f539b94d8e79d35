//! The ref across clones: fetch, merge, push, claims through a remote. The transport is the installed git's.

mod backoff;
pub(crate) mod conflicts;
mod counting;
mod error;
mod exchange;
mod limit;
mod observed;
mod pace;
mod partial;
mod rate_words;
pub(crate) mod remote;
mod round;
mod through;
mod transfer;
mod turnstile;
mod watch;
mod words;

pub(crate) use error::SyncError;
pub(crate) use observed::{first_seen, is_past};
pub(crate) use round::{Moved, Synced, is_published, publish, pull, push, sync};
pub(crate) use through::{Through, through};
pub(crate) use turnstile::until_due;
pub(crate) use watch::{RemoteWatch, RemoteWork};
