//! The overview: what this worktree executes, what is ready, what is blocked and why, what waits for the user, and what
//! to do next. The terminal, the board and the browser show the same.

mod attention;
mod sync_state;

pub(crate) use attention::{Attention, AttentionKind};
pub(crate) use sync_state::SyncState;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::{Filter, Index, Needs, Sort};
use crate::model::hash::CommitHash;
use crate::model::id::{IssueId, QueueId, SolutionId};
use crate::model::op::Other;
use crate::model::remedy::{Call, Remedy};
use crate::model::status::{IssueStatus, ItemStatus};
use crate::ops::queue::{World, item_name};
use crate::ops::work::{self, PrimedExecution};
use crate::ops::{Answer, Refusal, Session};
use crate::rules::facts::IssueFacts;
use crate::rules::next_steps::{Situation, next_steps};
use crate::rules::readiness::{Blocker, ItemView, QueueView};
use crate::rules::roles::{self, Role};
use crate::sync;

/// Where someone is.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Home {
    /// The ref that holds the records.
    pub(crate) reference: String,
    /// The commit that it points to; absent if there is no store yet. Then the following fields, up to `next`, are empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tip: Option<CommitHash>,
    /// The name of this linked worktree; absent in the main one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) worktree: Option<String>,
    /// Whether the repository is bare, so that nothing can be executed in it; absent if not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_bare: bool,
    /// The branch that is checked out; absent if HEAD is detached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) branch: Option<String>,
    /// The role of the user; absent for an owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) role: Option<Role>,
    /// What this worktree executes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) execution: Option<PrimedExecution>,
    /// Why this worktree no longer holds what it executed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lost: Option<String>,
    /// How many issues have each status.
    pub(crate) issues: BTreeMap<IssueStatus, usize>,
    /// Issues that cannot be read.
    pub(crate) broken: usize,
    /// The items that can be claimed.
    pub(crate) ready: HomeItems,
    /// The items that wait, and for what.
    pub(crate) blocked: HomeItems,
    /// What waits for the user, grouped by kind, in the order in which to look at it.
    pub(crate) attention: Vec<Attention>,
    /// How this clone and the remote differ.
    pub(crate) sync: SyncState,
    /// What to do next, at most two commands.
    pub(crate) next: Vec<Remedy>,
}

/// Items of the active queues.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct HomeItems {
    /// How many there are.
    pub(crate) count: usize,
    /// The first of them.
    pub(crate) first: Vec<HomeItem>,
}

/// An item of a queue.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HomeItem {
    /// Its name, unique over all queues: `S-1`, or `QUE-…:S-1` if there are several.
    pub(crate) item: String,
    /// Its queue.
    pub(crate) queue_id: QueueId,
    /// Its issue.
    pub(crate) issue_id: IssueId,
    /// The title of the issue.
    pub(crate) title: String,
    /// Its plan.
    pub(crate) solution_id: SolutionId,
    /// What it waits for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) blocked_by: Vec<Blocker>,
}

/// The overview. Each list has at most `most` entries and a count of all. Nothing is fetched or changed.
///
/// # Errors
/// `unknown-role`; any error from reading the store.
pub(crate) fn home(session: &Session, most: usize) -> Answer<Home> {
    let store = session.store();
    let role = roles::acting(store.role())?;
    let Some(tip) = store.tip()? else { return Ok(session.done(without_store(session, role)?, None)) };
    let (index, ((counts, broken), known)) =
        session.ask(Needs::ROWS, |index| Ok((index.counts()?, index.queues()?)))?;
    let snapshot = index.snapshot()?;
    let world = World::from(known);
    let views = world.views();
    let own = work::own(store, &snapshot)?;
    session.notice_all(own.notice());
    let (execution, lost) = work::primed(store, &snapshot, own)?;
    session.notice_all(execution.as_ref().and_then(|_| work::notice_of_hooks(store)));
    let issues: BTreeMap<IssueStatus, usize> = counts.into_iter().collect();
    let attention = attention::all(session, &index, &snapshot, &views, most)?;
    let sync = SyncState::of(store)?;
    let (ready, blocked) = (items(&world, &views, most, is_ready), items(&world, &views, most, is_blocked));
    let first = |status: IssueStatus| first_with(&index, status);
    let next = next_steps(&Situation {
        role,
        open_tasks: execution.as_ref().map(|it| it.open_count),
        attention: attention.iter().flat_map(|group| &group.first).flat_map(|it| &it.remedies).collect(),
        // A bare repository has no work tree to execute an item in.
        ready: if store.work_dir().is_some() { ready.count } else { 0 },
        planned: first(IssueStatus::Planned)?,
        unplanned: first(IssueStatus::Registered)?,
        issues: issues.values().sum(),
        differs: sync.ahead.unwrap_or_default() + sync.behind.unwrap_or_default() > 0,
    });
    let home = Home {
        tip: Some(tip.into()),
        execution,
        lost,
        issues,
        broken,
        ready,
        blocked,
        attention,
        sync,
        next,
        ..place(session, role)?
    };
    Ok(session.done(home, None))
}

