//! Reads what rules need to know of more than one record: issues with all that they depend on, all queues.

use super::Failure;
use crate::model::id::{IssueId, QueueId};
use crate::model::queue::Item;
use crate::rules::facts::IssueFacts;
use crate::rules::folder::QueueFolder;
use crate::rules::readiness::{Facts, QueueView, views};
use crate::store::{Read, Store, StoreError, records, resolve};
use crate::trail::active;

/// The facts of these issues and of all that they depend on, directly or through others. An issue that is not here, or
/// cannot be read, is left out.
pub(super) fn facts_of(read: &impl Read, ids: impl IntoIterator<Item = IssueId>) -> Result<Facts, Failure> {
    let mut facts = Facts::new();
    extend_facts(read, &mut facts, ids)?;
    Ok(facts)
}

/// Adds the facts of these issues, and of all that those and the ones known already depend on, to what is known.
pub(super) fn extend_facts(
    read: &impl Read,
    facts: &mut Facts,
    ids: impl IntoIterator<Item = IssueId>,
) -> Result<(), Failure> {
    let known = facts.values().flat_map(|issue| issue.depends_on.iter().cloned());
    let mut open: Vec<IssueId> = known.chain(ids).collect();
    while let Some(id) = open.pop() {
        if facts.contains_key(&id) {
            continue;
        }
        let folder = match records::issue(read, &id) {
            Ok(Some(folder)) => folder,
            Ok(None) | Err(StoreError::Broken { .. }) => continue,
            Err(error) => return Err(error.into()),
        };
        let issue = IssueFacts::of(&folder);
        open.extend(issue.depends_on.iter().cloned());
        facts.insert(id, issue);
    }
    Ok(())
}

/// All queues with the state of their items.
pub(super) struct World {
    /// The records.
    pub(super) queues: Vec<QueueFolder>,
    /// The issues of all items, and what those depend on.
    pub(super) facts: Facts,
}

impl World {
    /// Reads all of it.
    pub(super) fn read(read: &impl Read) -> Result<Self, Failure> {
        let queues = records::queues(read)?;
        let items = queues.iter().flat_map(|queue| &queue.items);
        let ids: Vec<IssueId> = items
            .flat_map(|item| {
                std::iter::once(item.issue_id.clone())
                    .chain(item.depends_on.iter().map(crate::model::id::SolutionId::issue))
            })
            .collect();
        Ok(Self { facts: facts_of(read, ids)?, queues })
    }

    /// The state of everything, queues that are served first in front.
    pub(super) fn views(&self) -> Vec<QueueView> {
        views(&self.queues, &self.facts)
    }
}

/// The item that `text` names. A bare `S-1` is this worktree's own where that has the number, else the only one.
pub(super) fn item(store: &Store, read: &impl Read, text: &str) -> Result<(QueueId, Item), Failure> {
    let own =
        active::read(store)?.filter(|active| active.item_id.as_ref().is_some_and(|id| id.as_str() == text));
    if let Some((queue, solution)) = own.and_then(|active| Some((active.queue_id?, active.solution_id))) {
        return Ok(resolve::item(read, &format!("{queue}:{solution}"))?);
    }
    Ok(resolve::item(read, text)?)
}
