//! The overview: what is running, what waits for a person, and what is blocked.

use maud::{Markup, html};

use crate::index::{Filter, IssueRow};
use crate::model::{IssueId, IssueStatus, count};
use crate::ops::Refusal;
use crate::ops::issues::{
    self, Attention, AttentionKind, HomeIssues, HomeItem, HomeItems, List, Total, existing,
};
use crate::ops::work::{self, ExecutionView};
use crate::run;
use crate::web::forms::in_words;
use crate::web::layout::one;
use crate::web::parts::{badge, counted, issue_table, person, place_of, record_text, sentence, when};
use crate::web::place::{Place, Query};
use crate::web::view::{PageContent, View};

/// Maximum rows of each kind; the lists have all.
const MOST: usize = 12;

pub(super) fn page(view: &View<'_>) -> Result<PageContent, Refusal> {
    let session = view.session;
    let home = issues::home(session, MOST)?.view;
    let runs = run::list(session)?.view;
    let running = running(view)?;
    let open = rows(view, &[])?;
    let is_driven = |it: &&run::RunSummary| it.driven == run::Driven::Here;
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
                @for it in runs.iter().filter(is_driven) {
                    p { (view.id(&Place::Run(it.id.clone()), it.id.as_str())) " " (badge(it.phase.as_str())) " "
                        (it.counts.completed_count) " of " (it.counts.total_issues) " issues completed" }
                }
                ul.rows { @for (title, it) in &running.0 { li { (execution(view, title, it)) } } }
                (counted("Ready", home.ready.count))
                @if home.ready.count == 0 { p.quiet { "No item is ready." } }
                (items(view, &home.ready))
                (counted("Blocked", home.blocked.count))
                @if home.blocked.count == 0 { p.quiet { "No item is blocked." } }
                (items(view, &home.blocked))
                (outside(view, "Not queued", &home.unblocked, "unblocked"))
                (outside(view, "Waiting for other issues", &home.waiting, "waiting"))
            }
            section {
                (counted("Waiting for you", waiting))
                @if waiting == 0 { p.quiet { "Nothing." } }
                @for group in &home.attention { (attention(view, group)) }
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
    let is_moving = runs.iter().any(|it| is_driven(&it));
    Ok(PageContent { is_moving, ..PageContent::new("Overview", body) })
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

fn items(view: &View<'_>, items: &HomeItems) -> Markup {
    html! {
        ul.rows {
            @for item in &items.first {
                li {
                    (item_link(view, item)) " " (view.id(&Place::Issue(item.issue_id.clone()), item.issue_id.as_str())) " "
                    (record_text(view, &item.title))
                    @for blocker in &item.blocked_by { div.quiet { (sentence(view, &blocker.reason)) } }
                }
            }
        }
        @if items.count > items.first.len() {
            p.quiet { "and " (items.count - items.first.len()) " more in the " (view.link(&Place::Queues, "queue")) }
        }
    }
}

/// Issues that are in no queue, each with the issues that it waits for; nothing if there are none. The filter finds exactly these.
fn outside(view: &View<'_>, name: &str, issues: &HomeIssues, filter: &str) -> Markup {
    let link = |id: &IssueId| view.id(&Place::Issue(id.clone()), id.as_str());
    html! {
        @if issues.count > 0 {
            (counted(name, issues.count))
            ul.rows {
                @for it in &issues.first {
                    li {
                        (link(&it.issue_id)) " " (badge(it.status.as_str())) " " (record_text(view, &it.title))
                        @if !it.waits_for.is_empty() {
                            div.quiet { "after" @for id in &it.waits_for { " " (link(id)) } }
                        }
                    }
                }
            }
        }
        (more(view, issues.count - issues.first.len(), Some((Place::Issues, one(filter, 1), None))))
    }
}

/// The name of an item as a link to its row in its queue.
fn item_link(view: &View<'_>, item: &HomeItem) -> Markup {
    super::queue::item(view, &item.queue_id, item.item.item_id().as_str(), &item.item.to_string())
}

/// The list with all of a kind, if there is one, and its name if it has others, too.
fn list_of(kind: AttentionKind) -> Option<(Place, Query, Option<&'static str>)> {
    Some(match kind {
        AttentionKind::Conflict => (Place::Conflicts, Query::default(), None),
        AttentionKind::Lease => (Place::Executions, Query::default(), Some("all executions")),
        AttentionKind::Run => (Place::Runs, Query::default(), Some("all runs")),
        AttentionKind::Failure => (Place::Issues, one("status", IssueStatus::Failed), None),
        AttentionKind::Landing => (Place::Issues, one("unlanded", 1), None),
        AttentionKind::Cycle
        | AttentionKind::Decision
        | AttentionKind::Review
        | AttentionKind::Choice
        | AttentionKind::Question => {
            return None;
        }
    })
}

/// Says how many more there are, and leads to their list. An export has no list with a filter.
fn more(view: &View<'_>, number: usize, list: Option<(Place, Query, Option<&str>)>) -> Markup {
    let list = list.filter(|(_, query, _)| query.is_empty() || !view.is_export());
    html! {
        @if number > 0 {
            p.quiet {
                @match list {
                    Some((place, query, None)) => a href=(view.href_with(&place, &query)) { "and " (number) " more" },
                    Some((place, query, Some(all))) => {
                        "and " (number) " more: " a href=(view.href_with(&place, &query)) { (all) }
                    }
                    None => { "and " (number) " more" }
                }
            }
        }
    }
}

fn heading(kind: AttentionKind) -> &'static str {
    match kind {
        AttentionKind::Cycle => "Dependency cycles",
        AttentionKind::Decision => "Decisions",
        AttentionKind::Conflict => "Conflicts between clones",
        AttentionKind::Lease => "Expired leases",
        AttentionKind::Run => "Interrupted runs",
        AttentionKind::Failure => "Failed issues",
        AttentionKind::Review => "Plans to review",
        AttentionKind::Choice => "Plans to choose from",
        AttentionKind::Landing => "Completed, not landed",
        AttentionKind::Question => "Open questions",
    }
}

fn attention(view: &View<'_>, group: &Attention) -> Markup {
    html! {
        h3 { (heading(group.kind)) " " span.count { (group.count) } }
        ul.rows {
            @for it in &group.first {
                li {
                    @match place_of(&it.id) {
                        Some(place) => (view.id(&place, &it.id)),
                        None => span.id { (it.id) },
                    }
                    " " (sentence(view, &it.what))
                    @if let (Some(actor), Some(at)) = (&it.actor, it.expired_at) {
                        div.quiet { "claimed by " (person(actor.as_str())) "; the lease expired " (when(view, at)) }
                    }
                    @for remedy in &it.remedies { div.quiet { (in_words(view, remedy)) } }
                }
            }
        }
        (more(view, group.count - group.first.len(), list_of(group.kind)))
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
