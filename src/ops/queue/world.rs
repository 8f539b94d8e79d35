//! Reads what rules need from several records: issues with all their dependencies, and all queues.

use super::base::{self, ClaimBase};
use crate::index::{self, Index, Needs, QueueWorld, Use};
use crate::model::op::Other;
use crate::model::{Code, IssueId, Item, Op, QueueId, RemedyCall, SolutionId};
use crate::ops::issues::existing;
use crate::ops::{Refusal, Session};
use crate::rules::readiness::views;
use crate::rules::{Facts, IssueFacts, QueueFolder, QueueView, facts, toward};
use crate::store::{ReadState, ResolveError, Store, StoreError, Tx, records, resolve};
use crate::trail::active;

/// The facts of these issues and of all their dependencies, direct or indirect. Missing and unreadable issues are left
/// out.
pub(crate) fn facts_of(
    read: &impl ReadState,
    ids: impl IntoIterator<Item = IssueId>,
) -> Result<Facts, Refusal> {
    let mut facts = Facts::new();
    extend_facts(read, &mut facts, ids)?;
    Ok(facts)
}

/// Adds the facts of these issues, and of all dependencies of these and of the known ones, to the known facts.
pub(crate) fn extend_facts(
    read: &impl ReadState,
    facts: &mut Facts,
    ids: impl IntoIterator<Item = IssueId>,
) -> Result<(), Refusal> {
    facts::extend(facts, ids, |id| match records::issue(read, id) {
        Ok(folder) => Ok(folder.as_ref().map(IssueFacts::derive)),
        Err(StoreError::Broken { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    })
}

impl QueueWorld {
    /// Reads everything from the records.
    pub(crate) fn read(read: &impl ReadState) -> Result<Self, Refusal> {
        let queues = records::queues(read)?;
        let items = queues.iter().flat_map(|queue| &queue.items);
        let ids: Vec<IssueId> = items
            .flat_map(|item| {
                std::iter::once(item.issue_id.clone())
                    .chain(item.depends_on.iter().map(crate::model::id::SolutionId::issue))
            })
            .collect();
        Ok(Self { facts: facts_of(read, ids)?, policy: records::root(read)?.policy, queues })
    }

    /// Like [`Self::read`], but through the index, which has everything prepared.
    pub(crate) fn now(session: &Session) -> Result<(Index<'_>, Self), Refusal> {
        let (index, mut world) = Self::everywhere(session)?;
        let read = index.snapshot()?;
        world.note_absent(session.store(), &read, &ClaimBase::Head, Some(&index))?;
        Ok((index, world))
    }

    /// Like [`Self::now`], wherever the commits of completed work are: a run brings them into its branch.
    pub(crate) fn everywhere(session: &Session) -> Result<(Index<'_>, Self), Refusal> {
        session.ask(Needs::ROWS, Index::queues)
    }

    /// Notes which completed work is not in the base of a claim, so that what depends on it waits.
    pub(crate) fn note_absent(
        &mut self,
        store: &Store,
        read: &impl ReadState,
        base: &ClaimBase,
        index: Option<&Index<'_>>,
    ) -> Result<(), Refusal> {
        Ok(base::note_absent(store, read, base, &self.queues, &mut self.facts, index)?)
    }

    /// Reads the queues for a command that shows the result of its own write; through the index if there is one.
    pub(crate) fn after(session: &Session) -> Result<Self, Refusal> {
        let index = session.index_at_hand()?;
        let read = session.store().snapshot()?;
        let mut world = match index.as_ref().and_then(Self::in_index) {
            Some(world) => world,
            None => Self::read(&read)?,
        };
        world.note_absent(session.store(), &read, &ClaimBase::Head, index.as_ref())?;
        Ok(world)
    }

    /// Reads the queues for a command that writes; through the index if there is one.
    pub(crate) fn in_transaction(
        tx: &Tx<'_>,
        store: &Store,
        index: Option<&Index<'_>>,
    ) -> Result<Self, Refusal> {
        in_index_of(tx, store, index, Self::in_index)?.map_or_else(|| Self::read(tx), Ok)
    }

    /// Reads the index; `None` if that fails, since the tree has the same data.
    fn in_index(index: &Index<'_>) -> Option<Self> {
        index.queues().ok()
    }

    /// The item that `text` names; see [`item`].
    pub(crate) fn item(
        &self,
        store: &Store,
        read: &impl ReadState,
        text: &str,
    ) -> Result<(QueueId, Item), Refusal> {
        resolve::item_among(read, &self.queues, &whole(store, text)?).map_err(|error| not_queued(read, error))
    }

    /// One queue, for a change that is being made to it.
    pub(crate) fn queue_mut(&mut self, id: &QueueId) -> Result<&mut QueueFolder, Refusal> {
        let found = self.queues.iter_mut().find(|folder| folder.queue.id == *id);
        found.ok_or_else(|| Refusal::unreadable(&format!("queue `{id}`")))
    }

    /// The state of one queue.
    pub(crate) fn view(&self, id: &QueueId) -> Result<QueueView, Refusal> {
        let found = self.views().into_iter().find(|view| view.queue.id == *id);
        found.ok_or_else(|| Refusal::unreadable(&format!("queue `{id}`")))
    }

    /// The state of all queues, in the order in which they are served.
    pub(crate) fn views(&self) -> Vec<QueueView> {
        views(&self.queues, &self.facts, &self.policy)
    }
}

/// Queries the index for a command that writes, if the index reflects the state that the change starts from. If others
/// have written in the meantime, the index is first updated to that state. Returns `None` also if the index cannot be
/// read: the caller then reads the records, which reveals any error of the store itself.
pub(crate) fn in_index_of<T>(
    tx: &Tx<'_>,
    store: &Store,
    index: Option<&Index<'_>>,
    known: impl FnOnce(&Index<'_>) -> Option<T>,
) -> Result<Option<T>, Refusal> {
    if tx.is_changed() {
        return Ok(None);
    }
    let Some(index) = index else { return Ok(None) };
    let commit = tx.base().commit();
    if index.commit() == commit {
        return Ok(known(index));
    }
    let newer = index::at_hand(store, Use::IfQuick, &mut |_, _, _| {})?;
    Ok(newer.filter(|newer| newer.commit() == commit).and_then(|newer| known(&newer)))
}

/// The item that `text` names. A bare `S-1` is this worktree's own item if that has the number, else the only such
/// item.
pub(crate) fn item(store: &Store, read: &impl ReadState, text: &str) -> Result<(QueueId, Item), Refusal> {
    resolve::item(read, &whole(store, text)?).map_err(|error| not_queued(read, error))
}

/// The refusal of an item that was not found: an issue can exist without being queued.
fn not_queued(read: &impl ReadState, error: ResolveError) -> Refusal {
    match &error {
        ResolveError::NotFound { kind: "item", text, .. } => match resolve::issue(read, text) {
            Ok(issue) => {
                let refusal = Refusal::new(Code::NotFound, format!("issue `{issue}` is not queued"));
                match existing(read, &issue) {
                    Ok(folder) => refusal.next_step(toward::queue(&folder)),
                    Err(_) => refusal.remedy(Other::Log, "shows who wrote its record, which cannot be read"),
                }
            }
            Err(_) => match resolve::solution(read, text, None) {
                Ok(plan) => unqueued_plan(read, &plan),
                Err(_) => error.into(),
            },
        },
        _ => error.into(),
    }
}

/// The refusal of a plan that is not queued: it is its issue that is claimed, with the plan that is bound to it.
fn unqueued_plan(read: &impl ReadState, plan: &SolutionId) -> Refusal {
    let issue = plan.issue();
    let folder = existing(read, &issue).ok();
    let bound = folder.filter(|folder| folder.issue.record.bound_solution_id.as_ref() == Some(plan));
    let refusal = Refusal::new(Code::NotFound, format!("plan `{plan}` is not queued"));
    match bound {
        Some(folder) => refusal.next_step(toward::execution(&folder)),
        None => refusal.remedy(
            RemedyCall::new(Op::Bind, [issue.as_str(), plan.as_str()]),
            "chooses it, so that it can be queued",
        ),
    }
}

/// Like [`item`], for a command that writes; through the index if there is one, since a number can be that of any item.
pub(crate) fn item_in(
    tx: &Tx<'_>,
    store: &Store,
    index: Option<&Index<'_>>,
    text: &str,
) -> Result<(QueueId, Item), Refusal> {
    let text = whole(store, text)?;
    let is_number = resolve::number(text.rsplit(':').next().unwrap_or_default()).is_some();
    let index = if is_number { index } else { None };
    let queues = in_index_of(tx, store, index, |index| index.queues().ok())?;
    let found = match queues {
        Some(known) => resolve::item_among(tx, &known.queues, &text),
        None => resolve::item(tx, &text),
    };
    found.map_err(|error| not_queued(tx, error))
}

/// Adds the queue if the text is the number of this worktree's own item.
fn whole(store: &Store, text: &str) -> Result<String, Refusal> {
    let own = active::read(store)?
        .filter(|active| active.item_id.as_ref().is_some_and(|id| id.as_str().eq_ignore_ascii_case(text)));
    let own = own.and_then(|active| Some((active.queue_id?, active.solution_id)));
    Ok(own.map_or_else(|| text.to_owned(), |(queue, solution)| format!("{queue}:{solution}")))
}
