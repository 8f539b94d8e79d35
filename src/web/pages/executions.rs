//! Executions as a timeline, with the leases of those in progress.

use maud::{Markup, html};

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
    let Latest { shown, left_out, total } = latest(view, pages)?;
    pages.total = total;
    let running = shown.iter().filter(|shown| shown.status == ExecutionStatus::Executing).count();
    let body = html! {
        h1 { "Executions" }
        @if shown.is_empty() { p.quiet { "No plan has been executed yet." } } @else {
            @if pages.page == 1 { (counted("Running", running)) }
            (times(view, &shown))
            div.scroll tabindex="0" role="region" aria-label="executions" {
                table {
                    thead { tr { th { "Issue" } th { "Attempt" } th { "Status" } th { "Executor" } th { "Started" } th { "Ended, or lease" } th { "Commits" } th { "Checks" } th.wide { "Outcome" } } }
                    tbody { @for shown in &shown { (row(view, shown)) } }
                }
            }
        }
        @for (id, number) in &left_out { p.quiet { (count(*number, "earlier attempt")) " of " (view.id(&Place::Issue(id.clone()), id.as_str())) @if *number == 1 { " is" } @else { " are" } " not shown" } }
        (pager(view, pages))
    };
    Ok(PageContent::new("Executions", body))
}

/// The timeline.
fn times(view: &View<'_>, shown: &[ExecutionView]) -> Markup {
    let now = view.now.millis();
    let rows = shown.iter().map(|shown| TimelineRow {
        label: format!("{} #{}", shown.execution.issue_id, shown.execution.attempt),
        href: Some(view.href(&Place::Execution(shown.execution.id.clone()))),
        bars: lease_bar(shown, now).into_iter().chain([work_bar(shown, now)]).collect(),
    });
    let rows: Vec<TimelineRow> = rows.collect();
    let bars: Vec<&Bar> = rows.iter().flat_map(|row| &row.bars).collect();
    let from = bars.iter().map(|bar| bar.from).min().unwrap_or(now);
    let until = bars.iter().map(|bar| bar.until).max().unwrap_or(now);
    let until = until.min(now.saturating_add(now.saturating_sub(from).max(60_000) / AHEAD));
    let mark = if view.is_export() || now > until { None } else { Some(now) };
    let scale = Scale { from, until, mark, is_absolute: true };
    picture("executions and leases", timeline("executions and leases", scale, &rows))
}

fn work_bar(shown: &ExecutionView, now: i64) -> Bar {
    Bar {
        from: shown.execution.started_at.millis(),
        until: shown.finished_at.map_or(now, Time::millis),
        class: shown.status.as_str(),
        title: format!("{}: {}", shown.status, shown.execution.actor),
    }
}

/// The lease of an execution in progress: what is left of it, or for how long it has been over.
fn lease_bar(shown: &ExecutionView, now: i64) -> Option<Bar> {
    if shown.status != ExecutionStatus::Executing {
        return None;
    }
    let until = shown.execution.lease_expires_at.millis();
    Some(Bar {
        from: until.min(now),
        until: until.max(now),
        class: if until < now { "expired" } else { "lease" },
        title: format!("lease until {}", shown.execution.lease_expires_at),
    })
}

fn row(view: &View<'_>, shown: &ExecutionView) -> Markup {
    let claim = &shown.execution;
    html! {
        tr {
            td { (view.id(&Place::Issue(claim.issue_id.clone()), claim.issue_id.as_str())) }
            td { (view.link(&Place::Execution(claim.id.clone()), &claim.attempt.to_string())) }
            td { (badge(&shown.status_words())) }
            td { (person(claim.actor.as_str())) }
            td { (when(view, claim.started_at)) }
            td {
                @match shown.finished_at {
                    Some(at) => (when(view, at)),
                    // An attempt that was set aside holds no lease.
                    None if shown.status != ExecutionStatus::Executing => {}
                    None => {
                        @if claim.lease_expires_at < view.now { (badge("expired")) " " }
                        "lease " (when(view, claim.lease_expires_at))
                    }
                }
            }
            td { (shown.commits.len()) }
            td { (shown.checks.iter().filter(|check| check.has_passed()).count()) " of " (shown.checks.len()) }
            td.wide { @if let Some(text) = outcome(shown) { (record_text(view, text)) } }
        }
    }
}

fn outcome(shown: &ExecutionView) -> Option<&str> {
    let failure = shown.failure.as_ref().and_then(|failure| failure.message.as_deref());
    failure.or_else(|| shown.result.as_ref().and_then(|result| result.summary.as_deref()))
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
    // An export looks for those of all pages at once.
    let (offset, limit) = if view.is_export() { (0, None) } else { (pages.offset(), Some(PAGE)) };
    let kept = view.kept(view.place, || {
        let running = executed(&[IssueStatus::Executing], 0, Some(MOST_RUNNING));
        let running = issues::rows(view.session, &running)?.view.rows;
        Ok((running, issues::rows(view.session, &executed(&[], offset, limit))?.view))
    })?;
    let (running, found) = &*kept;
    let own = found.rows.iter().skip(pages.offset() - offset).take(PAGE);
    // Those beyond the most that run stay in their places.
    let others = own.filter(|row| running.iter().all(|other| other.id != row.id));
    let first = if pages.page == 1 { &running[..] } else { &[] };
    let snapshot = view.session.store().snapshot()?;
    let (mut shown, mut left_out) = (Vec::new(), Vec::new());
    for id in first.iter().chain(others).map(|row| &row.id) {
        let mut own = work::executions(&existing(&snapshot, id)?);
        let earlier = own.len().saturating_sub(MOST_ATTEMPTS);
        shown.extend(own.drain(earlier..));
        if earlier > 0 {
            left_out.push((id.clone(), earlier));
        }
    }
    shown.sort_by_key(|shown| std::cmp::Reverse(shown.execution.started_at));
    Ok(Latest { shown, left_out, total: found.total.map_or(0, issues::Total::number) })
}
