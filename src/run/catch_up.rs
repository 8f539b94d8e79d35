//! What a run that was killed had done and not recorded.

use crate::model::{ActionDone, Explored, IssueId, IssueReached, IssueStatus, Run, RunEvent, RunStep};
use crate::rules::run::IssueProgress;
use crate::rules::{IssueFolder, RunIssueState, RunProgress, facts};

/// The entries that are missing in the log of a run about one issue: steps that the store shows to be done, and the status
/// that the issue has, if the log says something else.
pub(super) fn unrecorded(
    run: &Run,
    progress: &RunProgress<'_>,
    logged: &IssueProgress<'_>,
    at: &RunIssueState,
    folder: &IssueFolder,
) -> Vec<RunEvent> {
    use IssueStatus::{Completed, Executing, Failed, Planned, Planning, Queued, Registered};
    let is_missing = |step| run.takes(step) && progress.taken(step, &at.issue) == 0;
    let is_planned = matches!(at.status, Planned | Queued | Executing | Completed);
    let done = |step| RunEvent::Action(found(step, &at.issue));
    let mut events = Vec::new();
    if at.is_given_up {
        return events;
    }
    let holder = facts::holder(folder).map(|holder| &holder.execution);
    if matches!(at.status, Executing | Completed) && !at.is_ours && !at.is_of_run {
        return events;
    }
    let is_of_run = |it: &Explored| it.run_id.as_ref() == Some(&run.id);
    if is_missing(RunStep::Explore) && folder.explorations.iter().any(is_of_run) {
        events.push(done(RunStep::Explore));
    }
    // A plan that there was before the run is none of its steps.
    let is_new = folder.bound().is_some_and(|plan| plan.created_at >= run.created_at);
    if is_planned && is_new && is_missing(RunStep::Plan) {
        events.push(done(RunStep::Plan));
    }
    if is_planned && at.verdict.is_some() && is_missing(RunStep::Review) && !at.is_unreviewed {
        events.push(done(RunStep::Review));
    }
    if at.status == Completed && is_missing(RunStep::Execute) {
        events.push(done(RunStep::Execute));
    }
    if at.status == Completed && at.is_integrated && is_missing(RunStep::Integrate) {
        events.push(done(RunStep::Integrate));
    }
    let status = match (logged.status, at.status) {
        // Its planner was killed, or an issue that failed before the run should be planned again.
        (Planning, Registered | Planning | Failed) => Registered,
        (logged, now) if logged != now && is_planned => now,
        _ => return events,
    };
    let mut reached = IssueReached::plain(at.issue.clone(), status);
    if is_planned {
        // Another plan may have been bound since this one was executed.
        let executed = holder.filter(|_| matches!(status, Executing | Completed));
        let executed = executed.map(|execution| &execution.solution_id);
        reached.solution_id = executed.or(folder.bound().map(|plan| &plan.id)).cloned();
        let bound = reached.solution_id.as_ref();
        let item =
            folder.items.iter().find(|it| !it.item.is_removed() && Some(&it.item.solution_id) == bound);
        reached.queue_id = item.map(|it| it.queue.clone());
        reached.item_id = item.map(|it| it.item.item_id.clone());
    }
    if matches!(status, Executing | Completed) {
        reached.execution_id = holder.map(|execution| execution.id.clone());
    }
    events.push(RunEvent::Issue(reached));
    events
}

fn found(action: RunStep, issue: &IssueId) -> ActionDone {
    ActionDone { note: Some("found done".into()), ..ActionDone::plain(action, Some(issue.clone())) }
}
