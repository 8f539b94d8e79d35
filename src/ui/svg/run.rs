//! The pictures of a run: how its issues depend on each other, and when what was done for them.

use super::{Arrow, Bar, Boxed, Scale, TimelineRow};
use crate::rules::RunReport;
use crate::rules::run::StageSpan;
use crate::ui::time;

/// The dependency graph: a box for each issue, which leads to it, and an arrow to each issue that depends on it.
pub(crate) fn run_graph(report: &RunReport) -> (Vec<Boxed>, Vec<Arrow>) {
    let boxes = report.issues.iter().map(|issue| Boxed {
        name: issue.issue_id.to_string(),
        title: issue.title.clone(),
        class: issue.status.as_str(),
        href: Some(issue.issue_id.to_string()),
    });
    let arrows = report.order().into_iter().map(|(from, to)| Arrow { from, to, class: "depends_on" });
    (boxes.collect(), arrows.collect())
}

/// A row for each issue, with a bar for each of its stages, as long as the stage lasted.
pub(crate) fn run_times(report: &RunReport) -> (Scale, Vec<TimelineRow>) {
    let rows = report.issues.iter().map(|issue| TimelineRow {
        label: issue.issue_id.to_string(),
        href: Some(issue.issue_id.to_string()),
        bars: issue.spans.iter().map(bar).collect(),
    });
    let from = report.started_at.millis();
    let until = from.saturating_add(i64::try_from(report.took_ms).unwrap_or(i64::MAX));
    (Scale { from, until, mark: None, is_absolute: false }, rows.collect())
}

fn bar(span: &StageSpan) -> Bar {
    let (from, until) = (span.from.millis(), span.until.millis());
    let took = time::length(u64::try_from(until.saturating_sub(from)).unwrap_or(0));
    Bar { from, until, class: span.status.as_str(), title: format!("{}: {took}", span.status) }
}
