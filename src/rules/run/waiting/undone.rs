//! What waits for a person because an issue is not done.

use super::needed::{NeededRun, with_needed};
use super::{WaitsForPerson, unstored};
use crate::model::{
    ExecutionStatus, Failure, IssueId, IssueStatus, Op, Other, Remedy, RemedyCall, Run, RunStep, Setback,
    Solution, Unrecorded, Verdict,
};
use crate::rules::run::error_types::{BUDGET, IN_CYCLE, NO_PLAN, REJECTED};
use crate::rules::run::progress::IssueProgress;
use crate::rules::run::report::RunFacts;
use crate::rules::run::state::in_words;
use crate::rules::{IssueFolder, facts, review, toward};

/// What waits because of an issue; `None` if nothing does. `last` is how it last failed.
pub(super) fn of_issue(
    known: &RunFacts<'_>,
    run: &Run,
    issue: &IssueProgress<'_>,
    last: Option<&Setback>,
) -> Option<WaitsForPerson> {
    let id = issue.id;
    let Some(found) = known.issues.get(id) else { return missing(known, run, id) };
    let why = issue.error.map(first_line).filter(|why| !why.is_empty()).map(|why| format!(": {why}"));
    let why = why.unwrap_or_default();
    let status = facts::status(found);
    let is_over = matches!(status, IssueStatus::Completed | IssueStatus::Closed | IssueStatus::Cancelled);
    if issue.is_held_elsewhere() && !is_over {
        return left_to_others(known, id, found, &why);
    }
    if is_of(issue, IN_CYCLE)
        && matches!(status, IssueStatus::Registered | IssueStatus::Planning | IssueStatus::Planned)
    {
        let mut remedies = vec![Remedy::call(RemedyCall::new(Other::Show, [id]), "says how to end it")];
        remedies.extend(with_needed(known, found, None, "plans and executes it then"));
        return waiting_entry(id, issue.error.map(first_line).unwrap_or_default(), remedies);
    }
    if is_of(issue, BUDGET) && !is_over && status != IssueStatus::Executing {
        return over_budget(known, id, found, &why);
    }
    match status {
        IssueStatus::Completed | IssueStatus::Closed | IssueStatus::Cancelled => None,
        IssueStatus::Failed => failed(known, issue, found, last, &why),
        IssueStatus::Registered | IssueStatus::Planning => match found.plans().len() {
            0 if issue.status == IssueStatus::Registered && issue.error.is_none() => None,
            0 => waiting_entry(
                id,
                // The error would say the same again.
                if is_of(issue, NO_PLAN) {
                    "it has no plan".to_owned()
                } else {
                    format!("it has no plan{why}")
                },
                unplanned(known, run, id, last),
            ),
            n => unbound(found, n),
        },
        IssueStatus::Planned | IssueStatus::Queued => match found.bound() {
            None => unbound(found, found.plans().len()),
            Some(plan) => unexecuted(known, issue, found, plan, &why),
        },
        IssueStatus::Paused => waiting_entry(
            id,
            "it is paused".to_owned(),
            vec![Remedy::call(RemedyCall::new(Op::Reopen, [id]), "continues it")],
        ),
        IssueStatus::Executing => executing(known, issue, last, &why),
    }
}

fn missing(known: &RunFacts<'_>, run: &Run, id: &IssueId) -> Option<WaitsForPerson> {
    let remedy = if known.has_remote {
        Remedy::call(Other::Sync, "fetches it, if another clone has it")
    } else {
        Remedy::call(RemedyCall::new(Other::RunLog, [&run.id]), "shows what happened")
    };
    waiting_entry(id, "the issue is missing here".to_owned(), vec![remedy])
}

fn left_to_others(
    known: &RunFacts<'_>,
    id: &IssueId,
    found: &IssueFolder,
    why: &str,
) -> Option<WaitsForPerson> {
    let fetch = known.has_remote.then(|| Remedy::call(Other::Sync, "fetches their progress"));
    let mut remedies = Vec::from_iter(fetch);
    remedies.extend(with_needed(known, found, None, "continues it, once they have ended"));
    waiting_entry(id, format!("it was left to others{why}"), remedies)
}

fn executing(
    known: &RunFacts<'_>,
    issue: &IssueProgress<'_>,
    last: Option<&Setback>,
    why: &str,
) -> Option<WaitsForPerson> {
    let id = issue.id;
    if let Some(unrecorded) = unrecorded(issue, last) {
        let what = format!("the end of its execution is not recorded{why}");
        return waiting_entry(id, what, unended(known, id, unrecorded));
    }
    issue.error?;
    let remedies = vec![Remedy::call(Other::LeaseList, "shows who"), show_call(id)];
    waiting_entry(id, format!("someone else is executing it{why}"), remedies)
}

