//! Task Master 0.43: one file with the tasks of each tag. A task is an issue, and its subtasks are the tasks of its plan.

mod written;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
pub(super) use written::write;

use super::PlanTool;
use super::draft::{self, Draft, DraftTask};
use super::files::{self, FileGroup, PlanFiles};
use super::record::{self, PlanRecord, RecordedIssue, date};
use crate::interchange::lines::Unreadable;
use crate::interchange::tracker::{Arrival, RefusedRecord, Tracker};
use crate::model::{Op, Priority, StoredStatus};

/// Task Master.
pub(crate) static TASK_MASTER: PlanTool =
    PlanTool { tracker: &TRACKER, op: Op::ImportTaskMaster, open, reused_names: None };

/// What its records mean.
pub(crate) static TRACKER: Tracker = Tracker {
    name: TOOL,
    is_own: |record| record::is_of(TOOL, record),
    read,
    kept,
    hint: "give the project's directory, or its `.taskmaster/tasks/tasks.json`",
    follows_plans: true,
    ..Tracker::ALONE
};

const TOOL: &str = "task-master";
const PREFIX: &str = "TM";
/// The tag of tasks that have none.
const FIRST_TAG: &str = "master";
/// Where the file is in a project.
const FILE: [&str; 2] = [".taskmaster/tasks/tasks.json", "tasks/tasks.json"];
/// The members of a task that have a field here, or follow from others.
const PLACED: [&str; 11] = [
    "id",
    "title",
    "description",
    "details",
    "testStrategy",
    "status",
    "dependencies",
    "priority",
    "subtasks",
    "updatedAt",
    "parentId",
];

/// The file with the tasks of a project.
pub(crate) fn file_in(place: &Path) -> Option<PathBuf> {
    if place.is_file() {
        return Some(place.to_owned());
    }
    let all = FILE.iter().map(|name| place.join(name)).chain([place.join("tasks.json")]);
    all.into_iter().find(|file| file.is_file())
}

fn open(place: &Path) -> Result<Option<PlanFiles>, Unreadable> {
    let Some(file) = file_in(place) else { return Ok(None) };
    let mut found = PlanFiles::default();
    let name = "tasks.json";
    let read = match files::text_of(&file) {
        Ok(read) => read,
        Err(error) => {
            found.refuse(name.to_owned(), error.to_string());
            return Ok(Some(found));
        }
    };
    let (text, changed) = read.unwrap_or_default();
    match serde_json::from_str::<Value>(&text) {
        Ok(file @ Value::Object(_)) => {
            for (tag, content) in tagged(&file) {
                for (n, task) in content["tasks"].as_array().into_iter().flatten().enumerate() {
                    match number(&task["id"]) {
                        Some(number) => {
                            let group = FileGroup { changed, ..FileGroup::default() };
                            let task = with_numbers(task);
                            let more =
                                json!({"tag": tag, "task": task, "created": content["metadata"]["created"]});
                            let name = format!("{tag}-{number}");
                            found.add(
                                format!("task {number} of `{tag}`"),
                                record::record(TOOL, &name, group, more),
                            );
                        }
                        None => {
                            found.refuse(format!("task {} of `{tag}`", n + 1), "its `id` is not a number");
                        }
                    }
                }
            }
        }
        Ok(_) => found.refuse(name.to_owned(), "it is not an object with tags"),
        Err(error) => found.refuse(name.to_owned(), format!("invalid JSON: {error}")),
    }
    Ok(Some(found))
}

/// The tags of a file; before there were any, it had only the tasks of one.
fn tagged(file: &Value) -> Vec<(&str, &Value)> {
    if file["tasks"].is_array() {
        return vec![(FIRST_TAG, file)];
    }
    let all = file.as_object().into_iter().flatten().filter(|(_, content)| content["tasks"].is_array());
    all.map(|(tag, content)| (tag.as_str(), content)).collect()
}

/// A task with its ids and those of its subtasks and of what they depend on as numbers: the tool writes all of them as texts or
/// as numbers, from one command to the next.
fn with_numbers(task: &Value) -> Value {
    let mut task = task.clone();
    as_number(&mut task["id"]);
    for on in task.get_mut("dependencies").and_then(Value::as_array_mut).into_iter().flatten() {
        as_number(on);
    }
    for subtask in task.get_mut("subtasks").and_then(Value::as_array_mut).into_iter().flatten() {
        if subtask.is_object() {
            *subtask = with_numbers(subtask);
        }
    }
    task
}

/// Writes a number as one. `2.1`, which names a subtask, stays a text.
fn as_number(id: &mut Value) {
    if let Some(number) = number(id) {
        *id = number.into();
    }
}

/// A number, written as one or as a text.
fn number(id: &Value) -> Option<u64> {
    id.as_u64().or_else(|| id.as_str()?.trim().parse().ok()).filter(|number| *number > 0)
}

