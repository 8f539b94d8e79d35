//! What waits for a person after a run, and the commands for it.

use schemars::JsonSchema;
use serde::Serialize;

use super::progress::{IssueProgress, RunProgress, STALLED, SkippedStep, Wrong};
use super::report::RunFacts;
use super::state::{IssueStage, in_words, stage};
use crate::model::id::IssueId;
use crate::model::op::{Op, Other};
use crate::model::remedy::{Remedy, RemedyCall};
use crate::model::review::Verdict;
use crate::model::run::{Run, RunStep};
use crate::model::run_log::RunStatus;
use crate::model::shell;
use crate::model::status::IssueStatus;
use crate::rules::facts;
use crate::rules::folder::{IssueFolder, RunFolder};
use crate::rules::review;

/// Something that a person must decide or do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct WaitsForPerson {
    /// The issue that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) issue_id: Option<IssueId>,
    /// What it is.
    pub(crate) what: String,
    /// The remedies.
    pub(crate) remedies: Vec<Remedy>,
}

/// What waits, by issue and then for the run as a whole. What was settled after the run is left out.
pub(super) fn waiting(
    folder: &RunFolder,
    progress: &RunProgress<'_>,
    known: &RunFacts<'_>,
) -> Vec<WaitsForPerson> {
    let run = &folder.run;
    let mut waiting: Vec<WaitsForPerson> = Vec::new();
    let is_driven = known.is_driven && progress.status != RunStatus::Completed;
    let is_left = |issue: &&IssueProgress<'_>| !is_driven || stage(issue.status) == IssueStage::Failed;
    for issue in progress.issues.iter().filter(is_left) {
        let found = known.issues.get(issue.id);
        waiting.extend(match (found, known.apart.get(issue.id)) {
            (Some(_), Some(branch)) if issue.status == IssueStatus::Failed => Some(apart(run, issue, branch)),
            _ => unreviewed(progress, issue, found)
                .or_else(|| of_issue(run, issue, found, progress.last_setback(issue.id).map(|it| it.action))),
        });
        waiting.extend(found.and_then(|found| left(run, progress, issue, found)));
    }
    let open = progress.breaches.iter().filter(|breach| breach.agent.is_some() && !breach.undone).count();
    if open > 0 {
        let what = format!("{open} of the breaches by agents could not be undone");
        waiting.push(WaitsForPerson {
            issue_id: None,
            what,
            remedies: vec![Remedy::call(RemedyCall::new(Other::RunLog, [&run.id]), "lists them")],
        });
    }
    if progress.status != RunStatus::Completed && !is_driven {
        waiting.push(WaitsForPerson {
            issue_id: None,
            what: "the run has not ended".to_owned(),
            remedies: vec![
                Remedy::call(RemedyCall::new(Other::RunShow, [&run.id]), "shows its progress"),
                Remedy::call(
                    RemedyCall::new(Other::RunResume, [&run.id]),
                    "continues it, if it was interrupted",
                ),
            ],
        });
    }
    let is_worn = |wrong: &Wrong<'_>| match wrong {
        Wrong::Run(_, failure) => failure.error_type.as_deref() == Some("all-workers-failed"),
        Wrong::Step(_) => false,
    };
    if let Some((_, Wrong::Run(_, failure))) = progress.errors.iter().rfind(|(_, wrong)| is_worn(wrong)) {
        waiting.push(WaitsForPerson {
            issue_id: None,
            what: format!("the run ended early: {}", in_words(failure)),
            remedies: vec![
                Remedy::call(RemedyCall::new(Other::RunLog, [&run.id]), "shows how"),
                Remedy::call(Other::AgentList, "lists the known agents"),
            ],
        });
    }
    for branch in &known.kept {
        waiting.push(WaitsForPerson {
            issue_id: None,
            what: format!("the branch `{branch}` has work of a failed attempt"),
            remedies: vec![Remedy::words(format!("`git branch -D {}` removes it", shell::operand(branch)))],
        });
    }
    let is_any_done = progress.issues.iter().any(|issue| stage(issue.status) == IssueStage::Completed);
    if let Some(branch) =
        run.branch.as_deref().filter(|_| known.is_merged == Some(false) && is_any_done && !is_driven)
    {
        let name = branch.strip_prefix("refs/heads/").unwrap_or(branch);
        waiting.push(WaitsForPerson {
            issue_id: None,
            what: format!("the completed work is on the branch `{name}`, not on the current one"),
            remedies: vec![Remedy::words(format!("`git merge {}` merges it", shell::operand(name)))],
        });
    }
    waiting
}

