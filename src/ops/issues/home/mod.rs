//! The overview: what this worktree executes, what is ready, what is queued but not ready and why, what waits for the user, and what
//! to do next. The terminal, the board and the browser show the same.

mod attention;
mod landings;
mod leases;
mod outside;
mod runs;
mod sync_state;

pub(crate) use attention::{Attention, AttentionItem, AttentionKind};
pub(crate) use outside::HomeIssues;
pub(crate) use sync_state::SyncState;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::{Filter, Index, Needs, QueueWorld, SortOrder};
use crate::model::{
    Branch, CommitHash, IssueId, IssueStatus, Item, ItemName, ItemStatus, Other, Policy, Queue, QueueId,
    QueueStatus, Remedy, RemedyCall, SolutionId,
};
use crate::ops::queue::{self, ClaimBase};
use crate::ops::work::runs::workplaces::{self, RunWorkplace};
use crate::ops::work::{self, PrimedExecution, WorktreeClaim};
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::rules::next_steps::{Situation, next_steps};
use crate::rules::readiness::in_order;
use crate::rules::{Blocker, DependencyCycle, Facts, InOrder, Role, TokenBudget, roles};
use crate::store::Snapshot;
use crate::sync;

/// Where you are, what waits for you, and what to do next.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Home {
    /// The ref that holds the records.
    pub(crate) reference: String,
    /// The commit that it points to; absent if there is no store yet. Then the following fields, up to `next`, are empty.
    pub(crate) tip: Option<CommitHash>,
    /// The name of this linked worktree; absent in the main one.
    pub(crate) worktree: Option<String>,
    /// Whether the repository is bare, so that nothing can be executed in it; absent if not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_bare: bool,
    /// The branch that is checked out, with its full name; absent if HEAD is detached.
    pub(crate) branch: Option<Branch>,
    /// The branch on which work lands, with its full name; absent if there is none.
    pub(crate) target: Option<Branch>,
    /// The role of the user; absent for an owner.
    pub(crate) role: Option<Role>,
    /// What this worktree executes.
    pub(crate) execution: Option<PrimedExecution>,
    /// The workplaces in which agents of runs are at work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) workplaces: Vec<RunWorkplace>,
    /// Why this worktree no longer holds what it executed.
    pub(crate) lost: Option<String>,
    /// How many issues have each status.
    pub(crate) issues: BTreeMap<IssueStatus, usize>,
    /// Issues that cannot be read.
    pub(crate) broken: usize,
    /// The items that can be claimed.
    pub(crate) ready: HomeItems,
    /// The items that wait, and for what.
    pub(crate) blocked: HomeItems,
    /// Issues outside the queues that wait for no other issue.
    pub(crate) unblocked: HomeIssues,
    /// Issues outside the queues that wait for others.
    pub(crate) waiting: HomeIssues,
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
    #[schemars(with = "String")]
    pub(crate) item: ItemName,
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

/// The overview, with at most `most` entries of each list and a count of all. Nothing is fetched or changed.
///
/// # Errors
/// `unknown-role`; any error from reading the store.
pub(crate) fn home(session: &Session, most: usize) -> Answer<Home> {
    let store = session.store();
    let role = roles::acting(store.role())?;
    let Some(tip) = store.tip()? else { return Ok(session.done(without_store(session, role)?, None)) };
    let (index, target, ((counts, broken), known)) =
        session.ask_landed(Needs::ROWS, |index| Ok((index.counts()?, index.queues_for_states()?)))?;
    let snapshot = index.snapshot()?;
    let QueueWorld { queues, mut facts, policy } = known;
    queue::note_absent(store, &snapshot, &ClaimBase::Head, &queues, &mut facts, Some(&index))?;
    let several = queues.len();
    let served = Served::all(in_order(&queues, &facts, &policy));
    let (execution, lost) = executed(session, &snapshot)?;
    let issues: BTreeMap<IssueStatus, usize> = counts.into_iter().collect();
    let cycles = index.cycles()?;
    let world = attention::AttentionFacts {
        session,
        index: &index,
        snapshot: &snapshot,
        served: &served,
        cycles: &cycles,
        counts: &issues,
        most,
    };
    let attention = world.all()?;
    let (unblocked, waiting) = outside::issues(&index, &snapshot, &issues, &cycles, most)?;
    let home = Home {
        tip: Some(tip.into()),
        target: target.map(|target| target.branch),
        execution,
        workplaces: workplaces::live(store, None),
        lost,
        issues,
        broken,
        ready: items(&served, &facts, several, most, is_ready),
        blocked: items(&served, &facts, several, most, is_blocked),
        unblocked,
        waiting,
        attention,
        sync: or_told(session, SyncState::load(session))?,
        ..place(session, role)?
    };
    let next = next_steps(&situation(session, &home, &index, &policy, &cycles)?);
    Ok(session.done(Home { next, ..home }, None))
}

/// What this worktree executes, or why it no longer holds what it executed.
fn executed(
    session: &Session,
    snapshot: &Snapshot<'_>,
) -> Result<(Option<PrimedExecution>, Option<String>), Refusal> {
    let store = session.store();
    let own = work::own(store, snapshot)?;
    session.notice_all(own.notice());
    session.notice_all(work::notice_of_place(store, &own)?);
    let is_held = matches!(own, WorktreeClaim::Held(..));
    let executed = or_told(session, work::primed(store, snapshot, own, TokenBudget::unlimited()))?;
    if is_held {
        session.notice_all(work::notice_of_hooks(store));
    }
    Ok(executed)
}

