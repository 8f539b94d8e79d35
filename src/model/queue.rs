//! Queues and their items.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::digest::DIGEST_PATTERN;
use super::id::{IssueId, ItemId, QueueId, SolutionId};
use super::schema::{Births, Field, Schema};
use super::text_enum::text_enum;
use super::time::Time;

text_enum!(
    /// What was decided about a queue.
    QueueDecision {
        /// Its items are handed out.
        Active = "active",
        /// Its items are not handed out for now.
        Paused = "paused",
        /// It is archived.
        Archived = "archived",
    }
);

/// Bound plans in order of execution, as stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Queue {
    /// Written once.
    pub(crate) id: QueueId,
    /// When it was made.
    pub(crate) created_at: Time,
    /// Its name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// The last decision about it; the rest of its status is derived.
    pub(crate) status: QueueDecision,
    /// Lower numbers are served first.
    #[serde(default)]
    pub(crate) priority: i64,
}

/// How `queue.json` merges and is written.
pub(crate) static QUEUE: Schema = Schema {
    name: "queue",
    fields: &[
        Field::once("id"),
        Field::once("created_at"),
        Field::register("name"),
        Field::register("status"),
        Field::register("priority"),
    ],
    births: Births::LaterStands,
    check: super::record::check_as::<Queue>,
};

/// A bound plan in a queue, as stored. The id of the plan is its key, so items from two clones never collide.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Item {
    /// S-1, S-2, … within the queue. Two clones can assign the same number; the plan's id is unique.
    pub(crate) item_id: ItemId,
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// The plan.
    pub(crate) solution_id: SolutionId,
    /// The digest of the plan when it was queued.
    #[schemars(regex(pattern = DIGEST_PATTERN))]
    pub(crate) plan_digest: String,
    /// A sort key: items are served in its byte order.
    pub(crate) position: String,
    /// Plans that must be completed first, in addition to what the issue depends on.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) depends_on: BTreeSet<SolutionId>,
    /// The digest of a plan that was queued with an override of its reviews, which had rejected it or were missing: for
    /// this digest, reviews no longer block the item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = DIGEST_PATTERN))]
    pub(crate) forced: Option<String>,
    /// Why it is held back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) held: Option<String>,
    /// True if it was removed from the queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) removed: Option<bool>,
    /// When it was first queued.
    pub(crate) queued_at: Time,
}

impl Item {
    /// Whether it was removed from the queue.
    pub(crate) fn is_removed(&self) -> bool {
        self.removed == Some(true)
    }
}

/// How an item merges and is written. Two births of one item are one item.
pub(crate) static ITEM: Schema = Schema {
    name: "item",
    fields: &[
        Field::once("item_id"),
        Field::once("issue_id"),
        Field::once("solution_id"),
        Field::register("plan_digest").decides(),
        Field::register("position").decides(),
        Field::set("depends_on"),
        Field::register("forced").decides(),
        Field::register("held"),
        Field::register("removed"),
        Field::once("queued_at"),
    ],
    births: Births::Joined,
    check: super::record::check_as::<Item>,
};
