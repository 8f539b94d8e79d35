//! The trail: from plans to commits and back.

mod link;
mod unlink;

pub(crate) use link::{Link, LinkView, in_plan, link};
pub(crate) use unlink::unlink;
