//! Checks the references from runs to issues, plans, queues and executions.

use std::collections::BTreeSet;

use super::Findings;
use crate::model::{ActionDone, Breach, IssueId, IssueReached, Limited, Order, RunEvent, Setback, StepSpent};
use crate::store::{Snapshot, StoreError, layout, records};

/// Checks all runs of a state that has these `issues`.
pub(super) fn check(
    snapshot: &Snapshot<'_>,
    issues: &BTreeSet<IssueId>,
    found: &mut Findings,
) -> Result<(), StoreError> {
    for id in records::run_ids(snapshot)? {
        let path = layout::run(&id);
        if snapshot.entry(&path)?.is_none() {
            found.error(&path, "missing, although its directory exists");
            continue;
        }
        // An unreadable run was reported when its file was checked.
        let Some(folder) = records::run(snapshot, &id, &mut Vec::new())? else { continue };
        let mut seen: BTreeSet<&IssueId> = BTreeSet::new();
        for issue in &folder.run.issue_ids {
            if !seen.insert(issue) {
                found.error(&path, format!("names `{issue}` twice"));
            } else if !issues.contains(issue) {
                found.note(&path, format!("names `{issue}`, which is missing; another clone may have it"));
            }
        }
        for entry in &folder.log {
            let path = layout::entry(&layout::run_log(&id), &entry.id);
            match &entry.event {
                RunEvent::Issue(reached) => {
                    in_run(&seen, &reached.issue_id, &path, found);
                    check_reached(snapshot, reached, &path, found)?;
                }
                RunEvent::Action(ActionDone { issue_id: Some(issue), .. })
                | RunEvent::Setback(Setback { issue_id: Some(issue), .. })
                | RunEvent::Spent(StepSpent { issue_id: Some(issue), .. })
                | RunEvent::Breach(Breach { issue_id: Some(issue), .. }) => {
                    in_run(&seen, issue, &path, found);
                }
                RunEvent::Decision(decided) => in_run(&seen, &decided.issue_id, &path, found),
                RunEvent::Question(asked) => in_run(&seen, &asked.issue_id, &path, found),
                RunEvent::Limited(Limited { issue_id: Some(issue), .. })
                | RunEvent::Order(Order { issue_id: Some(issue), .. }) => in_run(&seen, issue, &path, found),
                RunEvent::Action(_)
                | RunEvent::Setback(_)
                | RunEvent::Spent(_)
                | RunEvent::Breach(_)
                | RunEvent::Limited(_)
                | RunEvent::Order(_)
                | RunEvent::Phase(_) => {}
            }
        }
    }
    Ok(())
}

fn in_run(of_run: &BTreeSet<&IssueId>, issue: &IssueId, path: &str, found: &mut Findings) {
    if !of_run.contains(issue) {
        found.error(path, format!("is about `{issue}`, which is not an issue of the run"));
    }
}

/// Checks that the records a run created for an issue belong to that issue and exist.
fn check_reached(
    snapshot: &Snapshot<'_>,
    reached: &IssueReached,
    path: &str,
    found: &mut Findings,
) -> Result<(), StoreError> {
    let issue = &reached.issue_id;
    let named = [
        reached.solution_id.as_ref().map(|id| ("plan", id.as_str(), id.issue(), layout::solution(id))),
        reached.execution_id.as_ref().map(|id| ("execution", id.as_str(), id.issue(), layout::execution(id))),
        reached.queue_id.as_ref().map(|id| ("queue", id.as_str(), issue.clone(), layout::queue(id))),
    ];
    for (what, id, of, place) in named.into_iter().flatten() {
        if of != *issue {
            found.error(path, format!("is about `{issue}`, but its {what} `{id}` belongs to `{of}`"));
        } else if snapshot.entry(&place)?.is_none() {
            found.note(path, format!("its {what} `{id}` is missing; another clone may have it"));
        }
    }
    Ok(())
}
