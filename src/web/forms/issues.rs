//! Forms about issues.

use super::perform::{Fault, Performed, needed};
use super::typed::{is_shown_as, restored, unfolded};
use crate::model::{Code, FeedbackType, FieldValues, ISSUE_FIELDS, IssueField, IssueStatus, StatusChange};
use crate::ops::issues::{
    self, Close, ClosedAs, Edit, MemberChange, NewFields, NewIssue, Reopen, SeenFields,
};
use crate::ops::plans::{self, AddFeedback};
use crate::ops::queue::{self, AddItems, QueueSelection};
use crate::ops::work::{self, Retry};
use crate::ops::{Refusal, Session};
use crate::web::place::{Place, Query};

/// Assigns a refusal to a field, by its code if it names none.
fn field_of(refusal: Refusal) -> Fault {
    let field = refusal.field.or(match refusal.code {
        Code::EmptyTitle | Code::InvalidTitle => Some("title"),
        Code::EmptyComment => Some("body"),
        Code::InvalidLabel => Some("tags"),
        Code::SelfDependency | Code::Cycle | Code::NotFound | Code::AmbiguousId => Some("depends_on"),
        Code::InvalidUrl => Some("source_url"),
        _ => None,
    });
    Fault { refusal, field }
}

fn list(text: Option<&str>) -> impl Iterator<Item = &str> {
    text.unwrap_or_default().split(',').map(str::trim).filter(|member| !member.is_empty())
}

fn set(values: &mut FieldValues, field: &'static IssueField, text: String) -> Result<(), Fault> {
    let what = format!("`{text}` is not a {}", field.word);
    values.set(field, text).map_err(|expected| Fault::at(field.name, Refusal::usage(what).hint(expected)))
}

pub(super) fn new(session: &Session, input: &Query) -> Performed {
    let mut values = FieldValues::default();
    for field in &ISSUE_FIELDS {
        if let Some(text) = input.get(field.name) {
            set(&mut values, field, text.to_owned())?;
        }
    }
    let fields = NewFields {
        values,
        tags: list(input.get("tags")).map(|tag| MemberChange::Add(tag.to_owned())).collect(),
        depends_on: list(input.get("depends_on")).map(|id| MemberChange::Add(id.to_owned())).collect(),
        ..NewFields::default()
    };
    let new = NewIssue {
        id: None,
        title: Some(input.raw("title").unwrap_or_default().to_owned()),
        text: input.raw("text").filter(|text| !text.trim().is_empty()).map(unfolded),
        fields,
    };
    let issue = issues::new(session, new).map_err(field_of)?.view.issue;
    Ok(Some(Place::Issue(issue.id)))
}

/// What the user typed into a field, unless the form showed it already.
fn changed(input: &Query, name: &str) -> Option<String> {
    let now = unfolded(input.raw(name)?);
    let was = unfolded(input.raw(&format!("was_{name}")).unwrap_or_default());
    if now.trim_end() == was.trim_end() { None } else { Some(now) }
}

/// What the user added to and removed from the list in a field.
fn changed_members(input: &Query, name: &str) -> Vec<MemberChange> {
    let was: Vec<&str> = list(input.raw(&format!("was_{name}"))).collect();
    let now: Vec<&str> = list(input.raw(name)).collect();
    let added = now.iter().filter(|member| !was.contains(member));
    let removed = was.iter().filter(|member| !now.contains(member));
    added
        .map(|member| MemberChange::Add((*member).to_owned()))
        .chain(removed.map(|member| MemberChange::Remove((*member).to_owned())))
        .collect()
}

/// What the form showed in a field. If that is how it shows `stored`, it is `stored`: the form cannot hold every character
/// of a text.
fn seen(input: &Query, name: &str, stored: Option<String>) -> Option<String> {
    let was = input.raw(&format!("was_{name}"))?;
    Some(stored.filter(|text| is_shown_as(text, was)).unwrap_or_else(|| unfolded(was)))
}

