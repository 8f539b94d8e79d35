//! Executions as a timeline, with the leases of those in progress.

use maud::html;

use crate::index::{Filter, SortOrder};
use crate::model::{ExecutionStatus, IssueId, IssueStatus, Time, count};
use crate::ops::Refusal;
use crate::ops::issues::{self, List, existing};
use crate::ops::work::{self, ExecutionView};
use crate::ui::svg::{Bar, timeline};
use crate::ui::{Scale, TimelineRow};
use crate::web::parts::{ListPosition, badge, counted, pager, person, picture, record_text, when};
use crate::web::place::Place;
use crate::web::view::{PageContent, View};

/// A page has the latest executions of this many issues. On the first, those that run are in addition to that.
const PAGE: usize = 60;
/// The most executions of an issue; its own page has all.
const MOST_ATTEMPTS: usize = 20;
/// The most executions that run on the first page.
const MOST_RUNNING: usize = 200;
/// The part of the picture that leases may take, beside what was: a lease is often much longer than the work.
const AHEAD: i64 = 4;

pub(super) fn page(view: &View<'_>) -> Result<PageContent, Refusal> {
    let mut pages = ListPosition::asked(view, PAGE);
    let Latest { shown: all, left_out, total } = latest(view, pages)?;
    pages.total = total;
    let now = view.now.millis();
    let bar = |it: &ExecutionView| {
        let from = it.execution.started_at.millis();
        let until = it.finished_at.map_or(now, Time::millis);
        Bar {
            from,
            until,
            class: it.status.as_str(),
            title: format!("{}: {}", it.status, it.execution.actor),
        }
    };
    let lease = |it: &ExecutionView| {
        let until = it.execution.lease_expires_at.millis();
        let class = if until < now { "expired" } else { "lease" };
        let title = format!("lease until {}", it.execution.lease_expires_at);
        (it.status == ExecutionStatus::Executing).then(|| Bar {
            from: until.min(now),
            until: until.max(now),
            class,
            title,
        })
    };
    let row = |it: &ExecutionView| TimelineRow {
        label: format!("{} #{}", it.execution.issue_id, it.execution.attempt),
        href: Some(view.href(&Place::Execution(it.execution.id.clone()))),
        bars: lease(it).into_iter().chain([bar(it)]).collect(),
    };
    let rows: Vec<TimelineRow> = all.iter().map(row).collect();
    let bars = || rows.iter().flat_map(|row| &row.bars);
    let from = bars().map(|bar| bar.from).min().unwrap_or(now);
    let until = bars().map(|bar| bar.until).max().unwrap_or(now);
    let until = until.min(now.saturating_add(now.saturating_sub(from).max(60_000) / AHEAD));
    let scale =
        Scale { from, until, mark: (!view.is_export() && now <= until).then_some(now), is_absolute: true };
    let running = all.iter().filter(|it| it.status == ExecutionStatus::Executing).count();
    let body = html! {
        h1 { "Executions" }
        @if all.is_empty() { p.quiet { "No plan has been executed yet." } } @else {
            @if pages.page == 1 { (counted("Running", running)) }
            (picture("executions and leases", timeline("executions and leases", scale, &rows)))
            div.scroll tabindex="0" role="region" aria-label="executions" {
                table {
                    thead { tr { th { "Issue" } th { "Attempt" } th { "Status" } th { "Executor" } th { "Started" } th { "Ended, or lease" } th { "Commits" } th { "Checks" } th.wide { "Outcome" } } }
                    tbody {
                        @for it in &all {
                            tr {
                                td { (view.id(&Place::Issue(it.execution.issue_id.clone()), it.execution.issue_id.as_str())) }
                                td { (view.link(&Place::Execution(it.execution.id.clone()), &it.execution.attempt.to_string())) }
                                td { (badge(&it.status_words())) }
                                td { (person(it.execution.actor.as_str())) }
                                td { (when(view, it.execution.started_at)) }
                                td {
                                    @match it.finished_at {
                                        Some(at) => (when(view, at)),
                                        // An attempt that was set aside holds no lease.
                                        None if it.status != ExecutionStatus::Executing => {}
                                        None => {
                                            @if it.execution.lease_expires_at < view.now { (badge("expired")) " " }
                                            "lease " (when(view, it.execution.lease_expires_at))
                                        }
                                    }
                                }
                                td { (it.commits.len()) }
                                td { (it.checks.iter().filter(|it| it.has_passed()).count()) " of " (it.checks.len()) }
                                td.wide { @if let Some(text) = outcome(it) { (record_text(view, text)) } }
                            }
                        }
                    }
                }
            }
        }
        @for (id, number) in &left_out { p.quiet { (count(*number, "earlier attempt")) " of " (view.id(&Place::Issue(id.clone()), id.as_str())) @if *number == 1 { " is" } @else { " are" } " not shown" } }
        (pager(view, pages))
    };
    Ok(PageContent::new("Executions", body))
}

fn outcome(it: &ExecutionView) -> Option<&str> {
    let failure = it.failure.as_ref().and_then(|it| it.message.as_deref());
    failure.or_else(|| it.result.as_ref().and_then(|it| it.summary.as_deref()))
}

/// Issues that were executed, those that changed last first.
fn executed(statuses: &[IssueStatus], offset: usize, limit: Option<usize>) -> List {
    let filter = Filter { all: true, has_execution: true, statuses: statuses.to_vec(), ..Filter::default() };
    List { filter, sort: SortOrder::Updated, offset, limit, counts: true, ..List::default() }
}

/// The executions of a page.
struct Latest {
    /// The latest first.
    shown: Vec<ExecutionView>,
    /// How many more some issues have.
    left_out: Vec<(IssueId, usize)>,
    /// How many issues were executed.
    total: usize,
}

/// The executions of a page. Those that run are on the first one.
fn latest(view: &View<'_>, pages: ListPosition) -> Result<Latest, Refusal> {
    let rows = |list: &List| Ok::<_, Refusal>(issues::rows(view.session, list)?.view);
    // An export looks for those of all pages at once.
    let (offset, limit) = if view.is_export() { (0, None) } else { (pages.offset(), Some(PAGE)) };
    let kept = view.kept(view.place, || {
        let running = rows(&executed(&[IssueStatus::Executing], 0, Some(MOST_RUNNING)))?.rows;
        Ok((running, rows(&executed(&[], offset, limit))?))
    })?;
    let (running, found) = &*kept;
    let own = found.rows.iter().skip(pages.offset() - offset).take(PAGE);
    // Those beyond the most that run stay in their places.
    let others = own.filter(|row| running.iter().all(|it| it.id != row.id));
    let first = running.iter().filter(|_| pages.page == 1);
    let snapshot = view.session.store().snapshot()?;
    let (mut shown, mut left_out) = (Vec::new(), Vec::new());
    for id in first.chain(others).map(|row| &row.id) {
        let mut own = work::executions(&existing(&snapshot, id)?);
        let earlier = own.len().saturating_sub(MOST_ATTEMPTS);
        shown.extend(own.drain(earlier..));
        if earlier > 0 {
            left_out.push((id.clone(), earlier));
        }
    }
    shown.sort_by_key(|it| std::cmp::Reverse(it.execution.started_at));
    Ok(Latest { shown, left_out, total: found.total.map_or(0, issues::Total::number) })
}
