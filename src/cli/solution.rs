use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{
    Context, Exit, Failure, Force, Outcome, answer, bind, existing, json_fault, named, read_text, reply_task,
    solution_print, solution_review,
};
use crate::model::id::{IssueId, SolutionId};
use crate::model::issue::StoredStatus;
use crate::model::solution::Solution;
use crate::model::status::IssueStatus;
use crate::model::uid::Uid;
use crate::rules::plan_check::{self, Checked, Finding};
use crate::rules::{facts, moves};
use crate::store::{Read, Tx, layout, random_uid, resolve};

/// Plans: add, check, list and show them
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: SolutionCommand,
}

#[derive(Debug, clap::Subcommand)]
enum SolutionCommand {
    /// Add plans to an issue; the only plan of an issue is bound
    Add {
        /// The issue
        issue: String,
        /// JSON objects, arrays of them, or JSON lines; `-` or nothing for stdin
        files: Vec<String>,
        /// Leave the plan unbound
        #[arg(long)]
        no_bind: bool,
        /// Of an issue from GitHub: append a task that answers there, where the plan has none
        #[arg(long)]
        add_reply_task: bool,
        #[command(flatten)]
        force: Force,
    },
    /// Check plans without storing anything: a file, `-` for stdin, or the id of a plan
    Check {
        /// The plan
        plan: String,
        /// The issue that it is for
        #[arg(long)]
        issue: Option<String>,
    },
    /// List the plans of an issue, or of all issues
    List {
        /// The issue
        issue: Option<String>,
    },
    /// Show a plan
    Show {
        /// The plan
        id: String,
    },
    /// Review a plan that somebody else made: scores, a verdict, findings
    ///
    /// The total is 0.4 technical + 0.3 risk + 0.3 completeness: from 80 on approved, from 60 on concerns, below that
    /// rejected. A review speaks of the plan as it is now; once the plan changes, it counts no more. Of one reviewer the
    /// latest review counts, of several the harshest. What is rejected is not queued, and with `git wf policy set
    /// review=required` neither is what nobody reviewed. Each rejected version of a plan is a round; after two an owner
    /// decides. A rejection becomes feedback for the next planner.
    Review(solution_review::Args),
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    match args.command {
        SolutionCommand::Add { issue, files, no_bind, add_reply_task, force } => {
            add(&issue, &files, no_bind, add_reply_task, &force, context)
        }
        SolutionCommand::Check { plan, issue } => check(&plan, issue.as_deref(), context),
        SolutionCommand::List { issue } => list(issue.as_deref(), context),
        SolutionCommand::Show { id } => show(&id, context),
        SolutionCommand::Review(args) => solution_review::run(&args, context),
    }
}

