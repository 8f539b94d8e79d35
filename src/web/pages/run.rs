//! The list of runs, and one run with its state, its agents, their latest output, and its report.

use maud::{Markup, html};

use crate::model::id::{IssueId, RunId};
use crate::ops::Refusal;
use crate::rules::run::RunReport;
use crate::run::{self, Driven, LoggedView, RunView};
use crate::ui::svg::{run_dependencies, run_times};
use crate::ui::time;
use crate::web::forms::in_words;
use crate::web::parts::{
    PagedLists, badge, counted, fact, linked, one_line, person, picture, record_text, sentence, when,
};
use crate::web::place::Place;
use crate::web::view::{PageContent, View};

/// Runs, issues of a run, and what waits, per page.
const ROWS: usize = 100;
/// Log entries per page.
const ENTRIES: usize = 60;

/// The list of runs.
pub(super) fn all(view: &View<'_>) -> Result<PageContent, Refusal> {
    let all = view.kept(view.place, || Ok(run::list(view.session)?.view))?;
    let lists = PagedLists::asked(view);
    let body = html! {
        h1 { "Runs" }
        @if all.is_empty() { p.quiet { "Agents have not run yet." } } @else {
            div.scroll tabindex="0" role="region" aria-label="runs" {
                table {
                    thead { tr { th { "Run" } th { "Status" } th { "Issues" } th { "Completed" } th { "Failed" } th { "Mode" } th { "By" } th { "Started" } } }
                    tbody {
                        @for it in lists.first_slice(&all, ROWS) {
                            tr {
                                td { (view.id(&Place::Run(it.id.clone()), it.id.as_str())) }
                                td { (badge(&it.words())) }
                                td { (it.counts.total_issues) } td { (it.counts.completed_count) } td { (it.counts.failed_count) }
                                td { (it.mode) } td { (person(it.actor.as_str())) } td { (when(view, it.created_at)) }
                            }
                        }
                    }
                }
            }
        }
        (lists.pager(view))
    };
    Ok(PageContent {
        is_moving: all.iter().any(|it| it.driven == Driven::Here),
        ..PageContent::new("Runs", body)
    })
}

/// One run.
pub(super) fn one(view: &View<'_>, id: &RunId) -> Result<PageContent, Refusal> {
    let (session, name) = (view.session, Some(id.as_str()));
    let kept = view.kept(view.place, || {
        Ok((run::show(session, name)?.view, run::report(session, name)?.view, run::log(session, name)?.view))
    })?;
    let (it, report, log) = &*kept;
    let lines = if it.driven == Driven::Here { run::last_lines(session, id)? } else { vec![] };
    let lists = PagedLists::asked(view);
    let body = html! {
        div.heading {
            h1 { span.id { (it.run.id) } }
            p { (badge(&it.words())) @if it.driven == Driven::Elsewhere { " " (badge(it.driven.as_str())) } }
        }
        div.columns.main-aside {
            div {
                (summary(report))
                section id="agents" {
                    @if !lines.is_empty() {
                        h2 { "Agents at work" }
                        @for agent in &lines {
                            article.entry id=(format!("agent-{}", agent.name)) {
                                header { strong { (one_line(&agent.name)) } }
                                pre.lines { @for line in &agent.lines { (line) "\n" } }
                            }
                        }
                    }
                }
                section id="waiting" { (waiting(view, &lists, report)) }
                section id="issues" { (issues(view, &lists, report)) }
                @if lists.is_first() { section id="pictures" { (pictures(view, report)) } }
                section id="log" { (entries(view, &lists, log)) }
                (lists.pager(view))
            }
            aside aria-label="facts" { (facts(view, it, report)) }
        }
    };
    Ok(PageContent { is_moving: it.driven == Driven::Here, ..PageContent::new(id.to_string(), body) })
}

fn summary(report: &RunReport) -> Markup {
    let totals = &report.totals;
    html! {
        ul.numbers {
            li { strong { (totals.completed_count) } " of " (totals.issue_count) " completed" }
            li { strong { (totals.failed_count) } " failed" }
            li { strong { (totals.commit_count) } @if totals.commit_count == 1 { " commit" } @else { " commits" } }
            li { strong { (totals.check_count - totals.failed_check_count) } " of " (totals.check_count) " checks passed" }
            @if let Some(tokens) = totals.tokens { li { strong { (tokens) } " tokens" } }
            @for cost in &totals.costs { li { strong { (format!("{:.2}", cost.amount)) } " " (one_line(&cost.currency)) } }
        }
    }
}

