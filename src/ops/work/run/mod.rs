//! Runs: one pass of the workflow over several issues, driven by agents.

mod report;
mod view;

pub(crate) use report::report;
pub(crate) use view::{LoggedView, RunSummary, RunView, list, log, show};
