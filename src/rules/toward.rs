//! The next step that brings an issue nearer to its queue or its execution, from where it is.

use super::{IssueFolder, facts, replan};
use crate::model::{IssueStatus, Op, Other, Remedy, RemedyCall};

/// The next step on the way into a queue. For an issue that is queued or executing, it leads back there.
pub(crate) fn queue(folder: &IssueFolder) -> Remedy {
    let id = &folder.issue.record.id;
    match facts::status(folder) {
        IssueStatus::Completed | IssueStatus::Cancelled | IssueStatus::Closed | IssueStatus::Paused => {
            Remedy::call(RemedyCall::new(Op::Reopen, [id]), "reopens it")
        }
        IssueStatus::Failed => Remedy::call(RemedyCall::new(Op::Retry, [id]), "queues it again"),
        IssueStatus::Executing => Remedy::call(RemedyCall::new(Op::LeaseRelease, [id]), "gives it up"),
        IssueStatus::Planned | IssueStatus::Queued => {
            Remedy::call(RemedyCall::new(Op::QueueAdd, [id]), "queues it")
        }
        IssueStatus::Registered | IssueStatus::Planning if folder.plans().is_empty() => {
            let add = RemedyCall::new(Op::SolutionAdd, [id.as_str(), "FILE"]).flag("queue");
            Remedy::call(add, "gives it a plan, and queues it")
        }
        // Someone moved an issue back whose plan stayed bound.
        IssueStatus::Registered if folder.bound().is_some() => {
            let edit = RemedyCall::new(Op::Edit, [id]).option("status", "planning");
            Remedy::call(edit, "plans it")
        }
        IssueStatus::Planning if folder.bound().is_some() => {
            let edit = RemedyCall::new(Op::Edit, [id]).option("status", "planned");
            Remedy::call(edit, "marks it as planned")
        }
        IssueStatus::Registered | IssueStatus::Planning => plan(folder),
    }
}

/// The next step on the way to a bound plan, or to another one. It names the plan if only one can be bound.
pub(crate) fn plan(folder: &IssueFolder) -> Remedy {
    let id = folder.issue.record.id.as_str();
    let plans = replan::candidates(folder);
    match (&replan::sufficient(&plans)[..], &plans[..]) {
        (_, []) => Remedy::call(RemedyCall::new(Op::SolutionAdd, [id, "FILE"]), "adds one"),
        ([plan], _) => Remedy::call(RemedyCall::new(Op::Bind, [id, plan.id.as_str()]), "chooses its plan"),
        ([], [plan]) => {
            Remedy::call(RemedyCall::new(Other::SolutionCheck, [&plan.id]), "says what its plan lacks")
        }
        ([], _) => {
            let list = RemedyCall::new(Other::SolutionList, [id]);
            Remedy::call(list, "lists its plans, of which none can be chosen")
        }
        _ => Remedy::call(RemedyCall::new(Op::Bind, [id, "PLAN"]), "chooses one"),
    }
}

/// The next step on the way to an execution.
pub(crate) fn execution(folder: &IssueFolder) -> Remedy {
    let start = RemedyCall::new(Op::Next, [&folder.issue.record.id]);
    match facts::status(folder) {
        IssueStatus::Planned => Remedy::call(start, "queues it, and claims it"),
        IssueStatus::Queued => Remedy::call(start, "claims it"),
        _ => queue(folder),
    }
}
