use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use super::claim::{self, Own};
use super::world::World;
use super::{Context, Exit, Failure, Outcome, existing, queue_print};
use crate::index;
use crate::model::execution::Execution;
use crate::model::id::{ExecutionId, IssueId, ItemId, QueueId, SolutionId};
use crate::model::status::{ExecutionStatus, ItemStatus};
use crate::model::time::Time;
use crate::model::uid::Uid;
use crate::rules::facts;
use crate::rules::folder::ExecutionFolder;
use crate::rules::readiness::{ItemView, QueueView};
use crate::store::{Read, Store, Tx, fault, random_uid, records};
use crate::trail::active::{self, Active};
use crate::ui::style;

/// Take the next item that is ready: claim it, and bind this worktree and branch to it
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Take this item: S-1, QUE-…:S-1, or the id of a plan or issue
    item: Option<String>,
}

/// What `next` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Claim {
    #[serde(skip_serializing_if = "Option::is_none")]
    queue_id: Option<QueueId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    item_id: Option<ItemId>,
    issue_id: IssueId,
    solution_id: SolutionId,
    /// The plan as it was claimed.
    plan_digest: String,
    execution_id: ExecutionId,
    /// 1 for the first attempt at the issue.
    attempt: u64,
    /// Only commits on this branch are bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    /// Until when the claim is good; each commit renews it.
    lease_expires_at: Time,
}

impl Claim {
    fn of(folder: &ExecutionFolder) -> Self {
        let it = &folder.execution;
        Self {
            queue_id: it.queue_id.clone(),
            item_id: it.item_id.clone(),
            issue_id: it.issue_id.clone(),
            solution_id: it.solution_id.clone(),
            plan_digest: it.plan_digest.clone(),
            execution_id: it.id.clone(),
            attempt: it.attempt,
            branch: it.branch.as_deref().map(short_branch).map(str::to_owned),
            lease_expires_at: folder.lease_expires_at(),
        }
    }
}

fn short_branch(name: &str) -> &str {
    name.strip_prefix("refs/heads/").unwrap_or(name)
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    store.snapshot()?;
    if store.work_dir().is_none() {
        return Err(Failure::new("bare", "a bare repository has no work tree to execute a plan in")
            .hint("run `git wf next` in a clone or in a worktree (`git worktree add`)"));
    }
    // Two that ask at once in one worktree get one claim: the second is answered with it.
    let _alone = active::lock(&store)?;
    let snapshot = store.snapshot()?;
    if let Some(held) = held(&store, &snapshot, context)? {
        let other = match &args.item {
            Some(text) => {
                super::world::item(&store, &snapshot, text)?.1.solution_id != held.execution.solution_id
            }
            None => false,
        };
        if other {
            return Err(Failure::new(
                "claim-held",
                format!("this worktree executes `{}` already", held.execution.solution_id),
            )
            .hint("`git wf done` or `git wf fail` ends that; another worktree can take another item"));
        }
        bind_worktree(&store, &held.execution)?;
        return answer(&store, &held.execution.id, false, context);
    }
    let branch = store.branch()?.ok_or_else(|| {
        Failure::new(
            "detached-head",
            "HEAD is detached, and an execution needs a branch that its commits are bound on",
        )
        .hint("`git switch -c NAME` makes one")
    })?;
    let lease = store.lease()?;
    let nonce = random_uid()?;
    active::begin(&store, &nonce)?;
    let index = index::at_hand(&store);
    let claimed = context.transact(&store, |tx| {
        let world = World::of(tx, index.as_ref())?;
        let views = world.views();
        let (queue, item) = match &args.item {
            Some(text) => named(&store, tx, &views, text)?,
            None => first_ready(&views)?,
        };
        let execution = execution(tx, &store, queue, item, &branch, lease, &nonce)?;
        tx.create_execution(&execution)?;
        let of = execution.item_id.as_ref().map(|item| format!(" as {item}")).unwrap_or_default();
        tx.describe(
            "next",
            format!("execution: claim {}{of} (attempt {})", execution.solution_id, execution.attempt),
        );
        Ok(execution)
    });
    let execution = match claimed {
        Ok(committed) => committed.answer,
        Err(failure) => {
            active::forget(&store)?;
            return Err(failure);
        }
    };
    fault::point("claimed");
    bind_worktree(&store, &execution)?;
    answer(&store, &execution.id, true, context)
}

/// The claim that this worktree holds: the one it is bound to, or one that was made just before the program died.
fn held(store: &Store, read: &impl Read, context: &Context) -> Result<Option<ExecutionFolder>, Failure> {
    if let Own::Held(execution) = claim::own(store, read)? {
        return Ok(Some(*execution));
    }
    claim::warn_if_lost(store, read, context)?;
    active::clear(store)?;
    let Some(nonce) = active::begun(store)? else { return Ok(None) };
    for issue in records::issue_ids(read)? {
        for id in records::execution_ids(read, &issue)? {
            if id.uid() == nonce.as_str() {
                return holding(read, &issue, &id);
            }
        }
    }
    active::forget(store)?;
    Ok(None)
}

/// The execution where it still is under way and holds its issue.
fn holding(read: &impl Read, issue: &IssueId, id: &ExecutionId) -> Result<Option<ExecutionFolder>, Failure> {
    let Some(folder) = records::issue(read, issue)? else { return Ok(None) };
    let holder = facts::holder(&folder)
        .filter(|it| it.execution.id == *id && it.outcome() == ExecutionStatus::Executing);
    Ok(holder.cloned())
}

