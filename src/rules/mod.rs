//! Pure rules: what may happen, what follows from what happened. No git, no files, no clock.

pub(crate) mod dag;
pub(crate) mod evidence;
pub(crate) mod facts;
pub(crate) mod folder;
pub(crate) mod formation;
pub(crate) mod holds;
pub(crate) mod lease;
pub(crate) mod moves;
pub(crate) mod plan_check;
pub(crate) mod policy;
pub(crate) mod position;
pub(crate) mod queue_conflicts;
pub(crate) mod readiness;

#[cfg(test)]
mod laws;
