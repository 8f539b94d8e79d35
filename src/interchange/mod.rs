//! Records of other trackers, in and out. Reading a record is pure; only `import` sees the store.

pub(crate) mod beads;
pub(crate) mod import;
pub(crate) mod jsonl;
pub(crate) mod lines;
mod report;

pub(crate) use report::{Noted, Report, Skipped};
