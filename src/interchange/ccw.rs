//! Turns an issue of `ccw issue` into one here, with its plans and with what happened to them. Pure.
//!
//! A store of ccw spreads an issue over several files. [`store`] puts everything about it into one record: the issue as
//! ccw wrote it, with a member `ccw` for its plans and items. That record stays in `imported`, without the plans, which
//! have records of their own here.

mod attempts;
mod conflict;
mod export;
mod export_queue;
mod feedback;
mod files;
mod groups;
mod item;
mod plan;
mod queue;
mod session;
mod status;
mod store;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

pub(crate) use export::issue;
pub(crate) use export_queue::{OfIssue, queue as queue_for_ccw};
pub(crate) use store::CcwFolder;

use super::fields::{Fields, kind_of};
use super::tracker::{Arrival, RefusedRecord, Tracker};
use super::work::IssueWork;
use crate::model::{Issue, IssueId, Priority, SolutionId, Source, Time, typed};
use crate::rules::limits;

/// ccw.
pub(crate) static CCW: Tracker = Tracker {
    name: "ccw",
    is_own: |record| record.get(OWN).is_some_and(Value::is_object) && record.get("id").is_some(),
    read,
    completed: None,
    union: None,
    is_elsewhere: None,
    foreign: None,
    kept,
    follows_plans: false,
    is_dated_by_file: false,
    hint: "give the project's directory, its `.workflow/issues`, or a work directory `codex-issue-…`",
};

/// The member of a record with the plans and the items of the issue.
const OWN: &str = "ccw";
/// Its member with when the bound plan was bound.
const BOUND_AT: &str = "bound_at";
/// Its member with the plans that have other ids here.
const RENAMED: &str = "renamed";
/// Its member with the number of the content of all plans and queues.
const CONTENT: &str = "content";
/// Who wrote what ccw has no author for.
const UNKNOWN: &str = "unknown";
/// The status of an issue that was closed or cancelled here, for which ccw has no word.
const DECISION: &str = "decision";

/// The members of an issue that have a field here, or follow from other records.
const PLACED: &[&str] = &[
    OWN,
    DECISION,
    "id",
    "title",
    "status",
    "priority",
    "context",
    "source",
    "source_url",
    "github_url",
    "tags",
    "labels",
    "expected_behavior",
    "actual_behavior",
    "affected_components",
    "feedback",
    "bound_solution_id",
    "created_at",
    "updated_at",
    "planned_at",
    "queued_at",
    "completed_at",
    "author",
    "assignee",
    "issue_type",
    "depends_on",
    "relations",
    "extended_context",
    "lifecycle_requirements",
    "close_reason",
    "closed_at",
    "resolved_at",
];

/// What a record has beside the issue.
struct Own<'a>(Option<&'a Map<String, Value>>);

impl<'a> Own<'a> {
    fn new(map: &'a Map<String, Value>) -> Self {
        Self(map.get(OWN).and_then(Value::as_object))
    }

    fn list(&self, name: &str) -> &'a [Value] {
        self.0.and_then(|own| own.get(name)?.as_array()).map_or(&[], Vec::as_slice)
    }

    /// The plans that could be read.
    fn plans(&self) -> BTreeSet<SolutionId> {
        let ids = self.list("plans").iter().filter_map(Value::as_str);
        ids.filter_map(|id| SolutionId::parse(id).ok()).collect()
    }

    /// The plan that says of itself that it is bound.
    fn bound(&self) -> Option<&'a str> {
        self.0?.get("bound")?.as_str()
    }

    /// When it was bound, if its plan says so.
    fn bound_at(&self) -> Option<Time> {
        self.0?.get(BOUND_AT)?.as_str().and_then(Time::parse)
    }

    fn content(&self) -> u32 {
        let number = self.0.and_then(|own| own.get(CONTENT)?.as_u64());
        number.and_then(|number| u32::try_from(number).ok()).unwrap_or_default()
    }

    fn time(&self, group: &str, name: &str) -> Option<Time> {
        self.0?.get(group)?.get(name)?.as_str().and_then(Time::parse)
    }

    /// The plans whose ids cannot be ids here, with the ids that ccw has for them.
    fn renamed(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let all = self.0.and_then(|own| own.get(RENAMED)?.as_object()).into_iter().flatten();
        all.filter_map(|(id, given)| Some((id.as_str(), given.as_str()?)))
    }
}

