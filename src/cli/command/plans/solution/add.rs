use std::collections::BTreeSet;
use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use super::input::{self, read_plans, refuse_twins};
use crate::cli::command::plans::reply_task;
use crate::cli::print::solution as solution_print;
use crate::cli::{Context, Exit, Failure, Force, Outcome, existing};
use crate::model::id::{IssueId, SolutionId};
use crate::model::issue::StoredStatus;
use crate::model::repo_path::RepoPath;
use crate::model::solution::Solution;
use crate::model::status::IssueStatus;
use crate::model::uid::Uid;
use crate::ops::plans::{self, SolutionView};
use crate::rules::folder::IssueFolder;
use crate::rules::plan_check::{self, Checked, Finding, Report, Setting};
use crate::rules::quality::LEAST;
use crate::rules::{facts, moves, replan};
use crate::store::{Read, Tx, layout, random_uid, resolve};
use crate::ui::text::count;

/// Add plans to an issue, and bind the only one, or the only new one after the bound plan failed, if it is good enough
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The issue
    issue: String,
    /// Files of JSON objects, arrays of them, or JSON lines (default, and for `-`: stdin)
    files: Vec<String>,
    /// Leave the plan unbound
    #[arg(long)]
    no_bind: bool,
    /// For an issue from GitHub: append a task that replies there, unless the plan has one
    #[arg(long)]
    add_reply_task: bool,
    #[command(flatten)]
    force: Force,
}

/// What `solution add` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Added {
    /// Plans that are bound now.
    bound: Vec<BoundPlan>,
    /// Issues for which a plan is to be chosen, with the plans: all of them, or those newer than the bound one that failed.
    pending_selection: Vec<PendingSelection>,
    /// Every plan that was stored.
    added: Vec<SolutionId>,
    /// Plans that were stored before, word for word.
    already_there: Vec<SolutionId>,
    /// What could be better in them.
    findings: Vec<AddedFinding>,
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
    /// What the plan does.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// The planner's own opinion of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// How good it is by what can be counted of it; binding needs 0.8.
    quality: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    risk: Option<String>,
    files_touched: BTreeSet<RepoPath>,
    task_count: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct AddedFinding {
    /// The plan.
    solution_id: SolutionId,
    #[serde(flatten)]
    finding: Finding,
}

