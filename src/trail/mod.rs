//! From plans to commits and back: what this worktree executes, commit links, trace, the log.

pub(crate) mod active;
