//! An issue with its comments, feedback, plans and executions. Of each, the first page has the latest.

use std::cell::Cell;
use std::rc::Rc;

use maud::{Markup, html};

use super::execution::linked_commit;
use super::plan::judged;
use super::related::{explorations, related};
use crate::model::code::Code;
use crate::model::id::{EntryId, IssueId};
use crate::model::issue::Issue;
use crate::model::op::Op;
use crate::model::status::IssueStatus;
use crate::model::words::count;
use crate::ops::Refusal;
use crate::ops::issues::{self, Contents, IssueView, ShownRecord};
use crate::ops::plans::SolutionView;
use crate::rules::transitions::{By, TRANSITIONS};
use crate::web::forms::{PageForm, REOPEN};
use crate::web::layout::one;
use crate::web::parts::{
    PagedLists, Shown, badge, counted, fact, json_value, linked, long, markdown, one_line, person, place_of,
    plan_body, priority, record_text, reviewed, when, withdrawn,
};
use crate::web::place::Place;
use crate::web::view::{PageContent, View};

/// Comments per page, and pieces of feedback.
const TEXTS: usize = 50;
/// Plans per page.
const PLANS: usize = 20;
/// Executions and overridden gates per page.
const ROWS: usize = 100;
/// Maximum commits on the page; those of an execution are all on its own page.
const MOST_COMMITS: usize = 200;
/// Maximum reviews of a plan; its own page has all.
const MOST_REVIEWS: usize = 20;

fn load(view: &View<'_>, id: &IssueId) -> Result<Rc<IssueView>, Refusal> {
    view.kept(&Place::Issue(id.clone()), || {
        match issues::show(view.session, &issues::ShowRecord::new(id.as_str()))?.view {
            ShownRecord::Issue(issue) => Ok(*issue),
            _ => Err(Refusal::new(Code::NotFound, format!("`{id}` is not an issue"))),
        }
    })
}

/// The whole description, or a whole comment.
pub(super) fn text(view: &View<'_>, id: &IssueId, entry: Option<&EntryId>) -> Result<String, Refusal> {
    let issue = load(view, id)?;
    let text = match entry {
        None => issue.issue.context.as_ref(),
        Some(entry) => {
            let comments = issue.contents.iter().flat_map(|it| &it.comments);
            comments.map(|it| &it.comment).find(|it| it.id == *entry).map(|it| &it.body)
        }
    };
    let text = text.ok_or_else(|| Refusal::new(Code::NotFound, "there is no such text"))?;
    Ok(crate::ui::text::clean(text).into_owned())
}

pub(super) fn page(view: &View<'_>, id: &IssueId) -> Result<PageContent, Refusal> {
    let shown = load(view, id)?;
    let IssueView { issue, derived, contents, .. } = &*shown;
    let none = Contents {
        children: vec![],
        dependents: vec![],
        comments: vec![],
        feedback: vec![],
        explorations: vec![],
        solutions: vec![],
        executions: vec![],
        overrides: vec![],
    };
    let contents = contents.as_ref().unwrap_or(&none);
    let lists = PagedLists::asked(view);
    let body = html! {
        div.heading {
            h1 { span.id { (issue.id) } " " (record_text(view, &issue.title)) }
            p { (badge(&derived.status_words())) " " (priority(issue.priority)) }
        }
        div.columns.main-aside {
            div {
                @if lists.is_first() { (texts(view, issue, derived.error.as_deref())) }
                (related(view, &lists, "Parts", &contents.children))
                (related(view, &lists, "Needed by", &contents.dependents))
                (explorations(view, &lists, &contents.explorations))
                (plans(view, &lists, issue, contents))
                (executions(view, &lists, contents))
                (feedback(view, &lists, issue, contents))
                (comments(view, &lists, issue, contents))
                (lists.pager(view))
            }
            aside aria-label="facts" {
                (facts(view, issue, derived))
                @if lists.is_first() { (actions(view, issue, derived.status)) }
            }
        }
    };
    Ok(PageContent::new(format!("{} {}", issue.id, issue.title), body))
}

