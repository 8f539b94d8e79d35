//! Runs: one pass of the workflow over several issues, driven by agents.

mod view;

pub(crate) use view::{LoggedView, RunSummary, RunView, list, log, show};
