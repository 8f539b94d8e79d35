//! Closing an issue, executed or not.

use std::slice;

use super::new::check_relations;
use super::{IssueView, existing, existing_outline, view};
use crate::index::{Index, IndexError, IssueRow, Needs};
use crate::model::{AsideReason, IssueId, IssueStatus, Op, Other, RemedyCall, StoredStatus, text_enum};
use crate::ops::{Answer, Notice, Refusal, Session, work};
use crate::rules::{By, facts, transitions};
use crate::store::{Tx, resolve};

text_enum!(
    /// What an issue is closed as.
    ClosedAs {
        /// It is done, or needs no work.
        Completed = "completed",
        /// It will not be done.
        Cancelled = "cancelled",
        /// Another issue says the same.
        Duplicate = "duplicate",
    }
);

impl ClosedAs {
    fn status(self) -> StoredStatus {
        if self == Self::Cancelled { StoredStatus::Cancelled } else { StoredStatus::Closed }
    }

    /// The reason as it is recorded: one word says that it is a duplicate.
    pub(super) fn reason(self, said: Option<String>) -> Option<String> {
        match (self, said) {
            (Self::Duplicate, Some(said)) => Some(format!("{self}: {said}")),
            (Self::Duplicate, None) => Some(self.to_string()),
            (_, said) => said,
        }
    }
}

/// The relation of a duplicate to its original.
const DUPLICATES: &str = "duplicates";

/// Which issue to close.
#[derive(Debug)]
pub(crate) struct Close {
    /// Its id, or an unambiguous prefix of it.
    pub(crate) issue: String,
    /// What as.
    pub(crate) closed_as: ClosedAs,
    /// The issue of which it is a duplicate.
    pub(crate) original: Option<String>,
    /// Why.
    pub(crate) reason: Option<String>,
    /// The reason for forcing an illegal transition.
    pub(crate) force: Option<String>,
}

/// Closes an issue. Its attempts are set aside.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `illegal-move`; `cycle` if the original is a duplicate of this issue.
pub(crate) fn close(session: &Session, input: Close) -> Answer<IssueView> {
    let permit = session.permit(Op::Close)?;
    let id = resolve::issue(&session.store().snapshot()?, &input.issue)?;
    let original = input.original.as_deref();
    let original = original.map(|text| resolve::issue(&session.store().snapshot()?, text)).transpose()?;
    let Close { closed_as, reason, force, .. } = input;
    let reason = closed_as.reason(reason);
    let committed = session.transact(permit, |tx| {
        close_in(tx, &id, closed_as, reason.as_deref(), force.as_deref())?;
        if let Some(original) = &original {
            let before = existing_outline(tx, &id)?.issue.record.relations;
            tx.edit_issue(&id, |issue| {
                issue.relations.insert(format!("{DUPLICATES}:{original}"));
            })?;
            check_relations(tx, &id, &before)?;
        }
        tx.note.force.clone_from(&force);
        let why = reason.as_deref().map_or(String::new(), |reason| format!(": {reason}"));
        tx.describe(format!("issue: close {id}{why}"));
        Ok(())
    })?;
    session.notice_all(left_behind(session, slice::from_ref(&id)));
    view::answer(session, &id, committed.commit)
}

/// At most this many parts are named, and at most this many issues that have some.
const MOST_PARTS: usize = 5;

/// Tells that closed issues have parts that are still open. Empty if the index cannot be read.
pub(super) fn open_parts(session: &Session, issues: &[IssueId]) -> Vec<Notice> {
    let of_all = session.ask(Needs::ROWS, |index| open_parts_in(index, issues));
    of_all.map(|(_, notices)| notices).unwrap_or_default()
}

/// Tells what closed issues leave behind: open parts, and work that did not land.
pub(super) fn left_behind(session: &Session, issues: &[IssueId]) -> Vec<Notice> {
    let mut notices = open_parts(session, issues);
    notices.extend(unlanded_work(session, issues));
    notices
}

/// Tells that the work of closed issues is not on the target branch. Empty if the index cannot be read.
fn unlanded_work(session: &Session, issues: &[IssueId]) -> Vec<Notice> {
    let of_all = session.ask_landed(Needs::ROWS, |index| {
        let mut notices = Vec::new();
        for id in issues {
            let Some(landed) = index.landing_of(id)?.map(|proof| proof.landed) else { continue };
            let Some(words) = landed.words() else { continue };
            let message = format!("`{id}` is closed, but its work did not land: {words}");
            let reason = RemedyCall::new(Op::Land, [id]).flag("none").option("message", "WHY");
            let notice = Notice::warning(message)
                .remedy(RemedyCall::new(Op::Land, [id]), "lands it")
                .remedy(reason, "says why it need not land");
            notices.push(notice);
        }
        notices.truncate(MOST_PARTS);
        Ok(notices)
    });
    of_all.map(|(_, _, notices)| notices).unwrap_or_default()
}

/// [`open_parts`], by an open index.
pub(crate) fn open_parts_in(index: &Index<'_>, issues: &[IssueId]) -> Result<Vec<Notice>, IndexError> {
    let mut notices = Vec::new();
    for id in issues {
        notices.extend(open_parts_of(id, &index.children(id)?));
        if notices.len() == MOST_PARTS {
            break;
        }
    }
    Ok(notices)
}

fn open_parts_of(id: &IssueId, parts: &[IssueRow]) -> Option<Notice> {
    let open: Vec<&str> = parts
        .iter()
        .filter(|part| !part.status.is_terminal() && part.id != *id)
        .map(|part| part.id.as_str())
        .collect();
    let (named, more) = open.split_at(open.len().min(MOST_PARTS));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    let is_one = open.len() == 1;
    let (parts, stay) = if is_one { ("a part", "stays") } else { ("parts", "stay") };
    let message = format!("`{id}` has {parts} that {stay} open: {}{more}", named.join(", "));
    (!open.is_empty())
        .then(|| Notice::warning(message).remedy(RemedyCall::new(Other::Show, [id]), "shows them"))
}

/// Closes an issue within a transaction.
pub(super) fn close_in(
    tx: &mut Tx<'_>,
    id: &IssueId,
    closed_as: ClosedAs,
    reason: Option<&str>,
    force: Option<&str>,
) -> Result<(), Refusal> {
    let folder = existing(tx, id)?;
    let status = facts::status(&folder);
    if folder.issue.record.status != closed_as.status() && force.is_none() {
        let by = match closed_as {
            ClosedAs::Cancelled => By::Status(IssueStatus::Cancelled),
            ClosedAs::Completed | ClosedAs::Duplicate => By::Op(Op::Close),
        };
        transitions::permit(id, status, by)?;
    }
    if status == IssueStatus::Executing {
        work::set_aside(tx, &folder, AsideReason::Release, force)?;
    }
    tx.edit_issue(id, |issue| {
        issue.status = closed_as.status();
        if reason.is_some() {
            issue.close_reason = reason.map(str::to_owned);
        }
    })?;
    Ok(())
}