/// What `solution add` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Added {
    /// Plans that are bound now.
    bound: Vec<BoundPlan>,
    /// Issues for which one of several plans is to be chosen.
    pending_selection: Vec<PendingSelection>,
    /// Every plan that was stored.
    added: Vec<SolutionId>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct BoundPlan {
    issue_id: IssueId,
    solution_id: SolutionId,
    task_count: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct PendingSelection {
    issue_id: IssueId,
    solutions: Vec<Candidate>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Candidate {
    id: SolutionId,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    risk: Option<String>,
    files_touched: Vec<String>,
    task_count: usize,
}

/// The plans of a file, each with its place in it.
fn read_plans(path: &str) -> Result<Vec<(String, Value)>, Failure> {
    let text = read_text(path)?;
    let name = named(path);
    let plans = plan_check::split(&text).map_err(|error| {
        let fault = json_fault(&error);
        Failure::new("invalid-json", format!("{name} is not JSON: {fault}"))
            .hint("a plan is a JSON object; several are an array or one object a line")
    })?;
    if plans.is_empty() {
        return Err(Failure::new("empty", format!("{name} holds no plan"))
            .hint("a plan is a JSON object; several are an array or one object a line"));
    }
    let many = plans.len() > 1;
    let file = if path == "-" { "stdin" } else { path };
    let place = |n: usize| if many { format!("{file}[{n}]") } else { file.to_owned() };
    Ok(plans.into_iter().enumerate().map(|(n, plan)| (place(n), plan)).collect())
}

/// Checks all plans; every finding of all of them is one failure.
fn check_all(plans: &[(String, Value)], issue: Option<&IssueId>) -> Result<Vec<Checked>, Failure> {
    let mut findings: Vec<(String, Finding)> = Vec::new();
    let mut checked: Vec<Checked> = Vec::new();
    for (place, plan) in plans {
        match plan_check::check(plan, issue) {
            Ok(one) => checked.push(one),
            Err(found) => findings.extend(found.into_iter().map(|finding| (place.clone(), finding))),
        }
    }
    let ids: Vec<_> = checked.iter().filter_map(|one| one.id.as_ref()).collect();
    let twice = ids.iter().enumerate().find(|(n, id)| ids[..*n].contains(id));
    if let Some((_, id)) = twice {
        return Err(Failure::new("invalid-plan", format!("two plans are called `{id}`"))
            .hint("leave the id out of one"));
    }
    if findings.is_empty() {
        return Ok(checked);
    }
    let count = findings.len();
    let many = plans.len() > 1;
    let lines = findings
        .into_iter()
        .map(|(place, finding)| if many { format!("{place} {finding}") } else { finding.to_string() })
        .collect();
    let things = if count == 1 { "1 fault".to_owned() } else { format!("{count} faults") };
    Err(Failure::new("invalid-plan", format!("the plan has {things}; nothing was stored"))
        .details(lines)
        .hint("`git wf solution check FILE` checks without storing"))
}

fn add(
    issue: &str,
    files: &[String],
    no_bind: bool,
    add_reply_task: bool,
    force: &Force,
    context: &mut Context,
) -> Outcome {
    let store = context.store()?;
    let id = resolve::issue(&store.snapshot()?, issue)?;
    let stdin = ["-".to_owned()];
    let files = if files.is_empty() { &stdin } else { files };
    let mut plans = Vec::new();
    for file in files {
        plans.extend(read_plans(file)?);
    }
    let plans = reply_task::settle(&store.snapshot()?, &id, plans, add_reply_task, context)?;
    let checked = check_all(&plans, Some(&id))?;
    let nonce = random_uid()?;
    let committed = context.transact(&store, |tx| {
        let added = store_plans(tx, &id, &checked, &nonce, force)?;
        let folder = existing(tx, &id)?;
        let bound = match folder.solutions.as_slice() {
            [only] if !no_bind && folder.issue.record.bound_solution_id.is_none() => {
                let only = only.record.id.clone();
                bind::bind(tx, &id, &only, force)?;
                Some(only)
            }
            _ => None,
        };
        let folder = existing(tx, &id)?;
        if folder.issue.record.status == StoredStatus::Registered {
            tx.edit_issue(&id, |issue| issue.status = StoredStatus::Planning)?;
        }
        tx.note.force = force.why();
        let names: Vec<&str> = added.iter().map(SolutionId::as_str).collect();
        let and_bound = if bound.is_some() { ", bound" } else { "" };
        tx.describe("solution add", format!("solution: add {}{and_bound}", names.join(", ")));
        Ok((added, bound))
    })?;
    let (added, bound) = committed.answer;
    print_added(&store, &id, added, bound, committed.commit.is_some(), context)
}

/// Stores what is new. A plan that is there already, word for word, is left alone.
fn store_plans(
    tx: &mut Tx<'_>,
    issue: &IssueId,
    plans: &[Checked],
    nonce: &Uid,
    force: &Force,
) -> Result<Vec<SolutionId>, Failure> {
    let mut added = Vec::new();
    for (n, checked) in plans.iter().enumerate() {
        let number = n.to_string();
        let digest = crate::model::digest::digest(&checked.plan);
        let id = match &checked.id {
            Some(id) => id.clone(),
            // Without a name it is what it says: the same again is the plan that is there.
            None => {
                match existing(tx, issue)?.solutions.iter().find(|it| it.record.plan_digest() == digest) {
                    Some(same) => same.record.id.clone(),
                    None => SolutionId::made(
                        issue,
                        &Uid::of(&[digest.as_bytes(), nonce.as_str().as_bytes(), number.as_bytes()]),
                    ),
                }
            }
        };
        if added.contains(&id) {
            continue;
        }
        if let Some(there) = existing(tx, issue)?.solution(&id) {
            if there.plan_digest() == digest {
                added.push(id);
                continue;
            }
            return Err(Failure::new("exists", format!("there is another plan called `{id}` already"))
                .hint("leave the id out and a new one is made"));
        }
        if tx.file(&layout::solution(&id))?.is_some() {
            return Err(Failure::unreadable(&format!("the plan `{id}` that is there")));
        }
        let status = facts::status(&existing(tx, issue)?);
        if force.why().is_none() {
            moves::permit(issue, status, "solution add")?;
        }
        tx.create_solution(&Solution {
            id: id.clone(),
            issue_id: issue.clone(),
            author: tx.person().to_owned(),
            created_at: tx.stamper().now(),
            plan: checked.plan.clone(),
        })?;
        added.push(id);
    }
    Ok(added)
}

fn print_added(
    store: &crate::store::Store,
    issue: &IssueId,
    added: Vec<SolutionId>,
    bound: Option<SolutionId>,
    changed: bool,
    context: &mut Context,
) -> Outcome {
    let folder = existing(&store.snapshot()?, issue)?;
    let candidates = folder.solutions.iter().map(|solution| {
        let plan = solution.record.typed_plan();
        Candidate {
            id: solution.record.id.clone(),
            files_touched: plan.touches().into_iter().map(str::to_owned).collect(),
            task_count: plan.tasks.len(),
            risk: plan.analysis.and_then(|analysis| analysis.risk),
            score: plan.score,
            description: plan.description,
        }
    });
    let candidates: Vec<Candidate> = candidates.collect();
    let pending = folder.issue.record.bound_solution_id.is_none();
    if context.json() {
        let count = |id: &SolutionId| candidates.iter().find(|c| c.id == *id).map_or(0, |c| c.task_count);
        let bound = bound.iter().map(|id| BoundPlan {
            issue_id: issue.clone(),
            solution_id: id.clone(),
            task_count: count(id),
        });
        let answer = Added {
            bound: bound.collect(),
            pending_selection: if pending {
                vec![PendingSelection { issue_id: issue.clone(), solutions: candidates }]
            } else {
                vec![]
            },
            added,
        };
        context.screen.print_json(&answer)?;
        return Ok(Exit::Done);
    }
    if !context.screen.is_terminal() {
        for id in &added {
            writeln!(context.screen, "{id}")?;
        }
        return Ok(Exit::Done);
    }
    for id in &added {
        let verb = if changed { "added" } else { "there already:" };
        let is_bound = if bound.as_ref() == Some(id) { ", and bound it" } else { "" };
        writeln!(context.screen, "{verb} {id}{is_bound}")?;
    }
    if pending {
        writeln!(
            context.screen,
            "{} plans to choose from: `git wf bind {issue} SOLUTION`",
            candidates.len()
        )?;
    } else if bound.is_none() && facts::status(&folder) != IssueStatus::Planned {
        writeln!(context.screen, "{issue} is {}", facts::status(&folder))?;
    }
    Ok(Exit::Done)
}

/// What `solution check` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckedAnswer {
    /// Whether `solution add` would store it.
    valid: bool,
    /// What is wrong.
    findings: Vec<Finding>,
}

fn check(plan: &str, issue: Option<&str>, context: &mut Context) -> Outcome {
    let as_file = plan == "-" || std::path::Path::new(plan).exists();
    let issue = match issue {
        Some(text) => Some(resolve::issue(&context.store()?.snapshot()?, text)?),
        None => None,
    };
    let plans = if as_file {
        read_plans(plan)?
    } else {
        let store = context.store()?;
        let snapshot = store.snapshot()?;
        let id = resolve::solution(&snapshot, plan, issue.as_ref())?;
        let folder = existing(&snapshot, &id.issue())?;
        let stored = folder.solution(&id).map(|solution| solution.plan.clone());
        vec![(id.to_string(), stored.unwrap_or_default())]
    };
    if context.json() {
        let mut findings = Vec::new();
        for (place, plan) in &plans {
            let found = plan_check::check(plan, issue.as_ref()).err().unwrap_or_default();
            let many = plans.len() > 1;
            findings.extend(found.into_iter().map(|finding| Finding {
                path: if many { format!("{place} {}", finding.path) } else { finding.path },
                ..finding
            }));
        }
        let valid = findings.is_empty();
        context.screen.print_json(&CheckedAnswer { valid, findings })?;
        return Ok(if valid { Exit::Done } else { Exit::Failed });
    }
    let checked = check_all(&plans, issue.as_ref()).map_err(|failure| {
        failure.retitled("; nothing was stored", "").hint("`git wf schema solution` says what a plan holds")
    })?;
    for (one, (place, _)) in checked.iter().zip(&plans) {
        let tasks = one.plan["tasks"].as_array().map_or(0, Vec::len);
        writeln!(context.screen, "{place}: {}, no fault", crate::ui::text::count(tasks, "task"))?;
    }
    Ok(Exit::Done)
}

fn list(issue: Option<&str>, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let snapshot = store.snapshot()?;
    let folders = match issue {
        Some(text) => vec![existing(&snapshot, &resolve::issue(&snapshot, text)?)?],
        None => super::list::all_issues(&snapshot, &mut 0)?,
    };
    if context.json() {
        let all: Vec<Value> = folders
            .iter()
            .flat_map(|folder| folder.solutions.iter().map(|s| answer::solution(folder, &s.record)))
            .collect();
        context.screen.print_json(&all)?;
    } else {
        solution_print::table(&folders, context)?;
    }
    Ok(Exit::Done)
}

fn show(id: &str, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let snapshot = store.snapshot()?;
    let id = resolve::solution(&snapshot, id, None)?;
    solution_print::show(&existing(&snapshot, &id.issue())?, &id, context)?;
    Ok(Exit::Done)
}