fn failed(
    known: &RunFacts<'_>,
    issue: &IssueProgress<'_>,
    found: &IssueFolder,
    last: Option<&Setback>,
    why: &str,
) -> Option<WaitsForPerson> {
    let id = issue.id;
    let what = match last.map(|setback| setback.action) {
        None | Some(RunStep::Execute) => "its execution failed",
        Some(RunStep::Explore | RunStep::Plan) => "it had failed before, and could not be planned again",
        Some(RunStep::Review | RunStep::Queue | RunStep::Integrate) => "it failed",
    };
    let mut remedies = with_needed(known, found, None, "plans and executes it again");
    remedies.push(Remedy::call(RemedyCall::new(Op::Retry, [id]), "queues it again"));
    remedies.push(show_call(id));
    // Another run, or a person, may have executed it since.
    let why = if issue.status == IssueStatus::Failed { why } else { "" };
    waiting_entry(id, format!("{what}{why}"), remedies)
}

/// An issue on which a run spent what it may: another run with the same budget would begin nothing.
fn over_budget(known: &RunFacts<'_>, id: &IssueId, found: &IssueFolder, why: &str) -> Option<WaitsForPerson> {
    let (what, alone, does) = match facts::status(found) {
        IssueStatus::Planned | IssueStatus::Queued => {
            ("it was not executed", Some("execute-only"), "executes it with another budget")
        }
        IssueStatus::Failed => ("its execution failed", None, "executes it again with another budget"),
        _ if found.plans().is_empty() => {
            ("it has no plan", None, "plans and executes it with another budget")
        }
        _ => ("it was not executed", None, "continues it with another budget"),
    };
    let mut needed = NeededRun::new(known, found, alone, does);
    needed.run = needed.run.option("issue-budget", "AMOUNT");
    waiting_entry(id, format!("{what}{why}"), needed.remedies())
}

/// An issue whose bound plan was not executed.
fn unexecuted(
    known: &RunFacts<'_>,
    issue: &IssueProgress<'_>,
    found: &IssueFolder,
    plan: &Solution,
    why: &str,
) -> Option<WaitsForPerson> {
    let id = issue.id;
    let standing = review::standing(plan, found.reviews(&plan.id));
    if standing.verdict == Some(Verdict::Rejected) {
        let add = RemedyCall::new(Op::SolutionAdd, [id.as_str(), "FILE"]);
        let queue = RemedyCall::new(Op::QueueAdd, [id]).flag("force").option("reason", "WHY");
        let remedies = vec![
            Remedy::call(RemedyCall::new(Other::FeedbackList, [id]), "shows why"),
            Remedy::call(add, "adds a better one and prints its id"),
            Remedy::call(RemedyCall::new(Op::Bind, [id.as_str(), "PLAN"]), "then chooses it"),
            Remedy::call(queue, "lets an owner queue it anyway"),
            Remedy::call(RemedyCall::new(Op::Close, [id]), "gives the issue up"),
        ];
        return waiting_entry(id, "its plan was rejected".to_owned(), remedies);
    }
    // Someone has chosen or reviewed it since.
    if issue.is_waiting() || is_of(issue, REJECTED) || is_other(issue, plan) {
        let remedies = with_needed(known, found, Some("execute-only"), "executes it");
        let what = match remedies.len() {
            1 => "its plan can be executed now",
            _ => "its plan can be executed once what it depends on is completed",
        };
        return waiting_entry(id, what.to_owned(), remedies);
    }
    issue.error?;
    let mut remedies = with_needed(known, found, None, "executes it");
    remedies.push(show_call(id));
    waiting_entry(id, format!("it was not executed{why}"), remedies)
}

fn show_call(id: &IssueId) -> Remedy {
    Remedy::call(RemedyCall::new(Other::Show, [id]), "shows what happened")
}

fn waiting_entry(id: &IssueId, what: String, remedies: Vec<Remedy>) -> Option<WaitsForPerson> {
    Some(WaitsForPerson { issue_id: Some(id.clone()), what, remedies })
}

/// What went wrong, without the output that may follow.
fn first_line(error: &Failure) -> String {
    in_words(error).lines().next().unwrap_or_default().trim_end_matches(':').to_owned()
}

fn is_of(issue: &IssueProgress<'_>, kind: &str) -> bool {
    issue.error.and_then(|error| error.error_type.as_deref()) == Some(kind)
}

