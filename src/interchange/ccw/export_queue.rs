//! The queue of ccw that a queue becomes: the status of an item there says how its last execution went.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::conflict;
use super::export::{given_id, own, own_item};
use crate::interchange::work::Attempt;
use crate::model::execution::{Execution, ExecutionResult, Failure};
use crate::model::id::{IssueId, SolutionId};
use crate::model::issue::Issue;
use crate::model::queue_conflict::QueueConflict;
use crate::model::status::{ExecutionStatus, ItemStatus, QueueStatus};
use crate::model::time::Time;
use crate::model::typed::{self, own_json};
use crate::rules::folder::ExecutionFolder;
use crate::rules::readiness::{ItemView, QueueView};

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
        view.items.iter().map(|it| (&it.item.solution_id, it.item.item_id.to_string())).collect();
    let id = view.queue.id.as_str();
    let mut items = Vec::new();
    let mut issue_ids: Vec<&IssueId> = Vec::new();
    let mut updated = view.queue.created_at;
    for it in &view.items {
        let Some(of_issue) = issues.get(&it.item.issue_id) else { continue };
        updated = updated.max(of_issue.changed);
        if !issue_ids.contains(&&it.item.issue_id) {
            issue_ids.push(&it.item.issue_id);
        }
        items.push(item(id, it, of_issue, &numbers));
    }
    let counted = |word: &str| items.iter().filter(|item| item["status"] == word).count();
    // A queue that is not served is one that the index does not list as active.
    let status = if view.status == QueueStatus::Paused { QueueStatus::Active } else { view.status };
    let is_decided =
        |it: &QueueConflict| conflicts.iter().all(|later| later.resolves.as_ref() != Some(&it.id));
    let declared = conflicts.iter().filter(|it| is_decided(it));
    let declared: Vec<Value> = declared.map(|it| conflict::write(it, &numbers)).collect();
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
            "pending_count": counted("pending"),
            "executing_count": counted("executing"),
            "completed_count": counted("completed"),
            "failed_count": counted("failed"),
            "updated_at": updated,
        }),
    );
    let mut entry = json!({
        "id": id, "status": status, "issue_ids": issue_ids, "created_at": view.queue.created_at,
        "total_solutions": items.len(), "completed_solutions": counted("completed"),
    });
    if has_priorities {
        entry["priority"] = view.queue.priority.into();
    }
    let count = items.len() as u64;
    queue.insert("solutions".into(), items.into());
    CcwQueue { queue: Value::Object(queue), entry, items: count }
}

fn item(queue: &str, it: &ItemView, of_issue: &OfIssue, numbers: &BTreeMap<&SolutionId, String>) -> Value {
    let own = own_item(&of_issue.issue, queue, &it.item.solution_id).and_then(Value::as_object);
    let mut map = own.cloned().unwrap_or_default();
    let is_as_imported =
        own.is_some_and(|own| own.contains_key("status")) && is_as_imported(queue, it, of_issue);
    let status = match it.status {
        ItemStatus::Executing | ItemStatus::Completed | ItemStatus::Failed => it.status.as_str(),
        _ => ItemStatus::Pending.as_str(),
    };
    let depends_on: Vec<&String> = it.item.depends_on.iter().filter_map(|id| numbers.get(id)).collect();
    for (name, value) in [
        ("item_id", Value::from(it.item.item_id.as_str())),
        ("issue_id", it.item.issue_id.as_str().into()),
        ("solution_id", given_id(&of_issue.issue, &it.item.solution_id).into()),
        ("execution_order", it.execution_order.into()),
        ("depends_on", json!(depends_on)),
    ] {
        map.insert(name.into(), value);
    }
    // A planner of ccw chose these, if it is an item of ccw.
    for (name, value) in [
        ("execution_group", Value::from(it.execution_group.clone())),
        ("semantic_priority", it.semantic_priority.into()),
        ("task_count", it.task_count.into()),
        ("files_touched", json!(it.files_touched)),
    ] {
        map.entry(name).or_insert(value);
    }
    if !is_as_imported {
        map.insert("status".into(), status.into());
        outcome(&mut map, queue, it, &of_issue.executions);
    }
    if own.is_none() {
        map.insert("queued_at".into(), it.item.queued_at.to_string().into());
    }
    match &it.item.held {
        Some(reason) => map.insert("held".into(), reason.clone().into()),
        None => map.shift_remove("held"),
    };
    Value::Object(map)
}

/// Whether the status and the executions of an item are those that its import brought: then it goes back as it came.
fn is_as_imported(queue: &str, it: &ItemView, OfIssue { executions, imported, .. }: &OfIssue) -> bool {
    let Some(attempts) = imported else { return false };
    let is_its = |claim: &Execution| {
        claim.solution_id == it.item.solution_id
            && claim.queue_id.as_ref().is_some_and(|id| id.as_str() == queue)
    };
    let were = attempts.iter().filter(|it| is_its(&it.claim)).map(|it| (&it.claim.nonce, &it.log));
    let are = executions.iter().filter(|it| is_its(&it.execution)).map(|it| (&it.execution.nonce, &it.log));
    were.collect::<BTreeMap<_, _>>() == are.collect()
}

/// The outcome of an item's executions. A field that an import had with the same meaning stays as it was written.
fn outcome(map: &mut Map<String, Value>, queue: &str, it: &ItemView, executions: &[ExecutionFolder]) {
    let is_its = |execution: &&ExecutionFolder| {
        execution.execution.solution_id == it.item.solution_id
            && execution.execution.queue_id.as_ref().is_some_and(|id| id.as_str() == queue)
    };
    let mut all: Vec<&ExecutionFolder> = executions.iter().filter(is_its).collect();
    all.sort_by_key(|it| it.execution.attempt);
    let wanted = ExecutionStatus::parse(it.status.as_str());
    let last = all.iter().rposition(|it| wanted == Some(it.outcome()) && it.aside().is_none());
    let past = all.iter().enumerate().filter(|(n, it)| Some(*n) != last && it.failed_end().is_some());
    let past: Vec<Value> = past.filter_map(|(_, it)| failure(it)).collect();
    set_or_remove(map, "failure_history", (!past.is_empty()).then(|| past.into()));
    let last = last.map(|n| all[n]);
    let started = last.filter(|_| it.status != ItemStatus::Pending).map(|it| it.execution.started_at);
    // An item of ccw that was never begun there has no start, and its claim here has the time of the queue.
    let is_untold = !map.contains_key("started_at") && started == Some(it.item.queued_at);
    set_or_remove(map, "started_at", started.filter(|_| !is_untold).map(|at| at.to_string().into()));
    let is_failed = it.status == ItemStatus::Failed;
    let details = last.filter(|_| is_failed).and_then(failure);
    // ccw states the time of a failure twice, a moment apart.
    if !(is_failed && details.is_some() && map.get("failure_details") == details.as_ref()) {
        let ended = last.and_then(ExecutionFolder::finished_at).map(|at| at.to_string().into());
        set_or_remove(map, "completed_at", ended);
        let message = details.as_ref().and_then(|it| it.get("message").cloned());
        set_or_remove(map, "failure_reason", message.filter(|_| details.is_some()));
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
