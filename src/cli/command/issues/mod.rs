//! Commands on issues.

pub(in crate::cli) mod board;
pub(in crate::cli) mod close;
pub(in crate::cli) mod comment;
pub(in crate::cli) mod edit;
pub(in crate::cli) mod list;
pub(in crate::cli) mod new;
pub(in crate::cli) mod reopen;
pub(in crate::cli) mod search;
pub(in crate::cli) mod show;
pub(in crate::cli) mod status;
