//! One file for each command: its arguments, the operation's input made from them, the call, and the output.

// A command owns its arguments, whether or not it takes them apart.
#![allow(clippy::needless_pass_by_value)]

pub(super) mod clones;
pub(super) mod home;
pub(super) mod issues;
pub(super) mod plans;
pub(super) mod queue;
pub(super) mod store;
pub(super) mod trail;
pub(super) mod work;
