//! The result of adding plans.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::SolutionView;
use crate::model::{IssueId, IssueStatus, ItemId, QueueId, Remedy, RepoPath, Solution, SolutionId};
use crate::rules::{CheckReport, IssueFolder, PlanFinding, QueuedItem, facts, plan_check, replan, toward};

/// The result of adding plans.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Added {
    /// Plans that are bound now.
    pub(crate) bound: Vec<BoundPlan>,
    /// The queue that the bound plan was added to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) queued_in: Option<QueueId>,
    /// Items that left their queues, since the bound plan replaced theirs.
    pub(crate) left_queue: Vec<LeftItem>,
    /// Issues for which someone must choose a plan, with their plans: all of them, or only those newer than the failed
    /// bound one.
    pub(crate) pending_selection: Vec<PendingSelection>,
    /// Every plan that was stored.
    pub(crate) added: Vec<SolutionId>,
    /// Plans that were already stored, word for word.
    pub(crate) already_there: Vec<SolutionId>,
    /// What could be improved in them.
    pub(crate) findings: Vec<AddedFinding>,
    /// The issue.
    #[serde(skip)]
    pub(crate) issue: IssueId,
    /// Its status.
    #[serde(skip)]
    pub(crate) status: IssueStatus,
    /// The plan that it was bound to before, if it failed and newer ones are to choose from.
    #[serde(skip)]
    pub(crate) failed: Option<SolutionId>,
    /// Whether someone wrote the plans with options or as a text.
    #[serde(skip)]
    pub(crate) is_by_hand: bool,
    /// How someone chooses a plan.
    #[serde(skip)]
    pub(crate) choose: Remedy,
    /// The plans that were given, each once, in their order.
    #[serde(skip)]
    pub(crate) handed: Vec<(SolutionId, CheckReport)>,
    /// All plans of the issue.
    #[serde(skip)]
    pub(crate) plans: Vec<SolutionView>,
}

/// A plan that is bound now.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BoundPlan {
    /// Its issue.
    pub(crate) issue_id: IssueId,
    /// The plan.
    pub(crate) solution_id: SolutionId,
    /// How many tasks it has.
    pub(crate) task_count: usize,
}

/// An item that left its queue.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LeftItem {
    /// The queue.
    pub(crate) queue_id: QueueId,
    /// Its number there.
    pub(crate) item_id: ItemId,
    /// The plan that it was for.
    pub(crate) solution_id: SolutionId,
}

/// An issue with the plans to choose from.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PendingSelection {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// The plans.
    pub(crate) solutions: Vec<CandidatePlan>,
}

#[serde_with::skip_serializing_none]
/// A plan that can be chosen.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CandidatePlan {
    /// Its id.
    pub(crate) id: SolutionId,
    /// What the plan does.
    pub(crate) description: Option<String>,
    /// The planner's own opinion of it.
    pub(crate) score: Option<f64>,
    /// Its measured quality, 0 to 1; binding requires 0.8.
    pub(crate) quality: f64,
    /// The planner's opinion of its risk.
    pub(crate) risk: Option<String>,
    /// Files that its tasks touch.
    pub(crate) files_touched: BTreeSet<RepoPath>,
    /// How many tasks it has.
    pub(crate) task_count: usize,
}

/// What could be improved in a plan.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AddedFinding {
    /// The plan.
    pub(crate) solution_id: SolutionId,
    /// See there.
    #[serde(flatten)]
    pub(crate) finding: PlanFinding,
}

impl CandidatePlan {
    fn new(solution: &Solution) -> Self {
        let plan = solution.typed_plan();
        Self {
            id: solution.id.clone(),
            files_touched: plan.touches(),
            task_count: plan.tasks.len(),
            risk: plan.analysis.and_then(|analysis| analysis.risk),
            score: plan.score,
            quality: plan_check::quality(&solution.plan).total(),
            description: plan.description,
        }
    }
}

impl Added {
    /// Builds the result from each given plan (its id, whether it is new, its findings), the plan that was bound, and
    /// the items that left their queues for it.
    pub(super) fn new(
        folder: &IssueFolder,
        stored: impl Iterator<Item = ((SolutionId, bool), CheckReport)>,
        bound: Option<SolutionId>,
        left: &[QueuedItem],
    ) -> Self {
        let (mut added, mut already_there) = (Vec::new(), Vec::new());
        let (mut findings, mut handed) = (Vec::new(), Vec::<(SolutionId, CheckReport)>::new());
        for ((id, is_new), report) in stored {
            // The same plan may have been given twice.
            if handed.iter().any(|(known, _)| *known == id) {
                continue;
            }
            findings.extend(
                report
                    .findings
                    .iter()
                    .map(|finding| AddedFinding { solution_id: id.clone(), finding: finding.clone() }),
            );
            let list = if is_new { &mut added } else { &mut already_there };
            list.push(id.clone());
            handed.push((id, report));
        }
        let issue = &folder.issue.record;
        // All plans if none is bound; the newer ones if the bound one failed.
        let pending: Vec<&Solution> = match &issue.bound_solution_id {
            None => folder.plans(),
            Some(_) => replan::newer(folder),
        };
        let failed = if pending.is_empty() { None } else { issue.bound_solution_id.clone() };
        let solutions: Vec<CandidatePlan> = pending.into_iter().map(CandidatePlan::new).collect();
        let pending_selection = if solutions.is_empty() {
            vec![]
        } else {
            vec![PendingSelection { issue_id: issue.id.clone(), solutions }]
        };
        let plans = SolutionView::all(folder);
        let bound = bound.into_iter().map(|id| BoundPlan {
            issue_id: issue.id.clone(),
            task_count: plans.iter().find(|plan| plan.id == id).map_or(0, |plan| plan.task_count),
            solution_id: id,
        });
        Self {
            bound: bound.collect(),
            queued_in: None,
            left_queue: left
                .iter()
                .map(|item| LeftItem {
                    queue_id: item.queue.clone(),
                    item_id: item.item.item_id.clone(),
                    solution_id: item.item.solution_id.clone(),
                })
                .collect(),
            pending_selection,
            added,
            already_there,
            findings,
            issue: issue.id.clone(),
            status: facts::status(folder),
            failed,
            is_by_hand: false,
            choose: toward::plan(folder),
            handed,
            plans,
        }
    }
}
