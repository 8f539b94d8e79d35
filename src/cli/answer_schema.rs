//! Documents that are put together of several records, as types that only their schemas are made of. The integration
//! tests hold the real answers against them.

#![allow(dead_code)] // Nobody makes a value of these.

use std::collections::BTreeSet;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::model::id::{IssueId, QueueId, SolutionId};
use crate::model::plan::Plan;
use crate::model::queue::{Item, Queue};
use crate::model::stamp::Stamp;
use crate::model::status::ItemStatus;
use crate::rules::facts::Holder;
use crate::rules::queue_conflicts::ConflictView;
use crate::rules::readiness::Blocker;

/// A record whose fields merge by stamps.
#[derive(JsonSchema)]
pub(super) struct Clocked<T> {
    #[schemars(flatten)]
    record: T,
    #[schemars(schema_with = "clock", required)]
    clock: (),
}

/// The root record: as it is made, it has no clock.
#[derive(JsonSchema)]
pub(super) struct OptionallyClocked<T> {
    #[schemars(flatten)]
    record: T,
    #[schemars(schema_with = "clock")]
    #[serde(default)]
    clock: (),
}

fn clock(generator: &mut SchemaGenerator) -> Schema {
    let stamp = generator.subschema_for::<Stamp>();
    json_schema!({
        "description": "The stamp of each field by which a merge decides. `*` is the record's birth and stands for \
            every field not named; `title` is a register, `tags/auth` an element of a set, `notes/first` a leaf of an \
            object, and `-tags/old` an element that was removed.",
        "type": "object",
        "properties": { "*": stamp },
        "additionalProperties": stamp
    })
}

/// Fields that the store makes or derives (author, created_at, is_bound, plan_digest, …) are ignored here. Unknown
/// fields are kept.
#[derive(JsonSchema)]
pub(super) struct SolutionInput {
    /// Made where it is left out.
    id: Option<SolutionId>,
    /// Another name for id.
    solution_id: Option<SolutionId>,
    /// Taken from the command where it is left out.
    issue_id: Option<IssueId>,
    #[schemars(flatten)]
    plan: Plan,
}

/// The stored fields of an item, with what is derived of it.
#[derive(JsonSchema)]
pub(super) struct ItemShown {
    #[schemars(flatten)]
    item: Item,
    /// Where it stands.
    status: ItemStatus,
    /// From 1, within the queue.
    execution_order: usize,
    /// `P<n>`: shares no file with another; `S<n>`: shares files with the others of that group.
    #[schemars(regex(pattern = "^[PS][1-9][0-9]*$"))]
    execution_group: String,
    /// 0 to 1; more is more urgent.
    #[schemars(range(min = 0, max = 1))]
    semantic_priority: f64,
    /// How many tasks its plan has.
    task_count: usize,
    /// Files that its plan touches.
    files_touched: BTreeSet<String>,
    /// What it waits for.
    blocked_by: Vec<Blocker>,
    /// The execution that holds its issue with this plan, where there is one.
    #[schemars(with = "Holder", skip_serializing_if = "nothing")]
    holder: (),
    /// Its queue, where that does not stand around it.
    #[schemars(with = "QueueId", skip_serializing_if = "nothing")]
    queue_id: (),
}

/// The stored fields of a queue, with what is derived of it.
#[derive(JsonSchema)]
pub(super) struct QueueShown {
    #[schemars(flatten)]
    queue: Queue,
    /// What was decided; completed or failed where nothing is left to do in an active one; unreadable where its record is
    /// broken, and the other fields of it mean nothing.
    #[schemars(extend("enum" = ["active", "paused", "archived", "completed", "failed", "unreadable"]))]
    status: String,
    /// How many items it has, removed ones left out.
    item_count: usize,
    /// Its items in order; `queue list` leaves them out.
    #[schemars(with = "Vec<ItemShown>", skip_serializing_if = "nothing")]
    items: (),
    /// The conflicts between them, beside the items.
    #[schemars(with = "Vec<ConflictView>", skip_serializing_if = "nothing")]
    conflicts: (),
}

/// One line with what is wrong, one with what to do.
#[derive(JsonSchema)]
pub(super) struct ErrorAnswer {
    error: ErrorBody,
}

#[derive(JsonSchema)]
struct ErrorBody {
    /// A stable word in kebab case.
    #[schemars(regex(pattern = "^[a-z]+(-[a-z0-9]+)*$"))]
    code: String,
    /// What is wrong, with the value.
    message: String,
    /// What to do about it.
    hint: Option<String>,
    /// Candidates, findings: one each.
    #[schemars(with = "Vec<String>", skip_serializing_if = "nothing")]
    details: (),
}