fn texts(view: &View<'_>, issue: &Issue, error: Option<&str>) -> Markup {
    let more = [
        ("Expected", &issue.expected_behavior),
        ("Actual", &issue.actual_behavior),
        ("Design", &issue.extended_context.design),
    ];
    html! {
        @if let Some(error) = error { div.refusal { (long(view, error)) } }
        @if let Some(text) = &issue.context { (markdown(view, text, Some(&Place::Text(issue.id.clone(), None)))) }
        @for (name, text) in more {
            @if let Some(text) = text { h3 { (name) } (markdown(view, text, None)) }
        }
    }
}

fn facts(view: &View<'_>, issue: &Issue, derived: &crate::rules::shown::IssueDerived) -> Markup {
    let text = |text: &Option<String>| text.as_ref().map(|it| one_line(it));
    let time = |at: Option<crate::model::time::Time>| at.map(|at| when(view, at));
    let tag_link = |tag: &String| {
        html! {
            @if view.is_export() { span.tag { (tag) } } @else {
                a.tag href=(view.href_with(&Place::Issues, &one("tag", tag))) { (tag) }
            } " "
        }
    };
    html! {
        dl.facts {
            (fact("author", Some(person(issue.author.as_str()))))
            (fact("created", Some(when(view, issue.created_at))))
            (fact("changed", time(derived.updated_at)))
            (fact("completed", time(derived.completed_at.or(derived.closed_at))))
            (fact("assignee", text(&issue.assignee)))
            (fact("type", text(&issue.issue_type)))
            (fact("reason", text(&issue.close_reason)))
            (fact("wave", derived.wave.map(|wave| html! { (wave) })))
            (fact("tags", (!issue.tags.is_empty()).then(|| html! { @for tag in &issue.tags { (tag_link(tag)) } })))
            (fact("components", (!issue.affected_components.is_empty()).then(|| html! {
                @for it in &issue.affected_components { span.tag { (it) } " " }
            })))
            (fact("depends on", (!issue.depends_on.is_empty()).then(|| html! {
                ul.plain { @for it in &issue.depends_on { li { (view.id(&Place::Issue(it.clone()), it.as_str())) } } }
            })))
            (fact("related", (!issue.relations.is_empty()).then(|| html! {
                ul.plain { @for it in &issue.relations { li { (relation(view, it)) } } }
            })))
            (fact("discussed at", issue.source_url.as_ref().map(|url| html! {
                @if crate::rules::limits::web_address(url).is_ok() {
                    a href=(url) rel="noreferrer noopener" { (one_line(url)) }
                } @else { (one_line(url)) }
            })))
            (fact("location", text(&issue.extended_context.location)))
            (fact("suggested fix", issue.extended_context.suggested_fix.as_ref().map(|it| linked(view, it))))
            (fact("notes", issue.extended_context.notes.as_ref().map(|it| json_value(view, it))))
            (fact("history", Some(html! {
                @if view.is_export() { (view.link(&Place::History, "of the store")) } @else {
                    a href=(view.href_with(&Place::History, &one("id", issue.id.as_str()))) { "what changed" }
                }
            })))
        }
    }
}

/// `duplicates:ISS-002`, with a link.
fn relation(view: &View<'_>, relation: &str) -> Markup {
    let (kind, id) = relation.split_once(':').unwrap_or(("", relation));
    html! {
        (kind) " "
        @match place_of(id) {
            Some(place) => (view.id(&place, id)),
            None => (one_line(id)),
        }
    }
}

