//! Runs: one pass of the workflow over several issues, driven by agents. Everything goes through the operations that a
//! person would call.
//!
//! The way of `git wf run --all-pending`:
//!
//! 1. `run/begin.rs` chooses issues, mode and agents, and writes `run.json` and the first entry of the run's
//!    log.
//! 2. `run/drive/` loops in one thread: `standing.rs` reads the state of each issue, and `rules/run/next.rs`
//!    (pure) decides which steps can start. Each step of an agent runs in a thread with its own session, workplace and
//!    actor (`job.rs`, `steps.rs`, `execute.rs`). What a step did and what the log
//!    says of it are one commit (`along.rs`); all else in the log is the driver's.
//! 3. A step uses the operations that people use, in the role of the agent: `plan add`, `queue add`, `next`,
//!    `verify`, `done`.
//! 4. Each agent works in a clone of its own (`workplace.rs`), in a sandbox where there can be one. What it hands in is judged
//!    by `gate` like a push from a stranger; what is refused is recorded. Plans are claimed in worktrees without files, and
//!    tested in workplaces that are made for that.
//! 5. Completed work is merged into the branch of the run. If it conflicts (`drive/conflicts.rs`), copies of its commits are
//!    tried; then the agent that made it resolves the merge (`resolving.rs`), and then a person.
//! 6. The state of a run is not stored: `rules/run/progress.rs` folds the log. A resumed run first records what was done
//!    but not recorded (`catch_up.rs`).
//! 7. An agent is asked on in its session (`asking.rs`, `sessions.rs`). While its provider refuses more requests, the step waits,
//!    or another agent takes over (`limits.rs`). What people tell a run at work stands in its log (`steer.rs`,
//!    `drive/steering.rs`), and so do its questions and their answers (`drive/asking.rs`, `answer.rs`).

mod again;
mod agreed;
mod along;
mod answer;
mod arrived;
mod asking;
mod begin;
mod blocked;
mod catch_up;
mod committing;
mod configured;
mod crew;
mod drive;
mod dry;
mod execute;
mod job;
mod job_site;
mod landing;
mod leftovers;
mod limits;
#[cfg(feature = "web")]
mod lines;
mod listener;
mod notify;
mod others;
mod outcome;
mod panicked;
mod pending;
mod report;
mod resolving;
mod resume;
mod sessions;
mod silence;
mod spending;
mod standing;
mod steer;
mod steps;
mod stops;
mod taking;
mod testing;
mod unended;
mod unfinished;
mod watch;
mod workplace;

pub(crate) use crate::ops::work::AgentNames;
pub(crate) use crate::ops::work::runs::asking::OpenQuestion;
pub(crate) use crate::ops::work::runs::driver::Driven;
pub(crate) use crate::ops::work::runs::view::{LoggedView, RunSummary, RunView, list, log, show};
pub(crate) use crate::ops::work::runs::workplaces::{RunDiff, RunWorkplace, WorkplaceUse, diff};
pub(crate) use answer::{AnsweredRun, GiveAnswer, answer};
pub(crate) use begin::{Begin, JOBS, RETRIES, WantedMode};
pub(crate) use dry::{DryIssue, DryRun, dry};
#[cfg(feature = "web")]
pub(crate) use lines::{AgentLines, last_lines};
pub(crate) use pending::{ListPending, is_issue, list_pending};
pub(crate) use report::{not_landed, report};
pub(crate) use resume::{Resume, resume, run};
pub(crate) use steer::{Steer, SteeredRun, is_paused, steer};
pub(crate) use watch::{OwnCommands, PlanToChoose, Reply, RunUpdate, RunWatch, StartedIssue, WorkTest};
