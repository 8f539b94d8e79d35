//! The overview: what is running, what waits for a person, and what waits for others.

use maud::{Markup, html};

use crate::index::{Filter, IssueRow};
use crate::model::{IssueStatus, count};
use crate::ops::Refusal;
use crate::ops::issues::{self, List, Total, existing};
use crate::ops::work::{self, ExecutionView};
use crate::page;
use crate::run;
use crate::web::forms::in_words;
use crate::web::layout::one;
use crate::web::parts::{badge, counted, issue_table, person, record_text, when};
use crate::web::place::Place;
use crate::web::shown::Shown;
use crate::web::view::{PageContent, View};

/// Maximum rows of each kind; the lists have all.
const MOST: usize = 12;

pub(super) fn page(view: &View<'_>) -> Result<PageContent, Refusal> {
    let session = view.session;
    let home = issues::home(session, MOST)?.view;
    let mut runs = run::list(session)?.view;
    runs.retain(|run| run.driven == run::Driven::Here);
    let running = running(view)?;
    let open = rows(view, &[])?;
    let waiting = home.attention.iter().map(|group| group.count).sum();
    let body = html! {
        h1 { "Overview" }
        ul.numbers {
            @for (status, count) in &home.issues {
                li {
                    a href=(view.href_with(&Place::Issues, &one("status", status))) {
                        strong { (count) } " " (badge(status.as_str()))
                    }
                }
            }
        }
        div.columns {
            section {
                (counted("Running", running.1))
                @if running.1 == 0 { p.quiet { "No plan is being executed." } }
                @for run in &runs {
                    p { (view.id(&Place::Run(run.id.clone()), run.id.as_str())) " " (badge(run.phase.as_str())) " "
                        (run.counts.completed_count) " of " (run.counts.total_issues) " issues completed" }
                }
                ul.rows { @for (title, running) in &running.0 { li { (execution(view, title, running)) } } }
                (Shown::new(view).blocks(&page::home::work(&home)))
            }
            section {
                (counted("Waiting for you", waiting))
                @if waiting == 0 { p.quiet { "Nothing." } }
                (Shown::new(view).blocks(&page::home::attention(&home)))
            }
        }
        @if !home.next.is_empty() && !view.is_export() {
            section {
                h2 { "Next, in a terminal" }
                ul.plain { @for remedy in &home.next { li { (in_words(view, remedy)) } } }
            }
        }
        (super::roadmap::waves(view)?)
        section {
            (counted("Most urgent open issues", open.1))
            (issue_table(view, "open issues", &open.0, false))
        }
    };
    Ok(PageContent { is_moving: !runs.is_empty(), ..PageContent::new("Overview", body) })
}

fn execution(view: &View<'_>, title: &str, it: &ExecutionView) -> Markup {
    let claim = &it.execution;
    html! {
        (view.id(&Place::Execution(claim.id.clone()), claim.issue_id.as_str())) " " (record_text(view, title))
        div.quiet {
            (person(claim.actor.as_str())) " since " (when(view, claim.started_at)) ", "
            (count(it.commits.len(), "commit")) ", "
            @if claim.lease_expires_at < view.now { (badge("expired")) " " }
            "lease " (when(view, claim.lease_expires_at))
        }
    }
}

/// The executions in progress with the titles of their issues, at most [`MOST`], and how many there are.
fn running(view: &View<'_>) -> Result<(Vec<(String, ExecutionView)>, usize), Refusal> {
    let (rows, count) = rows(view, &[IssueStatus::Executing])?;
    let snapshot = view.session.store().snapshot()?;
    let mut found = Vec::new();
    for row in rows {
        let mut all = work::executions(&existing(&snapshot, &row.id)?);
        found.extend(all.pop().map(|last| (row.title, last)));
    }
    Ok((found, count))
}

/// The most urgent issues with one of these statuses (by default open ones), and how many there are.
fn rows(view: &View<'_>, statuses: &[IssueStatus]) -> Result<(Vec<IssueRow>, usize), Refusal> {
    let filter = Filter { statuses: statuses.to_vec(), ..Filter::default() };
    let list = List { filter, limit: Some(MOST), counts: true, ..List::default() };
    let found = issues::rows(view.session, &list)?.view;
    Ok((found.rows, found.total.map_or(0, Total::number)))
}
