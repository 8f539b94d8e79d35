//! Earlier versions of plans, and the differences between two versions.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{SolutionView, plan_named, view, view_in};
use crate::index::Needs;
use crate::model::{Code, CommitHash, Other, PlanDigest, RemedyCall, SolutionId, TaskId, Time, count};
use crate::ops::issues::existing;
use crate::ops::{Answer, Refusal, Session};
use crate::rules::FieldChange;
use crate::rules::record_diff::differences;
use crate::trail::versions::{self, Version};

/// Which plans to compare. Each can be an earlier version: `SOL-…@{1}` is the one before the last change.
#[derive(Debug)]
pub(crate) struct Diff {
    /// The plan.
    pub(crate) from: String,
    /// The plan to compare with (default, if no time is given: the version before the last change).
    pub(crate) to: Option<String>,
    /// Compare the plan with its version at this time: a date, or a commit of the store or of the project.
    pub(crate) since: Option<String>,
}

/// How two plans differ.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PlanDiff {
    /// The first version.
    pub(crate) from: PlanVersion,
    /// The second version.
    pub(crate) to: PlanVersion,
    /// What differs, field by field; empty if the plans are the same.
    pub(crate) changes: Vec<PlanChange>,
    /// The titles of the tasks of both versions, by id.
    #[serde(skip)]
    pub(crate) titles: BTreeMap<String, String>,
}

/// A version of a plan.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PlanVersion {
    /// The plan.
    pub(crate) solution_id: SolutionId,
    /// Its digest in this version.
    pub(crate) plan_digest: PlanDigest,
    /// The commit of the store that introduced this version.
    pub(crate) commit: CommitHash,
    /// When that was.
    pub(crate) at: Time,
    /// What the plan does.
    #[serde(skip)]
    pub(crate) description: String,
}

/// One field that differs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PlanChange {
    /// The task, if it was added, removed or changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task_id: Option<TaskId>,
    /// The field.
    #[serde(flatten)]
    pub(crate) change: FieldChange,
}

impl From<&Version> for PlanVersion {
    fn from(version: &Version) -> Self {
        Self {
            solution_id: version.solution.id.clone(),
            plan_digest: version.solution.plan_digest(),
            commit: version.commit.clone(),
            at: version.at,
            description: version.solution.typed_plan().description.unwrap_or_default(),
        }
    }
}

/// Compares two plans, or two versions of a plan.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `no-solution`, `choice-needed`, `unknown-moment`; usage for an invalid version such
/// as `SOL-…@{x}`.
pub(crate) fn diff(session: &Session, input: &Diff) -> Answer<PlanDiff> {
    let (from, to) = sides(session, input)?;
    let task =
        |change: &FieldChange| Some(TaskId::from(change.member().filter(|member| member.0 == "tasks")?.1));
    let changes = differences(&from.solution.plan, &to.solution.plan).into_iter();
    let titles = [&from, &to].into_iter().flat_map(|version| version.solution.typed_plan().tasks);
    let diff = PlanDiff {
        from: (&from).into(),
        to: (&to).into(),
        changes: changes.map(|change| PlanChange { task_id: task(&change), change }).collect(),
        titles: titles.map(|task| (task.id.to_string(), task.title)).collect(),
    };
    Ok(session.done(diff, None))
}

/// Shows a plan, or an earlier version of it.
///
/// # Errors
/// The errors of [`diff`].
pub(crate) fn show(session: &Session, text: &str) -> Answer<SolutionView> {
    let (plan, number) = named(text)?;
    let snapshot = session.store().snapshot()?;
    let Some(number) = number else {
        return Ok(session.done(view(&snapshot, &plan_named(&snapshot, plan)?)?, None));
    };
    let (id, all) = load(session, plan)?;
    let before = pick(&id, &all, number)?;
    let mut folder = existing(&snapshot, &id.issue())?;
    for solution in folder.solutions.iter_mut().filter(|solution| solution.record.id == id) {
        solution.record.plan.clone_from(&before.solution.plan);
    }
    Ok(session.done(view_in(&folder, &id)?, None))
}

fn sides(session: &Session, input: &Diff) -> Result<(Version, Version), Refusal> {
    let (from, number) = named(&input.from)?;
    let (id, all) = load(session, from)?;
    if let Some(since) = &input.since {
        let then = versions::at_moment(session.store(), &all, since)?.ok_or_else(|| {
            let first = all.last().map(|version| version.at.to_string()).unwrap_or_default();
            Refusal::new(Code::NotFound, format!("at `{since}` there was no plan `{id}` yet"))
                .hint(format!("it was added at {first}"))
                .remedy(RemedyCall::new(Other::Log, [&id]), "shows its history")
        })?;
        return Ok((then.clone(), pick(&id, &all, number.unwrap_or(0))?));
    }
    match &input.to {
        Some(text) => {
            let (to, other) = named(text)?;
            let (to, others) = load(session, to)?;
            Ok((pick(&id, &all, number.unwrap_or(0))?, pick(&to, &others, other.unwrap_or(0))?))
        }
        // A plan that never changed is compared with itself.
        None => {
            let before = number.unwrap_or_else(|| usize::from(all.len() > 1));
            Ok((pick(&id, &all, before)?, pick(&id, &all, 0)?))
        }
    }
}

/// Parses `SOL-…@{2}`: the plan, and the number of changes to go back.
fn named(text: &str) -> Result<(&str, Option<usize>), Refusal> {
    let Some((id, rest)) = text.split_once("@{") else { return Ok((text, None)) };
    match rest.strip_suffix('}').map(str::parse) {
        Some(Ok(number)) => Ok((id, Some(number))),
        _ => Err(Refusal::usage(format!("`{text}` is not of the form SOLUTION@{{N}}"))
            .hint("SOLUTION@{1} is the plan before its last change")
            .remedy(
                RemedyCall::new(Other::SolutionDiff, ["PLAN"]).option("since", "DATE"),
                "takes a date or a commit",
            )),
    }
}

fn load(session: &Session, text: &str) -> Result<(SolutionId, Vec<Version>), Refusal> {
    let store = session.store();
    let id = plan_named(&store.snapshot()?, text)?;
    let (_, all) = session.ask(Needs::LOG, |index| versions::of_plan(store, index, &id))?;
    if all.is_empty() {
        return Err(Refusal::unreadable(&format!("plan `{id}`")));
    }
    Ok((id, all))
}

fn pick(id: &SolutionId, all: &[Version], number: usize) -> Result<Version, Refusal> {
    all.get(number).cloned().ok_or_else(|| {
        Refusal::new(
            Code::NotFound,
            format!("plan `{id}` has {}, so there is no `{id}@{{{number}}}`", count(all.len(), "version")),
        )
        .hint(format!("`{id}@{{0}}` is the plan as it is"))
        .remedy(RemedyCall::new(Other::Log, [id]), "shows its changes")
    })
}
