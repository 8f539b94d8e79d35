//! Queues: `queues/<id>.json`, with `queues/index.json` beside them, and the one file of earlier versions.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{conflict, groups, plan, says};
use crate::interchange::fields::UNDATED;
use crate::interchange::work::QueueArrival;
use crate::model::{IssueId, ItemId, Queue, QueueDecision, QueueId, SolutionId, Time, count};

/// What `queues/index.json` says.
#[derive(Debug, Default)]
pub(super) struct CcwQueueIndex {
    /// The queues that are served, if it says so.
    active: Option<BTreeSet<String>>,
    /// The one that ccw works on, if it is not the first of them.
    first: Option<String>,
    priorities: BTreeMap<String, i64>,
    pub(super) queues: Vec<String>,
}

impl CcwQueueIndex {
    pub(super) fn new(given: &Value) -> Self {
        let text = |name: &str| given.get(name).and_then(Value::as_str).map(str::to_owned);
        let many = given.get("active_queue_ids").and_then(Value::as_array).filter(|ids| !ids.is_empty());
        let active = match many {
            Some(ids) => ids.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            None => text("active_queue_id").into_iter().collect(),
        };
        let entries = given.get("queues").and_then(Value::as_array).into_iter().flatten();
        let mut index = Self { active: Some(active), ..Self::default() };
        for entry in entries {
            let Some(id) = entry.get("id").and_then(Value::as_str) else { continue };
            if let Some(priority) = entry.get("priority").and_then(Value::as_i64) {
                index.priorities.insert(id.to_owned(), priority);
            }
            index.queues.push(id.to_owned());
        }
        let active = index.active.as_ref();
        index.first = text("active_queue_id").filter(|id| {
            active.is_some_and(|active| active.contains(id) && active.first() != Some(id))
                && index.priorities.is_empty()
        });
        index
    }

    /// Lower is served first, and a queue without a priority last. If none has one, ccw works on the one that it calls
    /// active before all others.
    pub(super) fn priority(&self, id: &str) -> i64 {
        if let Some(first) = &self.first {
            return i64::from(first != id);
        }
        let last = self.priorities.values().max().map_or(0, |last| last.saturating_add(1));
        self.priorities.get(id).copied().unwrap_or(last)
    }
}

/// A queue as it was read.
#[derive(Debug)]
pub(super) struct SourceQueue {
    /// The file that it is in.
    pub(super) file: String,
    pub(super) arrival: QueueArrival,
    pub(super) items: Vec<SourceItem>,
    /// What is wrong with it.
    pub(super) notes: Vec<String>,
}

/// One of its items.
#[derive(Debug)]
pub(super) struct SourceItem {
    pub(super) issue: String,
    pub(super) number: ItemId,
    pub(super) position: u64,
    pub(super) depends_on: Vec<String>,
    /// As well as one knows.
    pub(super) queued_at: Option<Time>,
    /// The item as ccw wrote it.
    pub(super) item: Value,
}

/// The members of a queue that have a field here, or follow from other records.
const PLACED: &[&str] = &[
    "id",
    "queue_id",
    "name",
    "status",
    "created_at",
    "updated_at",
    "completed_at",
    "issue_ids",
    "solutions",
    "queue",
    "tasks",
    "conflicts",
    "_metadata",
    "metadata",
];

/// Reads a queue in `file`; `named` is its id if the file does not say it.
pub(super) fn read(
    given: &Value,
    file: &str,
    named: Option<&str>,
    index: &CcwQueueIndex,
) -> Result<SourceQueue, String> {
    let text = |name: &str| given.get(name).and_then(Value::as_str);
    let id = text("id").or_else(|| text("queue_id")).or(named).ok_or("it has no `id`")?;
    let id = QueueId::parse(id).map_err(|error| error.to_string())?;
    let others = given.as_object().into_iter().flatten();
    let (given, is_grouped) = groups::told(given);
    let others = others.filter(|(name, value)| {
        says(value) && !(PLACED.contains(&name.as_str()) || (is_grouped && *name == groups::GROUPS))
    });
    let mut notes: Vec<String> = others
        .map(|(name, _)| format!("there is no field here for the `{name}` of a queue, so it was left out"))
        .collect();
    let items = members(&given, &mut notes);
    let made = text("created_at").and_then(Time::parse).or_else(|| made_at(&id));
    if made.is_none() {
        notes.push(UNDATED.to_owned());
    }
    // Any other time would change with what else is in the store, and make another queue of it.
    let created_at = made.unwrap_or(Time::EPOCH);
    let meta = given.get("_metadata").or_else(|| given.get("metadata"));
    let updated = meta.and_then(|meta| meta.get("updated_at")?.as_str()).or_else(|| text("updated_at"));
    let changed = updated.and_then(Time::parse).unwrap_or(created_at).max(created_at);
    let is_served = index.active.as_ref().is_none_or(|active| active.contains(id.as_str()));
    let status = match text("status") {
        Some("archived") => QueueDecision::Archived,
        Some("paused") => QueueDecision::Paused,
        Some("active") if !is_served => QueueDecision::Paused,
        _ => QueueDecision::Active,
    };
    let items = numbered(items, made, &mut notes);
    let plans = PlansByName::new(&items);
    let conflicts = given.get("conflicts").and_then(Value::as_array).into_iter().flatten();
    let conflicts = conflicts.filter_map(|conflict| conflict::read(conflict, &plans, created_at, &mut notes));
    let conflicts = conflicts.collect();
    let listed = items.iter().filter_map(|item| plans.of_item(item)).collect();
    let name = text("name").map(str::to_owned);
    let priority = index.priority(id.as_str());
    let queue = Queue { id, created_at, name, status, priority };
    let items =
        items.into_iter().map(|item| SourceItem { depends_on: plans.resolved(&item, &mut notes), ..item });
    let items = items.collect();
    let file = file.to_owned();
    Ok(SourceQueue {
        file,
        arrival: QueueArrival { queue, changed, ordered: changed, content: 0, listed, conflicts },
        items,
        notes,
    })
}

