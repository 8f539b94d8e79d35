//! What can be done with a store: one function for each use case, grouped by subject.
//!
//! An operation takes a [`Session`] and an input, and returns [`Done`] with a view, or a [`Refusal`]. A view is what
//! `--json` prints. Nothing here knows a command line, a terminal, an exit code, the environment or a current
//! directory.

pub(crate) mod clones;
mod done;
mod entries;
mod error_answer;
pub(crate) mod fields;
pub(crate) mod format;
mod host;
pub(crate) mod issues;
mod notice;
mod patience;
mod plan_progress;
pub(crate) mod plans;
pub(crate) mod queue;
mod reach;
mod refusal;
mod session;
pub(crate) mod store;
pub(crate) mod trail;
pub(crate) mod work;

#[cfg(test)]
pub(crate) mod test_repo;

pub(crate) use done::Done;
pub(crate) use error_answer::ErrorAnswer;
pub(crate) use notice::{Notice, Weight};
pub(crate) use patience::Patience;
pub(crate) use reach::{unreached, unreached_of};
pub(crate) use refusal::{Refusal, RefusalKind};
pub(crate) use session::{NoProgress, Permit, Progress, Ridden, Session, WriteCondition};

/// The result of an operation.
pub(crate) type Answer<V> = Result<Done<V>, Refusal>;
