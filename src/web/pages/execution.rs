//! An execution: the claim, its commits, its checks, and how it ended.

use maud::{Markup, html};

use crate::model::check_outcome::CheckOutcome;
use crate::model::code::Code;
use crate::model::hash::SHORT;
use crate::model::id::ExecutionId;
use crate::model::status::ExecutionStatus;
use crate::model::test_count;
use crate::ops::Refusal;
use crate::ops::issues::{self, ShownRecord};
use crate::ops::work::{CommitView, ExecutionView};
use crate::ui::time;
use crate::web::parts::{
    PagedLists, badge, block, counted, fact, long, one_line, person, record_text, task, when,
};
use crate::web::place::{Hex, Place};
use crate::web::view::{PageContent, View};

/// Commits per page.
const COMMITS: usize = 200;
/// Checks per page.
const CHECKS: usize = 50;
/// Ends by other clones per page.
const ENDS: usize = 20;

pub(super) fn page(view: &View<'_>, id: &ExecutionId) -> Result<PageContent, Refusal> {
    let shown = view.kept(view.place, || {
        match issues::show(view.session, &issues::ShowRecord::new(id.as_str()))?.view {
            ShownRecord::Execution(shown) => Ok(shown),
            _ => Err(Refusal::new(Code::NotFound, format!("`{id}` is not an execution"))),
        }
    })?;
    let (it, title) = (&shown.execution, &shown.title);
    let claim = &it.execution;
    let lists = PagedLists::asked(view);
    let body = html! {
        div.heading {
            h1 { "Attempt " (claim.attempt) " at " (view.id(&Place::Issue(claim.issue_id.clone()), claim.issue_id.as_str())) " " (record_text(view, title)) }
            p { (badge(&it.status_words())) }
        }
        div.columns.main-aside {
            div {
                (outcome(view, &lists, it))
                (commits(view, &lists, it))
                (checks(view, &lists, it))
                (lists.pager(view))
            }
            aside aria-label="facts" {
                dl.facts {
                    (fact("execution", Some(html! { span.id { (claim.id) } })))
                    (fact("plan", Some(view.id(&Place::Plan(claim.solution_id.clone()), claim.solution_id.as_str()))))
                    (fact("executor", Some(person(claim.actor.as_str()))))
                    (fact("role", claim.role.as_ref().map(|it| one_line(it))))
                    (fact("started", Some(when(view, claim.started_at))))
                    (fact("ended", it.finished_at.map(|at| when(view, at))))
                    (fact("ended by", it.ended_by.as_ref().map(|it| person(it.as_str()))))
                    (fact("lease until", (it.status == ExecutionStatus::Executing).then(|| when(view, claim.lease_expires_at))))
                    (fact("branch", claim.branch.as_ref().map(|it| html! { code { (it) } })))
                    (fact("base", claim.base_commit.as_ref().map(|it| commit(view, it.as_str()))))
                    (fact("worktree", claim.worktree.as_ref().map(|it| one_line(it))))
                    (fact("claimed through", claim.via.as_ref().map(|it| one_line(it))))
                    (fact("overridden", it.forced.as_ref().map(|it| one_line(it))))
                }
            }
        }
    };
    Ok(PageContent::new(format!("Attempt {} at {}", claim.attempt, claim.issue_id), body))
}

/// A commit of the project as a link to its trail.
pub(super) fn commit(view: &View<'_>, hash: &str) -> Markup {
    match Hex::parse(hash) {
        Some(hash) => {
            let short = hash.short().to_owned();
            view.id(&Place::Commit(hash), &short)
        }
        _ => html! { code { (hash.get(..SHORT).unwrap_or(hash)) } },
    }
}

