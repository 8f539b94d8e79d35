use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use super::input::{self, Handed, read_plans};
use crate::cli::{Context, Exit, Failure, Outcome, existing, plan_named};
use crate::model::id::{IssueId, SolutionId};
use crate::model::plan::Plan;
use crate::model::repo_path::RepoPath;
use crate::model::solution::Solution;
use crate::model::status::IssueStatus;
use crate::ops::{Refusal, issues};
use crate::rules::complexity::{self, Complexity};
use crate::rules::facts;
use crate::rules::overlap::{SharedFile, shared_files};
use crate::rules::plan_check::{Finding, Report, Setting};
use crate::rules::quality::{PartScore, Quality};
use crate::store::Snapshot;
use crate::store::resolve::{self, Known, ResolveError};
use crate::ui::text::{clean_line, count};
use crate::ui::{Cell, Column, Table, style};

/// Check plans without storing them: faults, warnings and quality
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The plan: a file, `-` for stdin, the id of a plan, or an issue for its plan
    #[arg(required_unless_present_any = ["with", "all_bound"])]
    plan: Option<String>,
    /// The issue the plan is for
    #[arg(long)]
    issue: Option<String>,
    /// Also list files shared with these plans, or with the bound plans of these issues
    #[arg(long, value_name = "ISSUE", num_args = 1..)]
    with: Vec<String>,
    /// Also list files shared with the bound plan of every open issue
    #[arg(long, conflicts_with = "with")]
    all_bound: bool,
}

/// What `solution check` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckedAnswer {
    /// Whether `solution add` would store it.
    valid: bool,
    /// The quality of the poorest plan that was checked, 0 to 1; binding needs 0.8.
    #[serde(skip_serializing_if = "Option::is_none")]
    quality: Option<f64>,
    /// What is wrong, or could be better. Of several plans, each path begins with the place of its plan.
    findings: Vec<Finding>,
    /// The plans that were checked.
    plans: Vec<CheckedPlan>,
    /// Files that several plans touch; only where plans were to be compared, or where plans of several issues were handed in.
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_files: Option<Vec<SharedFile>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CheckedPlan {
    /// The file, its place in it, or its id.
    plan: String,
    /// Whether `solution add` would store it.
    valid: bool,
    /// The sum of the parts, rounded down to hundredths.
    quality: f64,
    /// What it is made of.
    parts: Vec<PartScore>,
    /// By the number of files and tasks; what the planner thinks stands in the plan's `analysis`.
    computed_complexity: Complexity,
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let issue = match &args.issue {
        Some(text) => Some(resolve::issue(&context.store()?.snapshot()?, text)?),
        None => None,
    };
    let plans = match args.plan.as_deref() {
        Some(plan) if plan == "-" || std::path::Path::new(plan).exists() => read_plans(plan)?,
        Some(plan) => {
            let store = context.store()?;
            let snapshot = store.snapshot()?;
            let named = match resolve::solution(&snapshot, plan, issue.as_ref()) {
                Err(ResolveError::NotFound { .. }) if issue.is_none() => plan_named(&snapshot, plan),
                found => found.map_err(Refusal::from),
            };
            let id = named.map_err(|failure| match failure {
                missing if missing.code == "not-found" => {
                    Refusal::new("not-found", format!("there is no file and no plan `{plan}`"))
                        .hint("name a file, `-` for stdin, or a plan (`git wf solution list`)")
                }
                failure => failure,
            })?;
            let stored = stored(&snapshot, &id)?;
            vec![Handed { place: id.to_string(), plan: stored.plan }]
        }
        None => vec![],
    };
    // Outside of any repository a file can be checked all the same.
    let store = context.store().ok();
    let setting = Setting { issue: issue.as_ref(), ..Setting::default() };
    let reports = input::examine(&plans, setting, store.as_ref())?;
    let shared = if args.all_bound || !args.with.is_empty() {
        let store = context.store()?;
        // Other plans of the same issue are no neighbours: at most one of them is carried out.
        let own = issue.clone().or_else(|| Some(SolutionId::parse(&plans.first()?.place).ok()?.issue()));
        Some(compare(&plans, &args, own.as_ref(), &store.snapshot()?)?)
    } else {
        shared_in_batch(&plans, issue.as_ref())
    };
    if context.json() {
        let answer = answer(&plans, reports, shared);
        context.screen.print_json(&answer)?;
        return Ok(if answer.valid { Exit::Done } else { Exit::Failed });
    }
    for (it, report) in plans.iter().zip(&reports) {
        print(it, report, context)?;
    }
    if let Some(shared) = &shared {
        print_shared(shared, !plans.is_empty(), context)?;
    }
    let errors =
        reports.iter().flat_map(|report| &report.findings).filter(|finding| finding.is_error()).count();
    if errors > 0 {
        return Err(Failure::new("invalid-plan", format!("the plan has {}", count(errors, "fault")))
            .hint("`git wf schema solution` says what a plan holds"));
    }
    Ok(Exit::Done)
}