/// The issue that `record` becomes.
fn read(record: &Value) -> Result<Arrival, RefusedRecord> {
    let Value::Object(map) = record else {
        return Err(RefusedRecord::fault(None, format!("it is {}, not an object", kind_of(record))));
    };
    let given = match map.get("id") {
        Some(Value::String(id)) if !id.is_empty() => id.clone(),
        _ => return Err(RefusedRecord::fault(None, "it has no `id`")),
    };
    let id = IssueId::parse(&given).map_err(|error| RefusedRecord::fault(Some(given), error.to_string()))?;
    let own = Own::new(map);
    let mut fields = Fields::new(map);
    let title = fields.title().unwrap_or_else(|| {
        fields.note("it has no `title`; its id became the title".into());
        id.to_string()
    });
    let (created, changed) = fields.times();
    let born = created.unwrap_or(Time::EPOCH);
    let author = fields.text("author").unwrap_or_else(|| UNKNOWN.into());
    let mut issue = Issue::new(id, author.into(), born, title);
    issue.source = fields.text("source").map(|word| Source::parse(&word).unwrap_or(Source::Import));
    issue.source.get_or_insert(Source::Import);
    issue.priority = fields.urgency();
    fields.texts(&mut issue);
    fields.sets(&mut issue);
    fields.links(&mut issue);
    fields.objects(&mut issue);
    let plans = own.plans();
    for (id, given) in own.renamed() {
        fields.note(format!(
            "its plan `{given}` became `{id}`: here, the id of a plan contains that of its issue"
        ));
    }
    issue.bound_solution_id = fields.bound(&issue.id, &own, &plans);
    let is_unbound = issue.bound_solution_id.is_none() && map.get("bound_solution_id").is_some_and(says);
    let changed = own.bound_at().map_or(changed, |at| at.max(changed));
    let (items, changed) = item::all(&mut fields, &own, &issue, changed);
    let lacking = Some(usize::from(is_unbound) + own.list("items").len() - items.len());
    let word = status::StatusWord::read(&mut fields);
    let attempts = attempts::read(&mut fields, &issue, word.status, &items);
    word.decide(&mut fields, &mut issue, attempts.is_empty());
    let unplaced = said(map).map(|(name, _)| format!("`{name}` has no field here").into());
    fields.kept.extend(unplaced);
    let mut imported = record.clone();
    if let Some(own) = imported.get_mut(OWN).and_then(Value::as_object_mut) {
        own.shift_remove("solutions");
        own.shift_remove("changed");
        own.shift_remove(CONTENT);
    }
    let work = IssueWork {
        feedback: feedback::read(&mut fields, &issue),
        plans: own.list("solutions").iter().filter_map(|plan| plan::read(&issue, plan).ok()).collect(),
        items: item::arrivals(&own, &issue, &items, changed),
        attempts,
        content: own.content(),
    };
    let Fields { notes, lasting, kept, .. } = fields;
    let is_dated = created.is_some();
    Ok(Arrival { work, is_dated, notes, lasting, kept, lacking, ..Arrival::new(issue, imported, changed) })
}

/// The values of a record that have no field here.
fn kept(record: &Value) -> Map<String, Value> {
    let Value::Object(map) = record else { return Map::new() };
    let status = status::kept(map).map(|status| ("status", status));
    status.into_iter().chain(said(map)).map(|(name, value)| (name.to_owned(), value.clone())).collect()
}

/// The members that say something and have no field here.
fn said(map: &Map<String, Value>) -> impl Iterator<Item = (&str, &Value)> {
    let members = map.iter().filter(|(name, value)| says(value) && !PLACED.contains(&name.as_str()));
    members.map(|(name, value)| (name.as_str(), value))
}

/// Whether a value is more than a missing one.
fn says(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        Value::Bool(_) | Value::Number(_) => true,
    }
}

/// 5 is the most urgent priority there, 1 here.
fn turned(number: u64) -> Option<u64> {
    (1..=5).contains(&number).then(|| 6 - number)
}

