//! What the records of all plan tools have in common.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::draft::{Draft, DraftedPlan};
use super::files::FileGroup;
use crate::interchange::fields::UNDATED;
use crate::interchange::title;
use crate::interchange::tracker::{Arrival, RefusedRecord};
use crate::interchange::work::IssueWork;
use crate::model::id::IdError;
use crate::model::uid::Uid;
use crate::model::{Issue, IssueId, Source, StoredStatus, Time};
use crate::rules::yaml::Node;

/// Longer names are cut in an id.
const LONGEST: usize = 60;
/// What is said of a plan that is bound all the same: its tool has no such rule.
const WEAK: &str = "that the quality of the plan is below 0.8, which binding by hand requires";
/// The member that names the tool.
const TOOL: &str = "plan_tool";

/// A record as it is kept: the tool, its name for the plan, the files, and more that only it has.
pub(super) fn record(tool: &str, name: &str, files: FileGroup, more: Value) -> Value {
    let mut map = Map::new();
    map.insert(TOOL.into(), tool.into());
    map.insert("name".into(), name.into());
    if let Value::Object(more) = more {
        map.extend(more.into_iter().filter(|(_, value)| !value.is_null()));
    }
    if let Some(changed) = files.changed {
        map.insert("changed".into(), changed.to_string().into());
    }
    if !files.texts.is_empty() {
        map.insert("files".into(), files.texts.into());
    }
    map.into()
}

/// Whether this tool wrote a record.
pub(super) fn is_of(tool: &str, record: &Value) -> bool {
    record.get(TOOL).is_some_and(|name| name == tool)
}

/// A record that is being read.
pub(super) struct PlanRecord<'a> {
    value: &'a Value,
    /// What its tool calls it.
    pub(super) name: &'a str,
}

impl<'a> PlanRecord<'a> {
    /// The record of a tool.
    pub(super) fn read(value: &'a Value) -> Result<Self, RefusedRecord> {
        let name = value.get("name").and_then(Value::as_str);
        let name = name.ok_or_else(|| RefusedRecord::fault(None, "it has no name"))?;
        Ok(Self { value, name })
    }

    /// The record, if this tool wrote it.
    pub(super) fn parse(tool: &str, value: &'a Value) -> Option<Self> {
        if is_of(tool, value) { Self::read(value).ok() } else { None }
    }

    /// The record.
    pub(super) fn value(&self) -> &'a Value {
        self.value
    }

    /// A text that only this tool has.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.value.get(name)?.as_str()
    }

    /// A member that only this tool has.
    pub(super) fn member(&self, name: &str) -> &'a Value {
        const NOTHING: &Value = &Value::Null;
        self.value.get(name).unwrap_or(NOTHING)
    }

    /// The text of a file; empty if there is none.
    pub(super) fn file(&self, name: &str) -> &'a str {
        self.value.get("files").and_then(|files| files.get(name)?.as_str()).unwrap_or_default()
    }

    /// All files with this ending, by name.
    pub(super) fn files(&self, ending: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let all = self.value.get("files").and_then(Value::as_object).into_iter().flatten();
        all.filter(move |(name, _)| name.ends_with(ending))
            .filter_map(|(name, text)| Some((name.as_str(), text.as_str()?)))
    }

    /// The id of its issue, with the prefix of the tool.
    pub(super) fn id(&self, prefix: &str, name: &str) -> Result<IssueId, RefusedRecord> {
        issue_id(prefix, name)
            .map_err(|error| RefusedRecord::fault(Some(self.name.to_owned()), error.to_string()))
    }

    /// The issue that it becomes. Without a date it counts as created at [`Time::EPOCH`].
    pub(super) fn arrival(&self, id: IssueId, said: RecordedIssue<'_>) -> Arrival {
        let born = said.created.unwrap_or(Time::EPOCH);
        let changed = self.text("changed").and_then(Time::parse).unwrap_or(born).max(born);
        let (mut notes, mut lasting) = (Vec::new(), Vec::new());
        if said.created.is_none() {
            notes.push(UNDATED.to_owned());
        }
        let (title, is_cut) = title::shortened(said.title).unwrap_or_else(|| (self.name.to_owned(), false));
        notes.extend(is_cut.then(title::note));
        let mut issue = Issue::new(id, said.author.unwrap_or("unknown").into(), born, title);
        issue.source = Some(Source::Import);
        issue.status = said.status;
        let mut work = IssueWork::default();
        let mut kept = BTreeSet::new();
        if said.plan.as_ref().is_some_and(|plan| plan.tasks.is_empty()) {
            lasting.push("it has no task that can be read, so it has no plan".to_owned());
        } else if let Some(plan) = said.plan {
            match plan.solution(&issue, self.name) {
                Ok(DraftedPlan { solution, faults, is_weak, content }) => {
                    if faults.is_empty() {
                        kept.extend(is_weak.then(|| WEAK.into()));
                        issue.bound_solution_id = Some(solution.id.clone());
                        // Someone may have begun with it there; here, it can be claimed.
                        if matches!(issue.status, StoredStatus::Registered | StoredStatus::Planning) {
                            issue.status = StoredStatus::Planned;
                        }
                    }
                    lasting.extend(
                        faults.into_iter().map(|fault| format!("its plan came in as a draft: {fault}")),
                    );
                    work.plans.push(solution);
                    work.content = content;
                }
                Err(why) => lasting.push(format!("its plan was left out: {why}")),
            }
        }
        let is_dated = said.created.is_some();
        let arrival = Arrival::new(issue, self.value.clone(), changed);
        Arrival { is_dated, work, notes, lasting, kept, ..arrival }
    }
}