fn stored(snapshot: &Snapshot<'_>, id: &SolutionId) -> Result<Solution, Failure> {
    let folder = existing(snapshot, &id.issue())?;
    folder.solution(id).cloned().ok_or_else(|| Failure::unreadable(&format!("plan `{id}`")))
}

/// The plans that were asked for beside the ones that are checked, with the files that they touch.
fn others(
    args: &Args,
    own: Option<&IssueId>,
    snapshot: &Snapshot<'_>,
) -> Result<Vec<(String, BTreeSet<RepoPath>)>, Failure> {
    let files = |plan: &Solution| plan.typed_plan().touches();
    let mut found: Vec<(String, BTreeSet<RepoPath>)> = Vec::new();
    if args.all_bound {
        let is_over =
            |status| matches!(status, IssueStatus::Completed | IssueStatus::Closed | IssueStatus::Cancelled);
        let folders = issues::all(snapshot)?.0;
        let open = folders.iter().filter(|it| !is_over(facts::status(it)));
        for folder in open.filter(|it| Some(&it.issue.record.id) != own) {
            found.extend(folder.bound().map(|plan| (plan.id.to_string(), files(plan))));
        }
    }
    for text in &args.with {
        let plan = match resolve::any(snapshot, text)? {
            Known::Solution(id) => stored(snapshot, &id)?,
            Known::Issue(id) => existing(snapshot, &id)?.bound().cloned().ok_or_else(|| {
                Failure::new("not-bound", format!("issue `{id}` is bound to no plan that could be compared"))
                    .hint(format!(
                        "`git wf bind {id} SOLUTION` chooses one, or name a plan instead of the issue"
                    ))
            })?,
            _ => {
                return Err(Failure::new("not-found", format!("`{text}` is neither an issue nor a plan"))
                    .hint("`git wf list` shows the issues, `git wf solution list` the plans"));
            }
        };
        found.push((plan.id.to_string(), files(&plan)));
    }
    Ok(found)
}

/// A plan with faults may be no plan; this is what can be made out.
fn readable(it: &Handed) -> Plan {
    crate::model::typed::read(&it.plan).unwrap_or_default()
}

fn compare(
    plans: &[Handed],
    args: &Args,
    own: Option<&IssueId>,
    snapshot: &Snapshot<'_>,
) -> Result<Vec<SharedFile>, Failure> {
    let mut all: Vec<(String, BTreeSet<RepoPath>)> = Vec::new();
    for it in plans {
        all.push((it.place.clone(), readable(it).touches()));
    }
    for other in others(args, own, snapshot)? {
        if !all.iter().any(|(name, _)| *name == other.0) {
            all.push(other);
        }
    }
    Ok(shared_files(&all))
}

/// The issue that a plan is for: the one that it names, be it by its own id.
fn issue_of(it: &Handed) -> Option<IssueId> {
    let text = |name: &str| it.plan[name].as_str();
    let by_plan = |name| SolutionId::parse(text(name)?).ok().map(|id| id.issue());
    let named = text("issue_id").and_then(|id| IssueId::parse(id).ok());
    named.or_else(|| by_plan("id")).or_else(|| by_plan("solution_id"))
}

/// The files that plans of different issues share, where plans of several were handed in. Plans of one issue are no
/// neighbours: at most one of them is carried out.
fn shared_in_batch(plans: &[Handed], issue: Option<&IssueId>) -> Option<Vec<SharedFile>> {
    let issues: BTreeMap<&str, IssueId> = plans
        .iter()
        .filter_map(|it| Some((it.place.as_str(), issue.cloned().or_else(|| issue_of(it))?)))
        .collect();
    let is_of_several = |names: &mut dyn Iterator<Item = &str>| {
        names.filter_map(|name| issues.get(name)).collect::<BTreeSet<_>>().len() > 1
    };
    if !is_of_several(&mut plans.iter().map(|it| it.place.as_str())) {
        return None;
    }
    let known = plans.iter().filter(|it| issues.contains_key(it.place.as_str()));
    let all: Vec<_> = known.map(|it| (it.place.clone(), readable(it).touches())).collect();
    let shared = shared_files(&all).into_iter();
    Some(shared.filter(|it| is_of_several(&mut it.plans.iter().map(String::as_str))).collect())
}