/// What the next step depends on.
fn situation<'a>(
    session: &Session,
    home: &'a Home,
    index: &Index<'_>,
    policy: &Policy,
    cycles: &[DependencyCycle],
) -> Result<Situation<'a>, Refusal> {
    let attention = home.attention.iter().flat_map(|group| &group.first);
    let planned = if home.issues.contains_key(&IssueStatus::Planned) {
        outside::first_to_queue(index, policy)?
    } else {
        None
    };
    Ok(Situation {
        is_person: session.caller().is_none(),
        role: home.role,
        open_tasks: home.execution.as_ref().map(|execution| execution.open_count),
        attention: attention.flat_map(|item| &item.remedies).collect(),
        // A bare repository has no work tree to execute an item in.
        ready: if home.is_bare { 0 } else { home.ready.count },
        is_detached: home.branch.is_none(),
        planned,
        unplanned: first_with(index, IssueStatus::Registered)?
            .filter(|id| !cycles.iter().any(|cycle| cycle.issues().contains(id))),
        issues: home.issues.values().sum(),
        executing: home.issues.get(&IssueStatus::Executing).copied().unwrap_or_default(),
        differs: home.sync.ahead.unwrap_or_default() + home.sync.behind.unwrap_or_default() > 0,
    })
}

/// A part of the overview; what is wrong with it is told, and the rest is shown.
fn or_told<T: Default>(session: &Session, part: Result<T, Refusal>) -> Result<T, Refusal> {
    match part {
        Err(refusal) if !refusal.is_stop() => {
            session.notice(Notice { remedies: refusal.remedies, ..Notice::warning(refusal.message) });
            Ok(T::default())
        }
        part => part,
    }
}

/// The location and the role of the user, without anything from the store.
fn place(session: &Session, role: Option<Role>) -> Result<Home, Refusal> {
    let store = session.store();
    Ok(Home {
        reference: store.reference().to_owned(),
        worktree: store.worktree_name(),
        is_bare: store.work_dir().is_none(),
        branch: store.branch()?,
        role,
        ..Home::default()
    })
}

/// The overview of a repository without a store, with the remote from which `init` would fetch.
fn without_store(session: &Session, role: Option<Role>) -> Result<Home, Refusal> {
    let remote = sync::remote::to_begin_with(session.store(), None)?;
    let does = match &remote {
        Some(remote) => format!("creates the store, or fetches that of `{remote}`"),
        None => "creates the store".to_owned(),
    };
    // Nothing is committed in a bare repository.
    let init = match session.store().work_dir() {
        Some(_) => Remedy::call(
            RemedyCall::from(Other::Init).flag("hooks"),
            format!("{does}, and installs the git hooks"),
        ),
        None => Remedy::call(Other::Init, does),
    };
    let next = vec![init, Remedy::call(Other::Demo, "shows a session in a repository of its own")];
    Ok(Home { next, sync: SyncState { remote, ..SyncState::default() }, ..place(session, role)? })
}

/// The state of an item, and what it waits for.
type State = (ItemStatus, Vec<Blocker>);

/// An active queue with unfinished items.
struct Served<'a> {
    queue: InOrder<'a>,
    states: Vec<State>,
}

impl<'a> Served<'a> {
    fn all(queues: Vec<InOrder<'a>>) -> Vec<Self> {
        let all = queues.into_iter().map(|queue| (queue.states(), queue));
        let served = all.filter(|(states, queue)| queue.status(states) == QueueStatus::Active);
        served.map(|(states, queue)| Self { queue, states }).collect()
    }
}

fn is_ready((status, _): &State) -> bool {
    *status == ItemStatus::Ready
}

/// Whether something is in the way of an item: a decision, or what it waits for.
fn is_blocked((status, blocked_by): &State) -> bool {
    matches!(status, ItemStatus::Blocked | ItemStatus::Pending) && !blocked_by.is_empty()
}

/// The items of a kind in the queues that are served; there are `several` queues.
fn items(
    served: &[Served<'_>],
    facts: &Facts,
    several: usize,
    most: usize,
    fits: fn(&State) -> bool,
) -> HomeItems {
    let all = served.iter().flat_map(|served| {
        let items = served.queue.items().iter().zip(&served.states);
        items.filter(|(_, state)| fits(state)).map(|(item, state)| (served.queue.queue(), *item, state))
    });
    let all: Vec<(&Queue, &Item, &State)> = all.collect();
    HomeItems {
        count: all.len(),
        first: all
            .iter()
            .take(most)
            .map(|(queue, item, (_, blocked_by))| HomeItem {
                item: ItemName::among(several, &queue.id, &item.item_id),
                queue_id: queue.id.clone(),
                issue_id: item.issue_id.clone(),
                title: facts.get(&item.issue_id).map(|issue| issue.title.clone()).unwrap_or_default(),
                solution_id: item.solution_id.clone(),
                blocked_by: blocked_by.clone(),
            })
            .collect(),
    }
}

/// The most urgent issue with this status, preferably an unblocked one.
fn first_with(index: &Index<'_>, status: IssueStatus) -> Result<Option<IssueId>, Refusal> {
    let mut filter = Filter { statuses: vec![status], unblocked: true, ..Filter::default() };
    let mut numbers = index.list(&filter, SortOrder::Priority, 0, Some(1))?;
    if numbers.is_empty() {
        filter.unblocked = false;
        numbers = index.list(&filter, SortOrder::Priority, 0, Some(1))?;
    }
    Ok(index.facts_without_plans(&numbers)?.pop().map(|issue| issue.id))
}
