//! What commands print for people: one file for each subject.

pub(super) mod added;
pub(super) mod audit;
pub(super) mod background;
pub(super) mod check;
pub(super) mod clones;
pub(super) mod collisions;
pub(super) mod dag;
pub(super) mod diff;
pub(super) mod execution;
pub(super) mod fsck;
pub(super) mod import;
pub(super) mod issue;
pub(super) mod issues;
pub(super) mod json_array;
pub(super) mod log;
pub(super) mod overview;
pub(super) mod plans;
pub(super) mod queue;
pub(super) mod record;
pub(super) mod redact;
pub(super) mod relink;
mod remedy;
pub(super) mod review;
pub(super) mod signatures;
pub(super) mod search;
pub(super) mod solution;
pub(super) mod store;
pub(super) mod store_diff;
pub(super) mod task;
pub(super) mod trace;
pub(super) mod trace_picture;
pub(super) mod trail;
pub(super) mod verify;
pub(super) mod why;
pub(super) mod work;

pub(super) use remedy::spelled;
