//! The queue of ccw that a queue becomes: the status of an item there says how its last execution went.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::conflict;
use super::export::{given_id, own, own_item};
use crate::interchange::work::Attempt;
use crate::model::typed::{self, own_json};
use crate::model::{
    Execution, ExecutionResult, ExecutionStatus, Failure, Issue, IssueId, ItemStatus, QueueConflict,
    QueueStatus, SolutionId, Time,
};
use crate::rules::{ExecutionFolder, ItemView, QueueView};

/// The version that ccw writes into its queues.
const VERSION: &str = "2.1";

/// An issue with items in a queue, and its executions.
pub(crate) struct OfIssue {
    issue: Issue,
    executions: Vec<ExecutionFolder>,
    /// When anything about it last changed.
    changed: Time,
    /// The attempts that its import brought, if the issue came from ccw and still has the status that it had there.
    imported: Option<Vec<Attempt>>,
}

impl OfIssue {
    /// An issue with its executions, last changed at `changed`.
    pub(crate) fn new(issue: Issue, executions: Vec<ExecutionFolder>, changed: Time) -> Self {
        let before = own(&issue).filter(|(_, before)| before.issue.status == issue.status);
        let imported = before.map(|(_, before)| before.work.attempts);
        Self { issue, executions, changed, imported }
    }
}

/// A queue for ccw, and its entry in the list of queues.
pub(crate) struct CcwQueue {
    /// Its file.
    pub(crate) queue: Value,
    /// Its entry.
    pub(crate) entry: Value,
    /// How many items it has.
    pub(crate) items: u64,
}

/// A queue with its items; those of issues that are not exported are left out.
pub(crate) fn queue(
    view: &QueueView,
    conflicts: &[QueueConflict],
    issues: &BTreeMap<IssueId, OfIssue>,
    has_priorities: bool,
) -> CcwQueue {
    let numbers: BTreeMap<&SolutionId, String> =
        view.items.iter().map(|item| (&item.item.solution_id, item.item.item_id.to_string())).collect();
    let id = view.queue.id.as_str();
    let mut items = Vec::new();
    let mut issue_ids: Vec<&IssueId> = Vec::new();
    let mut updated = view.queue.created_at;
    for view in &view.items {
        let Some(of_issue) = issues.get(&view.item.issue_id) else { continue };
        updated = updated.max(of_issue.changed);
        if !issue_ids.contains(&&view.item.issue_id) {
            issue_ids.push(&view.item.issue_id);
        }
        items.push(item(id, view, of_issue, &numbers));
    }
    // A queue that is not served is one that the index does not list as active.
    let status = if view.status == QueueStatus::Paused { QueueStatus::Active } else { view.status };
    let declared = conflicts
        .iter()
        .filter(|conflict| conflicts.iter().all(|later| later.resolves.as_ref() != Some(&conflict.id)));
    let declared: Vec<Value> = declared.map(|conflict| conflict::write(conflict, &numbers)).collect();
    let mut queue = Map::new();
    queue.insert("id".into(), id.into());
    if let Some(name) = &view.queue.name {
        queue.insert("name".into(), name.clone().into());
    }
    queue.insert("status".into(), status.as_str().into());
    queue.insert("created_at".into(), view.queue.created_at.to_string().into());
    queue.insert("issue_ids".into(), json!(issue_ids));
    queue.insert("tasks".into(), json!([]));
    queue.insert("conflicts".into(), declared.into());
    queue.insert(
        "_metadata".into(),
        json!({
            "version": VERSION,
            "total_tasks": items.len(),
            "pending_count": counted(&items, "pending"),
            "executing_count": counted(&items, "executing"),
            "completed_count": counted(&items, "completed"),
            "failed_count": counted(&items, "failed"),
            "updated_at": updated,
        }),
    );
    let mut entry = json!({
        "id": id, "status": status, "issue_ids": issue_ids, "created_at": view.queue.created_at,
        "total_solutions": items.len(), "completed_solutions": counted(&items, "completed"),
    });
    if has_priorities {
        entry["priority"] = view.queue.priority.into();
    }
    let count = items.len() as u64;
    queue.insert("solutions".into(), items.into());
    CcwQueue { queue: Value::Object(queue), entry, items: count }
}

fn counted(items: &[Value], word: &str) -> usize {
    items.iter().filter(|item| item["status"] == word).count()
}

fn item(queue: &str, view: &ItemView, of_issue: &OfIssue, numbers: &BTreeMap<&SolutionId, String>) -> Value {
    let own = own_item(&of_issue.issue, queue, &view.item.solution_id).and_then(Value::as_object);
    let mut map = own.cloned().unwrap_or_default();
    let is_as_imported =
        own.is_some_and(|own| own.contains_key("status")) && is_as_imported(queue, view, of_issue);
    let status = match view.status {
        ItemStatus::Executing | ItemStatus::Completed | ItemStatus::Failed => view.status.as_str(),
        _ => ItemStatus::Pending.as_str(),
    };
    let depends_on: Vec<&String> = view.item.depends_on.iter().filter_map(|id| numbers.get(id)).collect();
    for (name, value) in [
        ("item_id", Value::from(view.item.item_id.as_str())),
        ("issue_id", view.item.issue_id.as_str().into()),
        ("solution_id", given_id(&of_issue.issue, &view.item.solution_id).into()),
        ("execution_order", view.execution_order.into()),
        ("depends_on", json!(depends_on)),
    ] {
        map.insert(name.into(), value);
    }
    // A planner of ccw chose these, if it is an item of ccw.
    for (name, value) in [
        ("execution_group", Value::from(view.execution_group.clone())),
        ("semantic_priority", view.semantic_priority.into()),
        ("task_count", view.task_count.into()),
        ("files_touched", json!(view.files_touched)),
    ] {
        map.entry(name).or_insert(value);
    }
    if !is_as_imported {
        map.insert("status".into(), status.into());
        outcome(&mut map, queue, view, &of_issue.executions);
    }
    if own.is_none() {
        map.insert("queued_at".into(), view.item.queued_at.to_string().into());
    }
    match &view.item.held {
        Some(reason) => map.insert("held".into(), reason.clone().into()),
        None => map.shift_remove("held"),
    };
    Value::Object(map)
}