impl Fields<'_> {
    fn urgency(&mut self) -> Priority {
        let value = match self.map.get("priority") {
            None | Some(Value::Null) => return Priority::default(),
            Some(value) => value,
        };
        let number = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
        if let Some(priority) = number.and_then(turned).and_then(Priority::new) {
            return priority;
        }
        let nearest = match value.as_f64() {
            Some(number) if number > 5.0 => Priority::new(1),
            Some(number) if number < 1.0 => Priority::new(5),
            _ => None,
        };
        let priority = nearest.unwrap_or_default();
        self.note(format!("the priority {value} is not one of 1 to 5; it became {priority}"));
        priority
    }

    fn texts(&mut self, issue: &mut Issue) {
        issue.context = self.text("context");
        issue.expected_behavior = self.text("expected_behavior");
        issue.actual_behavior = self.text("actual_behavior");
        issue.assignee = self.text("assignee");
        issue.issue_type = self.text("issue_type");
        let page = self.text("source_url").or_else(|| self.text("github_url"));
        if let Some(other) = page.as_ref().filter(|text| limits::web_address(text).is_err()) {
            self.note(format!("`{other}` is not a web URL; `show ID --imported` shows it"));
        }
        issue.source_url = page.filter(|text| limits::web_address(text).is_ok());
    }

    fn sets(&mut self, issue: &mut Issue) {
        issue.tags = self.names("tags").into_iter().chain(self.names("labels")).collect();
        issue.affected_components = self.names("affected_components").into_iter().collect();
    }

    fn names(&mut self, name: &str) -> Vec<String> {
        let mut names = Vec::new();
        for given in self.list(name) {
            match given.as_str().map(str::trim).filter(|text| !text.is_empty()).map(limits::label) {
                Some(Ok(label)) => names.push(label.to_owned()),
                Some(Err(error)) => self.note(format!("{error}; `show ID --imported` shows it")),
                None => {
                    self.note(format!("{given} in `{name}` is not a name; `show ID --imported` shows it"));
                }
            }
        }
        names
    }

    fn links(&mut self, issue: &mut Issue) {
        for given in self.list("depends_on") {
            match given.as_str().map(IssueId::parse) {
                Some(Ok(target)) if target == issue.id => self.note("it depends on itself".into()),
                Some(Ok(target)) => {
                    issue.depends_on.insert(target);
                }
                _ => self
                    .note(format!("{given} in `depends_on` is not an issue; `show ID --imported` shows it")),
            }
        }
        for given in self.list("relations") {
            let sound = given.as_str().filter(|text| {
                text.split_once(':')
                    .is_some_and(|(kind, id)| limits::label(kind).is_ok() && IssueId::parse(id).is_ok())
            });
            match sound {
                Some(relation) => {
                    issue.relations.insert(relation.to_owned());
                }
                None => self.note(format!("{given} is not a relation; `show ID --imported` shows it")),
            }
        }
    }

    fn objects(&mut self, issue: &mut Issue) {
        issue.extended_context = self.object("extended_context");
        issue.lifecycle_requirements = self.object("lifecycle_requirements");
    }

    fn object<T: serde::de::DeserializeOwned + Default>(&mut self, name: &str) -> T {
        let Some(given) = self.map.get(name).filter(|value| !value.is_null()) else { return T::default() };
        typed::read(given).unwrap_or_else(|error| {
            self.note(format!("`{name}` is not as expected ({error}); `show ID --imported` shows it"));
            T::default()
        })
    }

    fn bound(&mut self, issue: &IssueId, own: &Own<'_>, plans: &BTreeSet<SolutionId>) -> Option<SolutionId> {
        let given = self.text("bound_solution_id").or_else(|| own.bound().map(str::to_owned))?;
        let bound = plan::named(issue, &given).filter(|id| plans.contains(id));
        if bound.is_none() {
            self.lasting.push(format!("its plan `{given}` is missing, so none is bound"));
        }
        bound
    }
}

/// A member that is a text.
fn text_in<'a>(record: &'a Value, name: &str) -> Option<&'a str> {
    record.get(name).and_then(Value::as_str)
}

#[cfg(test)]
mod tests;
