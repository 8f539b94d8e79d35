//! What an agent needs at the start of a session, in few tokens.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::Serialize;

use super::{WorktreeClaim, notice_of_hooks, own, planned};
use crate::index::{self, Filter, Index, SortOrder, Use};
use crate::model::{
    Branch, Detail, Event, ExecutionId, IssueId, IssueStatus, ItemName, ItemStatus, Op, Plan, QueueStatus,
    Remedy, SolutionId, Task, TaskId,
};
use crate::ops::issues::existing;
use crate::ops::queue::QueueWorld;
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::rules::prime::{AgentSituation, current_task, open_tasks};
use crate::rules::{DependencyCycle, ExecutionFolder, IssueFolder, Means, Role, TokenBudget, Waiting, roles};
use crate::store::{Snapshot, Store};
use crate::trail::active;

/// The budget for the current execution, in tokens.
const FOR_EXECUTION: usize = 460;
/// Tokens for what is ready.
const FOR_READY: usize = 220;
/// At most this many ready items or issues are named.
const MOST_READY: usize = 5;
/// At most this many criteria are named.
const MOST_CRITERIA: usize = 8;
/// At most this many files, and this many test commands, are named.
const MOST_NAMED: usize = 4;
/// At most this many open tasks are named.
const MOST_OPEN: usize = 8;
/// At most this many dependency cycles are named.
const MOST_CYCLES: usize = 3;

#[serde_with::skip_serializing_none]
/// Where an agent is and what it has to do. Long texts are cut, and lists have few entries.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Prime {
    /// The ref that holds the records.
    pub(crate) reference: String,
    /// The name of this linked worktree; absent in the main one.
    pub(crate) worktree: Option<String>,
    /// Whether the repository has no work tree.
    #[serde(skip)]
    pub(crate) is_bare: bool,
    /// The branch that is checked out, with its full name; absent if HEAD is detached.
    pub(crate) branch: Option<Branch>,
    /// The role of the agent; absent for an owner.
    pub(crate) role: Option<Role>,
    /// What this worktree executes.
    pub(crate) execution: Option<PrimedExecution>,
    /// Why this worktree no longer holds what it executed.
    pub(crate) lost: Option<String>,
    /// The hooks that do not call git-wf, and what that means for commits; absent if there are none.
    pub(crate) hooks: Option<Detail>,
    /// Issues that depend on each other in a cycle, and how to end it; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) cycles: Vec<Detail>,
    /// What waits for this role; absent for an agent of a run, and if finding it would take long.
    pub(crate) waiting: Option<PrimedWaiting>,
    /// The five commands that it needs.
    pub(crate) commands: Vec<Remedy>,
    /// The rules that it must follow.
    pub(crate) rules: Vec<&'static str>,
}

#[serde_with::skip_serializing_none]
/// What a worktree executes.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PrimedExecution {
    /// The execution.
    pub(crate) execution_id: ExecutionId,
    /// Its issue.
    pub(crate) issue_id: IssueId,
    /// The title of the issue.
    pub(crate) title: String,
    /// Its plan.
    pub(crate) solution_id: SolutionId,
    /// The branch that it works on, with its full name.
    pub(crate) branch: Option<Branch>,
    /// How many tasks the plan has.
    pub(crate) tasks: usize,
    /// The first tasks without a commit or an accepted criterion.
    pub(crate) open: Vec<TaskId>,
    /// How many tasks are open.
    pub(crate) open_count: usize,
    /// The task to work on; absent if every task was begun.
    pub(crate) task: Option<PrimedTask>,
}

/// The task to work on. Long texts are cut, and lists have few entries: `show` has all of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PrimedTask {
    /// Its id.
    pub(crate) id: TaskId,
    /// Its title.
    pub(crate) title: String,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    /// Files that it touches.
    pub(crate) files: Vec<String>,
    /// When it counts as done.
    pub(crate) criteria: Vec<PrimedCriterion>,
    /// Its test commands.
    pub(crate) tests: Vec<String>,
    /// How many files, criteria and test commands were left out.
    pub(crate) left_out: usize,
}

/// A criterion of a task.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PrimedCriterion {
    /// Its number, from 1.
    pub(crate) number: usize,
    /// The criterion.
    pub(crate) text: String,
    /// Whether someone confirmed it.
    pub(crate) is_accepted: bool,
}

/// What waits for someone in this role.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PrimedWaiting {
    /// What these are.
    pub(crate) what: Waiting,
    /// How many there are.
    pub(crate) count: usize,
    /// The first of them.
    pub(crate) first: Vec<PrimedReady>,
}

/// An item that can be claimed, or an issue that waits.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PrimedReady {
    /// The item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) item: Option<String>,
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// Its title.
    pub(crate) title: String,
}

