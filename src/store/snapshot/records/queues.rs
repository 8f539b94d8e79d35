//! Queues and their items.

use super::{log, queue_ids, recorded_behind, set_aside};
use crate::model::{ITEM, IssueId, Item, QUEUE, Queue, QueueConflict, QueueId, SolutionId};
use crate::rules::QueueFolder;
use crate::store::{ReadState, Redactions, StoreError, layout};

/// An item in a queue, with its plan; if it cannot be read, why.
pub(crate) type FoundItem = (QueueId, SolutionId, Result<Item, String>);

/// The plans of an issue that have an item in a queue, whether or not the plan itself is there.
pub(super) fn queued_plans(
    read: &impl ReadState,
    queue: &QueueId,
    issue: &IssueId,
) -> Result<Vec<SolutionId>, StoreError> {
    let names = read.names_from(&layout::items_beside(queue, issue), &format!("SOL-{issue}-"))?;
    let plans = names.iter().filter_map(|name| SolutionId::parse(name.strip_suffix(".json")?).ok());
    // The id of another issue can begin with the id of this one.
    Ok(plans.filter(|plan| plan.issue() == *issue).collect())
}

/// The items of an issue's plans in all queues, including removed items.
pub(crate) fn items_of(read: &impl ReadState, issue: &IssueId) -> Result<Vec<FoundItem>, StoreError> {
    let mut items = Vec::new();
    for queue in queue_ids(read)? {
        let mut hidden = None;
        for solution in queued_plans(read, &queue, issue)? {
            let hidden = match &mut hidden {
                Some(hidden) => hidden,
                none => none.insert(Redactions::at(read, &layout::queue(&queue))?),
            };
            match recorded_behind::<Item>(read, &ITEM, &layout::item(&queue, &solution), hidden) {
                Ok(found) => {
                    items.extend(found.map(|recorded| (queue.clone(), solution, Ok(recorded.record))));
                }
                Err(StoreError::Broken { broken, .. }) => {
                    items.push((queue.clone(), solution, Err(broken.to_string())));
                }
                Err(error) => return Err(error),
            }
        }
    }
    Ok(items)
}

/// A queue; its list of items is left empty.
pub(crate) fn queue_alone(read: &impl ReadState, id: &QueueId) -> Result<Option<QueueFolder>, StoreError> {
    let path = layout::queue(id);
    let hidden = Redactions::load(read, &layout::queue_folder(id))?;
    let Some(queue) = recorded_behind::<Queue>(read, &QUEUE, &path, &hidden)? else { return Ok(None) };
    let mut broken = Vec::new();
    let conflicts = log::<QueueConflict>(read, &layout::queue_conflicts(id), &hidden, &mut broken)?;
    Ok(Some(QueueFolder { queue: queue.record, items: Vec::new(), conflicts, broken, is_readable: true }))
}

/// Reads one queue of many: a broken one is skipped and noted.
pub(crate) fn queue_head(read: &impl ReadState, id: &QueueId) -> Result<Option<QueueFolder>, StoreError> {
    match queue_alone(read, id) {
        Err(StoreError::Broken { path, broken }) => {
            Ok(Some(QueueFolder::unreadable(id.clone(), (path, broken.to_string()))))
        }
        queue => queue,
    }
}

/// One queue with its items sorted by position, including removed items.
pub(crate) fn queue(read: &impl ReadState, id: &QueueId) -> Result<Option<QueueFolder>, StoreError> {
    queue_alone(read, id)?.map(|queue| with_items(read, queue)).transpose()
}

fn with_items(read: &impl ReadState, mut queue: QueueFolder) -> Result<QueueFolder, StoreError> {
    let id = queue.queue.id.clone();
    let hidden = Redactions::at(read, &layout::queue(&id))?;
    let mut items: Vec<Item> = Vec::new();
    let folder = layout::items(&id);
    for fan in read.names(&folder)? {
        for name in read.names(&format!("{folder}/{fan}"))? {
            let Some(Ok(solution)) = name.strip_suffix(".json").map(SolutionId::parse) else { continue };
            // A copy elsewhere is not an item; `fsck` names it.
            if layout::Fan::parse(&fan) != Some(layout::Fan::new(&solution.issue())) {
                continue;
            }
            let found = recorded_behind::<Item>(read, &ITEM, &layout::item(&id, &solution), &hidden);
            items.extend(set_aside(found, &mut queue.broken)?.map(|item| item.record));
        }
    }
    Ok(queue.with_items(items))
}

/// All queues in the order in which they are served; broken ones are skipped and noted.
pub(crate) fn queues(read: &impl ReadState) -> Result<Vec<QueueFolder>, StoreError> {
    let mut queues = Vec::new();
    for id in queue_ids(read)? {
        queues.extend(queue_head(read, &id)?.map(|queue| with_items(read, queue)).transpose()?);
    }
    QueueFolder::sort(&mut queues);
    Ok(queues)
}
