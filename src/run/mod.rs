//! Runs: one pass of the workflow over several issues, driven by agents. Everything goes through the operations that a
//! person would call.
//!
//! The way of `git wf run --all-pending`:
//!
//! 1. `run/begin.rs` chooses issues, mode and agents, and writes `run.json` and the first entry of the run's
//!    log.
//! 2. `run/drive/` loops in one thread: `standing.rs` reads the state of each issue, and `rules/run/next.rs`
//!    (pure) decides which steps can start. Each step of an agent runs in a thread with its own session, worktree and
//!    actor (`job.rs`, `steps.rs`, `execute.rs`). Only the driver writes the log.
//! 3. A step uses the operations that people use, in the role of the agent: `solution add`, `queue add`, `next`,
//!    `verify`, `done`.
//! 4. `agent/guard.rs` gives each agent hooks that enforce its bounds (`rules/run/bounds.rs`). `outside.rs` and
//!    `compared.rs` compare refs, records and work trees before and after each step, record breaches, and undo what they
//!    safely can (`users_trees.rs` restores the user's work trees). All git of a run is confined (`git/confined.rs`):
//!    settings that agents changed are put back before it starts.
//! 5. The state of a run is not stored: `rules/run/progress.rs` folds the log. A resumed run first records what was done
//!    but not recorded (`catch_up.rs`).

mod agreed;
mod alone;
mod arrived;
mod begin;
mod blocked;
mod catch_up;
mod compared;
mod crew;
mod drive;
mod dry;
mod execute;
mod job;
mod kept_refs;
mod left_at;
mod leftovers;
#[cfg(feature = "web")]
mod lines;
mod listener;
mod locks;
mod others;
mod outside;
mod pending;
mod report;
mod resume;
mod silence;
mod standing;
mod steps;
mod stops;
mod unended;
mod users_trees;
mod watch;

pub(crate) use crate::ops::work::AgentNames;
pub(crate) use crate::ops::work::runs::driver::Driven;
pub(crate) use crate::ops::work::runs::view::{LoggedView, RunSummary, RunView, list, log, show};
pub(crate) use begin::{Begin, JOBS, RETRIES, is_issue};
pub(crate) use dry::{DryIssue, DryRun, dry};
#[cfg(feature = "web")]
pub(crate) use lines::last_lines;
pub(crate) use pending::{ListPending, list_pending};
pub(crate) use report::report;
pub(crate) use resume::{Resume, resume, run};
pub(crate) use watch::{PlanToChoose, RunUpdate, RunWatch, StartedIssue};