/// The plans, the bound one first.
fn plans(view: &View<'_>, lists: &PagedLists, issue: &Issue, contents: &Contents) -> Markup {
    let (bound, others): (Vec<&SolutionView>, Vec<_>) = contents.solutions.iter().partition(|it| it.is_bound);
    let others = lists.last_slice(&others, PLANS);
    let bound = if lists.is_first() { &bound[..] } else { &[] };
    html! {
        @if !(bound.is_empty() && others.is_empty()) {
            (counted("Plans", contents.solutions.len()))
            @for plan in bound.iter().chain(others) {
                @let form = PageForm::new(view, "bind", &plan.id);
                details.plan open[plan.is_bound || form.is_refused()] {
                    summary {
                        span.id { (plan.id) } " "
                        @if plan.is_bound { (badge("bound")) " " }
                        (withdrawn(plan.withdrawn.as_deref()))
                        (reviewed(&plan.standing)) ", "
                        span.quiet { (count(plan.task_count, "task")) ", quality " (format!("{:.2}", plan.quality)) }
                    }
                    p { (view.link(&Place::Plan(plan.id.clone()), "The plan with its reviews")) }
                    @if let Some(why) = &plan.withdrawn { p { "Withdrawn: " (linked(view, why)) } }
                    @if !plan.reviews.is_empty() {
                        ul.rows aria-label="reviews" {
                            @for review in plan.reviews.iter().rev().take(MOST_REVIEWS).rev() { li { (judged(view, plan, review)) } }
                        }
                        @if plan.reviews.len() > MOST_REVIEWS { p.quiet { "and " (plan.reviews.len() - MOST_REVIEWS) " earlier ones" } }
                    }
                    (plan_body(view, Shown { plan: &plan.typed, key: plan.id.uid(), is_brief: true }))
                    @if !plan.is_bound && plan.withdrawn.is_none() {
                        (form.small(html! { (form.hidden("issue", &issue.id)) (form.hidden("solution", &plan.id)) }, "Bind this plan"))
                    }
                }
            }
        }
    }
}

fn executions(view: &View<'_>, lists: &PagedLists, contents: &Contents) -> Markup {
    let (executions, overrides) =
        (lists.last_slice(&contents.executions, ROWS), lists.last_slice(&contents.overrides, ROWS));
    let room = Cell::new(MOST_COMMITS);
    let shown = |number: usize| room.replace(room.get().saturating_sub(number)).min(number);
    html! {
        @if !executions.is_empty() {
            (counted("Executions", contents.executions.len()))
            ul.rows {
                @for it in executions {
                    li {
                        (view.id(&Place::Execution(it.execution.id.clone()), &format!("attempt {}", it.execution.attempt))) " "
                        (badge(it.status.as_str())) " " (person(it.execution.actor.as_str())) " "
                        span.quiet { (when(view, it.execution.started_at)) ", " (count(it.commits.len(), "commit")) }
                        @if let Some(failure) = it.failure.as_ref().and_then(|it| it.message.as_ref()) {
                            div.quiet { (record_text(view, failure)) }
                        }
                        @let shown = shown(it.commits.len());
                        @if shown > 0 {
                            ul.rows aria-label="commits" { @for one in it.commits.iter().take(shown) { li { (linked_commit(view, it, one)) } } }
                        }
                        @if shown < it.commits.len() { p.quiet { "and " (it.commits.len() - shown) " more" } }
                    }
                }
            }
        }
        @if !overrides.is_empty() {
            (counted("Overridden gates", contents.overrides.len()))
            ul.rows {
                @for it in overrides {
                    li { code { (it.operation) } " " (person(it.person.as_str())) " " (when(view, it.at)) ": " (record_text(view, &it.reason)) }
                }
            }
        }
    }
}

