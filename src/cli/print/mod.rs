//! What commands print for people: one file for each subject.

pub(super) mod clones;
pub(super) mod issues;
pub(super) mod plans;
mod remedy;
pub(super) mod store;
pub(super) mod trail;
pub(super) mod work;

pub(super) use remedy::spelled;
