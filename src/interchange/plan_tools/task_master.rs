//! Task Master 0.43: one file with the tasks of each tag. A task is an issue, and its subtasks are the tasks of its plan.
//! Statuses are written back over the texts that stand there, and no other byte changes.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::PlanTool;
use super::draft::{self, Draft, DraftTask};
use super::files::{self, FileGroup, PlanFiles};
use super::record::{self, PlanRecord, RecordedIssue, date};
use super::written::{Progress, Stage, WrittenText};
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
    let text = |name: &str| text_in(task, name);
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
    };
    let mut arrival = given.arrival(given.id(PREFIX, given.name)?, said);
    if let Some(changed) = text("updatedAt").as_deref().and_then(date) {
        arrival.changed = changed.max(arrival.issue.created_at);
    }
    let parts: Vec<String> = [text("description"), text("details")].into_iter().flatten().collect();
    arrival.issue.context = record::filled(&parts.join("\n\n"));
    arrival.issue.priority = match task["priority"].as_str() {
        Some("critical") => Priority::new(1),
        Some("high") => Priority::new(2),
        Some("low") => Priority::new(4),
        _ => None,
    }
    .unwrap_or_default();
    arrival.issue.tags.insert(tag.to_owned());
    for on in task["dependencies"].as_array().into_iter().flatten() {
        depend(&mut arrival, tag, on);
    }
    let of_subtasks = subtasks.iter().filter_map(|subtask| subtask["dependencies"].as_array()).flatten();
    for on in of_subtasks.filter(|on| elsewhere(on, task).is_some()) {
        depend(&mut arrival, tag, on);
    }
    if let Some(word @ ("review" | "blocked" | "deferred")) = task["status"].as_str() {
        arrival.kept.insert(format!("the status `{word}` became `{}`", arrival.issue.status).into());
    }
    if subtasks.iter().any(|subtask| !matches!(subtask["status"].as_str(), None | Some("pending"))) {
        arrival.kept.insert("the status of subtasks".into());
    }
    arrival.kept.extend(kept(value).keys().map(|name| format!("`{name}` has no field here").into()));
    Ok(arrival)
}

/// The task of another one that `2.1` in a subtask of this task names.
fn elsewhere(on: &Value, task: &Value) -> Option<u64> {
    let (of, _) = on.as_str()?.split_once('.')?;
    of.parse().ok().filter(|of| Some(*of) != number(&task["id"]))
}

/// The subtask of this task that `1`, `"1"` or `"7.1"` in a subtask of task 7 names.
fn sibling(on: &Value, task: &Value) -> Option<u64> {
    match on.as_str().and_then(|text| text.split_once('.')) {
        Some((of, own)) => own.parse().ok().filter(|_| of.parse().ok() == number(&task["id"])),
        None => number(on),
    }
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

fn text_in(task: &Value, name: &str) -> Option<String> {
    record::filled(task[name].as_str()?)
}

/// The members of a task that have no field here.
fn kept(record: &Value) -> Map<String, Value> {
    let members = record["task"].as_object().into_iter().flatten();
    let unplaced = members.filter(|(name, value)| !PLACED.contains(&name.as_str()) && !value.is_null());
    unplaced.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The tasks of a tag, as they stand in the text.
#[derive(Deserialize)]
struct TagText<'a> {
    #[serde(borrow, default)]
    tasks: Vec<TaskText<'a>>,
}

/// A task or a subtask.
#[derive(Deserialize)]
struct TaskText<'a> {
    #[serde(default)]
    id: Value,
    /// Its status with its quotes.
    #[serde(borrow, default)]
    status: Option<&'a RawValue>,
    #[serde(borrow, default)]
    subtasks: Option<Vec<TaskText<'a>>>,
}

/// A word that a status becomes.
struct Change<'a> {
    old: &'a RawValue,
    new: &'static str,
}

/// The text with the status of a task and of its subtasks.
pub(super) fn write(text: &str, record: &Value, progress: &Progress) -> Result<WrittenText, String> {
    let own = number(&record["task"]["id"]);
    let tag = record["tag"].as_str().unwrap_or(FIRST_TAG);
    let tasks = task_texts(text, tag).map_err(|error| format!("it cannot be read: {error}"))?;
    let mut written = WrittenText { text: text.to_owned(), ..WrittenText::default() };
    let Some(task) = tasks.iter().find(|task| own.is_some() && number(&task.id) == own) else {
        if progress.stage != Stage::Open {
            written.missing.push(format!("task {} of `{tag}`", own.unwrap_or_default()));
        }
        return Ok(written);
    };
    let mut changes: Vec<Change<'_>> = task.change(word(progress.stage)).into_iter().collect();
    for subtask in task.subtasks.iter().flatten() {
        let is_done = number(&subtask.id).is_some_and(|number| progress.done.contains(&format!("T{number}")));
        if is_done || progress.stage == Stage::Done {
            changes.extend(subtask.change(Some("done")));
        }
    }
    changes.sort_by_key(|change| Reverse(offset(text, change.old)));
    written.changes = changes.len();
    for Change { old, new } in changes {
        let at = offset(text, old);
        written.text.replace_range(at..at + old.get().len(), &format!("\"{new}\""));
    }
    Ok(written)
}

