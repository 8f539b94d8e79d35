//! Changes many issues in one commit.

use schemars::JsonSchema;
use serde::Serialize;

use super::close::{ClosedAs, close_in, left_behind};
use super::comment::{checked, comment_in};
use super::edit::{IssueEdits, unmoved};
use super::{List, NewFields, Related, SeenFields, rows};
use crate::model::{IssueId, IssueStatus, Op, Other, RemedyCall, StatusChange, count};
use crate::ops::{Answer, Permit, Refusal, Session};
use crate::store::{ObjectId, Tx};

/// A change of many issues.
#[allow(clippy::large_enum_variant)] // There is only one.
#[derive(Debug)]
pub(crate) enum Many {
    /// Sets fields, or the status.
    Edit {
        /// The fields.
        fields: NewFields,
        /// The status.
        status: Option<StatusChange>,
        /// The reason for forcing an illegal transition.
        force: Option<String>,
    },
    /// Closes the issues.
    Close {
        /// What as.
        closed_as: ClosedAs,
        /// The reason.
        reason: Option<String>,
        /// The reason for forcing an illegal transition.
        force: Option<String>,
    },
    /// Comments on the issues.
    Comment(String),
}

/// A change to preview.
#[derive(Debug)]
pub(crate) struct PreviewMany<'a> {
    /// Which issues it applies to.
    pub(crate) list: List,
    /// The change.
    pub(crate) change: &'a Many,
}

/// Issues to change.
#[derive(Debug)]
pub(crate) struct ChangeMany {
    /// The issues.
    pub(crate) issues: Vec<Related>,
    /// The change.
    pub(crate) change: Many,
}

/// What was changed, or would be.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ManyChanged {
    /// The issues, as they were before.
    pub(crate) issues: Vec<Related>,
    /// Whether nothing was changed, since only a preview was asked for.
    pub(crate) is_preview: bool,
}

impl Many {
    fn operation(&self) -> Op {
        match self {
            Self::Edit { .. } => Op::Edit,
            Self::Close { .. } => Op::Close,
            Self::Comment(_) => Op::Comment,
        }
    }
}

/// The issues that a change would apply to.
///
/// # Errors
/// `nothing-to-do` if no issue matches; those of [`rows`].
pub(crate) fn many_preview(session: &Session, input: &PreviewMany<'_>) -> Answer<ManyChanged> {
    session.permit(input.change.operation())?;
    let issues = found(session, &input.list)?;
    Ok(session.done(ManyChanged { issues, is_preview: true }, None))
}

/// Changes these issues in one commit: all, or none if one of them cannot be changed.
///
/// # Errors
/// The errors of `edit`, `close` and `comment`.
pub(crate) fn many(session: &Session, ChangeMany { issues, change }: ChangeMany) -> Answer<ManyChanged> {
    let permit = session.permit(change.operation())?;
    let ids: Vec<IssueId> = issues.iter().map(|issue| issue.id.clone()).collect();
    let how_many = count(ids.len(), "issue");
    let ends = match &change {
        Many::Edit { status, .. } => *status == Some(StatusChange::To(IssueStatus::Cancelled)),
        Many::Close { .. } => true,
        Many::Comment(_) => false,
    };
    let commit = match change {
        Many::Edit { fields, status, force } => {
            if fields.is_empty() && status.is_none() {
                return Err(Refusal::usage("nothing to change").hint("name a field, such as --tag"));
            }
            let changes = IssueEdits::new(None, None, status, fields, force.clone())?;
            if status == Some(StatusChange::InProgress) {
                session.notice_all(unmoved(issues.iter().map(|issue| (&issue.id, issue.status))));
            }
            let subject = format!("issue: edit {how_many}");
            let note = NoteOfMany { doing: "changing", subject, force };
            each(session, permit, &note, &ids, |tx, id| {
                changes.apply(tx, id, &SeenFields::default()).map(drop)
            })?
        }
        Many::Close { closed_as, reason, force } => {
            let reason = closed_as.reason(reason);
            let why = reason.as_deref().map_or(String::new(), |reason| format!(": {reason}"));
            let subject = format!("issue: close {how_many}{why}");
            let note = NoteOfMany { doing: "closing", subject, force: force.clone() };
            each(session, permit, &note, &ids, |tx, id| {
                close_in(tx, id, closed_as, reason.as_deref(), force.as_deref())
            })?
        }
        Many::Comment(body) => {
            let body = checked(&body)?;
            let subject = format!("issue: comment on {how_many}");
            let note = NoteOfMany { doing: "commenting", subject, force: None };
            each(session, permit, &note, &ids, |tx, id| comment_in(tx, id, &body).map(drop))?
        }
    };
    if ends && commit.is_some() {
        session.notice_all(left_behind(session, &ids));
    }
    Ok(session.done(ManyChanged { issues, is_preview: false }, commit))
}

/// What is said of a change of many issues.
struct NoteOfMany {
    /// What is being done, while it is.
    doing: &'static str,
    /// The subject of the commit.
    subject: String,
    /// Why a gate was overridden.
    force: Option<String>,
}

/// Changes each of the issues in one commit.
fn each(
    session: &Session,
    permit: Permit,
    note: &NoteOfMany,
    ids: &[IssueId],
    mut change: impl FnMut(&mut Tx<'_>, &IssueId) -> Result<(), Refusal>,
) -> Result<Option<ObjectId>, Refusal> {
    let committed = session.counted(note.doing, Some(ids.len() as u64), |seen| {
        session.transact(permit, |tx| {
            for (id, n) in ids.iter().zip(1..) {
                change(tx, id)?;
                seen(n);
            }
            tx.note.force.clone_from(&note.force);
            tx.describe(note.subject.clone());
            Ok(())
        })
    })?;
    Ok(committed.commit)
}

fn found(session: &Session, list: &List) -> Result<Vec<Related>, Refusal> {
    let done = rows(session, list)?;
    session.notice_all(done.notices);
    let issues: Vec<Related> = done.view.rows.into_iter().map(Related::from).collect();
    if issues.is_empty() {
        return Err(Refusal::nothing("no issue matches")
            .remedy(RemedyCall::from(Other::List).flag("all"), "shows the issues"));
    }
    Ok(issues)
}