impl Candidate {
    fn of(solution: &Solution) -> Self {
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

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let Args { issue, files, no_bind, add_reply_task, force } = args;
    let store = context.store()?;
    let id = resolve::issue(&store.snapshot()?, &issue)?;
    let stdin = ["-".to_owned()];
    let files = if files.is_empty() { &stdin[..] } else { &files };
    let mut plans = Vec::new();
    for file in files {
        plans.extend(read_plans(file)?);
    }
    let plans = reply_task::settle(&store, &id, plans, add_reply_task, context)?;
    let setting = Setting { issue: Some(&id), ..Setting::default() };
    let reports = input::examine(&plans, setting, Some(&store))?;
    if let Some(failure) = input::errors(&plans, &reports) {
        return Err(failure);
    }
    // Without errors there is a plan in each.
    let checked: Vec<Checked> = reports.iter().filter_map(|report| report.clone().checked().ok()).collect();
    refuse_twins(checked.iter().filter_map(|one| one.id.as_ref()))?;
    let nonce = random_uid()?;
    let committed = context.transact(&store, |tx| {
        let added = store_plans(tx, &id, &checked, &nonce, &force)?;
        let folder = existing(tx, &id)?;
        let is_added = |plan: &&Solution| added.iter().any(|(id, _)| *id == plan.id);
        let only = if no_bind { None } else { lone(&folder).filter(is_added) };
        let suffices = |plan: &&Solution| force.why().is_some() || plan_check::quality(&plan.plan).suffices();
        let bound = only.filter(suffices).map(|plan| plan.id.clone());
        if let Some(plan) = &bound {
            plans::bind_in(tx, &folder, plan, force.why().as_deref())?;
        }
        let folder = existing(tx, &id)?;
        if folder.issue.record.status == StoredStatus::Registered {
            tx.edit_issue(&id, |issue| issue.status = StoredStatus::Planning)?;
        }
        tx.note.force = force.why();
        let names: std::collections::BTreeSet<&str> = added.iter().map(|(id, _)| id.as_str()).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let and_bound = if bound.is_some() { ", bound" } else { "" };
        tx.describe("solution add", format!("solution: add {}{and_bound}", names.join(", ")));
        Ok((added, bound))
    })?;
    let (ids, bound) = committed.answer;
    // One plan may have been handed in twice.
    let mut added: Vec<(SolutionId, Report)> = Vec::new();
    let mut known: BTreeSet<SolutionId> = BTreeSet::new();
    for ((id, is_new), report) in ids.into_iter().zip(reports) {
        if !is_new {
            known.insert(id.clone());
        }
        if !added.iter().any(|(known, _)| *known == id) {
            added.push((id, report));
        }
    }
    let folder = existing(&store.snapshot()?, &id)?;
    let outcome = Stored { folder, added, known, bound, changed: committed.commit.is_some(), no_bind };
    outcome.tell_unbound(context);
    if context.json() {
        context.screen.print_json(&outcome.answer())?;
        return Ok(Exit::Done);
    }
    outcome.print(context)?;
    outcome.warn(context);
    Ok(Exit::Done)
}

/// The one plan that there is to bind: the only one of an issue with none bound, or the only one that is newer than the
/// bound one which failed.
fn lone(folder: &IssueFolder) -> Option<&Solution> {
    match (&folder.issue.record.bound_solution_id, folder.solutions.as_slice()) {
        (None, [only]) => Some(&only.record),
        (Some(_), _) => match replan::newer(folder)[..] {
            [newer] => Some(newer),
            _ => None,
        },
        _ => None,
    }
}

/// Stores what is new; the id of each plan, and whether it is new. A plan that is there already, word for word, is left
/// alone.
fn store_plans(
    tx: &mut Tx<'_>,
    issue: &IssueId,
    plans: &[Checked],
    nonce: &Uid,
    force: &Force,
) -> Result<Vec<(SolutionId, bool)>, Failure> {
    let mut added: Vec<(SolutionId, bool)> = Vec::new();
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
        if let Some(twice) = added.iter().find(|(added, _)| *added == id).cloned() {
            added.push(twice);
            continue;
        }
        if let Some(there) = existing(tx, issue)?.solution(&id) {
            if there.plan_digest() == digest {
                added.push((id, false));
                continue;
            }
            return Err(Failure::new("exists", format!("another plan already has the id `{id}`"))
                .hint("omit the id to get a new one"));
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
        added.push((id, true));
    }
    Ok(added)
}

/// What came of it.
struct Stored {
    folder: IssueFolder,
    added: Vec<(SolutionId, Report)>,
    /// Those of them that were stored before.
    known: BTreeSet<SolutionId>,
    bound: Option<SolutionId>,
    changed: bool,
    no_bind: bool,
}

impl Stored {
    /// The plans of which one is to be chosen: all where none is bound, the newer ones where the bound one failed.
    fn pending(&self) -> Vec<&Solution> {
        match &self.folder.issue.record.bound_solution_id {
            None => self.folder.solutions.iter().map(|it| &it.record).collect(),
            Some(_) => replan::newer(&self.folder),
        }
    }

    /// Says which plan will be executed where it is not one of those that were added.
    fn tell_unbound(&self, context: &Context) {
        let issue = &self.folder.issue.record;
        if !context.json() && !context.screen.is_terminal() {
            for id in &self.known {
                context
                    .warn(&format!("{id} was stored before, with the same content; it was not added again"));
            }
        }
        let bind = format!("`git wf bind {} SOLUTION` chooses another", issue.id);
        let is_added = |id: &SolutionId| self.added.iter().any(|(added, _)| added == id);
        let pending = self.pending().len();
        for (id, _) in self.added.iter().filter(|(id, _)| self.names_no_file(id)) {
            context.warn(&format!(
                "{id} names no file, so nothing keeps it apart from other plans; `git wf solution check {id}` says where files are named"
            ));
        }
        match &issue.bound_solution_id {
            Some(failed) if pending > 1 && !context.json() && !context.screen.is_terminal() => {
                context.warn(&format!(
                    "{0} failed with {failed}, and has {pending} newer plans: `git wf bind {0} SOLUTION` chooses one",
                    issue.id
                ));
            }
            Some(_) if pending > 0 => {}
            Some(bound) if !is_added(bound) && !self.no_bind && self.changed => {
                let them: Vec<&str> = self.added.iter().map(|(id, _)| id.as_str()).collect();
                let are = if them.len() == 1 { "is" } else { "are" };
                context
                    .warn(&format!("{} {are} not bound: {bound} stays bound, and {bind}", them.join(", ")));
            }
            // A terminal and JSON show the choice.
            None if self.folder.solutions.len() > 1 && !context.json() && !context.screen.is_terminal() => {
                let plans = count(self.folder.solutions.len(), "plan");
                context.warn(&format!(
                    "{0} has {plans}, and none is bound: `git wf bind {0} SOLUTION` chooses one",
                    issue.id
                ));
            }
            _ => {}
        }
    }

