//! The overview of a store, and the state of one issue.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{IssueView, existing, show};
use crate::index::{self, Freshness, Index, IndexError, KnownQueues, Needs};
use crate::model::branch::Branch;
use crate::model::hash::CommitHash;
use crate::model::id::{ExecutionId, IssueId, QueueId, SolutionId};
use crate::model::person::Person;
use crate::model::status::{IssueStatus, ItemStatus, QueueStatus};
use crate::ops::queue::{self, ClaimBase};
use crate::ops::work::{self, WorktreeClaim};
use crate::ops::{Answer, Notice, Session};
use crate::rules::facts;
use crate::rules::readiness::{InOrder, in_order};
use crate::store::Store;

/// How many issues have each status, the queues, and this worktree's execution.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Overview {
    /// The ref that holds everything.
    pub(crate) reference: String,
    /// The commit it points to.
    pub(crate) tip: CommitHash,
    /// How many issues there are.
    pub(crate) total: usize,
    /// How many issues have each status.
    pub(crate) issues: BTreeMap<IssueStatus, usize>,
    /// Issues that cannot be read.
    pub(crate) broken: usize,
    /// The queues, with how many items have each status.
    pub(crate) queues: Vec<QueueOverview>,
    /// The index that answers `list`, `search` and `log`, as it was before this query.
    pub(crate) index: Freshness,
    /// What this worktree executes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) active: Option<ActiveOverview>,
}

/// A queue, with how many of its items have each status.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct QueueOverview {
    /// Its id.
    pub(crate) id: QueueId,
    /// Its status, stored or derived.
    pub(crate) status: QueueStatus,
    /// How many of its items have each status.
    pub(crate) items: BTreeMap<ItemStatus, usize>,
}

/// What a worktree executes.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ActiveOverview {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// Its plan.
    pub(crate) solution_id: SolutionId,
    /// The execution.
    pub(crate) execution_id: ExecutionId,
    /// The branch that it works on, with its full name; absent if it began without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) branch: Option<Branch>,
}

/// An issue and its current executor.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct IssueWithExecutor {
    /// The issue with everything in its directory.
    #[serde(flatten)]
    pub(crate) issue: IssueView,
    /// Who executes it, or did.
    #[serde(skip)]
    pub(crate) actor: Option<Person>,
    /// Who ended the execution, if that was someone else.
    #[serde(skip)]
    pub(crate) ended_by: Option<Person>,
}

/// Summarizes the store.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn overview(session: &Session) -> Answer<Overview> {
    let store = session.store();
    let index = index::freshness(store)?;
    let (asked, ((counts, broken), queues, cycles)) =
        session.ask(Needs::ROWS, |index| Ok((index.counts()?, queues(store, index)?, index.cycles()?)))?;
    let snapshot = asked.snapshot()?;
    let issues: BTreeMap<IssueStatus, usize> = counts.into_iter().collect();
    let own = work::own(store, &snapshot)?;
    session.notice_all(own.notice());
    session.notice_all(work::notice_of_place(store, &own)?);
    let active = match own {
        WorktreeClaim::Held(it, _) => Some(ActiveOverview {
            issue_id: it.execution.issue_id,
            solution_id: it.execution.solution_id,
            execution_id: it.execution.id,
            branch: it.execution.branch,
        }),
        WorktreeClaim::Nothing | WorktreeClaim::Ended(..) | WorktreeClaim::Lost(..) => None,
    };
    session.notice_all(active.as_ref().and_then(|_| work::notice_of_hooks(store)));
    session.notice_all(cycles.iter().map(Notice::of_cycle));
    let overview = Overview {
        reference: store.reference().to_owned(),
        tip: snapshot.commit().into(),
        total: issues.values().sum(),
        issues,
        broken,
        queues,
        index,
        active,
    };
    Ok(session.done(overview, None))
}

/// What the index keeps of the queues at a state of the store and of what is checked out: for each its id, its status, and its
/// counts.
#[derive(Serialize, Deserialize)]
struct KeptCounts {
    commit: String,
    head: Option<String>,
    queues: Vec<(QueueId, QueueStatus, Counts)>,
}

/// How many items have each status.
type Counts = BTreeMap<ItemStatus, usize>;

/// The name under which the index keeps them. Raised with every change of how the state of an item is derived.
const QUEUES: &str = "queues-3";
/// With fewer items than this, it takes no longer to derive their states again.
const MANY_ITEMS: usize = 100;

/// The queues. Deriving the states of many items takes time, so that is done once for a state of the store.
fn queues(store: &Store, index: &Index<'_>) -> Result<Vec<QueueOverview>, IndexError> {
    let commit = index.commit().to_string();
    let head = store.head()?.map(|head| head.to_string());
    let kept = index.kept(QUEUES)?.and_then(|text| serde_json::from_str::<KeptCounts>(&text).ok());
    let counts = match kept.filter(|kept| kept.commit == commit && kept.head == head) {
        Some(kept) => kept.queues,
        None => {
            let queues = counted(store, index)?;
            let items: usize = queues.iter().flat_map(|(_, _, counts)| counts.values()).sum();
            if items >= MANY_ITEMS {
                keep(index, &KeptCounts { commit, head, queues: queues.clone() });
            }
            queues
        }
    };
    Ok(counts.into_iter().map(|(id, status, items)| QueueOverview { id, status, items }).collect())
}

/// Keeps what was counted; what cannot be kept is counted again.
fn keep(index: &Index<'_>, counts: &KeptCounts) {
    if let Ok(text) = serde_json::to_string(counts) {
        index.keep(QUEUES, &text);
    }
}

/// The queues with the states of their items, counted. What waits for completed work that is not checked out is not ready.
fn counted(store: &Store, index: &Index<'_>) -> Result<Vec<(QueueId, QueueStatus, Counts)>, IndexError> {
    let KnownQueues { queues, mut facts, policy } = index.queues_for_states()?;
    let (snapshot, first_land) = (index.snapshot()?, index.first_land()?);
    queue::note_absent(store, &snapshot, &ClaimBase::Head, &queues, &mut facts, first_land)?;
    let one = |queue: InOrder<'_>| {
        let states = queue.states();
        let mut counts = Counts::new();
        for (status, _) in &states {
            *counts.entry(*status).or_default() += 1;
        }
        (queue.queue().id.clone(), queue.status(&states), counts)
    };
    Ok(in_order(&queues, &facts, &policy).into_iter().map(one).collect())
}

/// The state of an issue, given by its id or an unambiguous prefix.
///
/// # Errors
/// `not-found`, `ambiguous-id`.
pub(crate) fn standing(session: &Session, issue: &str) -> Answer<IssueWithExecutor> {
    let (index, id) = session.ask(Needs::ROWS, |index| index.resolve_issue(issue))?;
    let folder = existing(&index.snapshot()?, &id?)?;
    let overrides = show::overrides(session, &folder.issue.record.id);
    let shows_work = matches!(
        facts::status(&folder),
        IssueStatus::Executing | IssueStatus::Completed | IssueStatus::Failed
    );
    let holder = facts::holder(&folder).filter(|_| shows_work);
    let standing = IssueWithExecutor {
        issue: IssueView::in_full(session, &folder, overrides),
        actor: holder.map(|it| it.execution.actor.clone()),
        ended_by: holder.and_then(|it| it.ended_by_another()).cloned(),
    };
    Ok(session.done(standing, None))
}