/// The work of a completed issue conflicts with that of others.
fn apart(run: &Run, issue: &IssueProgress<'_>, branch: &str) -> WaitsForPerson {
    let first = run.branch.as_deref().map(|name| name.strip_prefix("refs/heads/").unwrap_or(name));
    let merges: Vec<String> = first
        .into_iter()
        .chain([branch])
        .map(|name| format!("`git merge {}`", shell::operand(name)))
        .collect();
    let error = issue.error.map(in_words).unwrap_or_default();
    WaitsForPerson {
        issue_id: Some(issue.id.clone()),
        what: format!("it is completed, but its work is only on the branch `{branch}`: {error}"),
        remedies: vec![
            Remedy::words(format!("{} bring it here, with a conflict to resolve", merges.join(" and then "))),
            Remedy::call(
                RemedyCall::new(Op::Reopen, [issue.id]),
                "reopens it, so that it is executed again on top of the other work",
            ),
        ],
    }
}

/// The plan of an issue was not reviewed, although the run reviews plans, and nobody has made up for that.
fn unreviewed(
    progress: &RunProgress<'_>,
    issue: &IssueProgress<'_>,
    found: Option<&IssueFolder>,
) -> Option<WaitsForPerson> {
    let left_out = progress.left_out();
    let is_it = |it: &&SkippedStep| it.action == RunStep::Review && it.issue_id.as_ref() == Some(issue.id);
    let why = &left_out.iter().find(is_it)?.why;
    let plan = found?.solution(issue.solution_id?)?;
    if review::standing(plan, found?.reviews(&plan.id)).verdict.is_some() {
        return None;
    }
    Some(WaitsForPerson {
        issue_id: Some(issue.id.clone()),
        what: format!("its plan was not reviewed: {why}"),
        remedies: vec![
            Remedy::call(RemedyCall::new(Other::SolutionShow, [&plan.id]), "shows the plan"),
            Remedy::call(RemedyCall::new(Op::SolutionReview, [&plan.id]), "records a review"),
        ],
    })
}

/// The run ended before it came to an issue, or to its execution.
fn left(
    run: &Run,
    progress: &RunProgress<'_>,
    issue: &IssueProgress<'_>,
    found: &IssueFolder,
) -> Option<WaitsForPerson> {
    if progress.status != RunStatus::Completed || issue.error.is_some() {
        return None;
    }
    let call = RemedyCall::new(Op::Run, [issue.id]);
    let (what, call) = match (issue.status, facts::status(found)) {
        (IssueStatus::Registered, IssueStatus::Registered) => ("the run ended before it was planned", call),
        (IssueStatus::Planned | IssueStatus::Queued, IssueStatus::Planned | IssueStatus::Queued)
            if run.takes(RunStep::Execute) =>
        {
            ("the run ended before it was executed", call.flag("execute-only"))
        }
        _ => return None,
    };
    let remedies = vec![Remedy::call(call, "goes on with it")];
    Some(WaitsForPerson { issue_id: Some(issue.id.clone()), what: what.to_owned(), remedies })
}

