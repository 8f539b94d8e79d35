//! The list of runs, and one run with its state, its agents, their latest output, and its report.

use maud::{Markup, html};

use super::run_live;
use crate::model::RunId;
use crate::ops::Refusal;
use crate::page;
use crate::run::{self, Driven, LoggedView};
use crate::web::parts::{PagedLists, badge, counted, linked, person, when};
use crate::web::place::Place;
use crate::web::shown::{Beside, Shown};
use crate::web::view::{PageContent, View};

/// Runs per page.
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
    let shown = Shown::new(view);
    let is_open = matches!(it.driven, Driven::Here | Driven::Elsewhere);
    let notice = html! {
        p { (badge(&it.words())) @if it.is_paused { " " (badge("paused")) } @if it.driven == Driven::Elsewhere { " " (badge(it.driven.as_str())) } }
        @if is_open { section id="steering" { (run_live::steering(view, it)) } }
        section id="agents" { (run_live::agents(view, it, &lines)) }
        @if is_open { section id="questions" { (run_live::asked(view, it)) (run_live::questions(view, it, report)) } }
    };
    let log = html! { section id="log" { (entries(view, &shown.lists, log)) } };
    let body = shown.page(
        &page::run_report::page(report),
        &Beside { notice: Some(notice), after: Some(log), ..Beside::default() },
    );
    Ok(PageContent { is_moving: it.driven == Driven::Here, ..PageContent::new(id.to_string(), body) })
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
