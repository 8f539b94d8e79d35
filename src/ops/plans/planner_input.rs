//! The context of a planner.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::background::{background_for, issue_context, notice_source};
use crate::model::{
    Extent, IssueId, ItemId, ItemStatus, Other, Project, QueueId, RemedyCall, RepoPath, SolutionId,
};
use crate::ops::issues::existing;
use crate::ops::queue::QueueWorld;
use crate::ops::{Refusal, Session};
use crate::rules::bounded::LONGEST;
use crate::rules::failures::{self, FailureAnalysis};
use crate::rules::{
    Background, BackgroundReader, ByPath, Cut, ExecutionFolder, ExplorationContext, IssueContext,
    IssueFolder, Role, exploration_depth,
};
use crate::store::{Snapshot, StoreError, records};

/// The context of a planner: everything that matters for the next plan, except the code, which it reads itself.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(example = planner_example())]
pub(crate) struct PlannerInput {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// Its title.
    pub(crate) title: String,
    #[serde(flatten)]
    pub(crate) issue: IssueContext,
    /// The project context.
    pub(crate) project_context: Project,
    /// How hard the work is: as an explorer assessed it, else as the text and the priority of the issue look.
    #[serde(skip_serializing_if = "never")]
    pub(crate) complexity: Extent,
    /// How many plans to answer with.
    #[serde(skip_serializing_if = "never")]
    pub(crate) candidates: Candidates,
    /// What an explorer found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exploration: Option<ExplorationContext>,
    /// What failed before.
    #[serde(skip_serializing_if = "never")]
    pub(crate) failure_analysis: FailureAnalysis,
    /// The plans that the issue has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) plans: Vec<PlanContext>,
    /// Plans of other issues that are queued or running and touch files which are named by this issue's plans, its
    /// location or the commits of its attempts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) other_plans: Vec<OtherPlan>,
    /// Other issues of the same run, with the files that their plans touch, or that an explorer found relevant if they
    /// have no plan yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) batch: Vec<BatchIssue>,
    #[serde(flatten)]
    pub(crate) background: Background,
}

/// Another issue of the same run.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BatchIssue {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// Its title.
    pub(crate) title: String,
    /// Its bound plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) solution_id: Option<SolutionId>,
    /// The files.
    pub(crate) files: Vec<String>,
}

/// How many plans to answer with. A single one is bound; of several, someone chooses one.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Candidates {
    /// The minimum.
    pub(crate) min: u64,
    /// The maximum.
    pub(crate) max: u64,
}

#[serde_with::skip_serializing_none]
/// A plan that the issue has.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PlanContext {
    /// Its id.
    pub(crate) solution_id: SolutionId,
    /// What the plan does.
    pub(crate) description: Option<String>,
    /// How it does that.
    pub(crate) approach: Option<String>,
    /// Whether it is the one that will be executed.
    pub(crate) is_bound: bool,
    /// The files that it touches.
    pub(crate) files_touched: Vec<String>,
}

/// A plan of another issue.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OtherPlan {
    /// Its id.
    pub(crate) solution_id: SolutionId,
    /// Its issue.
    pub(crate) issue_id: IssueId,
    /// The title of its issue.
    pub(crate) title: String,
    /// Its queue.
    pub(crate) queue_id: QueueId,
    /// Its item in that queue.
    pub(crate) item_id: ItemId,
    /// Its status.
    pub(crate) status: ItemStatus,
    /// Its files that overlap those of this issue.
    pub(crate) files: Vec<String>,
}

/// For fields that this program always prints but that other programs may omit.
fn never<T>(_: &T) -> bool {
    false
}

fn planner_example() -> Value {
    json!({
        "issue_id": "ISS-20261121-7k3m2pq9",
        "title": "Tokens expire too early",
        "description": "A session ends after an hour, and should last a day.",
        "status": "failed",
        "priority": 2,
        "tags": ["auth"],
        "depends_on": [
            {"issue_id": "ISS-20261120-2n8d5kqe", "title": "Store sessions", "status": "completed", "is_met": true}
        ],
        "project_context": {"tech_stack": "Rust, PostgreSQL", "guidelines": "One change, one commit, with its test."},
        "failure_analysis": {
            "has_failures": true,
            "failure_count": 2,
            "failures": [
                {
                    "solution_id": "SOL-ISS-20261121-7k3m2pq9-4x8r1tza", "task_id": "T2", "error_type": "test_failure",
                    "message": "1 of 15 tests failed", "timestamp": "2026-11-21T03:20:41.000Z"
                },
                {
                    "solution_id": "SOL-ISS-20261121-7k3m2pq9-4x8r1tza", "task_id": "T1", "error_type": "test_failure",
                    "message": "2 of 14 tests failed", "timestamp": "2026-11-21T02:14:05.000Z"
                }
            ],
            "patterns": {
                "repeated_errors": ["test_failure"], "failed_approaches": ["SOL-ISS-20261121-7k3m2pq9-4x8r1tza"]
            }
        }
    })
}

/// The context of the planner of an issue that is planned together with others.
///
/// # Errors
/// The errors of [`super::context`].
pub(crate) fn planner_context(
    session: &Session,
    id: &IssueId,
    together: &[IssueId],
) -> Result<PlannerInput, Refusal> {
    for_planner(session, &session.store().snapshot()?, id, together)
}