fn answer(plans: &[Handed], reports: Vec<Report>, shared_files: Option<Vec<SharedFile>>) -> CheckedAnswer {
    let many = plans.len() > 1;
    let checked = plans.iter().zip(&reports).map(|(it, report)| CheckedPlan {
        plan: it.place.clone(),
        valid: report.is_valid(),
        quality: report.quality.total(),
        parts: report.quality.parts(),
        computed_complexity: complexity::of_plan(&readable(it)),
    });
    let checked: Vec<CheckedPlan> = checked.collect();
    let mut findings = Vec::new();
    for (it, report) in plans.iter().zip(reports) {
        findings.extend(report.findings.into_iter().map(|finding| Finding {
            path: if many { format!("{} {}", it.place, finding.path) } else { finding.path },
            ..finding
        }));
    }
    CheckedAnswer {
        valid: checked.iter().all(|plan| plan.valid),
        quality: checked.iter().map(|plan| plan.quality).reduce(f64::min),
        findings,
        plans: checked,
        shared_files,
    }
}

fn print(it: &Handed, report: &Report, context: &mut Context) -> Result<(), Failure> {
    let tasks = it.plan["tasks"].as_array().map_or(0, Vec::len);
    let warnings = report.findings.iter().filter(|finding| !finding.is_error()).count();
    let errors = report.findings.len() - warnings;
    let found = match (errors, warnings) {
        (0, 0) => "no fault".to_owned(),
        (0, warnings) => format!("no fault, {}", count(warnings, "warning")),
        (errors, 0) => count(errors, "fault"),
        (errors, warnings) => format!("{}, {}", count(errors, "fault"), count(warnings, "warning")),
    };
    let plan = readable(it);
    let (files, size) = (count(plan.touches().len(), "file"), complexity::of_plan(&plan));
    let tasks = count(tasks, "task");
    writeln!(
        context.screen,
        "{}: {tasks} on {files}, {size} complexity by size, {found}",
        clean_line(&it.place)
    )?;
    print_quality(&report.quality, context)?;
    let errors_first = report.findings.iter().filter(|it| it.is_error());
    for finding in errors_first.chain(report.findings.iter().filter(|it| !it.is_error())) {
        print_finding(finding, context)?;
    }
    Ok(())
}

fn print_quality(quality: &Quality, context: &mut Context) -> Result<(), Failure> {
    let mut table = Table::new([
        Column::left("  QUALITY"),
        Column::right("WEIGHT"),
        Column::right("SHARE"),
        Column::right("SCORE"),
    ]);
    for part in quality.parts() {
        let look = if part.share < 1.0 { style::WARN } else { style::PLAIN };
        table.row([
            Cell::from(format!("  {}", part.part.name())),
            Cell::from(part.weight.to_string()),
            Cell::new(format!("{:.0}%", part.share * 100.0), look),
            Cell::from(format!("{:.3}", part.score)),
        ]);
    }
    let look = if quality.suffices() { style::GOOD } else { style::BAD };
    let total = Cell::new(format!("{:.2}", quality.total()), look);
    table.row([Cell::from("  all"), Cell::from("1"), Cell::from(""), total]);
    table.print(&mut context.screen)?;
    Ok(())
}

/// What is wrong, and below it what to do.
pub(super) fn print_finding(finding: &Finding, context: &mut Context) -> Result<(), Failure> {
    let painter = context.screen.painter();
    let look = if finding.is_error() { style::BAD } else { style::WARN };
    let word = painter.paint(look, &format!("{:<8}", finding.severity.as_str()));
    let cost = finding.cost.map_or(String::new(), |cost| format!(" (-{cost})"));
    writeln!(context.screen, "{word} {}{cost}", clean_line(&finding.to_string()))?;
    writeln!(context.screen, "         {}", painter.paint(style::DIM, finding.remedy))?;
    Ok(())
}

fn print_shared(shared: &[SharedFile], below: bool, context: &mut Context) -> Result<(), Failure> {
    if below {
        writeln!(context.screen)?;
    }
    if shared.is_empty() {
        writeln!(context.screen, "the plans share no file")?;
        return Ok(());
    }
    let mut table = Table::new([Column::left("SHARED FILE"), Column::flexible("PLANS")]);
    for it in shared {
        table.row([Cell::new(it.file.to_string(), style::WARN), Cell::from(it.plans.join(", "))]);
    }
    table.print(&mut context.screen)?;
    Ok(())
}
