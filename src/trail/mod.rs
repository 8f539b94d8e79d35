//! From plans to commits and back: what this worktree executes, commit links, finding lost ones again, trace, the log.

pub(crate) mod active;
pub(crate) mod links;
pub(crate) mod log;
pub(crate) mod patch_id;
pub(crate) mod relink;
pub(crate) mod trace;
pub(crate) mod trailers;