impl<'a> TaskText<'a> {
    /// What its status becomes. What is over there stays as it is.
    fn change(&self, new: Option<&'static str>) -> Option<Change<'a>> {
        let (old, new) = (self.status?, new?);
        let word = serde_json::from_str::<&str>(old.get()).ok()?;
        let stays = match word {
            "done" | "cancelled" => true,
            "in-progress" | "review" => new == "in-progress",
            _ => false,
        };
        (!stays).then_some(Change { old, new })
    }
}

/// The word for a stage; `None` if the status stays.
fn word(stage: Stage) -> Option<&'static str> {
    match stage {
        Stage::Open => None,
        Stage::Working => Some("in-progress"),
        Stage::Done => Some("done"),
        Stage::Cancelled => Some("cancelled"),
    }
}

/// The tasks of a tag. Before there were tags, the file had only the tasks of one.
fn task_texts<'a>(text: &'a str, tag: &str) -> serde_json::Result<Vec<TaskText<'a>>> {
    let members: BTreeMap<String, &'a RawValue> = serde_json::from_str(text)?;
    if tag == FIRST_TAG
        && let Some(tasks) = members.get("tasks").filter(|tasks| tasks.get().starts_with('['))
    {
        return serde_json::from_str(tasks.get());
    }
    let Some(content) = members.get(tag) else { return Ok(vec![]) };
    Ok(serde_json::from_str::<TagText<'a>>(content.get())?.tasks)
}

/// Where a part of a text begins.
fn offset(text: &str, part: &RawValue) -> usize {
    part.get().as_ptr().addr() - text.as_ptr().addr()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::IssueId;

    fn progress(stage: Stage, done: &[&str]) -> Progress {
        let done = done.iter().map(|&id| id.to_owned()).collect();
        Progress { issue: IssueId::parse("TM-a").unwrap(), stage, done }
    }

    fn written(text: &str, tag: &str, id: u64, stage: Stage, done: &[&str]) -> WrittenText {
        write(text, &json!({"tag": tag, "task": {"id": id}}), &progress(stage, done)).unwrap()
    }

    #[test]
    fn only_the_status_changes_in_the_form_that_stands_there() {
        let text = "{\"b\":{\"tasks\":[ {\"status\" : \"pending\",\"id\":\"2\", \"é\":1e9,\n\"subtasks\":[{\"id\":1,\
                    \"status\":\"pending\"},{\"id\":\"2\",\"status\":\"done\"},{\"id\":3}]}],\"metadata\":{}},\"x\":7}\r\n";
        let now = written(text, "b", 2, Stage::Working, &["T1", "T2", "T3"]);
        let expected = text.replacen("\"status\" : \"pending\"", "\"status\" : \"in-progress\"", 1).replacen(
            "\"status\":\"pending\"",
            "\"status\":\"done\"",
            1,
        );
        assert_eq!((now.text, now.changes), (expected, 2));
        assert_eq!(written(text, "b", 2, Stage::Open, &[]).text, text);
        assert_eq!(written(text, "b", 3, Stage::Done, &[]).missing, ["task 3 of `b`"]);
        assert_eq!(written(text, "c", 2, Stage::Done, &[]).missing, ["task 2 of `c`"]);
    }

    #[test]
    fn what_is_over_there_does_not_open_again() {
        let text = r#"{"tasks":[{"id":1,"status":"done"},{"id":2,"status":"review"}]}"#;
        assert_eq!(written(text, FIRST_TAG, 1, Stage::Working, &[]).changes, 0);
        assert_eq!(written(text, FIRST_TAG, 2, Stage::Working, &[]).changes, 0);
        assert!(written(text, FIRST_TAG, 2, Stage::Cancelled, &[]).text.contains("\"cancelled\""));
    }

    #[test]
    fn a_file_that_is_no_json_is_refused() {
        let record = json!({"tag": "a", "task": {"id": 1}});
        let why = write("{", &record, &progress(Stage::Done, &[])).unwrap_err();
        assert!(why.starts_with("it cannot be read: "), "{why}");
    }
}