fn feedback(view: &View<'_>, lists: &PagedLists, issue: &Issue, contents: &Contents) -> Markup {
    let shown = lists.last_slice(&contents.feedback, TEXTS);
    let form = PageForm::new(view, "feedback", "");
    let plans = contents.solutions.iter().map(|plan| plan.id.as_str());
    let plans: Vec<&str> = std::iter::once("").chain(plans).collect();
    html! {
        @if !shown.is_empty() {
            (counted("Feedback", contents.feedback.len()))
        } @else if view.may_write() && lists.is_first() {
            h2 { "Feedback" }
        }
        @for it in shown {
            article.entry {
                header { (badge(it.kind.as_str())) " " (person(it.author.as_str())) " " (when(view, it.created_at)) }
                (markdown(view, &it.content, None))
            }
        }
        @if view.may_write() && lists.is_first() {
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
}

fn comments(view: &View<'_>, lists: &PagedLists, issue: &Issue, contents: &Contents) -> Markup {
    let shown = lists.last_slice(&contents.comments, TEXTS);
    let form = PageForm::new(view, "comment", "");
    html! {
        @if !shown.is_empty() { (counted("Comments", contents.comments.len())) }
        @for it in shown {
            article.entry id=(format!("c-{}", it.comment.id)) {
                header {
                    (person(it.comment.author.as_str())) " " (when(view, it.comment.created_at))
                    @if it.is_withdrawn { " " (badge("withdrawn")) }
                    @else if !it.replaces.is_empty() { " " span.quiet { "edited" } }
                }
                (markdown(view, &it.comment.body, Some(&Place::Text(issue.id.clone(), Some(it.comment.id.clone())))))
            }
        }
        @if lists.is_first() {
            (form.whole(html! {
                (form.hidden("issue", &issue.id))
                (form.area("body", "Comment, in Markdown", "", 4))
            }, "Comment"))
        }
    }
}

/// The choices of the form that moves an issue: its status, which is preselected, and what the rules allow from there.
/// Where `reopen` leads depends on what the issue has.
pub(super) fn moves(status: IssueStatus) -> Vec<&'static str> {
    let ways = |to| match to {
        IssueStatus::Queued => vec![By::Op(Op::QueueAdd), By::Op(Op::Retry)],
        IssueStatus::Closed => vec![By::Op(Op::Close)],
        to => vec![By::Status(to)],
    };
    let is_legal = |by: &By| TRANSITIONS.iter().any(|it| it.by == *by && it.from.contains(&status));
    let reopen = is_legal(&By::Op(Op::Reopen)).then_some(REOPEN);
    let others = IssueStatus::ALL.iter().filter(|to| **to != status && ways(**to).iter().any(is_legal));
    std::iter::once(status.as_str()).chain(reopen).chain(others.map(|it| it.as_str())).collect()
}

fn actions(view: &View<'_>, issue: &Issue, status: IssueStatus) -> Markup {
    let (edit, set, retry) =
        (PageForm::new(view, "edit", ""), PageForm::new(view, "move", ""), PageForm::new(view, "retry", ""));
    let joined = |all: Vec<String>| all.join(", ");
    let tags = joined(issue.tags.iter().cloned().collect());
    let depends = joined(issue.depends_on.iter().map(ToString::to_string).collect());
    let texts = [
        ("title", issue.title.clone()),
        ("text", issue.context.clone().unwrap_or_default()),
        ("priority", issue.priority.name().to_owned()),
        ("tags", tags.clone()),
        ("depends_on", depends.clone()),
        ("assignee", issue.assignee.clone().unwrap_or_default()),
        ("issue_type", issue.issue_type.clone().unwrap_or_default()),
    ];
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
                    (edit.choice("priority", "Priority", &["critical", "high", "medium", "low", "trivial"], issue.priority.name()))
                    (edit.text("tags", "Tags", &tags))
                    (edit.text("depends_on", "Depends on", &depends))
                    (edit.text("assignee", "Assignee", issue.assignee.as_deref().unwrap_or_default()))
                    (edit.text("issue_type", "Type", issue.issue_type.as_deref().unwrap_or_default()))
                }, "Save"))
            }
        }
    }
}