/// What of an issue could not be recorded, if that is its error.
fn unrecorded<'a>(issue: &IssueProgress<'_>, last: Option<&'a Setback>) -> Option<&'a Unrecorded> {
    let last = last.filter(|setback| issue.error == Some(&setback.error))?;
    last.unrecorded.as_ref()
}

/// The remedies for an issue without a plan; first, storing the plan that could not be stored.
fn unplanned(known: &RunFacts<'_>, run: &Run, id: &IssueId, last: Option<&Setback>) -> Vec<Remedy> {
    let mut remedies = Vec::new();
    let last = last.filter(|setback| setback.action == RunStep::Plan);
    match last.and_then(|setback| unstored(known, setback.unrecorded.as_ref()?)) {
        Some(Ok(file)) => {
            let add = RemedyCall::new(Op::SolutionAdd, [id.as_str(), file]);
            remedies.push(Remedy::call(add, "stores what its planner answered"));
            let run = RemedyCall::new(Op::Run, [id]).flag("execute-only");
            remedies.push(Remedy::call(run, "then executes it, if there is only one plan"));
        }
        Some(Err(why)) => remedies.push(why),
        None => {}
    }
    remedies.push(Remedy::call(RemedyCall::new(Op::Run, [id]), "plans it"));
    let add = RemedyCall::new(Op::SolutionAdd, [id.as_str(), "FILE"]);
    remedies.push(Remedy::call(add, "adds a plan by hand"));
    remedies.push(Remedy::call(RemedyCall::new(Other::RunLog, [&run.id]), "shows what happened"));
    remedies
}

/// What ends an execution whose end could not be recorded. The claim is the agent's.
fn unended(known: &RunFacts<'_>, id: &IssueId, unrecorded: &Unrecorded) -> Vec<Remedy> {
    if unrecorded.end == Some(ExecutionStatus::Failed) {
        return vec![
            Remedy::call(fails(id), "records that it failed"),
            Remedy::call(RemedyCall::new(Op::Run, [id]), "then plans and executes it again"),
        ];
    }
    let mut remedies = Vec::new();
    let report = match unstored(known, unrecorded) {
        Some(Err(why)) => {
            remedies.push(why);
            None
        }
        Some(Ok(file)) => Some(file),
        None => None,
    };
    // Otherwise nothing says that the work is complete.
    if unrecorded.end == Some(ExecutionStatus::Completed) || report.is_some() {
        remedies.push(Remedy::call(completes(id, report), "tests it again and completes it"));
    }
    remedies.extend([
        Remedy::call(releases(id), "gives it up"),
        Remedy::call(RemedyCall::new(Op::Run, [id]).flag("execute-only"), "then executes it again"),
    ]);
    remedies
}

/// Completes an execution whose end could not be recorded, with the report of its agent, if that was kept as a file.
pub(crate) fn completes(id: &IssueId, report: Option<&str>) -> RemedyCall {
    let mut done = RemedyCall::from(Op::Done).item(Some(id));
    if let Some(file) = report {
        done = done.option("result", file);
    }
    done.flag("verify").flag("force").option("reason", "WHY")
}

/// Records that an execution failed whose end could not be recorded.
pub(crate) fn fails(id: &IssueId) -> RemedyCall {
    RemedyCall::from(Op::Fail).item(Some(id)).option("message", "WHY").flag("force").option("reason", "WHY")
}

/// Gives up an execution whose claim could not be given back.
pub(crate) fn releases(id: &IssueId) -> RemedyCall {
    RemedyCall::new(Op::LeaseRelease, [id]).flag("force").option("reason", "WHY")
}

/// Whether someone has bound another plan since the run ended with an issue.
fn is_other(issue: &IssueProgress<'_>, plan: &Solution) -> bool {
    issue.error.is_some() && issue.solution_id.is_some_and(|known| *known != plan.id)
}

fn unbound(folder: &IssueFolder, plans: usize) -> Option<WaitsForPerson> {
    let id = &folder.issue.record.id;
    let what = match plans {
        1 => "its plan is not bound".to_owned(),
        n => format!("one of its {n} plans must be chosen"),
    };
    let list = if plans == 1 { "lists it" } else { "lists them" };
    let mut remedies = vec![Remedy::call(RemedyCall::new(Other::SolutionList, [id]), list)];
    if plans > 1 {
        remedies.push(Remedy::call(RemedyCall::new(Other::SolutionShow, ["PLAN"]), "shows one"));
    }
    remedies.push(toward::plan(folder));
    Some(WaitsForPerson { issue_id: Some(id.clone()), what, remedies })
}
