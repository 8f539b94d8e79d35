//! What waits for a person after a run, and the commands for it.

mod needed;
mod undone;

pub(crate) use undone::{completes, fails, releases};

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::progress::{IssueProgress, RunProgress, Wrong};
use super::report::RunFacts;
use super::state::{IssueStage, in_words, stage};
use crate::model::{
    Branch, ExecutionId, ExecutionStatus, IssueId, IssueStatus, Op, Other, Remedy, RemedyCall, Run, RunId,
    RunStatus, RunStep, Unrecorded, shell,
};
use crate::rules::{ExecutionFolder, IssueFolder, RunFolder, facts, review};

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

/// A branch that keeps something that a run found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeptBranch {
    /// The branch.
    pub(crate) branch: Branch,
    /// What it keeps.
    pub(crate) kind: KeptKind,
}

/// What a branch keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KeptKind {
    /// What this attempt left.
    Attempt(ExecutionId),
    /// What the run itself moved aside: what an agent changed, or what it would have destroyed.
    Run,
}

/// Completed work on the branch of a run, which waits to be taken over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeftWork {
    /// The branch on which it lands, if there is one.
    pub(crate) onto: Option<Branch>,
    /// Whether something is checked out that does not contain it.
    pub(crate) can_be_merged: bool,
}

/// An issue that others depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NeededIssue {
    /// Its status.
    pub(crate) status: IssueStatus,
    /// What it depends on itself.
    pub(crate) depends_on: BTreeSet<IssueId>,
    /// The branch that has its work, if what is checked out does not contain it.
    pub(crate) branch: Option<Branch>,
}

/// An answer of an agent that could not be stored, as a file here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnstoredAnswer {
    /// The file.
    pub(crate) path: String,
    /// How it compares with what the run wrote.
    pub(crate) state: UnstoredState,
}

/// How a file compares with what the run wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnstoredState {
    /// Nobody has changed it.
    AsKept,
    /// Someone has changed it.
    Changed,
    /// It cannot be compared.
    Unknown,
}

/// The file with the answer that an attempt could not store, or the remedy that says why it cannot be used.
fn unstored<'a>(known: &'a RunFacts<'_>, unrecorded: &Unrecorded) -> Option<Result<&'a str, Remedy>> {
    let answer = known.unstored.get(unrecorded.answer.as_ref()?)?;
    let path = answer.path.as_str();
    Some(match answer.state {
        UnstoredState::AsKept => Ok(path),
        UnstoredState::Changed => Err(Remedy::words(format!(
            "`{path}` is not what the agent answered: someone has changed it since"
        ))),
        UnstoredState::Unknown => Err(Remedy::words(format!(
            "`{path}` may not be what the agent answered: it cannot be compared with that"
        ))),
    })
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
    for issue in
        progress.issues.iter().filter(|issue| !is_driven || stage(issue.status) == IssueStage::Failed)
    {
        let found = known.issues.get(issue.id);
        waiting.extend(match (found, known.apart.get(issue.id)) {
            (Some(_), Some(branch)) if issue.status == IssueStatus::Failed => {
                Some(apart(run, progress, issue, branch))
            }
            _ => unreviewed(known, progress, issue, found)
                .or_else(|| undone::of_issue(known, run, issue, progress.last_setback(issue.id))),
        });
        waiting.extend(found.and_then(|found| left(run, progress, issue, found)));
    }
    waiting.extend(of_run(run, progress, is_driven));
    waiting.extend(known.kept.iter().map(|kept| kept_branch(known, &run.id, kept)));
    let is_any_done = progress.issues.iter().any(|issue| stage(issue.status) == IssueStage::Completed);
    if let Some(left) = &known.left
        && is_any_done
        && !is_driven
    {
        waiting.push(taken_over(run, left));
    }
    waiting
}

/// What waits because of how the run as a whole went.
fn of_run(run: &Run, progress: &RunProgress<'_>, is_driven: bool) -> Vec<WaitsForPerson> {
    let mut waiting = Vec::new();
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
    if let Some((_, Wrong::Run(_, failure))) =
        progress.errors.iter().rfind(|(_, wrong)| has_no_workers(wrong))
    {
        waiting.push(WaitsForPerson {
            issue_id: None,
            what: format!("the run ended early: {}", in_words(failure)),
            remedies: vec![
                Remedy::call(RemedyCall::new(Other::RunLog, [&run.id]), "shows how"),
                Remedy::call(Other::AgentList, "lists the known agents"),
            ],
        });
    }
    waiting
}

/// How the completed work of a run is taken over.
fn taken_over(run: &Run, left: &LeftWork) -> WaitsForPerson {
    let name = Branch::of_run(&run.id);
    let mut remedies = Vec::new();
    if left.onto.is_some() {
        remedies.push(Remedy::call(RemedyCall::new(Op::Land, [&run.id]), "tests the work and lands it"));
    }
    if left.can_be_merged {
        remedies.push(Remedy::command(
            format!("git merge {}", name.operand()),
            "merges the work into the current branch",
        ));
    }
    let place =
        left.onto.as_ref().map_or_else(|| "the current one".to_owned(), |onto| format!("`{}`", onto.short()));
    let what = format!("the completed work is on the branch `{name}`, not on {place}");
    WaitsForPerson { issue_id: None, what, remedies }
}

