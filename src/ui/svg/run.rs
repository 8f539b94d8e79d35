//! The pictures of a run: how its issues depend on each other, and when what was done for them.

use super::{Arrow, Bar, Boxed, Scale, TimelineRow, dag, timeline};
use crate::model::id::IssueId;
use crate::rules::run::RunReport;
use crate::ui::time;

/// The address of the page of an issue, if there is one.
type Href<'a> = dyn Fn(&IssueId) -> Option<String> + 'a;

/// The dependency graph: a box for each issue, and an arrow to each issue that depends on it.
pub(crate) fn run_dependencies(report: &RunReport, href: &Href<'_>) -> String {
    let boxes = report.issues.iter().map(|issue| Boxed {
        name: issue.issue_id.to_string(),
        title: issue.title.clone(),
        class: issue.status.as_str(),
        href: href(&issue.issue_id),
    });
    let arrows = report.order().into_iter().map(|(from, to)| Arrow { from, to, class: "depends_on" });
    dag("dependencies", &boxes.collect::<Vec<_>>(), &arrows.collect::<Vec<_>>())
}

/// A row for each issue, with a bar for each of its stages, as long as the stage lasted.
pub(crate) fn run_times(report: &RunReport, href: &Href<'_>) -> String {
    let rows = report.issues.iter().map(|issue| TimelineRow {
        label: issue.issue_id.to_string(),
        href: href(&issue.issue_id),
        bars: issue
            .spans
            .iter()
            .map(|span| {
                let (from, until) = (span.from.millis(), span.until.millis());
                let took = time::length(u64::try_from(until.saturating_sub(from)).unwrap_or(0));
                Bar { from, until, class: span.status.as_str(), title: format!("{}: {took}", span.status) }
            })
            .collect(),
    });
    let from = report.started_at.millis();
    let until = from.saturating_add(i64::try_from(report.took_ms).unwrap_or(i64::MAX));
    timeline("timeline", Scale { from, until, mark: None, is_absolute: false }, &rows.collect::<Vec<_>>())
}