fn facts(view: &View<'_>, it: &RunView, report: &RunReport) -> Markup {
    let agents = [
        ("explorer", &report.agents.explorer),
        ("planner", &report.agents.planner),
        ("reviewer", &report.agents.reviewer),
        ("executor", &report.agents.executor),
    ];
    html! {
        dl.facts {
            (fact("started by", Some(person(it.run.actor.as_str()))))
            (fact("started", Some(when(view, report.started_at))))
            (fact("last change", Some(when(view, report.updated_at))))
            (fact("took", Some(html! { (time::length(report.took_ms)) })))
            (fact("mode", Some(html! { (report.mode) })))
            (fact("branch", report.branch.as_ref().map(|it| html! { code { (it) } })))
            @for (role, agent) in agents { (fact(role, agent.as_ref().map(|it| one_line(it)))) }
            @for phase in &report.phases { (fact(phase.phase.as_str(), Some(html! { (time::length(phase.took_ms)) }))) }
        }
        h2 { "Quality" }
        dl.facts {
            @for it in &report.quality.dimensions {
                (fact(it.dimension.as_str(), Some(html! {
                    @match it.score { Some(score) => { (score) " " }, None => "– " }
                    @if let Some(gate) = it.gate { (badge(gate.as_str())) " " }
                    span.quiet { (one_line(&it.counted)) }
                })))
            }
        }
    }
}

fn waiting(view: &View<'_>, lists: &PagedLists, report: &RunReport) -> Markup {
    html! {
        @let breaches = lists.first_slice(&report.breaches, ROWS);
        @if !breaches.is_empty() {
            (counted("Role breaches", report.breaches.len()))
            ul.rows { @for it in breaches { li { (record_text(view, &it.what)) @if it.undone { " " (badge("undone")) } } } }
        }
        @let waiting = lists.first_slice(&report.waiting, ROWS);
        @if !waiting.is_empty() {
            (counted("Waiting for a person", report.waiting.len()))
            ul.rows {
                @for it in waiting {
                    li {
                        @if let Some(id) = &it.issue_id { (view.id(&Place::Issue(id.clone()), id.as_str())) " " }
                        (sentence(view, &it.what))
                        @for remedy in &it.remedies { div.quiet { (in_words(view, remedy)) } }
                    }
                }
            }
        }
    }
}

fn issues(view: &View<'_>, lists: &PagedLists, report: &RunReport) -> Markup {
    let shown = lists.first_slice(&report.issues, ROWS);
    html! {
        @if lists.is_first() || !shown.is_empty() { (counted("Issues", report.issues.len())) }
        @if !shown.is_empty() { div.scroll tabindex="0" role="region" aria-label="issues of the run" {
            table {
                thead { tr { th { "Issue" } th { "Status" } th { "Plan" } th { "Commits" } th { "Checks" } th.wide { "Title" } } }
                tbody {
                    @for it in shown {
                        tr {
                            td { (view.id(&Place::Issue(it.issue_id.clone()), it.issue_id.as_str())) }
                            td { (badge(it.status.as_str())) }
                            td { @if let Some(id) = &it.solution_id { (view.id(&Place::Plan(id.clone()), id.uid())) } }
                            td { (it.commits.len()) }
                            td { (it.checks.iter().filter(|it| it.outcome().has_passed()).count()) " of " (it.checks.len()) }
                            td.wide { (record_text(view, &it.title)) @if let Some(error) = &it.error { div.quiet { (record_text(view, error)) } } }
                        }
                    }
                }
            }
        } }
    }
}

fn pictures(view: &View<'_>, report: &RunReport) -> Markup {
    let href = |issue: &IssueId| Some(view.href(&Place::Issue(issue.clone())));
    let order = report.order();
    let link = |n: usize| {
        let id = &report.issues[n].issue_id;
        view.id(&Place::Issue(id.clone()), id.as_str())
    };
    html! {
        @if !order.is_empty() {
            h2 { "Dependencies" }
            (picture("dependencies", run_dependencies(report, &href)))
            details.alternative {
                summary { "As a list" }
                ul { @for (from, to) in order { li { (link(from)) " before " (link(to)) } } }
            }
        }
        @if !report.issues.is_empty() { h2 { "Timeline" } (picture("timeline", run_times(report, &href))) }
    }
}

/// The log, the latest entries first.
fn entries(view: &View<'_>, lists: &PagedLists, log: &[LoggedView]) -> Markup {
    let shown = lists.last_slice(log, ENTRIES);
    html! {
        @if lists.is_first() || !shown.is_empty() { (counted("Log", log.len())) }
        ul.rows.log {
            @for it in shown.iter().rev() { li { span.quiet { (when(view, it.entry.at)) } " " (linked(view, &it.words)) } }
        }
    }
}