/// `QUE-20261121011937` and `QUE-20261121-011937` say when they were made.
fn made_at(id: &QueueId) -> Option<Time> {
    let digits: String = id.as_str().chars().filter(char::is_ascii_digit).collect();
    if digits.len() < 14 {
        return None;
    }
    let (year, month, day) = (digits_in(&digits, 0, 4), digits_in(&digits, 4, 6), digits_in(&digits, 6, 8));
    let (hour, minute, second) =
        (digits_in(&digits, 8, 10), digits_in(&digits, 10, 12), digits_in(&digits, 12, 14));
    Time::parse(&format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z"))
}

fn digits_in(digits: &str, from: usize, to: usize) -> &str {
    digits.get(from..to).unwrap_or_default()
}

/// Its items: plans, or tasks in earlier versions, of which those of one plan are one item here.
fn members(given: &Value, notes: &mut Vec<String>) -> Vec<Value> {
    if let Some(plans) = filled_list(given, "solutions").or_else(|| filled_list(given, "queue")) {
        return plans.iter().map(of_plan).collect();
    }
    let Some(tasks) = filled_list(given, "tasks") else { return vec![] };
    let tasks: Vec<Value> = tasks.iter().map(of_plan).collect();
    let mut order: Vec<String> = Vec::new();
    let mut by_plan: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    for task in &tasks {
        let plan = task.get("solution_id").and_then(Value::as_str).unwrap_or_default().to_owned();
        if !by_plan.contains_key(&plan) {
            order.push(plan.clone());
        }
        by_plan.entry(plan).or_default().push(task);
    }
    if order.len() < tasks.len() {
        notes.push(format!(
            "its {} became {}, one for each plan",
            count(tasks.len(), "task"),
            count(order.len(), "item")
        ));
    }
    order.iter().filter_map(|plan| by_plan.get(plan)).filter_map(|tasks| joined(tasks)).collect()
}

fn filled_list<'a>(given: &'a Value, name: &str) -> Option<&'a Vec<Value>> {
    given.get(name).and_then(Value::as_array).filter(|all| !all.is_empty())
}

/// An item with the id that its plan has here.
fn of_plan(item: &Value) -> Value {
    let text = |name: &str| item.get(name).and_then(Value::as_str);
    let mut item = item.clone();
    let issue = text("issue_id").and_then(|id| IssueId::parse(id).ok());
    if let (Some(issue), Some(given)) = (issue, text("solution_id"))
        && let Some(id) = plan::named(&issue, given).filter(|id| id.as_str() != given)
    {
        item["solution_id"] = id.as_str().into();
    }
    item
}

/// One item for the tasks of a plan.
fn joined(tasks: &[&Value]) -> Option<Value> {
    let (first, status) = match (
        task_with(tasks, "failed"),
        tasks.iter().all(|task| task["status"] == "completed"),
        task_with(tasks, "executing").or(task_with(tasks, "completed")),
    ) {
        (Some(failed), ..) => (failed, "failed"),
        (None, true, _) => (*tasks.last()?, "completed"),
        (None, false, Some(begun)) => (begun, "executing"),
        (None, false, None) => (*tasks.first()?, "pending"),
    };
    let mut item = first.clone();
    let times = |name: &str| tasks.iter().filter_map(|task| task[name].as_str()).map(str::to_owned).collect();
    let (started, ended): (Vec<String>, Vec<String>) = (times("started_at"), times("completed_at"));
    item["status"] = status.into();
    if let Some(at) = started.into_iter().min() {
        item["started_at"] = at.into();
    }
    match ended.into_iter().max() {
        Some(at) if matches!(status, "failed" | "completed") => item["completed_at"] = at.into(),
        _ => {
            item.as_object_mut()?.shift_remove("completed_at");
        }
    }
    let order = tasks.iter().filter_map(|task| task["execution_order"].as_u64()).min();
    if let Some(order) = order {
        item["execution_order"] = order.into();
    }
    Some(item)
}

