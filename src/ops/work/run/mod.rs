//! Runs: one pass of the workflow over several issues, driven by agents. Everything goes through the operations that a
//! person would call.

mod agreed;
mod alone;
mod arrived;
mod begin;
mod catch_up;
mod compared;
mod crew;
mod drive;
mod driver;
mod dry;
mod execute;
mod job;
mod kept_refs;
mod leftovers;
#[cfg(feature = "web")]
mod lines;
mod listener;
mod others;
mod outside;
pub(super) mod paths;
mod report;
mod resume;
mod silence;
mod standing;
mod steps;
pub(super) mod tree;
mod unended;
mod users_trees;
mod view;
mod watch;

pub(in crate::ops) use arrived::branch_of_work;
pub(crate) use begin::{Begin, is_issue};
pub(crate) use crew::AgentNames;
pub(crate) use driver::Driven;
pub(crate) use dry::{DryRun, dry};
#[cfg(feature = "web")]
pub(crate) use lines::last_lines;
pub(crate) use report::report;
pub(crate) use resume::{Resume, resume, run};
pub(crate) use view::{LoggedView, RunSummary, RunView, interrupted, list, log, show};
pub(crate) use watch::{PlanToChoose, RunUpdate, StartedIssue, Watch};
