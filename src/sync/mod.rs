//! The ref across clones: fetch, merge, push, claims through a remote. The transport is the installed git's.

mod backoff;
mod carry;
pub(crate) mod conflicts;
mod counting;
mod error;
mod exchange;
mod landing;
mod limit;
mod observed;
mod pace;
mod partial;
mod push;
mod rate_words;
pub(crate) mod remote;
pub(crate) mod rewritten_ref;
mod round;
mod shown;
mod through;
mod transfer;
mod turnstile;
mod watch;
mod words;

pub(crate) use error::SyncError;
pub(crate) use exchange::Waiting;
pub(crate) use landing::{BranchPushed, CodePush, LandPushed, fetch_branch, land, push_branch};
pub(crate) use observed::{first_seen, is_past};
pub(crate) use push::push;
pub(crate) use round::{Moved, Synced, is_published, merge_fetched, publish, pull, sync};
pub(crate) use through::{Through, Withdraw, through};
pub(crate) use turnstile::{is_shown, until_due};
pub(crate) use watch::{RemoteWatch, RemoteWork};