    /// Whether somebody could change the same files meanwhile and nobody would notice.
    fn names_no_file(&self, id: &SolutionId) -> bool {
        self.added
            .iter()
            .filter(|(added, _)| added == id)
            .any(|(_, report)| report.findings.iter().any(|it| it.rule == plan_check::NO_FILES_RULE))
    }

    fn answer(self) -> Added {
        let issue_id = self.folder.issue.record.id.clone();
        let candidates: Vec<Candidate> = self.pending().into_iter().map(Candidate::of).collect();
        let count = |id: &SolutionId| {
            self.folder.solution(id).map_or(0, |solution| solution.typed_plan().tasks.len())
        };
        let bound = self.bound.iter().map(|id| BoundPlan {
            issue_id: issue_id.clone(),
            solution_id: id.clone(),
            task_count: count(id),
        });
        let bound = bound.collect();
        let (mut added, mut already_there) = (Vec::new(), Vec::new());
        let mut findings = Vec::new();
        for (id, report) in self.added {
            let of = |finding| AddedFinding { solution_id: id.clone(), finding };
            findings.extend(report.findings.into_iter().map(of));
            if self.known.contains(&id) { already_there.push(id) } else { added.push(id) }
        }
        let pending_selection = if candidates.is_empty() {
            vec![]
        } else {
            vec![PendingSelection { issue_id, solutions: candidates }]
        };
        Added { bound, pending_selection, added, already_there, findings }
    }

    fn print(&self, context: &mut Context) -> Result<(), Failure> {
        if !context.screen.is_terminal() {
            for (id, _) in &self.added {
                writeln!(context.screen, "{id}")?;
            }
            return Ok(());
        }
        for (id, _) in &self.added {
            let verb = if self.known.contains(id) { "already stored:" } else { "added" };
            let is_bound = if self.bound.as_ref() == Some(id) { ", and bound it" } else { "" };
            writeln!(context.screen, "{verb} {id}{is_bound}")?;
        }
        let issue = &self.folder.issue.record.id;
        let status = facts::status(&self.folder);
        let pending = self.pending().len();
        if pending > 0 {
            let plans = count(pending, "plan");
            writeln!(context.screen, "{plans} to choose from: `git wf bind {issue} SOLUTION`")?;
            solution_print::table(&mut context.screen, &SolutionView::all(&self.folder))?;
        } else if self.bound.is_none() && status != IssueStatus::Planned {
            writeln!(context.screen, "{issue} is {status}")?;
        }
        Ok(())
    }

    /// What could be better, beside the answer: in one line where the plan is good enough, else in full.
    fn warn(&self, context: &Context) {
        let issue = &self.folder.issue.record.id;
        for (id, report) in self.added.iter().filter(|(_, report)| !report.findings.is_empty()) {
            let quality = report.quality.total();
            let would_bind = !self.no_bind && matches!(self.pending()[..], [one] if one.id == *id);
            if report.quality.suffices() || !would_bind {
                let things = count(report.findings.len(), "warning");
                context.warn(&format!(
                    "{id} has a quality of {quality:.2} and {things}; `git wf solution check {id}` lists them"
                ));
                continue;
            }
            context.warn(&format!(
                "{id} is not bound: its quality is {quality:.2}; binding requires {LEAST} or more"
            ));
            for finding in &report.findings {
                context.warn(&finding.to_string());
            }
            context.warn(&format!(
                "`git wf solution check {id}` says what to do, `git wf task edit` does it, and `git wf bind {issue} {id}` binds it"
            ));
        }
    }
}
