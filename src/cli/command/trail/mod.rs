//! Commands on the trail: from plans to commits and back.

pub(in crate::cli) mod audit;
pub(in crate::cli) mod diff;
pub(in crate::cli) mod link;
pub(in crate::cli) mod log;
pub(in crate::cli) mod trace;
pub(in crate::cli) mod why;
