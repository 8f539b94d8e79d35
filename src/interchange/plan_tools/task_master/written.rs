//! Writes statuses back over the texts that stand in the file of Task Master; no other byte changes.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use super::{FIRST_TAG, NumberedSubtask, number, numbered_subtasks};
use crate::interchange::plan_tools::claimed::{ListEntry, Mark};
use crate::interchange::plan_tools::written::{Progress, Stage, WrittenText};

/// A task or a subtask as it stands in the text: its members.
type TaskText<'a> = BTreeMap<String, &'a RawValue>;

/// What is written at a place of the text.
struct Change {
    at: usize,
    /// How many bytes it replaces.
    length: usize,
    new: String,
}

/// The text with the status of a task and of its subtasks.
pub(crate) fn write(text: &str, record: &Value, progress: &Progress) -> Result<WrittenText, String> {
    let own = number(&record["task"]["id"]);
    let tag = record["tag"].as_str().unwrap_or(FIRST_TAG);
    let unread = |error: serde_json::Error| format!("it cannot be read: {error}");
    let tasks = task_texts(text, tag).map_err(unread)?;
    let mut written = WrittenText { text: text.to_owned(), ..WrittenText::default() };
    let named: Vec<_> = tasks.iter().filter(|task| own.is_some() && number_of(task) == own).collect();
    let [task] = named[..] else {
        let why = if named.is_empty() { "" } else { " (several have this number)" };
        if progress.stage != Stage::Open {
            written.missing.push(format!("task {} of `{tag}`{why}", own.unwrap_or_default()));
        }
        return Ok(written);
    };
    let over = ["done", "completed", "cancelled"];
    let mut changes: Vec<Change> = Vec::new();
    if let Some(new) = word(progress.stage) {
        let begun: &[&str] =
            if progress.stage == Stage::Working { &["in-progress", "in_progress", "review"] } else { &[] };
        changes.extend(change(text, task, new, &[&over[..], begun].concat()));
    }
    let subtasks: Vec<TaskText<'_>> = match task.get("subtasks") {
        Some(list) => serde_json::from_str::<Option<_>>(list.get()).map_err(unread)?.unwrap_or_default(),
        None => vec![],
    };
    let known = numbered_subtasks(&record["task"]);
    let mut entries = Vec::new();
    for NumberedSubtask { own, id, title, .. } in &known {
        entries.push(ListEntry { id, number: Some(own), title });
    }
    let (marks, _) = progress.marks(&entries);
    for subtask in &subtasks {
        let own = number_of(subtask);
        let mark = known.iter().zip(&marks).find(|(known, _)| Some(known.number) == own);
        match mark.map_or(Mark::No, |(_, mark)| *mark) {
            Mark::No => {}
            // The work on the rest did not include what was deferred in that tool.
            Mark::WithRest => {
                changes.extend(change(text, subtask, "done", &[&over[..], &["deferred"]].concat()));
            }
            Mark::Done => changes.extend(change(text, subtask, "done", &over)),
        }
    }
    changes.sort_by_key(|change| Reverse(change.at));
    written.changes = changes.len();
    for Change { at, length, new } in changes {
        written.text.replace_range(at..at + length, &new);
    }
    Ok(written)
}

/// What the status of a task becomes, unless it is one of those that stay. If it has none, it gets one behind its id.
fn change(text: &str, task: &TaskText<'_>, new: &str, stays: &[&str]) -> Option<Change> {
    match task.get("status") {
        Some(old) => {
            let word = serde_json::from_str::<Option<String>>(old.get()).ok()?.unwrap_or_default();
            let change = Change { at: offset(text, old), length: old.get().len(), new: format!("\"{new}\"") };
            (!stays.contains(&word.as_str())).then_some(change)
        }
        None => {
            let id = task.get("id")?;
            let at = offset(text, id) + id.get().len();
            Some(Change { at, length: 0, new: format!(", \"status\": \"{new}\"") })
        }
    }
}

fn number_of(task: &TaskText<'_>) -> Option<u64> {
    number(&serde_json::from_str(task.get("id")?.get()).ok()?)
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
    let content = match members.get(tag) {
        Some(content) => serde_json::from_str(content.get())?,
        None if tag == FIRST_TAG => members,
        None => BTreeMap::new(),
    };
    content.get("tasks").map_or(Ok(vec![]), |tasks| serde_json::from_str(tasks.get()))
}

/// Where a part of a text begins.
fn offset(text: &str, part: &RawValue) -> usize {
    part.get().as_ptr().addr() - text.as_ptr().addr()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::interchange::plan_tools::ClaimedTask;
    use crate::model::IssueId;

    /// The progress of a plan with three subtasks, of which some have work.
    fn progress(stage: Stage, worked: &[&str]) -> Progress {
        let claimed = ["T1", "T2", "T3"].map(|id| ClaimedTask {
            id: id.into(),
            titles: [id.to_owned()].into(),
            is_joined: false,
            has_work: worked.contains(&id),
            is_accepted: false,
        });
        Progress { issue: IssueId::parse("TM-a").unwrap(), stage, claimed: claimed.into() }
    }

    fn written(text: &str, tag: &str, id: u64, stage: Stage, worked: &[&str]) -> WrittenText {
        let subtasks = json!([{"id": 1}, {"id": 2}, {"id": 3}]);
        let record = json!({"tag": tag, "task": {"id": id, "subtasks": subtasks}});
        write(text, &record, &progress(stage, worked)).unwrap()
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
        // A task without a status gets one.
        let expected = expected.replace("{\"id\":3}", "{\"id\":3, \"status\": \"done\"}");
        assert_eq!((now.text, now.changes), (expected, 3));
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
    fn what_was_put_off_or_given_up_there_is_not_done_with_the_rest() {
        let text = r#"{"tasks":[{"id":1,"status":"p\u0065nding","subtasks":[{"id":1,"status":"deferred"},{"id":2,"status":"cancelled"},
            {"id":3,"status":"todo"},{"id":4,"status":"new"}]}]}"#;
        let now = written(text, FIRST_TAG, 1, Stage::Done, &[]);
        let done = text.replacen(r"p\u0065nding", "done", 1).replacen("todo", "done", 1);
        assert_eq!((now.text, now.changes), (done, 2), "and what was added since stays as it is");
    }

    #[test]
    fn what_was_put_off_there_is_done_once_it_has_work() {
        let text = r#"{"tasks":[{"id":1,"status":"in-progress","subtasks":[{"id":1,"status":"deferred"},{"id":2,"status":"deferred"}]}]}"#;
        let now = written(text, FIRST_TAG, 1, Stage::Working, &["T1"]);
        assert_eq!((now.text, now.changes), (text.replacen("deferred", "done", 1), 1));
    }

    #[test]
    fn of_two_tasks_with_one_number_neither_is_written() {
        let text = r#"{"tasks":[{"id":2,"status":"pending"},{"id":"2","status":"review"}]}"#;
        let now = written(text, FIRST_TAG, 2, Stage::Done, &[]);
        assert_eq!(
            (now.text.as_str(), now.missing),
            (text, vec!["task 2 of `master` (several have this number)".into()])
        );
    }

    #[test]
    fn a_file_that_is_no_json_is_refused() {
        let record = json!({"tag": "a", "task": {"id": 1}});
        let why = write("{", &record, &progress(Stage::Done, &[])).unwrap_err();
        assert!(why.starts_with("it cannot be read: "), "{why}");
    }
}
