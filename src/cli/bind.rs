use super::edit::show_change;
use super::{Context, Failure, Force, Outcome, claim, existing, plan_of_issue};
use crate::model::execution::AsideReason;
use crate::model::id::SolutionId;
use crate::model::issue::StoredStatus;
use crate::model::solution::Solution;
use crate::rules::folder::IssueFolder;
use crate::rules::plan_check::{self, Setting};
use crate::rules::quality::LEAST;
use crate::rules::{facts, moves, replan};
use crate::store::{Tx, resolve};

/// Choose the plan of an issue to execute
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The issue
    issue: String,
    /// The plan (default: the only plan of the issue)
    solution: Option<String>,
    #[command(flatten)]
    force: Force,
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let snapshot = store.snapshot()?;
    let id = resolve::issue(&snapshot, &args.issue)?;
    let committed = context.transact(&store, |tx| {
        let folder = existing(tx, &id)?;
        let solution = choose(tx, &folder, args.solution.as_deref())?;
        bind(tx, &folder, &solution, &args.force)?;
        tx.note.force = args.force.why();
        tx.describe("bind", format!("issue: bind {id} to {solution}"));
        Ok(solution)
    })?;
    let verb = format!("bound {} to", committed.answer);
    show_change(context, &store, &id, committed.commit.is_some(), &verb)
}

/// The plan that is meant: the one named, the only one that is newer than the bound one which failed, the one that is
/// bound, or the only one.
fn choose(tx: &Tx<'_>, folder: &IssueFolder, named: Option<&str>) -> Result<SolutionId, Failure> {
    let issue = &folder.issue.record.id;
    if let Some(text) = named {
        let id = resolve::solution(tx, text, Some(issue))?;
        if id.issue() != *issue {
            return Err(Failure::new(
                "other-issue",
                format!("solution `{id}` belongs to issue `{}`, not `{issue}`", id.issue()),
            )
            .hint(format!("`git wf solution list {issue}` shows the plans of `{issue}`")));
        }
        return Ok(id);
    }
    let remedy = format!("`git wf bind {issue} SOLUTION`");
    match &replan::newer(folder)[..] {
        [] => plan_of_issue(folder, &remedy),
        [newer] => Ok(newer.id.clone()),
        several => {
            let what = format!("issue `{issue}` has {} newer plans, so one must be named", several.len());
            Err(Failure::new("choice-needed", what).details(plans_in_words(several)).hint(remedy))
        }
    }
}

/// Plans, each with what it does.
pub(super) fn plans_in_words(plans: &[&Solution]) -> Vec<String> {
    let line = |it: &&Solution| format!("{}  {}", it.id, it.typed_plan().description.unwrap_or_default());
    plans.iter().map(line).collect()
}

/// A plan that is too poor to be bound, with what it lacks.
fn refuse_poor(folder: &IssueFolder, id: &SolutionId) -> Result<(), Failure> {
    let Some(solution) = folder.solution(id) else {
        return Err(Failure::unreadable(&format!("plan `{id}`")));
    };
    let report = plan_check::examine(&solution.plan, Setting::default());
    if report.quality.suffices() {
        return Ok(());
    }
    let costly = report.findings.iter().filter(|finding| finding.cost.is_some());
    Err(Failure::new(
        "low-quality",
        format!(
            "plan `{id}` has a quality of {:.2}; binding requires {LEAST} or more",
            report.quality.total()
        ),
    )
    .details(costly.map(ToString::to_string).collect())
    .hint(format!("`git wf solution check {id}` says what to do; `git wf task edit` changes the plan")))
}

/// Binds `solution` in the transaction. Attempts at another plan are set aside, and its items leave their queues.
pub(super) fn bind(
    tx: &mut Tx<'_>,
    folder: &IssueFolder,
    solution: &SolutionId,
    force: &Force,
) -> Result<(), Failure> {
    let issue = &folder.issue.record.id;
    if folder.issue.record.bound_solution_id.as_ref() == Some(solution) {
        return Ok(());
    }
    let from = facts::status(folder);
    if force.why().is_none() {
        moves::permit(issue, from, "bind")?;
        refuse_poor(folder, solution)?;
    }
    if facts::holder(folder).is_some_and(|it| it.execution.solution_id != *solution) {
        claim::set_aside(tx, folder, AsideReason::Rebind, force)?;
    }
    for queued in folder.items.iter().filter(|it| !it.item.is_removed() && it.item.solution_id != *solution) {
        tx.edit_item(&queued.queue, &queued.item.solution_id, |item| item.removed = Some(true))?;
    }
    tx.edit_issue(issue, |issue| {
        issue.bound_solution_id = Some(solution.clone());
        if matches!(issue.status, StoredStatus::Registered | StoredStatus::Planning) {
            issue.status = StoredStatus::Planned;
        }
    })?;
    Ok(())
}
