//! Checking plans without storing them.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::plan_input::examine;
use super::{PlanInput, plan_named};
use crate::model::{
    Code, IssueId, IssueStatus, Other, Plan, RepoPath, Solution, SolutionId, plan_fields, typed,
};
use crate::ops::issues::{self, existing};
use crate::ops::{Answer, Done, Refusal, Session};
use crate::rules::overlap::shared_files;
use crate::rules::quality::PartScore;
use crate::rules::{
    CheckReport, Complexity, PlanFinding, PlanSetting, SharedFile, complexity, facts, toward,
};
use crate::store::{KnownRecord, ResolveError, Snapshot, resolve};

/// The plans to check.
#[derive(Debug)]
pub(crate) enum Checking {
    /// Plans that were given.
    PlanInput(Vec<PlanInput>),
    /// A stored plan: its id, or that of its issue or item.
    Stored(String),
    /// No plan: only compare others.
    Nothing,
}

/// What to check, and what to compare it with.
#[derive(Debug)]
pub(crate) struct CheckPlan {
    /// The plans.
    pub(crate) plans: Checking,
    /// The issue of the plans.
    pub(crate) issue: Option<String>,
    /// Plans to compare them with, or issues whose bound plans to compare them with.
    pub(crate) with: Vec<String>,
    /// Whether to compare them with the bound plan of every open issue.
    pub(crate) all_bound: bool,
}

#[serde_with::skip_serializing_none]
/// The findings in plans.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckedAnswer {
    /// Whether `plan add` would store it.
    pub(crate) valid: bool,
    /// The lowest quality among the checked plans, 0 to 1; binding requires 0.8.
    pub(crate) quality: Option<f64>,
    /// What is wrong or could be improved. With several plans, each path begins with the index of its plan.
    pub(crate) findings: Vec<PlanFinding>,
    /// The plans that were checked.
    pub(crate) plans: Vec<CheckedPlan>,
    /// Files that several plans touch; only if a comparison was requested, or if plans of several issues were given.
    pub(crate) shared_files: Option<Vec<SharedFile>>,
}

/// A plan that was checked.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckedPlan {
    /// The plan's file, its index in the file, or its id.
    pub(crate) plan: String,
    /// Whether `plan add` would store it.
    pub(crate) valid: bool,
    /// The sum of the parts, rounded down to two decimals.
    pub(crate) quality: f64,
    /// The parts of the quality.
    pub(crate) parts: Vec<PartScore>,
    /// Its size by files and tasks; the planner's opinion is in the plan's `analysis`.
    pub(crate) computed_complexity: Complexity,
    /// How many tasks it has, as far as it can be made out.
    #[serde(skip)]
    pub(crate) tasks: usize,
    /// How many files they touch.
    #[serde(skip)]
    pub(crate) files: usize,
    /// The findings.
    #[serde(skip)]
    pub(crate) report: CheckReport,
}

/// Checks plans, and lists the files that they share with others.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `no-solution`, `choice-needed`, `not-bound`.
pub(crate) fn check(session: &Session, input: CheckPlan) -> Answer<CheckedAnswer> {
    let snapshot = session.store().snapshot()?;
    let CheckPlan { plans, issue, with, all_bound } = input;
    let issue = issue.map(|text| resolve::issue(&snapshot, &text)).transpose()?;
    let plans = match plans {
        Checking::PlanInput(plans) => plans,
        Checking::Stored(text) => vec![stored(&snapshot, &text, issue.as_ref())?],
        Checking::Nothing => vec![],
    };
    let setting = PlanSetting { issue: issue.as_ref(), ..PlanSetting::default() };
    let reports = examine(&plans, setting, Some(session.store()))?;
    let shared = if all_bound || !with.is_empty() {
        // Plans of the same issue are not compared: at most one of them is executed.
        let own = issue.clone().or_else(|| Some(SolutionId::parse(&plans.first()?.place).ok()?.issue()));
        let mut others = plans_named(&snapshot, &with)?;
        if all_bound {
            others.extend(bound_plans(&snapshot, own.as_ref())?);
        }
        Some(compare(&plans, others))
    } else {
        shared_in_batch(&plans, issue.as_ref())
    };
    Ok(session.done(answer(plans, reports, shared), None))
}

/// Checks plans by themselves, without an issue or other plans; this needs no store.
///
/// # Errors
/// Any error from reading the code.
pub(crate) fn check_alone(session: Option<&Session>, plans: Vec<PlanInput>) -> Answer<CheckedAnswer> {
    let reports = examine(&plans, PlanSetting::default(), session.map(Session::store))?;
    let shared = shared_in_batch(&plans, None);
    Ok(Done { view: answer(plans, reports, shared), commit: None, notices: vec![] })
}

/// A stored plan, given by its id or that of its issue or item.
fn stored(snapshot: &Snapshot<'_>, text: &str, issue: Option<&IssueId>) -> Result<PlanInput, Refusal> {
    let named = match resolve::solution(snapshot, text, issue) {
        Err(ResolveError::NotFound { .. }) if issue.is_none() => plan_named(snapshot, text),
        found => found.map_err(Refusal::from),
    };
    let id = named.map_err(|refusal| match refusal {
        missing if missing.code == Code::NotFound => {
            Refusal::new(Code::NotFound, format!("there is no file and no plan `{text}`"))
                .hint("name a file, or `-` for stdin")
                .remedy(Other::SolutionList, "shows the plans")
        }
        refusal => refusal,
    })?;
    Ok(PlanInput { plan: solution(snapshot, &id)?.plan.into(), place: id.to_string(), is_by_hand: false })
}