fn read(value: &Value) -> Result<Arrival, RefusedRecord> {
    let given = PlanRecord::read(value)?;
    let (tag, task) = (given.text("tag").unwrap_or(FIRST_TAG), given.member("task"));
    let id = given.id(PREFIX, given.name)?;
    let text =
        |name: &str| task[name].as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let mut notes = Vec::new();
    let title = text("title").unwrap_or_else(|| given.name.to_owned());
    let subtasks = task["subtasks"].as_array().map(Vec::as_slice).unwrap_or_default();
    let plan = (!subtasks.is_empty()).then(|| Draft {
        description: text("description").unwrap_or_else(|| title.clone()),
        approach: text("details"),
        tasks: tasks(task, subtasks, text("testStrategy").as_deref()),
    });
    let said = RecordedIssue {
        title: &title,
        author: None,
        created: given.text("created").and_then(date),
        status: status(task["status"].as_str().unwrap_or_default()),
        plan,
        notes: vec![],
    };
    let mut arrival = given.arrival(id, said);
    if let Some(changed) = text("updatedAt").as_deref().and_then(date) {
        arrival.changed = changed.max(arrival.issue.created_at);
    }
    let parts = [text("description"), text("details")];
    arrival.issue.context = Some(parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n"));
    arrival.issue.context = arrival.issue.context.filter(|text| !text.is_empty());
    arrival.issue.priority = match task["priority"].as_str() {
        Some("critical") => Priority::new(1),
        Some("high") => Priority::new(2),
        Some("low") => Priority::new(4),
        _ => None,
    }
    .unwrap_or_default();
    arrival.issue.tags.insert(tag.to_owned());
    for on in task["dependencies"].as_array().into_iter().flatten() {
        depend(&mut arrival, tag, on, &mut notes);
    }
    for subtask in subtasks {
        let others = subtask["dependencies"].as_array().into_iter().flatten();
        for on in others.filter(|on| elsewhere(on, task).is_some()) {
            depend(&mut arrival, tag, on, &mut notes);
        }
    }
    let other = match task["status"].as_str().unwrap_or_default() {
        word @ ("review" | "blocked" | "deferred") => Some(word),
        _ => None,
    };
    if let Some(word) = other {
        arrival.kept.insert(format!("the status `{word}` became `{}`", arrival.issue.status).into());
    }
    if subtasks.iter().any(|subtask| !matches!(subtask["status"].as_str(), None | Some("pending"))) {
        arrival.kept.insert("the status of subtasks".into());
    }
    let unplaced = kept(value);
    arrival.kept.extend(unplaced.keys().map(|name| format!("`{name}` has no field here").into()));
    arrival.notes.extend(notes);
    Ok(arrival)
}

/// The task of another one that `2.1` in a subtask of this task names.
fn elsewhere(on: &Value, task: &Value) -> Option<u64> {
    let (of, _) = on.as_str()?.split_once('.')?;
    of.parse().ok().filter(|of| Some(*of) != number(&task["id"]))
}

/// The subtask of this task that `1`, `"1"` or `"7.1"` in a subtask of task 7 names.
fn sibling(on: &Value, task: &Value) -> Option<u64> {
    let whole = on.as_str().and_then(|text| text.split_once('.'));
    match whole {
        Some((of, own)) => own.parse().ok().filter(|_| of.parse().ok() == number(&task["id"])),
        None => number(on),
    }
}

/// Makes the issue depend on a task, or on the task of a subtask.
fn depend(arrival: &mut Arrival, tag: &str, on: &Value, notes: &mut Vec<String>) {
    let whole = on.as_str().and_then(|text| text.split_once('.')).map(|(of, _)| of);
    let target = whole.map_or_else(|| number(on), |of| of.parse().ok());
    match target.and_then(|number| record::issue_id(PREFIX, &format!("{tag}-{number}")).ok()) {
        Some(target) if target == arrival.issue.id => {}
        Some(target) => {
            let note = format!("it depends on the subtask {on}; here, on all of `{target}`");
            if whole.is_some() && !notes.contains(&note) {
                notes.push(note);
            }
            arrival.issue.depends_on.insert(target);
        }
        None => notes.push(format!("it depends on {on}, which is not the number of a task")),
    }
}

fn status(word: &str) -> StoredStatus {
    match word {
        "in-progress" | "review" => StoredStatus::Planning,
        "done" => StoredStatus::Closed,
        "deferred" => StoredStatus::Paused,
        "cancelled" => StoredStatus::Cancelled,
        _ => StoredStatus::Registered,
    }
}

/// The tasks of a plan. What is tested stands at the last one.
fn tasks(task: &Value, subtasks: &[Value], strategy: Option<&str>) -> Vec<DraftTask> {
    let last = subtasks.len() - 1;
    let one = |(n, subtask): (usize, &Value)| {
        let own = number(&subtask["id"]).map_or_else(|| format!("T{}", n + 1), |number| format!("T{number}"));
        let title = text_in(subtask, "title").unwrap_or_else(|| own.clone());
        let strategy = text_in(subtask, "testStrategy")
            .or_else(|| if n == last { strategy.map(str::to_owned) } else { None });
        let on = subtask["dependencies"].as_array().into_iter().flatten();
        let depends_on = on.filter_map(|on| sibling(on, task)).map(|number| format!("T{number}")).collect();
        DraftTask {
            files: draft::paths(&text_in(subtask, "details").unwrap_or_default()),
            description: text_in(subtask, "description"),
            steps: text_in(subtask, "details").into_iter().collect(),
            manual_checks: strategy.into_iter().collect(),
            depends_on,
            id: own,
            title,
            ..DraftTask::default()
        }
    };
    subtasks.iter().enumerate().map(one).collect()
}

fn text_in(subtask: &Value, name: &str) -> Option<String> {
    subtask[name].as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The members of a task that have no field here.
fn kept(record: &Value) -> Map<String, Value> {
    let members = record["task"].as_object().into_iter().flatten();
    let unplaced = members.filter(|(name, value)| !PLACED.contains(&name.as_str()) && !value.is_null());
    unplaced.map(|(name, value)| (name.clone(), value.clone())).collect()
}
