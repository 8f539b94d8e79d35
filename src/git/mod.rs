//! The one room for git: it alone names gix and runs `git`. It knows no record and no ref of the store.

mod args;
pub(crate) mod bounded;
mod config;
mod discover;
mod error;
pub(crate) mod fault;
pub(crate) mod fsync;
mod loose;
pub(crate) mod make;
pub(crate) mod multi_index;
pub(crate) mod pack;
mod parameters;
pub(crate) mod persist;
mod process;
pub(crate) mod trees;
pub(crate) mod write_tree;

pub(crate) use args::Args;
pub(crate) use discover::{absolute, discover};
pub(crate) use error::GitError;
pub(crate) use gix::ObjectId;
pub(crate) use process::{Git, clear_local_variables, fed, feed};
