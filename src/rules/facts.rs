//! Everything derived for an issue: its status, its holder, its times.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{CombinedReview, ExecutionFolder, Facts, IssueFolder, Recorded, claim_order, review};
use crate::model::{
    CommitHash, ExecutionId, ExecutionStatus, Issue, IssueId, IssueStatus, Person, PlanDigest, Priority,
    RepoPath, SolutionId, StoredStatus, Time, Verdict,
};

/// The execution that holds an issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub(crate) struct Holder {
    /// Its id.
    pub(crate) execution_id: ExecutionId,
    /// The plan that it executes.
    pub(crate) solution_id: SolutionId,
    /// executing, completed or failed.
    pub(crate) status: ExecutionStatus,
    /// The executor.
    pub(crate) actor: Person,
    /// When the lease expires.
    pub(crate) lease_expires_at: Time,
    /// Who ended it.
    // serde must not skip it here and below: the index packs these fields by position. Answers leave them out.
    #[schemars(skip_serializing_if = "Option::is_none")]
    pub(crate) ended_by: Option<Person>,
    /// Why a gate was overridden to end it.
    #[schemars(skip_serializing_if = "Option::is_none")]
    pub(crate) forced: Option<String>,
}

/// The facts about a plan that a queue needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlanFacts {
    /// `sha256:…` of the plan as it is now.
    pub(crate) digest: PlanDigest,
    /// Files and directories that a task touches.
    pub(crate) files: BTreeSet<RepoPath>,
    /// The `files` that some task creates.
    pub(crate) creates: BTreeSet<RepoPath>,
    /// How many tasks it has.
    pub(crate) task_count: usize,
    /// The verdict of its reviews.
    pub(crate) review: CombinedReview,
    /// Whether it was withdrawn, so that it is no longer a candidate.
    pub(crate) is_withdrawn: bool,
}

/// The facts about an issue that other records need.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct IssueFacts {
    /// Its id.
    pub(crate) id: IssueId,
    /// Its title.
    pub(crate) title: String,
    /// The status as shown.
    pub(crate) status: IssueStatus,
    /// Its priority.
    pub(crate) priority: Priority,
    /// When it was reported.
    pub(crate) created_at: Time,
    /// The issues that come first.
    pub(crate) depends_on: BTreeSet<IssueId>,
    /// The plan that will be executed.
    pub(crate) bound: Option<SolutionId>,
    /// Its plans, boxed: most issues have one, but a map node has room for eleven.
    pub(crate) plans: BTreeMap<SolutionId, Box<PlanFacts>>,
    /// Who holds it.
    pub(crate) holder: Option<Holder>,
    /// For completed work whose commits are not where the next item would begin. The caller that knows that place says so; it is
    /// never stored.
    #[serde(skip)]
    pub(crate) absent: Option<Box<AbsentWork>>,
}

/// Completed work whose commits are not in the base of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AbsentWork {
    /// The base, as people know it: the name of a branch, or HEAD.
    pub(crate) base: String,
    /// Whether the base is the branch on which work lands.
    pub(crate) is_target: bool,
    /// Where the work is.
    pub(crate) place: WorkPlace,
}

impl std::fmt::Display for AbsentWork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "completed, but not in `{}`: its commits ", self.base)?;
        match &self.place {
            WorkPlace::Branch(branch) => write!(f, "are on `{branch}`"),
            WorkPlace::NoBranch(_) => f.write_str("are on no branch"),
            WorkPlace::Gone(_) => f.write_str("are gone from this clone, which has no remote"),
            WorkPlace::Elsewhere => f.write_str("are in another clone"),
            WorkPlace::Reverted(revert) => write!(f, "were reverted there by {}", revert.short()),
        }
    }
}

/// Where work is that a base lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WorkPlace {
    /// On this branch of the clone, or of a remote as fetched last.
    Branch(String),
    /// In this clone, but on no branch: its last commit.
    NoBranch(CommitHash),
    /// Not here any more, and no other clone is known: its last commit.
    Gone(CommitHash),
    /// Not in this clone.
    Elsewhere,
    /// In the base, which has reverted it: the last commit that does so.
    Reverted(CommitHash),
}

/// What someone has to decide about the plans of an issue before it continues; the index stores it as a bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Undecided {
    /// The chosen plan was rejected so often that only an owner may continue with it.
    Rejected = 1,
    /// None of the plans was chosen, or the chosen one was withdrawn, as after a merge.
    Choice = 2,
    /// Nobody has reviewed the chosen plan.
    Review = 4,
    /// A review rejected the chosen plan, so that it must be changed.
    Change = 8,
}

impl Undecided {
    const ALL: [Self; 4] = [Self::Rejected, Self::Choice, Self::Review, Self::Change];

    /// The bits of all that apply to an issue.
    pub(crate) fn bits(issue: &IssueFacts) -> i64 {
        Self::ALL.into_iter().filter(|reason| reason.applies_to(issue)).map(|reason| reason as i64).sum()
    }

    fn applies_to(self, issue: &IssueFacts) -> bool {
        use IssueStatus::{Planned, Planning, Queued, Registered};
        let bound = issue.bound.as_ref().and_then(|id| issue.plans.get(id));
        match (self, issue.status) {
            (Self::Rejected, Registered | Planning | Planned) => {
                bound.is_some_and(|plan| plan.review.rejected_rounds >= review::MOST_ROUNDS)
            }
            (Self::Choice, Registered | Planning) if issue.bound.is_none() => {
                issue.candidates().next().is_some()
            }
            (Self::Choice, Registered | Planning | Planned | Queued) => {
                bound.is_some_and(|plan| plan.is_withdrawn)
            }
            (Self::Change, Registered | Planning | Planned) => bound.is_some_and(|plan| {
                plan.review.verdict == Some(Verdict::Rejected)
                    && plan.review.rejected_rounds < review::MOST_ROUNDS
            }),
            (Self::Review, Planning | Planned) => {
                bound.is_some_and(|plan| plan.review.verdict.is_none() && !plan.review.is_empty)
            }
            _ => false,
        }
    }
}

