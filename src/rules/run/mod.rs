//! Runs: what their logs come to. Pure: a log goes in, and the state of the run comes out.

mod gates;
mod next;
mod progress;
mod report;
mod state;
mod waiting;

pub(crate) use gates::QualityGate;
pub(crate) use next::{Need, Standing, Why, chains, mode_for, need, next, phase};
pub(crate) use progress::{IssueProgress, Progress};
pub(crate) use report::{IssueReport, Known, RunReport, report};
pub(crate) use state::{Counts, HistoryEntry, IssueStage, RunState, history, state};
pub(crate) use waiting::Waiting;
