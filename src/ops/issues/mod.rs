//! Issues: registering them, changing them, reading them.

mod close;
mod reopen;
mod view;

pub(crate) use close::{Close, close};
pub(crate) use reopen::{Reopen, reopen};
pub(crate) use view::{IssueView, answer};

use super::Refusal;
use crate::model::id::IssueId;
use crate::rules::folder::IssueFolder;
use crate::store::{Read, records};

/// An issue that was resolved before; it can only be missing where it was never whole.
///
/// # Errors
/// `not-found`, and what reading can come to.
pub(crate) fn existing(read: &impl Read, id: &IssueId) -> Result<IssueFolder, Refusal> {
    records::issue(read, id)?.ok_or_else(|| missing(id))
}

/// As [`existing`], without its plans and what was said of it.
pub(crate) fn existing_outline(read: &impl Read, id: &IssueId) -> Result<IssueFolder, Refusal> {
    records::outline(read, id)?.ok_or_else(|| missing(id))
}

fn missing(id: &IssueId) -> Refusal {
    Refusal::new("not-found", format!("there is no issue `{id}`"))
        .remedy("list --all", "shows the issues")
        .remedy("sync", "brings those of others")
}
