//! A changed file of the store for people: the record in one line, and the fields that differ.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::record_words::summary;
use crate::model::strict;
use crate::rules::FieldChange;
use crate::rules::record_diff::differences;
use crate::store::{FileChange, Location, LogKind, Owner};

/// What kind of record it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RecordKind {
    /// An issue itself.
    Issue,
    /// A comment on an issue.
    Comment,
    /// What went wrong or was clarified.
    Feedback,
    /// What an explorer found about an issue.
    Exploration,
    /// A plan.
    Solution,
    /// A review of a plan.
    Review,
    /// The claim of an execution.
    Execution,
    /// An entry of its log: a commit, a check, its end, …
    Event,
    /// A queue itself.
    Queue,
    /// One of its items.
    Item,
    /// A conflict between items.
    Conflict,
    /// A run itself.
    Run,
    /// An entry of its log: the progress of the run or of one of its issues.
    RunEvent,
    /// A roadmap itself.
    Roadmap,
    /// An entry of its log: a revision, feedback, an approval.
    RoadmapEvent,
    /// Something that was learned.
    Wisdom,
    /// An entry that hides something.
    Redaction,
    /// The root record: project context and policy.
    Settings,
    /// A file that is not a record of this version.
    Other,
}

impl RecordKind {
    /// Whether it is written once, so that one line is enough.
    pub(crate) fn is_entry(self) -> bool {
        !matches!(
            self,
            Self::Issue | Self::Solution | Self::Queue | Self::Item | Self::Roadmap | Self::Settings
        )
    }
}

/// How it changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HowChanged {
    /// It is new.
    Added,
    /// Some of its fields differ.
    Changed,
    /// It was removed.
    Removed,
}

/// A record that differs.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct RecordChange {
    /// What kind of record it is.
    pub(crate) kind: RecordKind,
    /// How it changed.
    pub(crate) change: HowChanged,
    /// Its id; for an item its number in the queue; absent if it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<String>,
    /// Its path in the tree of the ref.
    pub(crate) path: String,
    /// The record in one line.
    pub(crate) summary: String,
    /// The fields that differ; for a new record all of them. The fields of a plan are named without `plan.`.
    pub(crate) fields: Vec<FieldChange>,
    /// The titles of a plan's tasks.
    #[serde(skip)]
    pub(crate) titles: BTreeMap<String, String>,
}

/// One version of a record.
enum RecordSide {
    Absent,
    Unreadable,
    Read(Value),
}

impl RecordSide {
    fn read(kind: RecordKind, text: Option<&str>) -> Self {
        match text {
            None => Self::Absent,
            Some(text) => read(kind, text).map_or(Self::Unreadable, Self::Read),
        }
    }

    fn value(&self) -> Option<&Value> {
        match self {
            Self::Read(value) => Some(value),
            Self::Absent | Self::Unreadable => None,
        }
    }

    fn into_value(self) -> Option<Value> {
        match self {
            Self::Read(value) => Some(value),
            Self::Absent | Self::Unreadable => None,
        }
    }
}

/// The changes of a file. `None` if people see no difference: stamps are not shown, and two hidden values look the
/// same.
pub(crate) fn described(file: &FileChange) -> Option<RecordChange> {
    let kind = kind(&file.path);
    let [old, new] = [&file.before, &file.after].map(|text| RecordSide::read(kind, text.as_deref()));
    let change = match (&old, &new) {
        (RecordSide::Absent, RecordSide::Absent) => return None,
        (RecordSide::Absent, _) => HowChanged::Added,
        (_, RecordSide::Absent) => HowChanged::Removed,
        _ => HowChanged::Changed,
    };
    let is_unreadable = [&old, &new].into_iter().any(|side| matches!(side, RecordSide::Unreadable));
    let fields = if is_unreadable {
        if file.before == file.after {
            return None;
        }
        vec![]
    } else {
        let empty = if kind == RecordKind::Solution { json!({"tasks": []}) } else { json!({}) };
        differences(old.value().unwrap_or(&empty), new.value().unwrap_or(&empty))
    };
    if change == HowChanged::Changed && fields.is_empty() && !is_unreadable {
        return None;
    }
    let value = new.into_value().or(old.into_value());
    let id = value.as_ref().and_then(|value| {
        let own = value.get(if kind == RecordKind::Item { "item_id" } else { "id" })?;
        own.as_str().map(str::to_owned)
    });
    Some(RecordChange {
        kind,
        change,
        id,
        summary: summary(&file.path, value.as_ref()),
        path: file.path.clone(),
        fields: fields.into_iter().filter(|field| !matches!(field.path.as_str(), "id" | "item_id")).collect(),
        titles: value.as_ref().map(titles).unwrap_or_default(),
    })
}