/// The id of what a tool calls `name`. What an id cannot have, such as a blank or `.lock` at its end, becomes `-` or is cut off,
/// and then a number tells it from other names.
pub(super) fn issue_id(prefix: &str, name: &str) -> Result<IssueId, IdError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if name.chars().all(is_plain)
        && let Ok(id) = IssueId::parse(&format!("{prefix}-{name}"))
    {
        return Ok(id);
    }
    let plain: String = name.chars().map(|c| if is_plain(c) { c } else { '-' }).take(LONGEST).collect();
    let plain = plain.replace("..", "--");
    IssueId::parse(&format!(
        "{prefix}-{}-{}",
        plain.trim_matches(['-', '.']),
        Uid::from_content(&[name.as_bytes()])
    ))
}

/// What a record says of its issue.
pub(super) struct RecordedIssue<'a> {
    pub(super) title: &'a str,
    pub(super) author: Option<&'a str>,
    pub(super) created: Option<Time>,
    pub(super) status: StoredStatus,
    pub(super) plan: Option<Draft>,
}

/// A day at midnight in UTC, or a time.
pub(super) fn date(text: &str) -> Option<Time> {
    let text = text.trim();
    Time::parse(text).or_else(|| Time::parse(&format!("{text}T00:00:00Z"))).or_else(|| {
        let (day, minute) = text.split_once(' ')?;
        Time::parse(&format!("{day}T{minute}:00Z"))
    })
}

/// Members for [`record`].
pub(super) fn members(all: &[(&str, Option<String>)]) -> Value {
    let mut members = json!({});
    for (name, value) in all {
        if let Some(value) = value {
            members[*name] = value.as_str().into();
        }
    }
    members
}

/// A text without the blanks around it; `None` if nothing is left.
pub(super) fn filled(text: &str) -> Option<String> {
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The fields that say something and are none of these.
pub(super) fn unplaced(fields: impl Iterator<Item = (String, Value)>, placed: &[&str]) -> Map<String, Value> {
    let is_empty = |value: &Value| value.is_null() || *value == "" || *value == json!([]);
    fields.filter(|(name, value)| !placed.contains(&name.as_str()) && !is_empty(value)).collect()
}

/// A value of YAML as one of JSON. All scalars are texts.
pub(super) fn value_of(node: &Node) -> Value {
    match node {
        Node::Text(text) => text.as_str().into(),
        Node::List(members) => members.iter().map(value_of).collect(),
        Node::Map(fields) => {
            fields.iter().map(|(name, node)| (name.clone(), value_of(node))).collect::<Map<_, _>>().into()
        }
    }
}
