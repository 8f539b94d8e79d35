//! What a tracker with plans says beside its issues: plans, queues, and what happened to them.

use std::collections::BTreeSet;

use crate::model::{
    Event, Execution, ExecutionStatus, Feedback, Item, LogEntry, Queue, QueueConflict, QueueId, Solution,
    SolutionId, Time,
};

/// What belongs to one issue.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct IssueWork {
    /// Its feedback.
    pub(crate) feedback: Vec<Feedback>,
    /// Its plans.
    pub(crate) plans: Vec<Solution>,
    /// Its items in queues.
    pub(crate) items: Vec<ItemArrival>,
    /// The attempts at its plans, in order.
    pub(crate) attempts: Vec<Attempt>,
    /// The number of the content of the source's plans and queues: it decides between two with the same time of change.
    pub(crate) content: u32,
}

/// An item of a queue.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ItemArrival {
    /// The queue.
    pub(crate) queue: QueueId,
    /// The item.
    pub(crate) item: Item,
    /// When it last changed there.
    pub(crate) changed: Time,
}

/// A claim with its log. Its nonce says what it is in the source: an import recognizes a claim by it, even if the plan
/// was changed there since.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Attempt {
    /// The claim.
    pub(crate) claim: Execution,
    /// Its log.
    pub(crate) log: Vec<LogEntry>,
}

impl Attempt {
    /// Whether it succeeded and was not set aside.
    pub(crate) fn is_completed(&self) -> bool {
        self.log
            .iter()
            .any(|entry| matches!(&entry.event, Event::End(end) if end.status == ExecutionStatus::Completed))
            && !self.log.iter().any(|entry| matches!(entry.event, Event::Aside(_)))
    }
}

/// A queue of a source.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct QueueArrival {
    /// The queue.
    pub(crate) queue: Queue,
    /// When it last changed there.
    pub(crate) changed: Time,
    /// When the order of the queues last changed there.
    pub(crate) ordered: Time,
    /// The number of the content of the source's plans and queues.
    pub(crate) content: u32,
    /// The plans in it.
    pub(crate) listed: BTreeSet<SolutionId>,
    /// Its conflicts.
    pub(crate) conflicts: Vec<QueueConflict>,
}
