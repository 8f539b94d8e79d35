//! Task Master 0.43: one file with the tasks of each tag. A task is an issue, and its subtasks are the tasks of its plan.

mod written;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
pub(super) use written::write;

use super::PlanTool;
use super::draft::{self, Draft, DraftTask, chunk_of};
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
    is_dated_by_file: true,
    ..Tracker::ALONE
};

const TOOL: &str = "task-master";
const PREFIX: &str = "TM";
/// The tag of tasks that have none.
const FIRST_TAG: &str = "master";
/// Where the file is in a project.
const FILE: [&str; 2] = [".taskmaster/tasks/tasks.json", "tasks/tasks.json"];
/// The members of a task and of a subtask that have a field here, or follow from others.
const PLACED: [&str; 9] = [
    "id",
    "title",
    "description",
    "details",
    "testStrategy",
    "status",
    "dependencies",
    "updatedAt",
    "parentId",
];
/// Those that only a task has.
const PLACED_OF_TASK: [&str; 2] = ["priority", "subtasks"];

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
    let read = files::text_of(&file).map_err(|error| error.to_string()).and_then(|read| {
        let (text, changed) = read.unwrap_or_default();
        match serde_json::from_str::<Value>(&text) {
            Ok(file @ Value::Object(_)) => Ok((file, changed)),
            Ok(_) => Err("it is not an object with tags".to_owned()),
            Err(error) => Err(format!("invalid JSON: {error}")),
        }
    });
    let (file, changed) = match read {
        Ok(read) => read,
        Err(why) => {
            found.refuse("tasks.json".to_owned(), why);
            return Ok(Some(found));
        }
    };
    for (tag, content) in tagged(&file) {
        for (n, task) in content["tasks"].as_array().into_iter().flatten().enumerate() {
            let Some(number) = number(&task["id"]) else {
                found.refuse(format!("task {} of `{tag}`", n + 1), "its `id` is not a number");
                continue;
            };
            let group = FileGroup { changed, ..FileGroup::default() };
            let created = &content["metadata"]["created"];
            let more = json!({"tag": tag, "task": with_numbers(task), "created": created});
            let record = record::record(TOOL, &format!("{tag}-{number}"), group, more);
            found.add(format!("task {number} of `{tag}`"), record);
        }
    }
    Ok(Some(found))
}

