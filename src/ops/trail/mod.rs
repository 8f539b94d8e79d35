//! The trail: from plans to commits and back.

mod link;
mod relink;
mod unlink;

pub(crate) use link::{Link, LinkView, in_plan, link};
pub(crate) use relink::{Relink, Relinked, relink};
pub(crate) use unlink::unlink;