/// Whose context to read at the start of a session.
#[derive(Debug)]
pub(crate) struct PrimeAgent {
    /// The role; by default that of the actor.
    pub(crate) role: Option<String>,
    /// How the agent calls operations.
    pub(crate) means: Means,
}

impl PrimeAgent {
    /// An agent in the role of the actor.
    pub(crate) fn with(means: Means) -> Self {
        Self { role: None, means }
    }
}

/// The context of an agent at the start of a session; `None` without a store. Nothing is fetched, built or changed.
///
/// # Errors
/// `unknown-role`; any error from reading the store.
pub(crate) fn prime(session: &Session, PrimeAgent { role, means }: &PrimeAgent) -> Answer<Option<Prime>> {
    let store = session.store();
    if store.tip()?.is_none() {
        return Ok(session.done(None, None));
    }
    let snapshot = store.snapshot()?;
    let role = roles::acting(role.as_deref().or(store.role()))?;
    let (execution, lost) =
        primed(store, &snapshot, own(store, &snapshot)?, TokenBudget::new(FOR_EXECUTION))?;
    let in_run = store.is_in_run();
    let hooks = if execution.is_some() && !in_run { notice_of_hooks(store) } else { None };
    let situation = AgentSituation { role, executes: execution.is_some(), in_run };
    let index = if in_run { None } else { index::at_hand(store, Use::IfQuick, &mut |_, _, _| {})? };
    let cycles = match &index {
        Some(index) if roles::admit(role.map(Role::as_str), Op::Edit).is_ok() => index.cycles()?,
        _ => vec![],
    };
    let is_bare = store.work_dir().is_none();
    let mut commands = situation.commands();
    // Nothing can be executed without a work tree.
    commands
        .retain(|step| !is_bare || step.call.as_ref().is_none_or(|call| call.operation != Op::Next.into()));
    let prime = Prime {
        is_bare,
        reference: store.reference().to_owned(),
        worktree: store.worktree_name(),
        branch: store.branch()?,
        role,
        execution,
        lost: lost.and_then(|why| TokenBudget::new(FOR_READY).text(&why, 80)),
        hooks: hooks.map(|Notice { message, remedies, .. }| Detail { message, remedies }),
        cycles: cycles.iter().take(MOST_CYCLES).map(detail_of_cycle).collect(),
        waiting: if in_run { None } else { waiting(index.as_ref(), &snapshot, Waiting::for_role(role))? },
        commands,
        rules: situation.rules(*means),
    };
    Ok(session.done(Some(prime), None))
}

/// The execution of a worktree with the task to work on, or else why the worktree no longer holds what it executed.
/// Texts are cut to the budget: for people, [`TokenBudget::unlimited`].
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn primed(
    store: &Store,
    snapshot: &Snapshot<'_>,
    own: WorktreeClaim,
    budget: TokenBudget,
) -> Result<(Option<PrimedExecution>, Option<String>), Refusal> {
    let held = match own {
        WorktreeClaim::Held(held, _) => held,
        WorktreeClaim::Nothing => return Ok((None, None)),
        WorktreeClaim::Ended(active, how) => {
            return Ok((None, Some(format!("{}: it was {how}", active.solution_id))));
        }
        WorktreeClaim::Lost(active, why) => {
            return Ok((None, Some(format!("{}: {why}", active.solution_id))));
        }
    };
    let claim = &held.execution;
    let folder = existing(snapshot, &claim.issue_id)?;
    let set = active::read(store)?.and_then(|active| active.task_id);
    let plan = planned(store, &folder, &claim.solution_id)?.typed_plan();
    Ok((Some(execution_of(&folder, &held, &plan, set.as_ref(), budget)), None))
}

/// The task of an execution to work on: the one that was started, else the first open one; `None` if the plan cannot be
/// read. The claim holds anyway.
pub(super) fn task_to_do(
    store: &Store,
    folder: &IssueFolder,
    held: &ExecutionFolder,
) -> Result<Option<PrimedTask>, Refusal> {
    let Ok(plan) = planned(store, folder, &held.execution.solution_id) else { return Ok(None) };
    let plan = plan.typed_plan();
    let set = active::read(store)?.filter(|active| active.execution_id == held.execution.id);
    let set = set.and_then(|active| active.task_id);
    let task = current_task(&plan, held, set.as_deref());
    Ok(task.map(|task| shown_task(task, held)))
}

/// A task as shown to its executor.
pub(super) fn shown_task(task: &Task, held: &ExecutionFolder) -> PrimedTask {
    task_of(task, held, &mut TokenBudget::new(FOR_EXECUTION))
}