fn outcome(view: &View<'_>, lists: &PagedLists, it: &ExecutionView) -> Markup {
    html! {
        @if let Some(failure) = it.failure.as_ref().filter(|_| lists.is_first()) {
            div.refusal {
                @if let Some(kind) = &failure.error_type { (badge(kind)) " " }
                @if let Some(message) = &failure.message { (long(view, message)) }
                @if let Some(trace) = &failure.stack_trace { (block(trace)) }
            }
        }
        @if let Some(result) = it.result.as_ref().filter(|_| lists.is_first()) {
            @if let Some(summary) = &result.summary { h2 { "Result" } (long(view, summary)) }
        }
        @for landing in lists.first_slice(&it.lands, ENDS) {
            p.landing {
                (one_line(&landing.words()))
                @if let Some(after) = &landing.land.after { " " (commit(view, after.as_str())) }
                " " (person(landing.landed_by.as_str())) " " (when(view, landing.landed_at))
            }
        }
        @for end in lists.first_slice(&it.other_ends, ENDS) {
            article.entry {
                header { "Another clone ended it, too: " (badge(end.status.as_str())) " " (person(end.ended_by.as_str())) " " (when(view, end.finished_at)) }
                @if let Some(text) = end.text() { (long(view, text)) }
            }
        }
    }
}

/// A linked commit with its task and subject.
pub(super) fn linked_commit(view: &View<'_>, it: &ExecutionView, one: &CommitView) -> Markup {
    html! {
        (commit(view, one.link.hash.as_str())) " "
        @if let Some(id) = &one.link.task_id { (task(view, &it.execution.solution_id, id)) " " }
        (record_text(view, &one.link.subject))
    }
}

fn commits(view: &View<'_>, lists: &PagedLists, it: &ExecutionView) -> Markup {
    html! {
        @let shown = lists.first_slice(&it.commits, COMMITS);
        @if lists.is_first() || !shown.is_empty() { (counted("Commits", it.commits.len())) }
        @if it.commits.is_empty() && lists.is_first() { p.quiet { "No commit is linked." } }
        @if !shown.is_empty() { ul.rows {
            @for one in shown {
                li {
                    (linked_commit(view, it, one)) " "
                    span.quiet { (person(one.link.author.as_str())) " " (when(view, one.link.authored_at)) ", by " (one.link.linked_by) }
                    @if one.on_no_branch { " " (badge("on no branch")) }
                    @if let Some(by) = &one.made_by { " " span.quiet { (one_line(&by.to_string())) } }
                }
            }
        } }
    }
}

fn checks(view: &View<'_>, lists: &PagedLists, it: &ExecutionView) -> Markup {
    html! {
        @let shown = lists.first_slice(&it.checks, CHECKS);
        @if !shown.is_empty() {
            (counted("Checks", it.checks.len()))
            @for check in shown {
                details.entry {
                    summary {
                        (badge(match check.outcome() { CheckOutcome::Passed => "passed", CheckOutcome::NoTests => "no tests", CheckOutcome::FailedTests(_) | CheckOutcome::Failed(_) => "failed", CheckOutcome::Stopped => "stopped" })) " "
                        @if let Some(task) = &check.task_id { span.id { (task) } " " }
                        code { (one_line(&check.command)) } " "
                        span.quiet { (time::length(check.duration_ms)) ", " (test_count::counted(check.tests)) @if check.dirty { ", with uncommitted changes" } }
                    }
                    @if check.task_id.is_some() || check.commit.is_some() {
                        p.quiet {
                            @if let Some(id) = &check.task_id { "of task " (task(view, &it.execution.solution_id, id)) " " }
                            @if let Some(hash) = &check.commit { "at " (commit(view, hash.as_str())) }
                        }
                    }
                    @if !check.named_tests.is_empty() { ul.plain {
                        @for it in &check.named_tests { li { (badge(it.outcome.as_str())) " " (one_line(&it.name)) } }
                    } }
                    @if let Some(proof) = &check.proof { p.quiet { (one_line(&proof.words())) } }
                    (block(&check.output_tail))
                }
            }
        }
    }
}
