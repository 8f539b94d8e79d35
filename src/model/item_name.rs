//! How items are named where several queues can be meant.

use std::fmt;

use serde::Serialize;

use super::{ItemId, QueueId};

/// The name of an item: `S-2`, or `QUE-…:S-2` if there are several queues.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(into = "String")]
pub(crate) struct ItemName {
    /// The queue, if there are others.
    queue: Option<QueueId>,
    item: ItemId,
}

impl ItemName {
    /// The name of an item in a queue, which is one of so many.
    pub(crate) fn among(queues: usize, queue: &QueueId, item: &ItemId) -> Self {
        Self { queue: (queues != 1).then(|| queue.clone()), item: item.clone() }
    }

    /// The id of the item, which is unique only in its queue.
    #[cfg(feature = "web")]
    pub(crate) fn item_id(&self) -> &ItemId {
        &self.item
    }
}

impl fmt::Display for ItemName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.queue {
            Some(queue) => write!(f, "{queue}:{}", self.item),
            None => self.item.fmt(f),
        }
    }
}

impl From<ItemName> for String {
    fn from(name: ItemName) -> Self {
        name.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queue_is_named_only_among_others() {
        let (queue, item) = (QueueId::parse("QUE-20261121-1").unwrap(), ItemId::parse("S-2").unwrap());
        let name = |queues| ItemName::among(queues, &queue, &item);
        assert_eq!((name(1).to_string(), name(2).to_string()), ("S-2".into(), format!("{queue}:S-2")));
        assert_eq!(serde_json::to_value(name(1)).unwrap(), "S-2");
    }
}
