//! Runs: deriving the state of a run from its log. Pure.

mod bounds;
mod breaches;
mod budget;
mod foreseen;
mod gates;
mod next;
mod notifications;
mod progress;
mod report;
mod spent;
mod state;
mod times;
mod waiting;
mod worn;

pub(crate) use bounds::{Bounds, unplanned_words};
pub(crate) use breaches::{breach_words, refused_words};
pub(crate) use foreseen::foreseen;
pub(crate) use gates::QualityGate;
pub(crate) use next::{Need, Standing, StuckReason, chains, mode_for, need, next, phase};
pub(crate) use notifications::{notification, owed};
pub(crate) use progress::{
    ALL_FAILED, BUDGET, HELD_ELSEWHERE, IN_CYCLE, IssueProgress, MERGE_CONFLICT, NO_PLAN, PENDING_SELECTION,
    REJECTED, RunProgress, STALLED, SkippedStep, UNREVIEWED, is_for_a_person,
};
pub(crate) use report::{IssueReport, ReportedCheck, RunFacts, RunReport, report};
pub(crate) use spent::Spent;
pub(crate) use state::{Counts, HistoryEntry, IssueStage, RunState, history, stage, state};
pub(crate) use times::driven_ms;
pub(crate) use waiting::{
    KeptBranch, KeptKind, NeededIssue, UnstoredAnswer, UnstoredState, completes, fails, releases,
};
pub(crate) use worn::worn_out;
