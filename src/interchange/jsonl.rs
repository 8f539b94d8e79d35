//! The whole state as JSON lines, out and in again.
//!
//! A head line, one line for each file of the tree in the order of the tree, and a foot line with their number, by which
//! a file that was cut off is known. A record stands there as it is stored, clock and all, so what comes in again is the
//! same tree, or joins what is there as a merge would. Equal states make equal bytes.

mod export;
mod import;
mod text;

pub(crate) use export::{Exported, write};
pub(crate) use import::{Taken, read};

/// What the head line says.
const FORMAT: &str = "git-wf-export";
/// The version of this form, which is not that of the store's format.
const VERSION: u64 = 1;
