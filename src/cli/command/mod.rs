//! One file for each command: its arguments, the input that it makes of them, the operation, what it prints.

// A command is handed its arguments for good, whether it takes them apart or not.
#![allow(clippy::needless_pass_by_value)]

pub(super) mod clones;
pub(super) mod issues;
pub(super) mod plans;
pub(super) mod queue;
pub(super) mod store;
pub(super) mod trail;
pub(super) mod work;
