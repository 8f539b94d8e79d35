//! Runs: one pass of the workflow over several issues, driven by agents.

mod failures;
mod interrupted;
mod pair;
mod report;
mod shown;
