//! Exports and imports the whole state as JSON lines.
//!
//! A header line, one line for each file in the order of the tree, and a footer line with their number, which shows
//! whether a file was truncated. A record is exported as it is stored, with its clock, so an import gives the same
//! tree, or merges it into the existing one. Equal states give equal bytes.

mod export;
mod import;
mod line;
mod orphans;
mod text;

pub(crate) use export::{ExportedJsonl, write};
pub(crate) use import::{ImportedJsonl, read};

/// The format in the header line.
const FORMAT: &str = "git-wf-export";
/// The version of the export format, which is independent of the store's format.
const VERSION: u64 = 1;
