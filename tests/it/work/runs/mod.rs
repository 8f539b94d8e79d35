//! Runs: one pass of the workflow over several issues, driven by agents.

mod report;
mod shown;
