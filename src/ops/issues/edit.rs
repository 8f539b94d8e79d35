//! Editing the fields and the status of an issue.

use std::slice;

use super::close::open_parts;
use super::fields::NewFields;
use super::input::some;
use super::new::{check_dependencies, check_relations};
use super::{IssueView, SeenFields, existing, existing_outline, view};
use crate::model::{
    AsideReason, Code, Issue, IssueId, IssueStatus, Op, RemedyCall, StatusChange, StoredStatus,
};
use crate::ops::{Answer, Notice, Refusal, Session, work};
use crate::rules::{IssueFolder, facts, limits, toward, transitions};
use crate::store::{Tx, resolve};

/// Changes to an issue; omitted fields stay as they are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Edit {
    /// Its id, or an unambiguous prefix of it.
    pub(crate) issue: String,
    /// A new title.
    pub(crate) title: Option<String>,
    /// A new description; an empty one clears it.
    pub(crate) text: Option<String>,
    /// A new status.
    pub(crate) status: Option<StatusChange>,
    /// Everything else.
    pub(crate) fields: NewFields,
    /// What the new values replace.
    pub(crate) seen: SeenFields,
    /// The reason for forcing an illegal transition.
    pub(crate) force: Option<String>,
}

impl Edit {
    /// Whether it changes nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.title.is_none() && self.text.is_none() && self.status.is_none() && self.fields.is_empty()
    }
}

/// An issue that was not edited after all.
///
/// # Errors
/// `not-found`, `ambiguous-id`.
pub(crate) fn unedited(session: &Session, issue: &str) -> Answer<IssueView> {
    view::answer(session, &resolve::issue(&session.store().snapshot()?, issue)?, None)
}

/// Edits an issue.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `other-issue`, `illegal-move`, `own-command`, `derived-status`, `not-bound`, `cycle`,
/// `self-dependency`, `changed-meanwhile`; an invalid value; usage if nothing is given.
pub(crate) fn edit(session: &Session, input: Edit) -> Answer<IssueView> {
    let permit = session.permit(Op::Edit)?;
    let is_empty = input.is_empty();
    let Edit { issue, title, text, status, fields, seen, force } = input;
    if is_empty {
        let issue = resolve::issue(&session.store().snapshot()?, &issue)?;
        return Err(Refusal::usage("nothing to change")
            .hint("name a field, such as the title")
            .remedy(RemedyCall::new(Op::Edit, [issue]).flag("edit"), "opens the text in your editor"));
    }
    let id = resolve::issue(&session.store().snapshot()?, &issue)?;
    let named = fields.json.as_ref().and_then(|json| json.id.as_ref());
    if let Some(other) = named.filter(|other| **other != id) {
        return Err(Refusal::new(Code::OtherIssue, format!("the input is issue `{other}`, not `{id}`"))
            .hint("omit `id`")
            .remedy(RemedyCall::new(Op::Edit, [other]), "edits that one"));
    }
    let given = fields.json.clone();
    let changes = IssueEdits::new(title.as_deref(), text.as_deref(), status, fields, force)?;
    let committed = session.transact(permit, |tx| {
        let what = changes.apply(tx, &id, &seen)?;
        tx.note.force.clone_from(&changes.force);
        tx.describe(what);
        Ok(())
    })?;
    let done = view::answer(session, &id, committed.commit)?;
    if status == Some(StatusChange::InProgress) {
        session.notice_all(unmoved([(&id, done.view.derived.status)]));
    }
    if status == Some(StatusChange::To(IssueStatus::Cancelled)) && committed.commit.is_some() {
        session.notice_all(open_parts(session, slice::from_ref(&id)));
    }
    let json = given.iter();
    let notices = json.flat_map(|json| json.notices(&done.view.issue, done.view.derived.status));
    session.notice_all(done.notices.into_iter().chain(notices));
    Ok(session.done(done.view, done.commit))
}

/// Tells that `in-progress` changed nothing for those of the issues, each with its status, on which nobody should work.
pub(super) fn unmoved<'a>(issues: impl IntoIterator<Item = (&'a IssueId, IssueStatus)>) -> Option<Notice> {
    let left: Vec<_> = issues
        .into_iter()
        .filter(|(_, status)| *status == IssueStatus::Paused || (*status).is_terminal())
        .collect();
    let (first, _) = left.first()?;
    let names: Vec<String> = left.iter().map(|(id, status)| format!("{id} ({status})")).collect();
    let message = format!("`in-progress` does not reopen an issue: {}", names.join(", "));
    let (issue, does) =
        if names.len() == 1 { (first.as_str(), "reopens it") } else { ("ISSUE", "reopens one") };
    Some(Notice::warning(message).remedy(RemedyCall::new(Op::Reopen, [issue]), does))
}

/// The changes of an edit, with checked texts.
pub(super) struct IssueEdits {
    pub(super) title: Option<String>,
    pub(super) text: Option<String>,
    status: Option<StatusChange>,
    pub(super) fields: NewFields,
    force: Option<String>,
}