fn solution(snapshot: &Snapshot<'_>, id: &SolutionId) -> Result<Solution, Refusal> {
    let folder = existing(snapshot, &id.issue())?;
    folder.solution(id).cloned().ok_or_else(|| Refusal::unreadable(&format!("plan `{id}`")))
}

/// The id of a plan, and the files that it touches.
type Touching = (String, BTreeSet<RepoPath>);

fn touching(plan: &Solution) -> Touching {
    (plan.id.to_string(), plan.typed_plan().touches())
}

/// The bound plan of every open issue except `own`.
fn bound_plans(snapshot: &Snapshot<'_>, own: Option<&IssueId>) -> Result<Vec<Touching>, Refusal> {
    let folders = issues::all(snapshot)?.0;
    let others = folders.iter().filter(|folder| {
        Some(&folder.issue.record.id) != own
            && !matches!(
                facts::status(folder),
                IssueStatus::Completed | IssueStatus::Closed | IssueStatus::Cancelled
            )
    });
    Ok(others.filter_map(|folder| folder.bound().map(touching)).collect())
}

/// The plans with these ids, or the bound plans of the issues with these ids.
fn plans_named(snapshot: &Snapshot<'_>, texts: &[String]) -> Result<Vec<Touching>, Refusal> {
    let mut found = Vec::new();
    for text in texts {
        let plan = match resolve::any(snapshot, text)? {
            KnownRecord::Solution(id) => solution(snapshot, &id)?,
            KnownRecord::Issue(id) => {
                let folder = existing(snapshot, &id)?;
                folder.bound().cloned().ok_or_else(|| {
                    Refusal::new(Code::NotBound, format!("issue `{id}` has no bound plan to compare with"))
                        .next_step(toward::plan(&folder))
                        .hint("or name a plan instead of the issue")
                })?
            }
            _ => {
                return Err(Refusal::new(Code::NotFound, format!("`{text}` is neither an issue nor a plan"))
                    .remedy(Other::List, "shows the issues")
                    .remedy(Other::SolutionList, "shows the plans"));
            }
        };
        found.push(touching(&plan));
    }
    Ok(found)
}

/// The files that a plan names, even if errors in it keep the rest from being read.
fn touched(input: &PlanInput) -> BTreeSet<RepoPath> {
    let tasks = input.plan["tasks"].as_array().into_iter().flatten();
    tasks.flat_map(plan_fields::places).map(|(path, _)| RepoPath::covering(path)).collect()
}

/// The plan as far as it can be read; empty if it has errors, which are reported with it.
fn readable(input: &PlanInput) -> Plan {
    typed::read(&input.plan).unwrap_or_default()
}

fn compare(plans: &[PlanInput], others: Vec<Touching>) -> Vec<SharedFile> {
    let mut all: Vec<Touching> = plans.iter().map(|plan| (plan.place.clone(), touched(plan))).collect();
    for other in others {
        if !all.iter().any(|(name, _)| *name == other.0) {
            all.push(other);
        }
    }
    shared_files(&all)
}

/// The issue of a plan: the one that it names, or the one in its id.
fn issue_of(input: &PlanInput) -> Option<IssueId> {
    let named = input.plan["issue_id"].as_str().and_then(|id| IssueId::parse(id).ok());
    named.or_else(|| {
        let mut ids = ["id", "solution_id"].into_iter().filter_map(|name| input.plan[name].as_str());
        ids.find_map(|id| SolutionId::parse(id).ok()).map(|id| id.issue())
    })
}

/// The files that plans of different issues share, if plans of several issues were given. Plans of one issue are not
/// compared: at most one of them is executed.
fn shared_in_batch(plans: &[PlanInput], issue: Option<&IssueId>) -> Option<Vec<SharedFile>> {
    let issues: BTreeMap<&str, IssueId> = plans
        .iter()
        .filter_map(|plan| Some((plan.place.as_str(), issue.cloned().or_else(|| issue_of(plan))?)))
        .collect();
    let is_of_several = |names: &mut dyn Iterator<Item = &str>| {
        names.filter_map(|name| issues.get(name)).collect::<BTreeSet<_>>().len() > 1
    };
    if !is_of_several(&mut plans.iter().map(|plan| plan.place.as_str())) {
        return None;
    }
    let known = plans.iter().filter(|plan| issues.contains_key(plan.place.as_str()));
    let all: Vec<_> = known.map(|plan| (plan.place.clone(), touched(plan))).collect();
    let shared = shared_files(&all).into_iter();
    Some(shared.filter(|shared| is_of_several(&mut shared.plans.iter().map(String::as_str))).collect())
}

fn answer(
    plans: Vec<PlanInput>,
    reports: Vec<CheckReport>,
    shared_files: Option<Vec<SharedFile>>,
) -> CheckedAnswer {
    let many = plans.len() > 1;
    let mut findings = Vec::new();
    for (input, report) in plans.iter().zip(&reports) {
        findings.extend(report.findings.iter().cloned().map(|finding| PlanFinding {
            path: if many { format!("{} {}", input.place, finding.path) } else { finding.path },
            ..finding
        }));
    }
    let checked = plans.into_iter().zip(reports).map(|(input, report)| {
        let plan = readable(&input);
        CheckedPlan {
            valid: report.is_valid(),
            quality: report.quality.total(),
            parts: report.quality.parts(),
            computed_complexity: complexity::of_plan(&plan),
            tasks: input.plan["tasks"].as_array().map_or(0, Vec::len),
            files: touched(&input).len(),
            plan: input.place,
            report,
        }
    });
    let checked: Vec<CheckedPlan> = checked.collect();
    CheckedAnswer {
        valid: checked.iter().all(|plan| plan.valid),
        quality: checked.iter().map(|plan| plan.quality).reduce(f64::min),
        findings,
        plans: checked,
        shared_files,
    }
}
