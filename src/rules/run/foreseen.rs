//! What a run would do for an issue if every step went well: the same rules as for a run that is at work.

use super::next::{Need, RunIssueState, StuckReason, need};
use crate::model::{IssueStatus, Run, RunStep, Verdict};

/// The steps, in order; and why the issue then waits for a person, if it does.
pub(crate) fn foreseen(run: &Run, at: RunIssueState) -> (Vec<RunStep>, Option<StuckReason>) {
    let (mut at, mut steps) = (at, Vec::new());
    loop {
        let step = match need(run, &at) {
            Need::Step(step) => step,
            Need::Retry => {
                (at.status, at.is_ready) = (IssueStatus::Queued, true);
                continue;
            }
            Need::Person(why) => return (steps, Some(why)),
            Need::Over | Need::Wait | Need::Elsewhere => return (steps, None),
        };
        // Each of them brings the issue further, unless a rule is wrong.
        if steps.contains(&step) {
            return (steps, None);
        }
        steps.push(step);
        match step {
            RunStep::Explore => at.is_explored = true,
            RunStep::Plan => {
                (at.status, at.verdict, at.is_planned_here) = (IssueStatus::Planned, None, true);
            }
            RunStep::Review => at.verdict = Some(Verdict::Approved),
            RunStep::Queue => (at.status, at.is_ready) = (IssueStatus::Queued, true),
            RunStep::Execute => (at.status, at.is_integrated) = (IssueStatus::Completed, false),
            RunStep::Integrate => at.is_integrated = true,
        }
    }
}