/// The tags of a file; before there were any, it had only the tasks of one, which it may still have beside them.
fn tagged(file: &Value) -> Vec<(&str, &Value)> {
    let all = file.as_object().into_iter().flatten().filter(|(_, content)| content["tasks"].is_array());
    let mut all: Vec<(&str, &Value)> = all.map(|(tag, content)| (tag.as_str(), content)).collect();
    if file["tasks"].is_array() && all.iter().all(|(tag, _)| *tag != FIRST_TAG) {
        all.insert(0, (FIRST_TAG, file));
    }
    all
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

/// Writes a number as one. `2.1`, which names a subtask, becomes a text.
fn as_number(id: &mut Value) {
    if let Some(number) = number(id) {
        *id = number.into();
    } else if id.is_f64() {
        *id = id.to_string().into();
    }
}

/// A number, written as one or as a text.
fn number(id: &Value) -> Option<u64> {
    id.as_u64().or_else(|| id.as_str()?.trim().parse().ok()).filter(|number| *number > 0)
}

fn read(value: &Value) -> Result<Arrival, RefusedRecord> {
    let given = PlanRecord::read(value)?;
    let (tag, task) = (given.text("tag").unwrap_or(FIRST_TAG), given.member("task"));
    let text = |name: &str| text_in(task, name);
    let title = text("title").unwrap_or_else(|| given.name.to_owned());
    let subtasks = standing(task);
    let strategy = text("testStrategy");
    let plan = (!subtasks.is_empty()).then(|| Draft {
        description: text("description").unwrap_or_else(|| title.clone()),
        approach: text("details"),
        tasks: draft::grouped(tasks(task, &subtasks, strategy.as_deref())),
    });
    let strategy = strategy.filter(|_| plan.is_none()).map(|text| format!("Test strategy: {text}"));
    let word = task["status"].as_str().unwrap_or_default();
    let said = RecordedIssue {
        title: &title,
        author: None,
        created: given.text("created").and_then(date),
        status: status(word),
        plan,
    };
    let mut arrival = given.arrival(given.id(PREFIX, given.name)?, said);
    if let Some(changed) = text("updatedAt").as_deref().and_then(date) {
        arrival.changed = changed.max(arrival.issue.created_at);
    }
    let parts: Vec<String> = [text("description"), text("details"), strategy].into_iter().flatten().collect();
    arrival.issue.context = record::filled(&parts.join("\n\n"));
    let priority = task["priority"].as_str().unwrap_or("medium");
    arrival.issue.priority = match priority {
        "critical" | "urgent" => Priority::new(1),
        "high" => Priority::new(2),
        "low" => Priority::new(4),
        _ => None,
    }
    .unwrap_or_default();
    if !["critical", "urgent", "high", "medium", "low"].contains(&priority) {
        arrival.kept.insert(format!("the priority `{priority}` became `medium`").into());
    }
    arrival.issue.tags.insert(tag.to_owned());
    for on in task["dependencies"].as_array().into_iter().flatten() {
        depend(&mut arrival, tag, on);
    }
    add_subtasks(&mut arrival, tag, task, &subtasks);
    if !["", "pending", "in-progress", "done", "cancelled"].contains(&word) {
        arrival.kept.insert(format!("the status `{word}` became `{}`", arrival.issue.status).into());
    }
    let all = task["subtasks"].as_array().into_iter().flatten();
    if all.into_iter().any(|subtask| !matches!(subtask["status"].as_str(), None | Some("pending"))) {
        arrival.kept.insert("the status of subtasks".into());
    }
    arrival.kept.extend(kept(value).keys().map(|name| format!("`{name}` has no field here").into()));
    Ok(arrival)
}

/// Adds what subtasks depend on elsewhere, and what of them has no place.
fn add_subtasks(arrival: &mut Arrival, tag: &str, task: &Value, subtasks: &[&Value]) {
    let numbers: BTreeSet<u64> = subtasks.iter().filter_map(|subtask| number(&subtask["id"])).collect();
    for subtask in subtasks {
        for on in subtask["dependencies"].as_array().into_iter().flatten() {
            if elsewhere(on, task).is_some() {
                depend(arrival, tag, on);
            } else if sibling(on, task).is_none_or(|on| !numbers.contains(&on)) {
                let own = &subtask["id"];
                arrival
                    .notes
                    .push(format!("its subtask {own} depends on {on}, which was given up or is not there"));
            }
        }
        let names =
            subtask.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), value.clone()));
        let unplaced = record::unplaced(names, &PLACED);
        arrival
            .kept
            .extend(unplaced.keys().map(|name| format!("`{name}` of a subtask has no field here").into()));
    }
}

/// The subtasks that were not given up.
fn standing(task: &Value) -> Vec<&Value> {
    let all = task["subtasks"].as_array().into_iter().flatten();
    all.filter(|subtask| subtask["status"] != "cancelled").collect()
}

/// A subtask with a number.
struct NumberedSubtask {
    number: u64,
    /// Its own id in a plan.
    own: String,
    /// The task of the plan that it is in.
    id: String,
    title: String,
}

/// The subtasks that stand and have a number.
fn numbered_subtasks(task: &Value) -> Vec<NumberedSubtask> {
    let all = standing(task);
    let ids: Vec<String> = all.iter().enumerate().map(|(n, subtask)| own_id(n, subtask)).collect();
    let mut found = Vec::new();
    for (n, subtask) in all.into_iter().enumerate() {
        if let Some(number) = number(&subtask["id"]) {
            let (own, id) = (ids[n].clone(), ids[chunk_of(n, ids.len())].clone());
            let title = text_in(subtask, "title").unwrap_or_else(|| own.clone());
            found.push(NumberedSubtask { number, own, id, title });
        }
    }
    found
}