/// The context of the planner of an issue.
pub(super) fn for_planner(
    session: &Session,
    snapshot: &Snapshot<'_>,
    id: &IssueId,
    together: &[IssueId],
) -> Result<PlannerInput, Refusal> {
    let folder = existing(snapshot, id)?;
    notice_source(session, &folder);
    let (issue, mut left_out) = issue_context(snapshot, &folder)?;
    let mut cut = Cut::at(LONGEST);
    let failure_analysis = failures::analyse(&folder.feedback, &mut cut);
    let failures = RemedyCall::new(Other::FeedbackList, [id]).option("type", "failure").flag("json");
    left_out.extend(cut.left_out("failure_analysis", failures));
    let mut cut = Cut::at(LONGEST);
    let plans = plans(&folder, &mut cut);
    left_out.extend(cut.left_out("plans", RemedyCall::new(Other::SolutionList, [id]).flag("json")));
    let mut cut = Cut::at(LONGEST);
    let other_plans = cut.first(other_plans(session, &folder)?);
    left_out.extend(cut.left_out("other_plans", RemedyCall::from(Other::Queue).flag("json")));
    let mut cut = Cut::at(LONGEST);
    let batch = batch(snapshot, together.iter().filter(|other| *other != id), &mut cut)?;
    left_out.extend(cut.left_out("batch", Other::RunShow));
    let (background, exploration) =
        background_for(snapshot, &folder, Role::Planner, BackgroundReader::Planner, left_out)?;
    let (title, priority) = (folder.issue.record.title.clone(), folder.issue.record.priority);
    let complexity = exploration.as_ref().map_or_else(
        || exploration_depth::complexity(&format!("{title}\n{}", issue.description), priority),
        |explored| explored.complexity_assessment,
    );
    let (min, max) = exploration_depth::candidates(complexity);
    Ok(PlannerInput {
        issue_id: id.clone(),
        title,
        complexity,
        candidates: Candidates { min, max },
        exploration,
        issue,
        project_context: records::root(snapshot)?.project,
        failure_analysis,
        plans,
        other_plans,
        batch,
        background,
    })
}

/// Other issues of a run of which it is known which files they are about.
fn batch<'a>(
    snapshot: &Snapshot<'_>,
    ids: impl Iterator<Item = &'a IssueId>,
    cut: &mut Cut,
) -> Result<Vec<BatchIssue>, Refusal> {
    let mut found = Vec::new();
    for id in ids {
        let folder = match records::issue(snapshot, id) {
            Ok(Some(folder)) => folder,
            // The run itself tells of it.
            Ok(None) | Err(StoreError::Broken { .. }) => continue,
            Err(error) => return Err(error.into()),
        };
        let bound = folder.bound();
        let files: Vec<String> = match (bound, folder.explorations.last()) {
            (Some(plan), _) => plan.typed_plan().touches().iter().map(ToString::to_string).collect(),
            (None, Some(explored)) => {
                explored.found.relevant_files.iter().map(|file| file.path.clone()).collect()
            }
            (None, None) => continue,
        };
        found.push(BatchIssue {
            issue_id: id.clone(),
            title: folder.issue.record.title.clone(),
            solution_id: bound.map(|plan| plan.id.clone()),
            files: cut.first(files),
        });
    }
    Ok(cut.first(found))
}

/// The plans of the issue, the bound one first.
fn plans(folder: &IssueFolder, cut: &mut Cut) -> Vec<PlanContext> {
    let bound = folder.issue.record.bound_solution_id.as_ref();
    let mut all = folder.plans();
    all.sort_by_key(|solution| {
        (bound != Some(&solution.id), std::cmp::Reverse(solution.created_at), solution.id.clone())
    });
    let contexts = cut.first(all).into_iter().map(|solution| {
        let plan = solution.typed_plan();
        let files = cut.first(plan.touches().iter().map(ToString::to_string).collect());
        PlanContext {
            solution_id: solution.id.clone(),
            description: cut.some(plan.description.as_deref()),
            approach: cut.some(plan.approach.as_deref()),
            is_bound: bound == Some(&solution.id),
            files_touched: files,
        }
    });
    contexts.collect()
}

/// The files and directories that the issue is known to be about.
fn files_of(folder: &IssueFolder) -> BTreeSet<RepoPath> {
    let plans = folder.solutions.iter().flat_map(|solution| solution.record.typed_plan().touches());
    let commits =
        folder.executions.iter().flat_map(ExecutionFolder::commits).flat_map(|commit| commit.link.files);
    let location = folder.issue.record.extended_context.location.as_deref().unwrap_or_default();
    // For example `src/a.rs:12`; there can be several.
    let named = location.split([' ', ',', '\n']).filter_map(|word| word.split(':').next()).map(str::to_owned);
    plans.chain(commits.chain(named).filter_map(|text| RepoPath::parse(&text).ok())).collect()
}

/// Plans that are queued or being executed and touch the same files.
fn other_plans(session: &Session, folder: &IssueFolder) -> Result<Vec<OtherPlan>, Refusal> {
    let files = files_of(folder);
    if files.is_empty() {
        return Ok(vec![]);
    }
    let mut own = ByPath::default();
    files.iter().for_each(|file| own.add(file, ()));
    let (_, world) = QueueWorld::now(session)?;
    let mut found = Vec::new();
    for view in world.views() {
        let others = view.items.into_iter().filter(|item| item.item.issue_id != folder.issue.record.id);
        for item in others.filter(|item| item.status != ItemStatus::Completed) {
            let shared = item.files_touched.iter().filter(|file| own.overlapping(file).next().is_some());
            let shared: Vec<String> = shared.map(ToString::to_string).collect();
            if shared.is_empty() {
                continue;
            }
            let title = world.facts.get(&item.item.issue_id).map(|issue| issue.title.clone());
            found.push(OtherPlan {
                solution_id: item.item.solution_id,
                issue_id: item.item.issue_id,
                title: title.unwrap_or_default(),
                queue_id: view.queue.id.clone(),
                item_id: item.item.item_id,
                status: item.status,
                files: shared,
            });
        }
    }
    Ok(found)
}
