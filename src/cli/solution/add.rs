use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use super::input::{check_all, read_plans};
use crate::cli::{Context, Exit, Failure, Force, Outcome, bind, existing};
use crate::model::id::{IssueId, SolutionId};
use crate::model::issue::StoredStatus;
use crate::model::solution::Solution;
use crate::model::status::IssueStatus;
use crate::model::uid::Uid;
use crate::rules::plan_check::Checked;
use crate::rules::{facts, moves};
use crate::store::{Read, Tx, layout, random_uid, resolve};

/// Add plans to an issue; the only plan of an issue is bound
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The issue
    issue: String,
    /// JSON objects, arrays of them, or JSON lines; `-` or nothing for stdin
    files: Vec<String>,
    /// Leave the plan unbound
    #[arg(long)]
    no_bind: bool,
    #[command(flatten)]
    force: Force,
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

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let Args { issue, files, no_bind, force } = args;
    let store = context.store()?;
    let id = resolve::issue(&store.snapshot()?, &issue)?;
    let stdin = ["-".to_owned()];
    let files = if files.is_empty() { &stdin[..] } else { &files };
    let mut plans = Vec::new();
    for file in files {
        plans.extend(read_plans(file)?);
    }
    let checked = check_all(&plans, Some(&id))?;
    let nonce = random_uid()?;
    let committed = context.transact(&store, |tx| {
        let added = store_plans(tx, &id, &checked, &nonce, &force)?;
        let folder = existing(tx, &id)?;
        let bound = match folder.solutions.as_slice() {
            [only] if !no_bind && folder.issue.record.bound_solution_id.is_none() => {
                let only = only.record.id.clone();
                bind::bind(tx, &id, &only, &force)?;
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