fn has_no_workers(wrong: &Wrong<'_>) -> bool {
    match wrong {
        Wrong::Run(_, failure) => failure.error_type.as_deref() == Some("all-workers-failed"),
        Wrong::Step(_) => false,
    }
}

/// A branch of a run holds what an agent changed, or what the user had before. Only the log of the run says which of them,
/// and how to bring it back: what is on the branch itself may be the agent's words.
fn kept_branch(known: &RunFacts<'_>, run: &RunId, kept: &KeptBranch) -> WaitsForPerson {
    let (name, branch) = (&kept.branch, shell::operand(kept.branch.short()));
    let (what, remedies) = match &kept.kind {
        KeptKind::Attempt(attempt) => {
            let look = format!("`git diff HEAD...{}` shows it", name.operand());
            (work_of(known, attempt), vec![Remedy::words(look), removes_branch(&branch, "")])
        }
        KeptKind::Run => (
            "what the run kept when an agent changed your refs or your work tree",
            vec![
                Remedy::call(
                    RemedyCall::new(Other::RunLog, [run]),
                    "says what it is, and how to bring back what was yours",
                ),
                removes_branch(&branch, ", once you no longer need it"),
            ],
        ),
    };
    WaitsForPerson { issue_id: None, what: format!("the branch `{name}` has {what}"), remedies }
}

fn removes_branch(branch: &str, once: &str) -> Remedy {
    Remedy::words(format!("`git branch -D {branch}` removes it{once}"))
}

/// What a branch keeps of an attempt.
fn work_of(known: &RunFacts<'_>, attempt: &ExecutionId) -> &'static str {
    let mut attempts = known.issues.values().flat_map(|folder| &folder.executions);
    match attempts.find(|execution| execution.execution.id == *attempt).map(ExecutionFolder::outcome) {
        // Its commits are merged.
        Some(ExecutionStatus::Completed) => "what an attempt left uncommitted",
        Some(ExecutionStatus::Executing | ExecutionStatus::Superseded) => {
            "work of an attempt that was given up before it ended"
        }
        Some(ExecutionStatus::Failed) | None => "work of a failed attempt",
    }
}

/// The work of a completed issue is not in the branch of the run, mostly because it conflicts with that of others.
fn apart(
    run: &Run,
    progress: &RunProgress<'_>,
    issue: &IssueProgress<'_>,
    branch: &Branch,
) -> WaitsForPerson {
    // A branch without work of any issue is removed.
    let first = if progress.has_integrated() { run.branch() } else { None };
    let merges: Vec<String> = first
        .into_iter()
        .chain([branch.clone()])
        .map(|name| format!("`git merge {}`", name.operand()))
        .collect();
    let bring = if merges.len() > 1 { "bring it here, with a conflict to resolve" } else { "brings it here" };
    let error = issue.error.map(in_words).unwrap_or_default();
    WaitsForPerson {
        issue_id: Some(issue.id.clone()),
        what: format!("it is completed, but its work is only on the branch `{branch}`: {error}"),
        remedies: vec![
            Remedy::words(format!("{} {bring}", merges.join(" and then "))),
            Remedy::call(
                RemedyCall::new(Op::Reopen, [issue.id]),
                "reopens it, so that it is executed again on top of the other work",
            ),
        ],
    }
}

/// The plan of an issue was not reviewed, although the run reviews plans, and nobody has reviewed it since.
fn unreviewed(
    known: &RunFacts<'_>,
    progress: &RunProgress<'_>,
    issue: &IssueProgress<'_>,
    found: Option<&IssueFolder>,
) -> Option<WaitsForPerson> {
    let why = issue.skipped(RunStep::Review)?;
    let plan = found?.solution(issue.solution_id?)?;
    if review::standing(plan, found?.reviews(&plan.id)).verdict.is_some() {
        return None;
    }
    let last = progress.last_setback(issue.id).filter(|setback| setback.action == RunStep::Review);
    let answer = last.and_then(|setback| unstored(known, setback.unrecorded.as_ref()?));
    let record = RemedyCall::new(Op::SolutionReview, [&plan.id]);
    let scored = ["technical", "risk", "completeness"];
    let by_hand = scored.into_iter().fold(record.clone(), |call, name| call.option(name, "N"));
    let kept = answer.map(|file| {
        file.map_or_else(
            |why| why,
            |file| Remedy::call(record.option("from-json", file), "records what its reviewer answered"),
        )
    });
    let show = Remedy::call(RemedyCall::new(Other::SolutionShow, [&plan.id]), "shows the plan");
    Some(WaitsForPerson {
        issue_id: Some(issue.id.clone()),
        what: format!("its plan was not reviewed: {why}"),
        remedies: kept.into_iter().chain([show, Remedy::call(by_hand, "records a review")]).collect(),
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
    let remedies = vec![Remedy::call(call, "continues it")];
    Some(WaitsForPerson { issue_id: Some(issue.id.clone()), what: what.to_owned(), remedies })
}
