//! Queues and their items.

use std::collections::BTreeSet;

use super::declare::record;
use super::text_enum::text_enum;
use super::{IssueId, ItemId, PlanDigest, QueueId, SolutionId, Time};

text_enum!(
    /// What was decided about a queue.
    QueueDecision {
        /// Its items can be claimed.
        Active = "active",
        /// Its items cannot be claimed for now.
        Paused = "paused",
        /// It is archived.
        Archived = "archived",
    }
);

record! {
    /// Bound plans in order of execution, as stored.
    Queue {
        /// Its id, which never changes.
        once id: QueueId,
        /// When it was created.
        once created_at: Time,
        /// Its name, for display.
        register name: Option<String> = default,
        /// The last decision about it; the rest of its status is derived.
        register status: QueueDecision,
        /// Lower numbers are served first.
        #[serde(default)]
        register priority: i64,
    }
    /// How `queue.json` merges and is written.
    QUEUE = "queue", LaterStands, super::record::check_as::<Queue>
}

record! {
    /// A bound plan in a queue, as stored. The id of the plan is its key, so items from two clones never collide.
    Item {
        /// S-1, S-2, … within the queue. Two clones can assign the same number; the plan's id is unique.
        once item_id: ItemId,
        /// The issue.
        once issue_id: IssueId,
        /// The plan.
        once solution_id: SolutionId,
        /// The digest of the plan when it was queued.
        register plan_digest: PlanDigest => decides(),
        /// A sort key: items are served in its byte order.
        register position: String => decides(),
        /// Plans that must be completed first, in addition to what the issue depends on.
        set depends_on: BTreeSet<SolutionId> = default,
        /// The digest of a plan that was queued with an override of its reviews, which had rejected it or were missing: for
        /// this digest, reviews no longer block the item.
        register forced: Option<PlanDigest> = default => decides(),
        /// Why it is held back.
        register held: Option<String> = default,
        /// True if it was removed from the queue.
        register removed: Option<bool> = default,
        /// When it was first queued.
        once queued_at: Time,
    }
    /// How an item merges and is written. Two births of one item are one item.
    ITEM = "item", Joined, super::record::check_as::<Item>
}

impl Item {
    /// Whether it was removed from the queue.
    pub(crate) fn is_removed(&self) -> bool {
        self.removed == Some(true)
    }
}