fn bind_worktree(store: &Store, execution: &Execution) -> Result<(), Failure> {
    active::write(
        store,
        &Active {
            execution_id: execution.id.clone(),
            issue_id: execution.issue_id.clone(),
            solution_id: execution.solution_id.clone(),
            queue_id: execution.queue_id.clone(),
            item_id: execution.item_id.clone(),
            branch: execution.branch.clone().unwrap_or_default(),
            task_id: None,
        },
    )?;
    Ok(active::forget(store)?)
}

fn first_ready(views: &[QueueView]) -> Result<(&QueueView, &ItemView), Failure> {
    for view in views {
        if let Some(item) = view.items.iter().find(|it| it.status == ItemStatus::Ready) {
            return Ok((view, item));
        }
    }
    let mut counts: BTreeMap<ItemStatus, usize> = BTreeMap::new();
    let mut reasons: BTreeSet<String> = BTreeSet::new();
    for view in views.iter().filter(|view| view.status != "archived") {
        for it in &view.items {
            *counts.entry(it.status).or_default() += 1;
            let name = queue_print::item_name(views, &view.queue.id, it);
            reasons.extend(it.blocked_by.iter().map(|blocker| format!("{name} waits: {}", blocker.reason)));
        }
    }
    if counts.is_empty() {
        return Err(Failure::nothing("no item is queued")
            .hint("`git wf queue add ISSUE` puts a bound plan into a queue"));
    }
    let counts: Vec<String> = counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
    Err(Failure::nothing(format!("no item is ready: {}", counts.join(", ")))
        .details(reasons.into_iter().collect())
        .hint("`git wf queue show` shows the items"))
}

fn named<'a>(
    store: &Store,
    tx: &Tx<'_>,
    views: &'a [QueueView],
    text: &str,
) -> Result<(&'a QueueView, &'a ItemView), Failure> {
    let (queue, item) = super::world::item(store, tx, text)?;
    let view = views.iter().find(|view| view.queue.id == queue);
    let it = view.and_then(|view| view.items.iter().find(|it| it.item.solution_id == item.solution_id));
    let (Some(view), Some(it)) = (view, it) else {
        return Err(Failure::new("not-found", format!("there is no item `{text}`"))
            .hint("`git wf queue show` shows the items"));
    };
    if it.status == ItemStatus::Ready {
        return Ok((view, it));
    }
    let reasons = it.blocked_by.iter().map(|blocker| blocker.reason.clone()).collect();
    let hint = match it.status {
        ItemStatus::Failed => format!("`git wf retry {}` queues it again", it.item.issue_id),
        ItemStatus::Completed => format!("`git wf reopen {}` takes it up again", it.item.issue_id),
        ItemStatus::Executing => format!("`git wf show {}` shows who executes it", it.item.issue_id),
        _ => "`git wf next` takes the first item that is ready".into(),
    };
    Err(Failure::nothing(format!("item `{text}` is {}, not ready", it.status)).details(reasons).hint(hint))
}

fn execution(
    tx: &Tx<'_>,
    store: &Store,
    queue: &QueueView,
    item: &ItemView,
    branch: &str,
    lease: i64,
    nonce: &Uid,
) -> Result<Execution, Failure> {
    let folder = existing(tx, &item.item.issue_id)?;
    let attempt = folder.executions.iter().map(|it| it.execution.attempt).max().unwrap_or(0) + 1;
    let now = tx.stamper().now();
    Ok(Execution {
        id: ExecutionId::made(&item.item.issue_id, nonce),
        issue_id: item.item.issue_id.clone(),
        solution_id: item.item.solution_id.clone(),
        plan_digest: item.item.plan_digest.clone(),
        plan_commit: tx.base().commit().to_string(),
        queue_id: Some(queue.queue.id.clone()),
        item_id: Some(item.item.item_id.clone()),
        attempt,
        actor: tx.person().to_owned(),
        role: store.identity()?.role,
        branch: Some(branch.to_owned()),
        base_commit: store.head()?.map(|id| id.to_string()),
        worktree: store.worktree_name(),
        via: None,
        supersedes: vec![],
        started_at: now,
        lease_expires_at: now.plus_millis(lease),
    })
}

fn answer(store: &Store, id: &ExecutionId, is_new: bool, context: &mut Context) -> Outcome {
    let snapshot = store.snapshot()?;
    let folder = existing(&snapshot, &id.issue())?;
    let Some(execution) = folder.executions.iter().find(|it| it.execution.id == *id) else {
        return Err(Failure::unreadable(&format!("execution `{id}`")));
    };
    let claim = Claim::of(execution);
    if let Some(bound) = &claim.branch
        && store.branch()? != execution.execution.branch
    {
        context.warn(&format!("commits here are not bound: only those on `{bound}` are"));
    }
    if context.json() {
        context.screen.print_json(&claim)?;
        return Ok(Exit::Done);
    }
    let painter = context.screen.painter();
    let verb = if is_new { "took" } else { "still has" };
    let item = claim.item_id.as_ref().map(|item| format!(" {item}")).unwrap_or_default();
    writeln!(
        context.screen,
        "{verb}{item}: {} (attempt {}) on {}",
        painter.paint(style::ID, claim.solution_id.as_str()),
        claim.attempt,
        claim.branch.as_deref().unwrap_or("no branch")
    )?;
    writeln!(context.screen, "  {}", painter.paint(style::HEADING, &folder.issue.record.title))?;
    writeln!(
        context.screen,
        "  until {}, renewed by each commit; `git wf detail` shows the plan",
        claim.lease_expires_at
    )?;
    Ok(Exit::Done)
}