fn execution_of(
    folder: &IssueFolder,
    held: &ExecutionFolder,
    plan: &Plan,
    set: Option<&TaskId>,
    mut budget: TokenBudget,
) -> PrimedExecution {
    let claim = &held.execution;
    let open = open_tasks(plan, held);
    PrimedExecution {
        execution_id: claim.id.clone(),
        issue_id: claim.issue_id.clone(),
        title: budget.text(&folder.issue.record.title, 40).unwrap_or_default(),
        solution_id: claim.solution_id.clone(),
        branch: claim.branch.clone(),
        tasks: plan.tasks.len(),
        open: open.iter().take(MOST_OPEN).map(|task| task.id.clone()).collect(),
        open_count: open.len(),
        task: current_task(plan, held, set.map(|id| &**id)).map(|task| task_of(task, held, &mut budget)),
    }
}

fn task_of(task: &Task, held: &ExecutionFolder, budget: &mut TokenBudget) -> PrimedTask {
    let title = budget.text(&task.title, 40).unwrap_or_default();
    // The criteria matter most, so the description gets what they leave.
    let criteria = task.criteria();
    let (texts, others) = budget.texts(criteria.iter().copied(), MOST_CRITERIA, 45);
    let accepted: BTreeSet<u64> = held
        .log
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Accept(accept) if accept.task_id == task.id => Some(accept.criterion),
            _ => None,
        })
        .collect();
    let numbered = (1..).zip(texts).map(|(number, text)| {
        let is_accepted = u64::try_from(number).is_ok_and(|number| accepted.contains(&number));
        PrimedCriterion { number, text, is_accepted }
    });
    let criteria = numbered.collect();
    let commands = task.test.iter().flat_map(|test| &test.commands);
    let (tests, more_tests) = budget.texts(commands.map(String::as_str), MOST_NAMED, 35);
    let (files, more_files) = budget.texts(task.places().map(|place| place.path), MOST_NAMED, 25);
    let description = task.description.as_deref().filter(|text| !text.trim().is_empty());
    PrimedTask {
        id: task.id.clone(),
        title,
        description: description.and_then(|text| budget.text(text, 80)),
        files,
        criteria,
        tests,
        left_out: others + more_tests + more_files,
    }
}

fn detail_of_cycle(cycle: &DependencyCycle) -> Detail {
    let Notice { message, remedies, .. } = Notice::of_cycle(cycle);
    Detail { message, remedies }
}

/// What waits for a role; `None` if finding it would take long.
fn waiting(
    index: Option<&Index<'_>>,
    snapshot: &Snapshot<'_>,
    what: Waiting,
) -> Result<Option<PrimedWaiting>, Refusal> {
    let (count, found) = match what {
        Waiting::Items => {
            let world = match index {
                Some(index) => index.queues()?,
                None if index::are_queues_long(snapshot)? => return Ok(None),
                None => QueueWorld::read(snapshot)?,
            };
            ready(&world)
        }
        Waiting::Unplanned | Waiting::Unqueued => {
            let Some(index) = index else { return Ok(None) };
            let status = match what {
                Waiting::Unplanned => IssueStatus::Registered,
                _ => IssueStatus::Planned,
            };
            issues(index, status)?
        }
    };
    let mut budget = TokenBudget::new(FOR_READY);
    let mut first = Vec::new();
    for found in found {
        let item = found.item.as_ref().and_then(|name| budget.text(name, 60));
        let (Some(_), Some(title)) =
            (budget.text(found.issue_id.as_str(), 60), budget.text(&found.title, 25))
        else {
            break;
        };
        first.push(PrimedReady { item, issue_id: found.issue_id, title });
    }
    Ok(Some(PrimedWaiting { what, count, first }))
}

/// How many items can be claimed, and the first of them.
fn ready(world: &QueueWorld) -> (usize, Vec<PrimedReady>) {
    let views = world.views();
    let served = views.iter().filter(|view| view.status == QueueStatus::Active);
    let all = served.flat_map(|view| view.items.iter().map(move |item| (view, item)));
    let mut ready: Vec<_> = all.filter(|(_, item)| item.status == ItemStatus::Ready).collect();
    let count = ready.len();
    ready.truncate(MOST_READY);
    (
        count,
        ready
            .iter()
            .map(|(view, item)| {
                let id = &item.item.issue_id;
                PrimedReady {
                    item: Some(ItemName::among(views.len(), &view.queue.id, &item.item.item_id).into()),
                    issue_id: id.clone(),
                    title: world.facts.get(id).map(|issue| issue.title.clone()).unwrap_or_default(),
                }
            })
            .collect(),
    )
}

/// How many issues have this status, and the most urgent of them.
fn issues(index: &Index<'_>, status: IssueStatus) -> Result<(usize, Vec<PrimedReady>), Refusal> {
    let filter = Filter { statuses: vec![status], ..Filter::default() };
    let numbers = index.list(&filter, SortOrder::Priority, 0, Some(MOST_READY))?;
    let mut found = Vec::new();
    let _ = index.each_listed(&numbers, |row| {
        found.push(PrimedReady { item: None, issue_id: row.id, title: row.title });
        ControlFlow::<()>::Continue(())
    })?;
    Ok((index.count(&filter)?, found))
}
