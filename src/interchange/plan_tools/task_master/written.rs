//! Writes statuses back into the file of Task Master: the texts that stand there are replaced, and no other byte changes.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{FIRST_TAG, number};
use crate::interchange::plan_tools::written::{Progress, Stage, WrittenText};

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
pub(crate) fn write(text: &str, record: &Value, progress: &Progress) -> Result<WrittenText, String> {
    let own = number(&record["task"]["id"]);
    let tag = record["tag"].as_str().unwrap_or(FIRST_TAG);
    let tasks = tasks(text, tag).map_err(|error| format!("it cannot be read: {error}"))?;
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
    changes.sort_by_key(|change| std::cmp::Reverse(offset(text, change.old)));
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
fn tasks<'a>(text: &'a str, tag: &str) -> serde_json::Result<Vec<TaskText<'a>>> {
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
    use serde_json::json;

    use super::*;
    use crate::model::IssueId;

    fn written(text: &str, tag: &str, id: u64, stage: Stage, done: &[&str]) -> WrittenText {
        let done = done.iter().map(|&id| id.to_owned()).collect();
        let progress = Progress { issue: IssueId::parse("TM-a").unwrap(), stage, done };
        write(text, &json!({"tag": tag, "task": {"id": id}}), &progress).unwrap()
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
        let progress =
            Progress { issue: IssueId::parse("TM-a").unwrap(), stage: Stage::Done, done: Default::default() };
        let why = write("{", &json!({"tag": "a", "task": {"id": 1}}), &progress).unwrap_err();
        assert!(why.starts_with("it cannot be read: "), "{why}");
    }
}