/// The record at a path.
fn kind(path: &str) -> RecordKind {
    match Location::parse(path) {
        None => RecordKind::Other,
        Some(Location::Root) => RecordKind::Settings,
        Some(Location::Item(..)) => RecordKind::Item,
        Some(Location::Record(owner)) => match owner {
            Owner::Issue(_) => RecordKind::Issue,
            Owner::Solution(_) => RecordKind::Solution,
            Owner::Execution(_) => RecordKind::Execution,
            Owner::Queue(_) => RecordKind::Queue,
            Owner::Run(_) => RecordKind::Run,
            Owner::Roadmap(_) => RecordKind::Roadmap,
            Owner::Wisdom => RecordKind::Other,
        },
        Some(Location::Entry(log, _)) => match log {
            LogKind::Comments(_) => RecordKind::Comment,
            LogKind::Feedback(_) => RecordKind::Feedback,
            LogKind::Explorations(_) => RecordKind::Exploration,
            LogKind::Reviews(_) => RecordKind::Review,
            LogKind::Events(_) => RecordKind::Event,
            LogKind::Conflicts(_) => RecordKind::Conflict,
            LogKind::RunEvents(_) => RecordKind::RunEvent,
            LogKind::RoadmapEvents(_) => RecordKind::RoadmapEvent,
            LogKind::Wisdom => RecordKind::Wisdom,
            LogKind::Redactions(_) => RecordKind::Redaction,
        },
    }
}

/// The fields for people; `None` if they cannot be read.
fn read(kind: RecordKind, text: &str) -> Option<Value> {
    if kind == RecordKind::Other {
        return None;
    }
    let Ok(Value::Object(mut fields)) = strict::parse(text.as_bytes()) else { return None };
    if !kind.is_entry() {
        fields.shift_remove("clock");
    }
    // A plan is shown flat.
    if kind == RecordKind::Solution
        && let Some(Value::Object(plan)) = fields.shift_remove("plan")
    {
        for (name, value) in plan {
            fields.entry(name).or_insert(value);
        }
    }
    Some(Value::Object(fields))
}

