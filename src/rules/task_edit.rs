//! Changes of one task of a plan by hand. A task that uses one of two names for a field keeps that name.

use serde_json::{Map, Value, json};

use crate::model::{DoneWhen, PlaceList};

/// The changes to a task; whatever is not named stays.
#[derive(Debug, Clone, Default)]
pub(crate) struct TaskEdit {
    /// Fields that override existing ones: objects are merged, `null` removes a field (RFC 7396).
    pub(crate) merge: Option<Map<String, Value>>,
    /// Texts by field; an empty one removes the field.
    pub(crate) texts: Vec<(&'static str, String)>,
    /// Other fields by their name.
    pub(crate) values: Vec<(&'static str, Value)>,
    /// The files that it touches.
    pub(crate) files: Option<Vec<String>>,
    /// What must hold.
    pub(crate) criteria: Option<Vec<String>>,
    /// How to check the criteria.
    pub(crate) verification: Option<Vec<String>>,
    /// Commands that must pass.
    pub(crate) test_commands: Option<Vec<String>>,
    /// Type and message of its commit.
    pub(crate) commit: Vec<(&'static str, String)>,
}

impl TaskEdit {
    /// Whether there is nothing to change.
    pub(crate) fn is_empty(&self) -> bool {
        let lists = [&self.files, &self.criteria, &self.verification, &self.test_commands];
        self.merge.as_ref().is_none_or(Map::is_empty)
            && self.texts.is_empty()
            && self.values.is_empty()
            && self.commit.is_empty()
            && lists.iter().all(|list| list.is_none())
    }

    /// Makes the changes. The checks of the plan decide whether the result is still a valid task.
    pub(crate) fn apply(&self, task: &mut Map<String, Value>) {
        if let Some(patch) = &self.merge {
            merge(task, patch);
        }
        for (name, text) in &self.texts {
            set_or_remove(
                task,
                name,
                Some(text).filter(|text| !text.trim().is_empty()).map(|text| json!(text)),
            );
        }
        for (name, value) in &self.values {
            set_or_remove(task, name, Some(value.clone()));
        }
        if let Some(files) = &self.files {
            set_files(task, files);
        }
        let done_when = DoneWhen::used_by(task);
        if let Some(criteria) = &self.criteria {
            set_or_remove(inner(task, done_when.name()), "criteria", Some(json!(criteria)));
        }
        if let Some(ways) = &self.verification {
            set_or_remove(inner(task, done_when.name()), "verification", Some(done_when.of_ways(ways)));
        }
        if let Some(commands) = &self.test_commands {
            set_or_remove(inner(task, "test"), "commands", Some(json!(commands)));
        }
        for (name, text) in &self.commit {
            set_or_remove(
                inner(task, "commit"),
                name,
                Some(text).filter(|text| !text.is_empty()).map(|text| json!(text)),
            );
        }
    }
}

/// The id for a new task: one more than the greatest existing one.
pub(crate) fn next_id(tasks: &[Value]) -> String {
    let numbers = tasks.iter().filter_map(|task| task["id"].as_str()?.strip_prefix('T')?.parse::<u32>().ok());
    format!("T{}", numbers.max().unwrap_or(0).saturating_add(1))
}

/// RFC 7396.
fn merge(target: &mut Map<String, Value>, patch: &Map<String, Value>) {
    for (name, value) in patch {
        match value {
            Value::Null => {
                target.shift_remove(name);
            }
            Value::Object(patch) => merge(inner(target, name), patch),
            other => {
                target.insert(name.clone(), other.clone());
            }
        }
    }
}

fn set_or_remove(map: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    match value {
        Some(value) => {
            map.insert(name.to_owned(), value);
        }
        None => {
            map.shift_remove(name);
        }
    }
}

/// The object in a field; created if missing.
fn inner<'a>(map: &'a mut Map<String, Value>, name: &str) -> &'a mut Map<String, Value> {
    let value = map.entry(name.to_owned()).or_insert(Value::Null);
    if !value.is_object() {
        *value = json!({});
    }
    match value {
        Value::Object(inner) => inner,
        _ => unreachable!("it was made an object"),
    }
}

/// The details of a file that stays are kept.
fn set_files(task: &mut Map<String, Value>, files: &[String]) {
    let list = PlaceList::used_by(task);
    let (list, path) = (list.name(), list.path());
    let known = task.get(list).and_then(Value::as_array).cloned().unwrap_or_default();
    let mut places = Vec::new();
    for file in files {
        let before = places.len();
        places.extend(known.iter().filter(|place| place[path] == file.as_str()).cloned());
        if places.len() == before {
            places.push(json!({ path: file }));
        }
    }
    set_or_remove(task, list, Some(places.into()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(task: Value, edit: &TaskEdit) -> Value {
        let Value::Object(mut task) = task else { panic!("a task is an object") };
        edit.apply(&mut task);
        Value::Object(task)
    }

    fn texts(list: &[&str]) -> Option<Vec<String>> {
        Some(list.iter().map(|text| (*text).to_owned()).collect())
    }

    #[test]
    fn each_family_of_names_is_kept() {
        let edit = TaskEdit {
            files: texts(&["a", "b"]),
            criteria: texts(&["c"]),
            verification: texts(&["v", "w"]),
            ..TaskEdit::default()
        };
        let one = json!({"files": [{"path": "a", "change": "x"}, {"path": "z"}],
            "convergence": {"criteria": ["old"], "definition_of_done": "d"}});
        assert_eq!(
            edited(one, &edit),
            json!({"files": [{"path": "a", "change": "x"}, {"path": "b"}],
                "convergence": {"criteria": ["c"], "definition_of_done": "d", "verification": "v\nw"}})
        );
        assert_eq!(
            edited(json!({}), &edit),
            json!({"modification_points": [{"file": "a"}, {"file": "b"}],
                "acceptance": {"criteria": ["c"], "verification": ["v", "w"]}})
        );
    }

    #[test]
    fn json_is_merged_and_flags_come_after_it() {
        let Value::Object(patch) = json!({"title": "b", "test": {"unit": ["u"]}, "scope": null}) else {
            panic!()
        };
        let edit = TaskEdit {
            merge: Some(patch),
            texts: vec![("title", "c".into()), ("description", " ".into())],
            test_commands: texts(&["make"]),
            ..TaskEdit::default()
        };
        let task = json!({"title": "a", "scope": "s", "description": "d", "test": {"commands": ["old"]}});
        assert_eq!(edited(task, &edit), json!({"title": "c", "test": {"commands": ["make"], "unit": ["u"]}}));
        assert!(TaskEdit::default().is_empty() && !edit.is_empty());
    }

    #[test]
    fn a_new_task_has_the_next_number() {
        assert_eq!(next_id(&[]), "T1");
        assert_eq!(next_id(&[json!({"id": "T7"}), json!({"id": "T2"}), json!({"id": "x"})]), "T8");
    }
}