/// Changes only what the user changed in the form, and only if it is still what the form showed, so that changes by others in
/// the meantime are kept.
pub(super) fn edit(session: &Session, input: &Query) -> Performed {
    let issue = needed(input, "issue")?.to_owned();
    let stored = SeenFields::new(&issues::stored(session, &issue)?);
    let mut values = FieldValues::default();
    let mut seen_values = FieldValues::default();
    for field in &ISSUE_FIELDS {
        if let Some(text) = changed(input, field.name) {
            set(&mut values, field, text)?;
        }
        if let Some(text) = seen(input, field.name, stored.values.get(field).map(str::to_owned)) {
            set(&mut seen_values, field, text)?;
        }
    }
    let fields = NewFields {
        values,
        tags: changed_members(input, "tags"),
        depends_on: changed_members(input, "depends_on"),
        ..NewFields::default()
    };
    let text = changed(input, "text").map(|typed| match &stored.text {
        Some(text) if is_shown_as(text, input.raw("was_text").unwrap_or_default()) => restored(text, &typed),
        _ => typed,
    });
    let seen = SeenFields {
        title: seen(input, "title", stored.title),
        text: seen(input, "text", stored.text),
        values: seen_values,
    };
    let title = changed(input, "title");
    let edit = Edit { issue, title, text, status: None, fields, seen, force: None };
    issues::edit(session, edit).map_err(field_of)?;
    Ok(None)
}

pub(super) fn comment(session: &Session, input: &Query) -> Performed {
    let body = unfolded(input.raw("body").unwrap_or_default());
    issues::comment(session, needed(input, "issue")?, &body).map_err(|refusal| Fault::at("body", refusal))?;
    Ok(None)
}

const CHOOSE: &str = "choose one of the list";

pub(super) fn feedback(session: &Session, input: &Query) -> Performed {
    let word = input.get("type").unwrap_or(FeedbackType::Clarification.as_str());
    let kind = FeedbackType::parse(word).ok_or_else(|| {
        Fault::at("type", Refusal::usage(format!("`{word}` is not a type of feedback")).hint(CHOOSE))
    })?;
    let add = AddFeedback {
        issue: needed(input, "issue")?.to_owned(),
        text: unfolded(input.raw("content").unwrap_or_default()),
        kind,
        stage: None,
        solution: input.get("solution").map(str::to_owned),
    };
    plans::add_feedback(session, &add).map_err(|refusal| Fault::at("content", refusal))?;
    Ok(None)
}

/// The word for reopening an issue, among statuses.
pub(in crate::web) const REOPEN: &str = "reopen";

/// Moves an issue to a status with the operation that leads there.
pub(super) fn set_status(session: &Session, input: &Query) -> Performed {
    let issue = needed(input, "issue")?.to_owned();
    let word = needed(input, "status")?;
    let reason = input.get("reason").map(str::to_owned);
    let at_status = |refusal| Fault::at("status", refusal);
    if word == REOPEN {
        issues::reopen(session, Reopen { issue, reason, force: None }).map_err(at_status)?;
        return Ok(None);
    }
    let Some(status) = IssueStatus::parse(word) else {
        return Err(Fault::at("status", Refusal::usage(format!("`{word}` is not a status")).hint(CHOOSE)));
    };
    let snapshot_status = issues::standing(session, &issue)?.view.issue.derived.status;
    if snapshot_status == status {
        return Ok(None);
    }
    let is_closed = snapshot_status.is_terminal() || snapshot_status == IssueStatus::Failed;
    let is_paused = snapshot_status == IssueStatus::Paused;
    match status {
        IssueStatus::Closed => issues::close(
            session,
            Close { issue, closed_as: ClosedAs::Completed, original: None, reason, force: None },
        )
        .map(drop),
        IssueStatus::Queued if snapshot_status == IssueStatus::Failed => {
            work::retry(session, &Retry { issue: Some(issue), same_plan: false }).map(drop)
        }
        IssueStatus::Registered | IssueStatus::Planned | IssueStatus::Queued
            if is_paused || is_closed && status != IssueStatus::Queued =>
        {
            let reopen = Reopen { issue, reason, force: None };
            issues::reopen_to(session, reopen, status).map(drop)
        }
        IssueStatus::Queued => {
            let which = QueueSelection { issues: vec![issue], ..QueueSelection::default() };
            queue::add(session, &AddItems { which, queue: None, force: None }).map(drop)
        }
        status => {
            let fields = NewFields::default();
            let (status, seen) = (Some(StatusChange::To(status)), SeenFields::default());
            let edit = Edit { issue, title: None, text: None, status, fields, seen, force: None };
            issues::edit(session, edit).map(drop)
        }
    }
    .map_err(at_status)?;
    Ok(None)
}
