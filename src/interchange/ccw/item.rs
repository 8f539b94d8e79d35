//! Items of queues, as the record of their issue has them.

use serde_json::Value;

use super::{Own, says, text_in};
use crate::interchange::fields::Fields;
use crate::interchange::work::ItemArrival;
use crate::model::{Issue, Item, ItemId, PlanDigest, QueueId, SolutionId, Time};
use crate::rules::sort_key;

/// The members of an item that have a field here, or follow from other records.
const PLACED: &[&str] = &[
    "item_id",
    "issue_id",
    "solution_id",
    "task_id",
    "status",
    "execution_order",
    "execution_group",
    "depends_on",
    "semantic_priority",
    "task_count",
    "files_touched",
    "queued_at",
    "started_at",
    "completed_at",
    "result",
    "failure_reason",
    "failure_details",
    "failure_history",
];
/// The members of a result that have a field here.
const RESULT: &[&str] = &["summary", "files_modified", "tests_passed", "acceptance_verified", "tasks"];

/// An item where it is.
pub(super) struct PlacedItem<'a> {
    pub(super) queue: QueueId,
    pub(super) number: ItemId,
    pub(super) solution: SolutionId,
    pub(super) digest: PlanDigest,
    /// When it was queued, as well as one knows.
    pub(super) queued_at: Time,
    position: u64,
    depends_on: Vec<SolutionId>,
    held: Option<String>,
    /// The item as ccw wrote it.
    pub(super) given: &'a Value,
}

impl PlacedItem<'_> {
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.given.get(name).and_then(Value::as_str)
    }

    pub(super) fn time(&self, name: &str) -> Option<Time> {
        self.text(name).and_then(Time::parse)
    }
}

/// The items of an issue whose plans are there, and when the issue or one of them last changed.
pub(super) fn all<'a>(
    fields: &mut Fields<'_>,
    own: &Own<'a>,
    issue: &Issue,
    changed: Time,
) -> (Vec<PlacedItem<'a>>, Time) {
    let mut items = Vec::new();
    let mut last = changed;
    for entry in own.list("items") {
        match placed(entry, issue) {
            Ok(item) => {
                let times = ["queued_at", "started_at", "completed_at"]
                    .into_iter()
                    .filter_map(|name| item.time(name));
                last = times.chain(failures(item.given)).fold(last, Time::max);
                note_kept(fields, item.given);
                items.push(item);
            }
            Err(why) => fields.lasting.push(why),
        }
    }
    (items, last)
}

/// When it failed, now and earlier.
fn failures(given: &Value) -> impl Iterator<Item = Time> + '_ {
    let past = given.get("failure_history").and_then(Value::as_array).into_iter().flatten();
    past.chain(given.get("failure_details"))
        .filter_map(|failure| failure.get("timestamp")?.as_str().and_then(Time::parse))
}

fn note_kept(fields: &mut Fields<'_>, given: &Value) {
    for name in other_members(Some(given), PLACED) {
        fields.kept.insert(format!("`{name}` of an item has no field here").into());
    }
    for name in other_members(given.get("result"), RESULT) {
        fields.kept.insert(format!("`{name}` of a result has no field here").into());
    }
}

fn other_members(value: Option<&Value>, placed: &[&str]) -> Vec<String> {
    let members = value.and_then(Value::as_object).into_iter().flatten();
    let unplaced = members.filter(|(name, value)| says(value) && !placed.contains(&name.as_str()));
    unplaced.map(|(name, _)| name.clone()).collect()
}

fn placed<'a>(entry: &'a Value, issue: &Issue) -> Result<PlacedItem<'a>, String> {
    let given = entry.get("item").unwrap_or(&Value::Null);
    let shown = given.get("item_id").and_then(Value::as_str).unwrap_or("?");
    let queue = text_in(entry, "queue_id").and_then(|id| QueueId::parse(id).ok());
    let queue = queue.ok_or_else(|| format!("its item `{shown}` is in no queue, so it was left out"))?;
    let plan = given.get("solution_id").and_then(Value::as_str).unwrap_or("?");
    let missing =
        || format!("the plan `{plan}` of its item `{queue}:{shown}` is missing; the item was left out");
    let solution = SolutionId::parse(plan).ok().filter(|id| id.issue() == issue.id).ok_or_else(missing)?;
    let digest = text_in(entry, "plan_digest").map(PlanDigest::from).ok_or_else(missing)?;
    let number =
        text_in(entry, "number").and_then(|id| ItemId::parse(id).ok()).unwrap_or_else(|| ItemId::numbered(1));
    let plans = entry.get("depends_on").and_then(Value::as_array).into_iter().flatten();
    let plans = plans.filter_map(Value::as_str).filter_map(|id| SolutionId::parse(id).ok());
    Ok(PlacedItem {
        number,
        solution,
        digest,
        queued_at: text_in(entry, "queued_at").and_then(Time::parse).unwrap_or(issue.created_at),
        position: entry.get("position").and_then(Value::as_u64).unwrap_or(1),
        depends_on: plans.collect(),
        held: given.get("held").and_then(Value::as_str).map(str::to_owned),
        queue,
        given,
    })
}

/// The items as they are stored here.
pub(super) fn arrivals(
    own: &Own<'_>,
    issue: &Issue,
    items: &[PlacedItem<'_>],
    changed: Time,
) -> Vec<ItemArrival> {
    let arrival = |item: &PlacedItem<'_>| ItemArrival {
        queue: item.queue.clone(),
        changed: own.time("changed", item.queue.as_str()).unwrap_or(changed).max(item.queued_at),
        item: Item {
            item_id: item.number.clone(),
            issue_id: issue.id.clone(),
            solution_id: item.solution.clone(),
            plan_digest: item.digest.clone(),
            position: sort_key::nth(item.position),
            depends_on: item.depends_on.iter().cloned().collect(),
            forced: None,
            held: item.held.clone(),
            removed: None,
            queued_at: item.queued_at,
        },
    };
    items.iter().map(arrival).collect()
}
