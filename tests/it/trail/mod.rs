//! From a line or a commit to its task, plan and issue, and back; links, the log and audits.

mod agents;
mod audit;
mod audit_merges;
mod diff;
mod exports;
mod log;
mod provenance;
mod relink;
mod signatures;
mod steps;
mod trace;
mod why;
