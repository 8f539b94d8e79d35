//! The project's own commits and files, as far as records refer to them.

pub(super) mod commits;
mod merge_work;
pub(super) mod tree;
