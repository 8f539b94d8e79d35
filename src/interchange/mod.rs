//! Imports and exports. Reading a foreign record is pure; only `import` uses the store.

pub(crate) mod beads;
pub(crate) mod import;
pub(crate) mod jsonl;
pub(crate) mod lines;
mod report;

pub(crate) use report::{Noted, Report, Skipped};
