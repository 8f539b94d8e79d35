//! The trail: from plans to commits and back.

mod diff;
mod link;
mod log;
mod origins;
mod relink;
mod unlink;
mod why;

pub(crate) use diff::{Sides, StoreDiff, diff};
pub(crate) use link::{Link, LinkView, in_plan, link};
pub(crate) use log::{LogInput, log};
pub(crate) use relink::{Relink, Relinked, relink};
pub(crate) use unlink::unlink;
pub(crate) use why::{Explained, Place, Why, why};