impl IssueEdits {
    /// # Errors
    /// A title or a text that is too long, or a title that is not a single line.
    pub(super) fn new(
        title: Option<&str>,
        text: Option<&str>,
        status: Option<StatusChange>,
        fields: NewFields,
        force: Option<String>,
    ) -> Result<Self, Refusal> {
        let (title, text) = (title.map(limits::title).transpose()?, text.map(limits::text).transpose()?);
        Ok(Self { title, text, status, fields, force })
    }

    /// Changes an issue of which this was seen; returns a description for the commit.
    pub(super) fn apply(&self, tx: &mut Tx<'_>, id: &IssueId, seen: &SeenFields) -> Result<String, Refusal> {
        let folder = existing_outline(tx, id)?;
        seen.check(self, &folder.issue.record)?;
        let status = match self.status {
            Some(change) => Some(decide(tx, id, change, self.force.as_deref())?),
            None => None,
        };
        let mut target = folder.issue.record.clone();
        self.fields.apply(tx, &mut target)?;
        if let Some(title) = &self.title {
            target.title.clone_from(title);
        }
        if let Some(text) = &self.text {
            target.context = some(text.clone());
        }
        let before = folder.issue.record;
        let dependencies_changed = target.depends_on != before.depends_on;
        let relations_changed = target.relations != before.relations;
        let edited = tx.edit_issue(id, |issue| {
            // Keep what was decided above.
            let kept = (issue.status, issue.close_reason.clone(), issue.bound_solution_id.clone());
            *issue = target;
            (issue.status, issue.close_reason, issue.bound_solution_id) = kept;
        })?;
        if dependencies_changed {
            check_dependencies(tx, id, &before.depends_on)?;
        }
        if relations_changed {
            check_relations(tx, id, &before.relations)?;
        }
        Ok(match status {
            Some(status) if !edited => format!("issue: set {id} to {status}"),
            Some(status) => format!("issue: edit {id}, and set it to {status}"),
            None => format!("issue: edit {id}"),
        })
    }
}

/// An issue as it is stored, for editing its text.
///
/// # Errors
/// `not-found`, `ambiguous-id`.
pub(crate) fn stored(session: &Session, issue: &str) -> Result<Issue, Refusal> {
    let snapshot = session.store().snapshot()?;
    Ok(existing_outline(&snapshot, &resolve::issue(&snapshot, issue)?)?.issue.record)
}

/// Sets the status of an issue, if the transition is legal. Returns it.
fn decide(
    tx: &mut Tx<'_>,
    id: &IssueId,
    change: StatusChange,
    force: Option<&str>,
) -> Result<IssueStatus, Refusal> {
    let folder = existing(tx, id)?;
    let from = facts::status(&folder);
    let to = change.from(from);
    if from == to {
        return Ok(to);
    }
    let decision = decision(&folder, to)?;
    if force.is_none() {
        transitions::permit(id, from, transitions::By::Status(to))?;
        if decision == StoredStatus::Planned && folder.issue.record.bound_solution_id.is_none() {
            return Err(Refusal::new(Code::NotBound, format!("issue `{id}` has no bound plan"))
                .next_step(toward::plan(&folder)));
        }
    }
    if from == IssueStatus::Executing && decision == StoredStatus::Cancelled {
        work::set_aside(tx, &folder, AsideReason::Release, force)?;
    }
    tx.edit_issue(id, |issue| {
        if issue.status == StoredStatus::Closed {
            issue.close_reason = None;
        }
        issue.status = decision;
    })?;
    Ok(to)
}

/// The stored status that makes an issue show this status. Most statuses are derived and cannot be set.
fn decision(folder: &IssueFolder, status: IssueStatus) -> Result<StoredStatus, Refusal> {
    let id = &folder.issue.record.id;
    let is_over = facts::status(folder).is_terminal();
    let refusal = Refusal::new(Code::DerivedStatus, format!("`{status}` cannot be set"));
    Err(match status {
        IssueStatus::Registered => return Ok(StoredStatus::Registered),
        IssueStatus::Planning => return Ok(StoredStatus::Planning),
        IssueStatus::Planned => return Ok(StoredStatus::Planned),
        IssueStatus::Paused => return Ok(StoredStatus::Paused),
        IssueStatus::Cancelled => return Ok(StoredStatus::Cancelled),
        IssueStatus::Closed => {
            transitions::permit(id, facts::status(folder), Op::Close)?;
            Refusal::new(Code::OwnCommand, "`edit` cannot close an issue")
                .remedy(RemedyCall::new(Op::Close, [id]), "closes it")
        }
        IssueStatus::Queued => refusal.next_step(toward::queue(folder)),
        IssueStatus::Executing => refusal.next_step(toward::execution(folder)),
        IssueStatus::Completed | IssueStatus::Failed if is_over => {
            refusal.remedy(RemedyCall::new(Op::Reopen, [id]), "reopens it")
        }
        IssueStatus::Completed => refusal
            .remedy(RemedyCall::from(Op::Done).item(Some(id)), "completes an execution")
            .remedy(RemedyCall::new(Op::Close, [id]), "closes an issue without one"),
        IssueStatus::Failed => {
            let fail = RemedyCall::from(Op::Fail).item(Some(id)).option("message", "TEXT");
            refusal.remedy(fail, "ends an execution as failed")
        }
    })
}
