//! The queue: bound plans in order of execution.

mod add;
mod create;
mod world;

pub(crate) use add::{Add, Queued, Selection, add, add_issue};
pub(crate) use create::create;
pub(crate) use world::{World, extend_facts, facts_of, in_index_of, item};

use crate::model::id::QueueId;
use crate::model::queue::Item;

/// `S-2`, and `QUE-…:S-2` where it is not the only queue.
pub(crate) fn item_name(queues: usize, queue: &QueueId, item: &Item) -> String {
    match queues {
        1 => item.item_id.to_string(),
        _ => format!("{queue}:{}", item.item_id),
    }
}