/// The id of a subtask in the plan.
fn own_id(place: usize, subtask: &Value) -> String {
    format!("T{}", number(&subtask["id"]).unwrap_or(place as u64 + 1))
}

/// The task of another one that `2.1` in a subtask of this task names.
fn elsewhere(on: &Value, task: &Value) -> Option<u64> {
    let (of, _) = on.as_str()?.split_once('.')?;
    of.parse().ok().filter(|of| Some(*of) != number(&task["id"]))
}

/// The subtask of this task that `1`, `"1"` or `"7.1"` in a subtask of task 7 names.
fn sibling(on: &Value, task: &Value) -> Option<u64> {
    let Some((of, own)) = on.as_str().and_then(|text| text.split_once('.')) else { return number(on) };
    if of.parse().ok() == number(&task["id"]) { own.parse().ok() } else { None }
}

/// Makes the issue depend on a task, or on the task of a subtask.
fn depend(arrival: &mut Arrival, tag: &str, on: &Value) {
    let whole = on.as_str().and_then(|text| text.split_once('.')).map(|(of, _)| of);
    let target = whole.map_or_else(|| number(on), |of| of.parse().ok());
    match target.and_then(|number| record::issue_id(PREFIX, &format!("{tag}-{number}")).ok()) {
        Some(target) if target == arrival.issue.id => {}
        Some(target) => {
            let note = format!("it depends on the subtask {on}; here, on all of `{target}`");
            if whole.is_some() && !arrival.notes.contains(&note) {
                arrival.notes.push(note);
            }
            arrival.issue.depends_on.insert(target);
        }
        None => arrival.notes.push(format!("it depends on {on}, which is not the number of a task")),
    }
}

fn status(word: &str) -> StoredStatus {
    match word {
        "in-progress" | "in_progress" | "review" => StoredStatus::Planning,
        "done" | "completed" => StoredStatus::Closed,
        "deferred" => StoredStatus::Paused,
        "cancelled" => StoredStatus::Cancelled,
        _ => StoredStatus::Registered,
    }
}

/// The tasks of a plan. What is tested stands at the last one.
fn tasks(task: &Value, subtasks: &[&Value], strategy: Option<&str>) -> Vec<DraftTask> {
    let ids: Vec<String> = subtasks.iter().enumerate().map(|(n, subtask)| own_id(n, subtask)).collect();
    let mut made = Vec::new();
    for (n, subtask) in subtasks.iter().enumerate() {
        let own = ids[n].clone();
        let title = text_in(subtask, "title").unwrap_or_else(|| own.clone());
        let strategy = text_in(subtask, "testStrategy")
            .or_else(|| if n + 1 == ids.len() { strategy.map(str::to_owned) } else { None });
        let on = subtask["dependencies"].as_array().into_iter().flatten();
        let on = on.filter_map(|on| sibling(on, task)).map(|number| format!("T{number}"));
        made.push(DraftTask {
            files: draft::paths(&text_in(subtask, "details").unwrap_or_default()),
            description: text_in(subtask, "description"),
            steps: text_in(subtask, "details").into_iter().collect(),
            manual_checks: strategy.into_iter().collect(),
            depends_on: on.filter(|on| ids.contains(on)).collect(),
            id: own,
            title,
            ..DraftTask::default()
        });
    }
    made
}

fn text_in(task: &Value, name: &str) -> Option<String> {
    record::filled(task[name].as_str()?)
}

/// The members of a task that have no field here.
fn kept(record: &Value) -> Map<String, Value> {
    let members = record["task"].as_object().into_iter().flatten();
    let members = members.map(|(name, value)| (name.clone(), value.clone()));
    record::unplaced(members, &[&PLACED[..], &PLACED_OF_TASK].concat())
}
