//! Runs: one pass of the workflow over several issues, driven by agents. Everything goes through the operations that a
//! person would call.

mod begin;
mod catch_up;
mod crew;
mod drive;
mod execute;
mod job;
mod places;
mod report;
mod resume;
mod standing;
mod steps;
mod view;
mod watch;

pub(crate) use begin::{Begin, prepare};
pub(crate) use crew::Given;
pub(crate) use report::report;
pub(crate) use resume::{resume, run};
pub(crate) use view::{LoggedView, RunSummary, RunView, list, log, show};
pub(crate) use watch::{Told, Watch};