/// The location and the role of the user, without anything from the store.
fn place(session: &Session, role: Option<Role>) -> Result<Home, Refusal> {
    let store = session.store();
    let branch = store.branch()?;
    Ok(Home {
        reference: store.reference().to_owned(),
        tip: None,
        worktree: store.worktree_name(),
        is_bare: store.work_dir().is_none(),
        branch: branch.map(|name| name.strip_prefix("refs/heads/").unwrap_or(&name).to_owned()),
        role,
        execution: None,
        lost: None,
        issues: BTreeMap::new(),
        broken: 0,
        ready: HomeItems::default(),
        blocked: HomeItems::default(),
        attention: vec![],
        sync: SyncState::default(),
        next: vec![],
    })
}

/// The overview of a repository without a store, with the remote from which `init` would fetch.
fn without_store(session: &Session, role: Option<Role>) -> Result<Home, Refusal> {
    let remote = sync::remote::to_begin_with(session.store(), None)?;
    let does = match &remote {
        Some(remote) => format!("creates the store, or fetches that of `{remote}`"),
        None => "creates the store".to_owned(),
    };
    let next = vec![
        Remedy::call(Call::from(Other::Init).flag("hooks"), format!("{does}, and installs the git hooks")),
        Remedy::call(Other::Demo, "shows a session in a repository of its own"),
    ];
    Ok(Home { next, sync: SyncState { remote, ..SyncState::default() }, ..place(session, role)? })
}

fn is_ready(item: &ItemView) -> bool {
    item.status == ItemStatus::Ready
}

/// Whether an item waits for another one or for a decision.
fn is_blocked(item: &ItemView) -> bool {
    let waits = matches!(item.status, ItemStatus::Blocked | ItemStatus::Pending);
    waits && !item.blocked_by.is_empty()
}

/// The items that fit, in the active queues.
fn items(world: &World, views: &[QueueView], most: usize, fits: fn(&ItemView) -> bool) -> HomeItems {
    let served = views.iter().filter(|view| view.status == "active");
    let all: Vec<(&QueueView, &ItemView)> = served
        .flat_map(|view| view.items.iter().map(move |it| (view, it)))
        .filter(|(_, it)| fits(it))
        .collect();
    let one = |(view, it): &(&QueueView, &ItemView)| HomeItem {
        item: item_name(views.len(), &view.queue.id, &it.item),
        queue_id: view.queue.id.clone(),
        issue_id: it.item.issue_id.clone(),
        title: world
            .facts
            .get(&it.item.issue_id)
            .map(|issue: &IssueFacts| issue.title.clone())
            .unwrap_or_default(),
        solution_id: it.item.solution_id.clone(),
        blocked_by: it.blocked_by.clone(),
    };
    HomeItems { count: all.len(), first: all.iter().take(most).map(one).collect() }
}

/// The most urgent issue with this status, preferably an unblocked one.
fn first_with(index: &Index<'_>, status: IssueStatus) -> Result<Option<IssueId>, Refusal> {
    let first = |unblocked| {
        let filter = Filter { statuses: vec![status], unblocked, ..Filter::default() };
        index.list(&filter, Sort::Priority, (0, Some(1)))
    };
    let mut numbers = first(true)?;
    if numbers.is_empty() {
        numbers = first(false)?;
    }
    let mut found = None;
    let _ = index.each_listed(&numbers, |row| {
        found = IssueId::parse(&row.id).ok();
        ControlFlow::<()>::Continue(())
    })?;
    Ok(found)
}
