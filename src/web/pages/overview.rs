//! The overview: what runs, what waits for a person, and what is stuck.

use maud::{Markup, html};

use crate::index::{Filter, Listed, Sort};
use crate::model::status::{IssueStatus, ItemStatus};
use crate::ops::issues::{self, List};
use crate::ops::queue::{self, ItemAnswer};
use crate::ops::work::{self, run};
use crate::ops::{Refusal, clones};
use crate::web::layout::one;
use crate::web::parts::{badge, counted, issue_table, one_line, person, when};
use crate::web::place::Place;
use crate::web::view::{Content, View};

/// At most this many rows of each kind; the lists have all.
const MOST: usize = 12;

pub(super) fn page(view: &View<'_>) -> Result<Content, Refusal> {
    let session = view.session;
    let overview = issues::overview(session)?.view;
    let runs = run::list(session)?.view;
    let queues = queue::active(session)?.view.queues;
    let items: Vec<&ItemAnswer> = queues.iter().filter_map(|it| it.items.as_ref()).flatten().collect();
    let with = |status: ItemStatus| items.iter().copied().filter(move |it| it.status == status);
    let leases = work::leases(session)?.view;
    let conflicts = clones::conflicts(session)?.view.len();
    let undecided = queues.iter().flat_map(|it| it.conflicts.iter().flatten()).filter(|it| !it.resolved);
    let undecided: Vec<_> = undecided.collect();
    let (blocked, ready) =
        (with(ItemStatus::Blocked).collect::<Vec<_>>(), with(ItemStatus::Ready).collect::<Vec<_>>());
    let failed = rows(view, &[IssueStatus::Failed])?;
    let moving = runs.iter().any(|it| it.driven == run::Driven::Here);
    let body = html! {
        h1 { "Overview" }
        ul.numbers {
            @for (status, count) in &overview.issues {
                li {
                    a href=(view.href_with(&Place::Issues, &one("status", status))) {
                        strong { (count) } " " (badge(status.as_str()))
                    }
                }
            }
        }
        div.columns {
            section {
                (counted("Running", leases.len()))
                @if leases.is_empty() { p.quiet { "Nobody executes a plan." } }
                ul.rows {
                    @for lease in leases.iter().take(MOST) {
                        li {
                            (view.id(&Place::Execution(lease.execution_id.clone()), lease.issue_id.as_str())) " "
                            (person(lease.actor.as_str())) " "
                            span.quiet {
                                @if lease.expired { (badge("expired")) " since " } @else { "lease ends " }
                                (when(view, lease.lease_expires_at))
                            }
                        }
                    }
                }
                @for it in runs.iter().filter(|it| it.driven == run::Driven::Here) {
                    p { (view.id(&Place::Run(it.id.clone()), it.id.as_str())) " " (badge(it.phase.as_str())) " "
                        (it.counts.completed_count) " of " (it.counts.total_issues) " issues completed" }
                }
                (counted("Ready", ready.len()))
                (item_rows(view, &ready))
            }
            section {
                (counted("Waiting for a person", undecided.len() + conflicts))
                @if undecided.is_empty() && conflicts == 0 { p.quiet { "No decision is needed." } }
                ul.rows {
                    @if conflicts > 0 {
                        li { (view.link(&Place::Conflicts, "Conflicts between clones")) " " span.count { (conflicts) } }
                    }
                    @for conflict in undecided.iter().take(MOST) {
                        li {
                            @if let Some(name) = &conflict.id { strong { (name) } " " }
                            (badge(conflict.severity.as_str())) " " (conflict.kind.as_str()) " conflict of "
                            @for id in &conflict.item_ids { (id) " " }
                        }
                    }
                }
                (counted("Stuck", blocked.len() + failed.1))
                @if blocked.is_empty() && failed.1 == 0 { p.quiet { "Nothing is stuck." } }
                ul.rows {
                    @for item in blocked.iter().take(MOST) {
                        li {
                            (view.id(&Place::Issue(item.item.issue_id.clone()), item.item.issue_id.as_str())) " "
                            (one_line(&item.title))
                            @for blocker in &item.blocked_by { div.quiet { (one_line(&blocker.reason)) } }
                        }
                    }
                }
                @if failed.1 > 0 { (issue_table(view, &failed.0)) }
            }
        }
        (super::roadmap::waves(view)?)
        section {
            (counted("Most urgent open issues", overview.issues.iter().filter(|it| !it.0.is_over()).map(|it| it.1).sum()))
            (issue_table(view, &rows(view, &[])?.0))
        }
    };
    Ok(Content { is_moving: moving, ..Content::new("Overview", body) })
}

fn item_rows(view: &View<'_>, items: &[&ItemAnswer]) -> Markup {
    html! {
        ul.rows {
            @for item in items.iter().take(MOST) {
                li {
                    span.id { (item.name) } " "
                    (view.id(&Place::Issue(item.item.issue_id.clone()), item.item.issue_id.as_str())) " "
                    (one_line(&item.title))
                }
            }
        }
    }
}

/// The most urgent issues with one of these statuses, and how many there are; without statuses, the open ones.
fn rows(view: &View<'_>, statuses: &[IssueStatus]) -> Result<(Vec<Listed>, usize), Refusal> {
    let filter = Filter { statuses: statuses.to_vec(), ..Filter::default() };
    let list = List { filter, since: None, until: None, sort: Sort::Priority, offset: 0, limit: Some(MOST) };
    let found = issues::rows(view.session, &list, true)?.view;
    Ok((found.rows, found.total.unwrap_or_default()))
}
