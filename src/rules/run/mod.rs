//! Runs: deriving the state of a run from its log. Pure.

mod bounds;
mod breaches;
mod budget;
mod clock_words;
mod error_types;
#[cfg(test)]
mod fixtures;
mod foreseen;
mod gates;
mod limit_words;
mod limits;
mod next;
mod notifications;
mod progress;
mod questions;
mod report;
mod spent;
mod state;
mod steering;
mod times;
mod waiting;
mod worn;

pub(crate) use bounds::{Bounds, unplanned_words};
pub(crate) use breaches::{breach_words, refused_words};
pub(crate) use budget::money;
pub(crate) use error_types::{
    ALL_FAILED, BUDGET, HELD_ELSEWHERE, IN_CYCLE, MERGE_CONFLICT, NO_PLAN, PENDING_SELECTION, REJECTED,
    STALLED, STOPPED, UNREVIEWED, is_for_a_person,
};
pub(crate) use foreseen::foreseen;
pub(crate) use gates::QualityGate;
pub(crate) use limit_words::{limit_at_end_of, limit_in};
pub(crate) use limits::{LimitWait, limited_words, limits_in};
pub(crate) use next::{Need, RunIssueState, StuckReason, chains, free_jobs, mode_for, need, next, phase};
pub(crate) use notifications::{notification, owed};
pub(crate) use progress::{IssueProgress, RunProgress, SkippedStep};
pub(crate) use questions::{question_words, questions};
pub(crate) use report::{IssueReport, ReportedCheck, RunFacts, RunReport, report};
pub(crate) use spent::WorkCost;
pub(crate) use state::{Counts, HistoryEntry, IssueStage, RunState, history, stage, state};
pub(crate) use steering::{order_words, steering};
pub(crate) use times::{StageSpan, between, worked_ms};
pub(crate) use waiting::{
    KeptBranch, KeptKind, LeftWork, NeededIssue, UnstoredAnswer, UnstoredState, completes, fails, releases,
};
pub(crate) use worn::worn_out;
