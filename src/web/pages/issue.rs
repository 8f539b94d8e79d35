//! The page of an issue, with the forms that change it.

use std::rc::Rc;

use maud::{Markup, html};

use crate::model::{EntryId, ISSUE_FIELDS, Issue, IssueId, IssueStatus, Op};
use crate::ops::Refusal;
use crate::ops::issues::{self, IssueView, ShownRecord};
use crate::ops::plans::SolutionView;
use crate::page;
use crate::rules::By;
use crate::rules::transitions::TRANSITIONS;
use crate::web::forms::{PageForm, REOPEN};
use crate::web::layout::one;
use crate::web::pages::no_page;
use crate::web::place::Place;
use crate::web::shown::{Beside, Shown};
use crate::web::view::{PageContent, View};

fn load(view: &View<'_>, id: &IssueId) -> Result<Rc<IssueView>, Refusal> {
    view.kept(&Place::Issue(id.clone()), || {
        match issues::show(view.session, &issues::ShowRecord::new(id.as_str()))?.view {
            ShownRecord::Issue(issue) => Ok(*issue),
            _ => Err(no_page(format!("`{id}` is not an issue"))),
        }
    })
}

/// The whole description, or a whole comment.
pub(super) fn text(view: &View<'_>, id: &IssueId, entry: Option<&EntryId>) -> Result<String, Refusal> {
    let issue = load(view, id)?;
    let text = match entry {
        None => issue.issue.context.as_ref(),
        Some(entry) => {
            let mut comments = issue.contents.iter().flat_map(|contents| &contents.comments);
            comments.find(|shown| shown.comment.id == *entry).map(|shown| &shown.comment.body)
        }
    };
    let text = text.ok_or_else(|| no_page("there is no such text"))?;
    Ok(crate::ui::text::clean(text).into_owned())
}

pub(super) fn page(view: &View<'_>, id: &IssueId) -> Result<PageContent, Refusal> {
    let shown = load(view, id)?;
    let (issue, status) = (&shown.issue, shown.derived.status);
    let plans: Vec<&SolutionView> = shown.contents.iter().flat_map(|contents| &contents.solutions).collect();
    let forms = |key: &str| forms(view, issue, &plans, key);
    let beside = html! {
        p { (history(view, issue.id.as_str())) }
        (actions(view, issue, status))
    };
    let body = Shown::with_forms(view, &forms)
        .page(&page::issue::page(&shown), &Beside { facts: Some(beside), ..Beside::default() });
    Ok(PageContent::new(format!("{} {}", issue.id, issue.title), body))
}

/// Leads to the history of a record.
pub(super) fn history(view: &View<'_>, id: &str) -> Markup {
    html! {
        @if view.is_export() { (view.link(&Place::History, "History of the store")) } @else {
            a href=(view.href_with(&Place::History, &one("id", id))) { "History" }
        }
    }
}

/// The forms of a part of the page.
fn forms(view: &View<'_>, issue: &Issue, plans: &[&SolutionView], key: &str) -> Option<Markup> {
    let forms = match key {
        _ if !view.may_write() => return None,
        "feedback" => feedback(view, issue, plans),
        "comments" => {
            let form = PageForm::new(view, "comment", "");
            let fields = html! { (form.hidden("issue", &issue.id)) (form.area("body", "Comment, in Markdown", "", 4)) };
            form.whole(fields, "Comment")
        }
        _ => {
            let plan = plans
                .iter()
                .find(|plan| plan.id.as_str() == key && !plan.is_bound && plan.withdrawn.is_none())?;
            let form = PageForm::new(view, "bind", &plan.id);
            form.small(
                html! { (form.hidden("issue", &issue.id)) (form.hidden("solution", &plan.id)) },
                "Bind this plan",
            )
        }
    };
    Some(forms)
}

fn feedback(view: &View<'_>, issue: &Issue, plans: &[&SolutionView]) -> Markup {
    let form = PageForm::new(view, "feedback", "");
    let plans: Vec<&str> = std::iter::once("").chain(plans.iter().map(|plan| plan.id.as_str())).collect();
    html! {
        details open[form.is_refused()] {
            summary { "Give feedback to the next planner" }
            (form.whole(html! {
                (form.hidden("issue", &issue.id))
                (form.choice("type", "Type", &["clarification", "rejection", "failure"], "clarification"))
                @if plans.len() > 1 { (form.choice("solution", "About the plan", &plans, "")) }
                (form.area("content", "Feedback, in Markdown", "", 4))
            }, "Give feedback"))
        }
    }
}

/// The choices of the form that moves an issue: its status, which is preselected, and what the rules allow from there.
/// Where `reopen` leads depends on what the issue has.
pub(super) fn moves(status: IssueStatus) -> Vec<&'static str> {
    let mut moves = vec![status.as_str()];
    if is_legal(status, By::Op(Op::Reopen)) {
        moves.push(REOPEN);
    }
    for to in IssueStatus::ALL.iter().filter(|to| **to != status) {
        let is_possible = match to {
            IssueStatus::Queued => {
                is_legal(status, By::Op(Op::QueueAdd)) || is_legal(status, By::Op(Op::Retry))
            }
            IssueStatus::Closed => is_legal(status, By::Op(Op::Close)),
            to => is_legal(status, By::Status(*to)),
        };
        if is_possible {
            moves.push(to.as_str());
        }
    }
    moves
}

fn is_legal(from: IssueStatus, by: By) -> bool {
    TRANSITIONS.iter().any(|transition| transition.by == by && transition.from.contains(&from))
}

fn actions(view: &View<'_>, issue: &Issue, status: IssueStatus) -> Markup {
    let edit = PageForm::new(view, "edit", "");
    let set = PageForm::new(view, "move", "");
    let retry = PageForm::new(view, "retry", "");
    let tags: Vec<&str> = issue.tags.iter().map(String::as_str).collect();
    let tags = tags.join(", ");
    let depends: Vec<&str> = issue.depends_on.iter().map(IssueId::as_str).collect();
    let depends = depends.join(", ");
    let texts = [
        ("title", issue.title.clone()),
        ("text", issue.context.clone().unwrap_or_default()),
        ("tags", tags.clone()),
        ("depends_on", depends.clone()),
    ];
    let values = ISSUE_FIELDS.iter().map(|field| (field.name, field.value(issue).unwrap_or_default()));
    let texts: Vec<_> = texts.into_iter().chain(values).collect();
    let moves = moves(status);
    html! {
        @if view.may_write() {
            h2 { "Change" }
            @if status == IssueStatus::Failed {
                (retry.small(html! { (retry.hidden("issue", &issue.id)) }, "Queue it again"))
            }
            @if moves.len() > 1 {
                (set.small(html! {
                    (set.hidden("issue", &issue.id))
                    (set.choice("status", "Move to", &moves, status.as_str()))
                    (set.text("reason", "Reason", ""))
                }, "Move"))
            }
            details open[edit.is_refused()] {
                summary { "Edit" }
                (edit.whole(html! {
                    (edit.hidden("issue", &issue.id))
                    @for (name, value) in &texts { (edit.hidden_first(name, value)) }
                    (edit.text("title", "Title", &issue.title))
                    (edit.area("text", "Description", issue.context.as_deref().unwrap_or_default(), 8))
                    @for field in &ISSUE_FIELDS { (edit.issue_field(field, &field.value(issue).unwrap_or_default())) }
                    (edit.text("tags", "Tags", &tags))
                    (edit.text("depends_on", "Depends on", &depends))
                }, "Save"))
            }
        }
    }
}
