//! From a line or a commit to its task, plan and issue, and back; links, the log and audits.

pub(crate) mod agents;
mod audit;
mod audit_merges;
mod diff;
mod landed;
mod landed_copies;
mod landed_refs;
mod landed_reverts;
mod log;
mod provenance;
mod relink;
pub(crate) mod signatures;
mod steps;
mod survival;
mod trace;
mod unlanded;
mod why;
