//! The commit message that git passes to `commit-msg`: whether it will be empty, and its trailers.

mod cleanup;
mod gather;
mod placement;
#[cfg(test)]
mod tests;
mod trailers;

pub(crate) use cleanup::{CommentRule, is_empty_after_cleanup};
pub(crate) use trailers::{MessageError, add_trailers};
