//! The fields of a task that planners write under one of two names, and what actions do to files. They are declared
//! once, for the typed plan and for code that reads or edits the JSON of a plan.

use serde_json::{Map, Value, json};

/// The lists of places that a task touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlaceList {
    /// `files`, each with a `path`.
    Files,
    /// `modification_points`, each with a `file`.
    ModificationPoints,
}

impl PlaceList {
    /// Both, in the order in which they are read.
    pub(crate) const ALL: [Self; 2] = [Self::Files, Self::ModificationPoints];

    /// The list that a task uses, or the default for a task without any.
    pub(crate) fn used_by(task: &Map<String, Value>) -> Self {
        let has_files = task.get(Self::Files.name()).is_some_and(Value::is_array);
        if has_files { Self::Files } else { Self::ModificationPoints }
    }

    /// The name of the list.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::ModificationPoints => "modification_points",
        }
    }

    /// The name of the path in its elements.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Files => "path",
            Self::ModificationPoints => "file",
        }
    }

    /// What happens to a file of this list, by the file's own action or else by the task's.
    pub(crate) fn effect(self, task: &Map<String, Value>, place: &Map<String, Value>) -> FileAction {
        let own = if self == Self::Files { action_of(place) } else { None };
        own.or_else(|| action_of(task)).unwrap_or(FileAction::Open)
    }
}

fn action_of(map: &Map<String, Value>) -> Option<FileAction> {
    map.get("action").and_then(Value::as_str).map(FileAction::parse)
}

/// The paths that a task names in either list, and what happens to each. Malformed JSON is skipped.
pub(crate) fn places(task: &Value) -> impl Iterator<Item = (&str, FileAction)> {
    let task = task.as_object();
    PlaceList::ALL.into_iter().flat_map(move |list| {
        let places = task.and_then(|task| task.get(list.name())).and_then(Value::as_array);
        let places = places.into_iter().flatten().filter_map(Value::as_object);
        places.filter_map(move |place| Some((place.get(list.path())?.as_str()?, list.effect(task?, place))))
    })
}

/// The objects that say when a task is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DoneWhen {
    /// `acceptance`, whose `verification` is a list.
    Acceptance,
    /// `convergence`, whose `verification` is a text.
    Convergence,
}

impl DoneWhen {
    /// Both, in the order in which they are read.
    pub(crate) const ALL: [Self; 2] = [Self::Acceptance, Self::Convergence];

    /// The object that a task uses, or the default for a task without any.
    pub(crate) fn used_by(task: &Map<String, Value>) -> Self {
        if task.get(Self::Convergence.name()).is_some() && task.get(Self::Acceptance.name()).is_none() {
            Self::Convergence
        } else {
            Self::Acceptance
        }
    }

    /// The name of the object.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Acceptance => "acceptance",
            Self::Convergence => "convergence",
        }
    }

    /// The verification in this object, as JSON.
    pub(crate) fn verification(self, task: &Map<String, Value>) -> Option<&Value> {
        task.get(self.name())?.get("verification")
    }

    /// Writes ways to check the criteria in the form of this object.
    pub(crate) fn of_ways(self, ways: &[String]) -> Value {
        match self {
            Self::Acceptance => json!(ways),
            Self::Convergence => json!(ways.join("\n")),
        }
    }
}

/// The ways to check the criteria of a task, in either object.
pub(crate) fn ways(task: &Map<String, Value>) -> Vec<&str> {
    let listed = DoneWhen::Acceptance.verification(task).and_then(Value::as_array).into_iter().flatten();
    listed.chain(DoneWhen::Convergence.verification(task)).filter_map(Value::as_str).collect()
}

/// How much work a task is, as its planner said.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Estimate<'a> {
    /// `estimated_minutes`.
    Minutes(f64),
    /// `effort`, a word.
    Effort(&'a str),
}

impl<'a> Estimate<'a> {
    /// The field with the number of minutes.
    pub(crate) const MINUTES: &'static str = "estimated_minutes";
    /// The field with the word.
    pub(crate) const EFFORT: &'static str = "effort";

    /// What the two fields say, the more precise one first.
    pub(crate) fn all(minutes: Option<f64>, effort: Option<&'a str>) -> impl Iterator<Item = Self> {
        minutes.map(Self::Minutes).into_iter().chain(effort.map(Self::Effort))
    }
}

impl std::fmt::Display for Estimate<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Minutes(minutes) => write!(f, "{minutes} minutes"),
            Self::Effort(word) => write!(f, "{word} effort"),
        }
    }
}

/// What an action does to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileAction {
    /// The file is created.
    Creates,
    /// The file exists before and after.
    Changes,
    /// The file exists only before.
    Deletes,
    /// The action does not decide it.
    Open,
}

impl FileAction {
    /// What an action does, whatever its case.
    pub(crate) fn parse(action: &str) -> Self {
        match action.trim().to_ascii_lowercase().as_str() {
            "create" => Self::Creates,
            "modify" | "update" | "fix" | "refactor" | "configure" => Self::Changes,
            "delete" | "remove" => Self::Deletes,
            _ => Self::Open,
        }
    }

    /// Whether the file must exist before.
    pub(crate) fn needs_file(self) -> bool {
        matches!(self, Self::Changes | Self::Deletes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Task;

    #[test]
    fn the_typed_plan_and_its_json_say_the_same_of_each_place() {
        for action in ["Create", "add", "MODIFY", " Delete "] {
            let task = json!({"id": "T1", "title": "t", "action": action,
                "files": [{"path": "a"}, {"path": "b", "action": "create"}, {"path": "c", "action": "move"}],
                "modification_points": [{"file": "d", "action": "create"}]});
            let typed: Task = serde_json::from_value(task.clone()).unwrap();
            let typed: Vec<_> = typed.places().map(|place| (place.path, typed.effect(&place))).collect();
            assert_eq!(places(&task).collect::<Vec<_>>(), typed);
            assert_eq!(typed[1..3], [("b", FileAction::Creates), ("c", FileAction::Open)]);
            assert_eq!((typed[0].1, typed[3].1), (FileAction::parse(action), FileAction::parse(action)));
        }
    }

    #[test]
    fn what_is_not_well_formed_names_nothing() {
        for task in
            [json!(null), json!([]), json!({"files": 1}), json!({"files": [1, {"file": "a"}, {"path": 2}]})]
        {
            assert_eq!(places(&task).count(), 0, "{task}");
        }
    }
}
