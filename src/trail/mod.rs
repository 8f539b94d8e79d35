//! From plans to commits and back: what this worktree executes, commit links, trace, the log.

pub(crate) mod active;
pub(crate) mod log;
pub(crate) mod patch_id;
pub(crate) mod trace;
pub(crate) mod trailers;
pub(crate) mod worktrees;