fn task_with<'a>(tasks: &[&'a Value], word: &str) -> Option<&'a Value> {
    tasks.iter().copied().find(|task| task["status"] == word)
}

/// Gives numbers to items that have none of the form `S-1`, and says so.
fn numbered(items: Vec<Value>, made: Option<Time>, notes: &mut Vec<String>) -> Vec<SourceItem> {
    let mut last = items.iter().filter_map(|item| Some(item_number(item)?.number())).max().unwrap_or(0);
    let mut known = BTreeSet::new();
    let mut all = Vec::new();
    for (n, item) in items.into_iter().enumerate() {
        let text = |name: &str| item.get(name).and_then(Value::as_str);
        let (issue, given) = (text("issue_id").unwrap_or_default().to_owned(), text("item_id"));
        let id = item_number(&item).unwrap_or_else(|| {
            last += 1;
            let id = ItemId::numbered(last);
            if let Some(given) = given {
                notes.push(format!("its item `{given}` became `{id}`: items here are S-1, S-2, …"));
            }
            id
        });
        if !known.insert(id.clone()) {
            notes.push(format!("two of its items have the id `{id}`; their plans tell them apart"));
        }
        let position = item.get("execution_order").and_then(Value::as_u64).filter(|order| *order > 0);
        let queued_at = text("queued_at").and_then(Time::parse).or(made);
        let position = position.unwrap_or(n as u64 + 1);
        all.push(SourceItem { issue, number: id, position, depends_on: vec![], queued_at, item });
    }
    all
}

fn item_number(item: &Value) -> Option<ItemId> {
    item.get("item_id").and_then(Value::as_str).and_then(|id| ItemId::parse(id).ok())
}

/// The plans of a queue by everything that may name them: the item, the plan, the issue.
pub(super) struct PlansByName(BTreeMap<String, SolutionId>);

impl PlansByName {
    fn new(items: &[SourceItem]) -> Self {
        let mut plans = BTreeMap::new();
        for item in items {
            let text = |name: &str| item.item.get(name).and_then(Value::as_str);
            let Some(plan) = text("solution_id").and_then(|id| SolutionId::parse(id).ok()) else { continue };
            for name in ["issue_id", "solution_id", "item_id"].into_iter().filter_map(text) {
                plans.insert(name.to_owned(), plan.clone());
            }
        }
        Self(plans)
    }

    /// The plan that `name` stands for, which may be the id of one plan in ccw.
    pub(super) fn named(&self, name: &str) -> Option<&SolutionId> {
        self.0.get(name).or_else(|| {
            let mut all = self.0.values().filter(|id| plan::named(&id.issue(), name).as_ref() == Some(*id));
            let first = all.next()?;
            all.all(|other| other == first).then_some(first)
        })
    }

    fn of_item(&self, source: &SourceItem) -> Option<SolutionId> {
        self.named(source.item.get("solution_id")?.as_str()?).cloned()
    }

    fn resolved(&self, source: &SourceItem, notes: &mut Vec<String>) -> Vec<String> {
        let own = self.of_item(source);
        let names = source.item.get("depends_on").and_then(Value::as_array).into_iter().flatten();
        let mut plans = Vec::new();
        for name in names.filter_map(Value::as_str) {
            match self.named(name) {
                Some(plan) if Some(plan) == own.as_ref() => {}
                Some(plan) => plans.push(plan.to_string()),
                None => {
                    notes.push(format!("`{}` depends on `{name}`, which is not in the queue", source.number));
                }
            }
        }
        plans
    }
}

/// An item as the record of its issue has it.
pub(super) fn entry(queue: &QueueId, source: &SourceItem, digest: Option<String>) -> Value {
    let mut entry = Map::new();
    entry.insert("queue_id".into(), queue.as_str().into());
    entry.insert("number".into(), source.number.as_str().into());
    entry.insert("position".into(), source.position.into());
    if let Some(at) = source.queued_at {
        entry.insert("queued_at".into(), at.to_string().into());
    }
    if let Some(digest) = digest {
        entry.insert("plan_digest".into(), digest.into());
    }
    if !source.depends_on.is_empty() {
        entry.insert("depends_on".into(), source.depends_on.clone().into());
    }
    entry.insert("item".into(), source.item.clone());
    Value::Object(entry)
}
