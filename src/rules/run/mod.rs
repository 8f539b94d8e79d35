//! Runs: what their logs come to. Pure: a log goes in, and the state of the run comes out.

mod progress;
mod state;

pub(crate) use state::{Counts, HistoryEntry, IssueStage, RunState, history, state};