/// Whether the status and the executions of an item are those that its import brought: then it goes back as it came.
fn is_as_imported(queue: &str, view: &ItemView, OfIssue { executions, imported, .. }: &OfIssue) -> bool {
    let Some(attempts) = imported else { return false };
    let were = attempts
        .iter()
        .filter(|attempt| is_its(view, queue, &attempt.claim))
        .map(|attempt| (&attempt.claim.nonce, &attempt.log));
    let are = executions
        .iter()
        .filter(|execution| is_its(view, queue, &execution.execution))
        .map(|execution| (&execution.execution.nonce, &execution.log));
    were.collect::<BTreeMap<_, _>>() == are.collect()
}

fn is_its(view: &ItemView, queue: &str, claim: &Execution) -> bool {
    claim.solution_id == view.item.solution_id
        && claim.queue_id.as_ref().is_some_and(|id| id.as_str() == queue)
}

/// The outcome of an item's executions. A field that an import had with the same meaning stays as it was written.
fn outcome(map: &mut Map<String, Value>, queue: &str, view: &ItemView, executions: &[ExecutionFolder]) {
    let mut all: Vec<&ExecutionFolder> = executions
        .iter()
        .filter(|execution| {
            execution.execution.solution_id == view.item.solution_id
                && execution.execution.queue_id.as_ref().is_some_and(|id| id.as_str() == queue)
        })
        .collect();
    all.sort_by_key(|attempt| attempt.execution.attempt);
    let wanted = ExecutionStatus::parse(view.status.as_str());
    let last = all.iter().rposition(|attempt| wanted == Some(attempt.outcome()) && attempt.aside().is_none());
    let past =
        all.iter().enumerate().filter(|(n, attempt)| Some(*n) != last && attempt.failed_end().is_some());
    let past: Vec<Value> = past.filter_map(|(_, attempt)| failure(attempt)).collect();
    set_or_remove(map, "failure_history", (!past.is_empty()).then(|| past.into()));
    let last = last.map(|n| all[n]);
    let started = if view.status != ItemStatus::Pending {
        last.map(|attempt| attempt.execution.started_at)
    } else {
        None
    };
    // An item of ccw that was never begun there has no start, and its claim here has the time of the queue.
    let is_untold = !map.contains_key("started_at") && started == Some(view.item.queued_at);
    set_or_remove(map, "started_at", if is_untold { None } else { started.map(|at| at.to_string().into()) });
    let is_failed = view.status == ItemStatus::Failed;
    let details = if is_failed { last.and_then(failure) } else { None };
    // ccw states the time of a failure twice, a moment apart.
    if !(is_failed && details.is_some() && map.get("failure_details") == details.as_ref()) {
        let ended = last.and_then(ExecutionFolder::finished_at).map(|at| at.to_string().into());
        set_or_remove(map, "completed_at", ended);
        let message = details.as_ref().and_then(|details| details.get("message").cloned());
        set_or_remove(map, "failure_reason", if details.is_some() { message } else { None });
    }
    set_or_remove(map, "failure_details", details);
    let result = last.and_then(ExecutionFolder::result);
    let own = map.get("result").and_then(|given| typed::read::<ExecutionResult>(given).ok());
    if own.as_ref() != result && !is_failed {
        set_or_remove(map, "result", result.map(|result| result_value(result, last)));
    }
}

fn set_or_remove(map: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    match value {
        Some(value) => map.insert(name.to_owned(), value),
        None => map.shift_remove(name),
    };
}

/// The result, with the last linked commit as ccw has it.
fn result_value(result: &ExecutionResult, execution: Option<&ExecutionFolder>) -> Value {
    let mut value = own_json(result);
    let commits = execution.map(ExecutionFolder::commits).unwrap_or_default();
    if let (Some(map), Some(last)) = (value.as_object_mut(), commits.last()) {
        map.insert("commit_hash".into(), last.link.hash.as_str().into());
    }
    value
}

/// What went wrong, and when.
fn failure(execution: &ExecutionFolder) -> Option<Value> {
    let (entry, Failure { task_id, error_type, message, stack_trace }) = execution.failed_end()?;
    let mut map = Map::new();
    if let Some(task) = task_id {
        map.insert("task_id".into(), task.as_str().into());
    }
    let members = [("error_type", error_type), ("message", message), ("stack_trace", stack_trace)];
    for (name, text) in members.into_iter().filter_map(|(name, text)| Some((name, text.as_ref()?))) {
        map.insert(name.into(), text.clone().into());
    }
    map.insert("timestamp".into(), entry.at.to_string().into());
    Some(Value::Object(map))
}
