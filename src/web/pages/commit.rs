//! The trail of a commit of the project: the tasks, plans and issues that it belongs to.

use maud::{Markup, html};

use super::execution::commit;
use crate::model::execution::CommitLink;
use crate::model::words::count;
use crate::ops::Refusal;
use crate::ops::trail::{self, TraceInput, TraceView, TracedIssue};
use crate::ops::work::ExecutionView;
use crate::web::parts::{
    badge, fact, linked, one_line, person, place_of, record_text, reviewed, task as task_id, when, withdrawn,
};
use crate::web::place::{Hex, Place};
use crate::web::view::{PageContent, View};

/// Maximum commits and checks of each execution; its own page has all.
const MOST: usize = 200;

pub(super) fn page(view: &View<'_>, hash: &Hex) -> Result<PageContent, Refusal> {
    let input = TraceInput { of: hash.as_str().to_owned(), with_items: false };
    let trace = trail::trace(view.session, &input)?.view;
    let subject = trace.commit.as_ref().map(|it| it.subject.clone()).unwrap_or_default();
    let body = html! {
        div.heading { h1 { span.id { (hash.short()) } " " (record_text(view, &subject)) } }
        @if let Some(it) = &trace.commit {
            dl.facts {
                (fact("author", Some(person(it.author.as_str()))))
                (fact("trailers", (!it.trailers.is_empty()).then(|| html! { ul.plain { @for line in &it.trailers { li { (trailer(view, line)) } } } })))
                (fact("recorded by other tools", (!it.provenance.is_empty()).then(|| html! {
                    @for one in &it.provenance { (one.source) ": " (one.agent.as_deref().unwrap_or("an agent")) " " (one.model.as_deref().unwrap_or_default()) }
                })))
            }
        }
        @if trace.issues.is_empty() { p.quiet { "It belongs to no plan." } }
        @for issue in &trace.issues { (part(view, &trace, issue)) }
    };
    Ok(PageContent::new(format!("{} {subject}", hash.short()), body))
}

/// A trailer; one that names an issue or a plan is a link to it.
fn trailer(view: &View<'_>, line: &str) -> Markup {
    let named = line.split_once(": ").filter(|it| matches!(it.0, "Wf-Issue" | "Wf-Solution"));
    match named.and_then(|(key, id)| Some((key, id, place_of(id.trim())?))) {
        Some((key, id, place)) => html! { (key) ": " (view.id(&place, id.trim())) },
        None => linked(view, line),
    }
}

/// How an issue led to the commit: its plan, the execution, the task, and the other commits.
fn part(view: &View<'_>, trace: &TraceView, traced: &TracedIssue) -> Markup {
    let issue = &traced.issue;
    let hash = trace.commit.as_ref().map(|it| &it.hash);
    html! {
        section.trail {
            ol.chain {
                li { "issue " (view.id(&Place::Issue(issue.issue.id.clone()), issue.issue.id.as_str())) " " (record_text(view, &issue.issue.title)) " " (badge(issue.derived.status.as_str())) }
                @for execution in traced.executions.iter().filter(|it| trace.linked_by.contains(&it.execution.id)) {
                    @let plan = traced.solutions.iter().find(|it| it.id == execution.execution.solution_id);
                    li {
                        "plan " (view.id(&Place::Plan(execution.execution.solution_id.clone()), execution.execution.solution_id.as_str()))
                        @if let Some(plan) = plan {
                            " " (withdrawn(plan.withdrawn.as_deref())) (reviewed(&plan.standing))
                            @if let Some(text) = &plan.typed.description { " " (record_text(view, text)) }
                        }
                    }
                    @let link = hash.and_then(|hash| execution.link(hash));
                    @for task in link.into_iter().flat_map(CommitLink::tasks) {
                        li { "task " (task_id(view, &execution.execution.solution_id, task)) " " (record_text(view, traced.title_as_claimed(execution, task).unwrap_or_default())) }
                    }
                    li {
                        "execution " (view.id(&Place::Execution(execution.execution.id.clone()), &format!("attempt {}", execution.execution.attempt)))
                        " " (badge(execution.status.as_str())) " " (person(execution.execution.actor.as_str())) " " (when(view, execution.execution.started_at))
                        @if let Some(link) = link { ", linked by " (link.linked_by) }
                    }
                    li {
                        "commits"
                        ul.rows {
                            @for it in execution.commits.iter().take(MOST) {
                                li aria-current=[hash.filter(|hash| it.is(hash)).map(|_| "true")] {
                                    (commit(view, it.link.hash.as_str())) " "
                                    @if let Some(task) = &it.link.task_id { (task_id(view, &execution.execution.solution_id, task)) " " }
                                    (record_text(view, &it.link.subject))
                                }
                            }
                        }
                        (more(view, execution, "more commit", execution.commits.len()))
                    }
                    @for check in execution.checks.iter().take(MOST) {
                        li { "check " (badge(if check.has_passed() { "passed" } else { "failed" })) " " code { (one_line(&check.command)) } }
                    }
                    (more(view, execution, "more check", execution.checks.len()))
                }
            }
        }
    }
}

/// Leads to what is left out of a list of an execution.
fn more(view: &View<'_>, execution: &ExecutionView, what: &str, number: usize) -> Markup {
    html! {
        @if number > MOST {
            p.quiet { (count(number - MOST, what)) ": see " (view.id(&Place::Execution(execution.execution.id.clone()), execution.execution.id.as_str())) }
        }
    }
}