/// `last` is the step at which it last failed.
fn of_issue(
    run: &Run,
    issue: &IssueProgress<'_>,
    found: Option<&IssueFolder>,
    last: Option<RunStep>,
) -> Option<WaitsForPerson> {
    let id = issue.id;
    let entry = |what: String, remedies: Vec<Remedy>| {
        Some(WaitsForPerson { issue_id: Some(id.clone()), what, remedies })
    };
    let Some(found) = found else {
        return entry(
            "the issue is missing here".to_owned(),
            vec![Remedy::call(Other::Sync, "fetches it, if another clone has it")],
        );
    };
    let why = issue.error.map(in_words).filter(|why| !why.is_empty()).map(|why| format!(": {why}"));
    let why = why.unwrap_or_default();
    let status = facts::status(found);
    let is_over = matches!(status, IssueStatus::Completed | IssueStatus::Closed | IssueStatus::Cancelled);
    if issue.is_held_elsewhere() && !is_over {
        let what = format!("it was left to others{why}");
        return entry(what, vec![Remedy::call(Other::Sync, "fetches their progress")]);
    }
    let show = || Remedy::call(RemedyCall::new(Other::Show, [id]), "shows what happened");
    match status {
        IssueStatus::Completed | IssueStatus::Closed | IssueStatus::Cancelled => None,
        IssueStatus::Failed => {
            let what = match last {
                None | Some(RunStep::Execute) => "its execution failed",
                Some(RunStep::Explore | RunStep::Plan) => {
                    "it had failed before, and could not be planned again"
                }
                Some(RunStep::Review | RunStep::Queue | RunStep::Integrate) => "it failed",
            };
            let remedies = vec![
                Remedy::call(RemedyCall::new(Op::Run, [id]), "plans and executes it again"),
                Remedy::call(RemedyCall::new(Op::Retry, [id]), "queues it again"),
                show(),
            ];
            entry(format!("{what}{why}"), remedies)
        }
        IssueStatus::Registered | IssueStatus::Planning => match found.plans().len() {
            0 if issue.status == IssueStatus::Registered && issue.error.is_none() => None,
            0 => entry(
                format!("it has no plan{why}"),
                vec![
                    Remedy::call(RemedyCall::new(Op::SolutionAdd, [id.as_str(), "FILE"]), "adds one by hand"),
                    show(),
                ],
            ),
            n => unbound(id, n),
        },
        IssueStatus::Planned | IssueStatus::Queued => match found.bound() {
            None => unbound(id, found.plans().len()),
            Some(plan) => match review::standing(plan, found.reviews(&plan.id)).verdict {
                Some(Verdict::Rejected) => entry(
                    "its plan was rejected".to_owned(),
                    vec![
                        Remedy::call(RemedyCall::new(Other::FeedbackList, [id]), "shows why"),
                        Remedy::call(RemedyCall::new(Op::SolutionAdd, [id]), "adds a better one"),
                        Remedy::call(
                            RemedyCall::new(Op::QueueAdd, [id]).flag("force").option("reason", "WHY"),
                            "lets an owner queue it anyway",
                        ),
                        Remedy::call(RemedyCall::new(Op::Close, [id]), "gives the issue up"),
                    ],
                ),
                // Someone has chosen or reviewed it since.
                _ if issue.is_waiting() => entry(
                    "its plan can be executed now".to_owned(),
                    vec![Remedy::call(RemedyCall::new(Op::Run, [id]).flag("execute-only"), "executes it")],
                ),
                _ if issue.error.is_some() => entry(
                    format!("it was not executed{why}"),
                    vec![Remedy::call(with_needed(run, issue, found), "executes it"), show()],
                ),
                _ => None,
            },
        },
        IssueStatus::Paused => entry(
            "it is paused".to_owned(),
            vec![Remedy::call(RemedyCall::new(Op::Reopen, [id]), "continues it")],
        ),
        IssueStatus::Executing if issue.error.is_some() => entry(
            format!("someone else is executing it{why}"),
            vec![Remedy::call(Other::LeaseList, "shows who"), show()],
        ),
        IssueStatus::Executing => None,
    }
}

/// A run of an issue, with the issues that it depends on and that were not in `run`.
fn with_needed(run: &Run, issue: &IssueProgress<'_>, found: &IssueFolder) -> RemedyCall {
    let is_stalled = issue.error.and_then(|error| error.error_type.as_deref()) == Some(STALLED);
    let is_needed = |needed: &&IssueId| is_stalled && !run.issue_ids.contains(needed);
    RemedyCall::new(Op::Run, found.issue.record.depends_on.iter().filter(is_needed).chain([issue.id]))
}

fn unbound(id: &IssueId, plans: usize) -> Option<WaitsForPerson> {
    let what = match plans {
        1 => "its plan is not bound".to_owned(),
        n => format!("one of its {n} plans must be chosen"),
    };
    let remedies = vec![
        Remedy::call(RemedyCall::new(Other::SolutionList, [id]), "lists them"),
        Remedy::call(RemedyCall::new(Op::Bind, [id.as_str(), "PLAN"]), "chooses one"),
    ];
    Some(WaitsForPerson { issue_id: Some(id.clone()), what, remedies })
}