impl IssueFacts {
    /// Derives all facts from the directory of the issue.
    pub(crate) fn derive(folder: &IssueFolder) -> Self {
        let issue = &folder.issue.record;
        let plans = folder.solutions.iter().map(|solution| {
            let plan = solution.record.typed_plan();
            let digest = solution.record.plan_digest();
            let reviews = folder.reviews(&solution.record.id);
            let facts = PlanFacts {
                review: review::standing_of(&digest, plan.tasks.is_empty(), reviews),
                digest,
                files: plan.touches(),
                creates: plan.creates(),
                task_count: plan.tasks.len(),
                is_withdrawn: solution.record.withdrawn.is_some(),
            };
            (solution.record.id.clone(), Box::new(facts))
        });
        Self {
            id: issue.id.clone(),
            title: issue.title.clone(),
            status: status(folder),
            priority: issue.priority,
            created_at: issue.created_at,
            depends_on: issue.depends_on.clone(),
            bound: issue.bound_solution_id.clone(),
            plans: plans.collect(),
            holder: holder(folder).map(|execution| Holder {
                execution_id: execution.execution.id.clone(),
                solution_id: execution.execution.solution_id.clone(),
                status: execution.outcome(),
                actor: execution.execution.actor.clone(),
                lease_expires_at: execution.lease_expires_at(),
                ended_by: execution.ended_by().cloned(),
                forced: execution.forced().map(str::to_owned),
            }),
            absent: None,
        }
    }

    /// The plans that can be chosen.
    pub(crate) fn candidates(&self) -> impl Iterator<Item = &SolutionId> {
        self.plans.iter().filter(|(_, plan)| !plan.is_withdrawn).map(|(id, _)| id)
    }

    /// Whether issues that depend on this one may proceed.
    pub(crate) fn is_met(&self) -> bool {
        self.status.frees_dependents()
    }
}

/// Adds the facts of these issues, and of all that these and the known ones depend on, as far as `read` finds them.
pub(crate) fn extend<E>(
    facts: &mut Facts,
    ids: impl IntoIterator<Item = IssueId>,
    mut read: impl FnMut(&IssueId) -> Result<Option<IssueFacts>, E>,
) -> Result<(), E> {
    let known = facts.values().flat_map(|issue| issue.depends_on.iter().cloned());
    let mut open: Vec<IssueId> = known.chain(ids).collect();
    while let Some(id) = open.pop() {
        if !facts.contains_key(&id)
            && let Some(issue) = read(&id)?
        {
            open.extend(issue.depends_on.iter().cloned());
            facts.insert(id, issue);
        }
    }
    Ok(())
}

/// The execution that holds the issue.
pub(crate) fn holder(folder: &IssueFolder) -> Option<&ExecutionFolder> {
    claim_order::holder(&folder.executions)
}

/// The status as shown: cancelled, paused or closed if stored; else that of the execution that holds the issue; else
/// queued if an item is not removed; else the stored one.
pub(crate) fn status(folder: &IssueFolder) -> IssueStatus {
    let stored = folder.issue.record.status;
    if matches!(stored, StoredStatus::Cancelled | StoredStatus::Paused | StoredStatus::Closed) {
        return stored.into();
    }
    if let Some(execution) = holder(folder) {
        return match execution.outcome() {
            ExecutionStatus::Completed => IssueStatus::Completed,
            ExecutionStatus::Failed => IssueStatus::Failed,
            ExecutionStatus::Executing | ExecutionStatus::Superseded => IssueStatus::Executing,
        };
    }
    if folder.items.iter().any(|queued| !queued.item.is_removed()) {
        return IssueStatus::Queued;
    }
    stored.into()
}

/// Whether an execution completed it, even if it was closed or paused since: its work has to land.
pub(crate) fn is_completed(folder: &IssueFolder) -> bool {
    let is_cancelled = folder.issue.record.status == StoredStatus::Cancelled;
    !is_cancelled && holder(folder).is_some_and(|holder| holder.outcome() == ExecutionStatus::Completed)
}

/// When anything about an issue last changed.
pub(super) fn updated_at(folder: &IssueFolder) -> Option<Time> {
    let logs = folder
        .executions
        .iter()
        .flat_map(|e| e.log.iter().map(|entry| entry.at).chain(std::iter::once(e.execution.started_at)));
    let updated = folder
        .issue
        .changed
        .into_iter()
        .chain(folder.comments.iter().map(|c| c.created_at))
        .chain(folder.feedback.iter().map(|f| f.created_at))
        .chain(folder.explorations.iter().map(|exploration| exploration.created_at))
        .chain(folder.solutions.iter().filter_map(|s| s.changed))
        .chain(folder.reviews.values().flatten().map(|review| review.created_at))
        .chain(folder.items.iter().map(|queued| queued.item.queued_at))
        .chain(logs);
    updated.max()
}

/// When an issue that is closed or cancelled became so. If an import wrote its status, the source says when.
pub(super) fn closed_at(issue: &Recorded<Issue>) -> Option<Time> {
    let is_closed = matches!(issue.record.status, StoredStatus::Cancelled | StoredStatus::Closed);
    if !is_closed {
        return None;
    }
    let decided = issue.decided.as_ref()?;
    if decided.is_import() { issue.record.closed_at } else { Some(decided.time()) }
}