fn titles(value: &Value) -> BTreeMap<String, String> {
    let tasks = value.get("tasks").and_then(Value::as_array);
    let named = tasks.into_iter().flatten().filter_map(|task| {
        Some((task.get("id")?.as_str()?.to_owned(), task.get("title")?.as_str()?.to_owned()))
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fixtures::entry_id;
    use crate::model::{IssueId, RunId, SolutionId};
    use crate::store::layout;

    fn file(path: String, before: Option<Value>, after: Option<Value>) -> FileChange {
        let text = |value: Option<Value>| value.map(|value| value.to_string());
        FileChange { path, before: text(before), after: text(after) }
    }

    #[test]
    fn stamps_are_no_change_and_fields_are() {
        let path = layout::issue(&IssueId::parse("ISS-001").unwrap());
        let issue =
            |title: &str, stamp: &str| Some(json!({"id": "ISS-001", "title": title, "clock": {"*": stamp}}));
        assert!(described(&file(path.clone(), issue("a", "1"), issue("a", "2"))).is_none());
        let changed = described(&file(path.clone(), issue("a", "1"), issue("b", "2"))).unwrap();
        assert_eq!(
            (changed.kind, changed.change, changed.id.as_deref()),
            (RecordKind::Issue, HowChanged::Changed, Some("ISS-001"))
        );
        assert_eq!(changed.fields.iter().map(|field| field.path.as_str()).collect::<Vec<_>>(), ["title"]);
        let gone = described(&file(path, issue("a", "1"), None)).unwrap();
        assert_eq!((gone.change, gone.summary.as_str()), (HowChanged::Removed, "issue ISS-001 a"));
    }

    #[test]
    fn a_plan_is_flat_and_its_tasks_have_names() {
        let path = layout::solution(&SolutionId::parse("SOL-ISS-001-a7x9").unwrap());
        let plan = |title: &str| {
            Some(json!({"id": "SOL-ISS-001-a7x9", "plan": {"tasks": [{"id": "T1", "title": title}]}}))
        };
        let changed = described(&file(path.clone(), plan("a"), plan("b"))).unwrap();
        assert_eq!(changed.fields[0].path, "tasks[T1].title");
        assert_eq!(changed.titles["T1"], "b");
        let new = described(&file(path, None, plan("a"))).unwrap();
        assert_eq!(new.fields[0].member(), Some(("tasks", "T1", "")));
    }

    #[test]
    fn a_run_and_what_came_of_it_are_one_line_each() {
        let id = RunId::parse("RUN-20261121-9w1nx3h2").unwrap();
        let run = json!({"id": id, "mode": "quick", "issue_ids": ["ISS-001", "ISS-002"], "steps": [], "agents": {},
            "limits": {"explore_jobs": 1, "plan_jobs": 1, "jobs": 1, "retries": 0}, "execution_method": "agent",
            "code_review": "skip", "actor": "Ada", "created_at": "2026-11-21T02:14:05.123Z"});
        let new = described(&file(layout::run(&id), None, Some(run))).unwrap();
        assert_eq!(
            (new.kind, new.summary.as_str()),
            (RecordKind::Run, "run RUN-20261121-9w1nx3h2 (quick) for ISS-001, ISS-002")
        );
        let name = entry_id("20261121T021405123Z-00000");
        let place = layout::entry(&layout::run_log(&id), &name);
        for (fields, said) in [
            (json!({"type": "phase", "status": "running", "phase": "planning"}), "planning"),
            (
                json!({"type": "phase", "status": "completed", "phase": "complete", "error": {"message": "cut off"}}),
                "ended: cut off",
            ),
            (
                json!({"type": "issue", "issue_id": "ISS-001", "status": "failed", "error": {"message": "2 tests"}}),
                "ISS-001 failed: 2 tests",
            ),
            (
                json!({"type": "action", "action": "explore", "issue_id": "ISS-001"}),
                "exploration of ISS-001 done",
            ),
            (json!({"type": "action", "action": "queue"}), "queueing done"),
            (
                json!({"type": "action", "action": "review", "skipped": "--skip-review"}),
                "review skipped: --skip-review",
            ),
            (
                json!({"type": "setback", "action": "plan", "issue_id": "ISS-001", "error": {"message": "no answer"}}),
                "planning of ISS-001 failed: no answer",
            ),
            (
                json!({"type": "breach", "action": "plan", "agent": "a", "what": "changed `x`", "undone": true}),
                "agent a exceeded its role during planning: changed `x` (undone)",
            ),
        ] {
            let mut entry = json!({"id": name, "actor": "Ada", "at": "2026-11-21T02:14:05.123Z"});
            entry.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            let new = described(&file(place.clone(), None, Some(entry))).unwrap();
            assert_eq!(
                (new.kind, new.summary),
                (RecordKind::RunEvent, format!("RUN-20261121-9w1nx3h2: {said}"))
            );
        }
    }

    #[test]
    fn what_nobody_can_read_is_named_all_the_same() {
        let path = layout::issue(&IssueId::parse("ISS-001").unwrap());
        let broken = FileChange { before: Some("{".into()), after: Some("}".into()), path };
        let changed = described(&broken).unwrap();
        assert_eq!((changed.id, changed.fields.len()), (None, 0));
        assert!(changed.summary.ends_with("which cannot be read"), "{}", changed.summary);
        let other = FileChange { before: None, after: Some("x".into()), path: "notes.txt".into() };
        assert_eq!(described(&other).unwrap().kind, RecordKind::Other);
    }
}
