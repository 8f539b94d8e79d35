//! Turns a bug of git-bug into an issue. Pure; `bugs` reads the refs.
//!
//! The record of a bug is made of its operations in their order: `{"git_bug": 4, "id", "operations": [{"id", "author",
//! "op"}]}`, where `op` is what git-bug stored. git-bug only ever adds operations.

mod bugs;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

pub(crate) use bugs::Bugs;

use super::fields::odd_label;
use super::title;
use super::tracker::{Arrival, RefusedRecord, Tracker};
use crate::model::{Comment, EntryId, Issue, IssueId, Source, Stamp, StoredStatus, Time, entry_at};
use crate::rules::limits;

/// git-bug.
pub(crate) static GIT_BUG: Tracker = Tracker {
    name: "git-bug",
    is_own: |record| record.get(FORMAT).is_some() && record.get("operations").is_some(),
    read,
    completed: None,
    union: None,
    is_elsewhere: None,
    foreign: None,
    kept,
    follows_plans: false,
    is_dated_by_file: false,
    hint: "fetch the bugs first: git fetch REMOTE 'refs/bugs/*:refs/bugs/*' 'refs/identities/*:refs/identities/*'",
};

/// The member with the version of git-bug's format.
const FORMAT: &str = "git_bug";
/// How many digits of the id of a bug are in the id of its issue.
const DIGITS: usize = 10;
/// The author of an operation whose identity is missing.
const UNKNOWN: &str = "unknown";
/// What is said of metadata, which other programs set.
const OF_BUG: &str = "`metadata` has no field here";
const OF_OPERATION: &str = "`metadata` of comments and other operations has no field here";
/// The most milliseconds of a second.
const LAST_MILLI: i64 = 999;

/// The id of the issue of a bug.
fn issue_id(bug: &str) -> String {
    format!("GB-{}", bug.get(..DIGITS).unwrap_or(bug))
}

/// The issue that `record` becomes.
fn read(record: &Value) -> Result<Arrival, RefusedRecord> {
    let bug = record["id"].as_str().unwrap_or_default();
    let given = issue_id(bug);
    let id = IssueId::parse(&given).map_err(|error| refused(&given, error.to_string()))?;
    let operations = record["operations"].as_array().map(Vec::as_slice).unwrap_or_default();
    let Some((first, rest)) = operations.split_first().map(|(first, rest)| (BugOperation(first), rest))
    else {
        return Err(refused(&given, "it has no operations".into()));
    };
    if first.kind() != Some(Kind::Create) {
        return Err(refused(&given, "its first operation does not create a bug".into()));
    }
    let born = first.time().ok_or_else(|| refused(&given, "its first operation has no time".into()))?;
    let (title, is_cut) = title::shortened(first.text("title").unwrap_or_default())
        .ok_or_else(|| refused(&given, "it has no title".into()))?;
    let mut issue = Issue::new(id, first.author().into(), born, title);
    issue.source = Some(Source::Import);
    issue.context = first.text("message").filter(|text| !text.trim().is_empty()).map(str::to_owned);
    let mut fold = Fold {
        created_by: first.id().to_owned(),
        issue,
        notes: is_cut.then(title::note).into_iter().collect(),
        kept: BTreeSet::new(),
        comments: Vec::new(),
        standing: BTreeMap::new(),
        in_second: BTreeMap::new(),
    };
    fold.metadata(first);
    fold.notes.extend(nameless(operations));
    for operation in rest {
        fold.apply(BugOperation(operation));
    }
    let last = operations.iter().filter_map(|operation| BugOperation(operation).time()).max().unwrap_or(born);
    // git-bug counts seconds. More operations are a later state, even if a colleague made them earlier.
    let more = i64::try_from(operations.len()).map_or(LAST_MILLI, |count| count.min(LAST_MILLI));
    let changed = last.max(born).plus_millis(more);
    let Fold { issue, comments, notes, kept, .. } = fold;
    Ok(Arrival { comments, notes, kept, ..Arrival::new(issue, record.clone(), changed) })
}

fn refused(given: &str, reason: String) -> RefusedRecord {
    RefusedRecord::fault(Some(given.to_owned()), reason)
}

/// The values of a record that have no field here: the metadata of the bug, and of its comments and other operations by
/// their ids.
fn kept(record: &Value) -> Map<String, Value> {
    let mut kept = Map::new();
    let bug = &record["id"];
    kept.insert("id".into(), bug.clone());
    let mut all: Map<String, Value> = Map::new();
    for operation in record["operations"].as_array().into_iter().flatten().map(BugOperation) {
        let own = (Some(operation.id()), &operation.op()["metadata"]);
        let set = (operation.text("target"), &operation.op()["new_metadata"]);
        for (of, given) in [own, set] {
            let (Some(of), Some(given)) = (of, given.as_object().filter(|given| !given.is_empty())) else {
                continue;
            };
            let Value::Object(known) = all.entry(of).or_insert_with(|| json!({})) else { continue };
            for (name, value) in given {
                // In git-bug, nothing replaces what was set once.
                known.entry(name).or_insert_with(|| value.clone());
            }
        }
    }
    if let Some(metadata) = bug.as_str().and_then(|bug| all.shift_remove(bug)) {
        kept.insert("metadata".into(), metadata);
    }
    if !all.is_empty() {
        kept.insert("operation_metadata".into(), all.into());
    }
    kept
}

/// Notes on identities of which only the id is known.
fn nameless(operations: &[Value]) -> impl Iterator<Item = String> {
    let authors = operations.iter().filter_map(|operation| operation["author"].as_object());
    let nameless =
        authors.filter(|author| ["name", "login", "email"].iter().all(|name| !author.contains_key(*name)));
    let ids: BTreeSet<&str> = nameless.filter_map(|author| author.get("id")?.as_str()).collect();
    ids.into_iter()
        .map(|id| format!("the identity `{id}` is missing or has no name, so its author is `{UNKNOWN}`"))
        .collect::<Vec<_>>()
        .into_iter()
}

/// The kinds of operation that mean something here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Create,
    SetTitle,
    AddComment,
    SetStatus,
    LabelChange,
    EditComment,
    NoOp,
    SetMetadata,
}

/// An operation in the record of a bug.
#[derive(Clone, Copy)]
struct BugOperation<'a>(&'a Value);

impl<'a> BugOperation<'a> {
    fn id(self) -> &'a str {
        self.0["id"].as_str().unwrap_or_default()
    }

    fn op(self) -> &'a Value {
        &self.0["op"]
    }

    fn kind(self) -> Option<Kind> {
        Some(match self.op()["type"].as_u64()? {
            1 => Kind::Create,
            2 => Kind::SetTitle,
            3 => Kind::AddComment,
            4 => Kind::SetStatus,
            5 => Kind::LabelChange,
            6 => Kind::EditComment,
            7 => Kind::NoOp,
            8 => Kind::SetMetadata,
            _ => return None,
        })
    }

    fn text(self, name: &str) -> Option<&'a str> {
        self.op()[name].as_str()
    }

    fn time(self) -> Option<Time> {
        Time::from_seconds(self.op()["timestamp"].as_i64()?)
    }

    /// The name, with the e-mail address if there is one.
    fn author(self) -> String {
        let part =
            |name: &str| self.0["author"][name].as_str().map(str::trim).filter(|text| !text.is_empty());
        let name = part("name").or_else(|| part("login")).unwrap_or(UNKNOWN);
        part("email").map_or_else(|| name.to_owned(), |email| format!("{name} <{email}>"))
    }

    fn labels(self, name: &str) -> impl Iterator<Item = &'a str> {
        self.op()[name].as_array().into_iter().flatten().filter_map(Value::as_str)
    }

    fn has_files(self) -> bool {
        self.op()["files"].as_array().is_some_and(|files| !files.is_empty())
    }
}

/// The state of a bug after some of its operations.
struct Fold {
    /// The operation that created it, whose message is the description.
    created_by: String,
    issue: Issue,
    notes: Vec<String>,
    kept: BTreeSet<Cow<'static, str>>,
    comments: Vec<Comment>,
    /// The entry in which the text of each comment is, by the operation that added it.
    standing: BTreeMap<String, EntryId>,
    /// How many comments each second has so far.
    in_second: BTreeMap<Time, i64>,
}

impl Fold {
    fn apply(&mut self, operation: BugOperation<'_>) {
        if operation.has_files() {
            self.kept.insert("attached files have no field here".into());
        }
        if operation.op()["metadata"].as_object().is_some_and(|given| !given.is_empty()) {
            self.kept.insert(OF_OPERATION.into());
        }
        let Some(kind) = operation.kind() else {
            let number = &operation.op()["type"];
            self.kept.insert(format!("operations of the type {number} have no meaning here").into());
            return;
        };
        match kind {
            Kind::Create => self.notes.push("a second operation creates it; it was left out".into()),
            Kind::SetTitle => match title::shortened(operation.text("title").unwrap_or_default()) {
                Some((title, is_cut)) => {
                    self.issue.title = title;
                    self.notes.extend(is_cut.then(title::note));
                }
                None => self.notes.push("an operation sets an empty title; it was left out".into()),
            },
            Kind::AddComment => self.comment(operation, operation.id(), None),
            Kind::EditComment => self.edit(operation),
            Kind::SetStatus => self.status(operation),
            Kind::LabelChange => self.labels(operation),
            Kind::NoOp => {}
            Kind::SetMetadata => {
                let is_of_bug = operation.text("target") == Some(&self.created_by);
                self.kept.insert(if is_of_bug { OF_BUG } else { OF_OPERATION }.into());
                if is_of_bug {
                    self.address(&operation.op()["new_metadata"]);
                }
            }
        }
    }

    fn status(&mut self, operation: BugOperation<'_>) {
        match operation.op()["status"].as_u64() {
            Some(1) => (self.issue.status, self.issue.closed_at) = (StoredStatus::Registered, None),
            Some(2) => {
                (self.issue.status, self.issue.closed_at) = (StoredStatus::Closed, operation.time());
            }
            _ => self.notes.push(format!("the status {} is not known here", operation.op()["status"])),
        }
    }

    fn labels(&mut self, operation: BugOperation<'_>) {
        for label in operation.labels("added") {
            match limits::label(label.trim()) {
                Ok(label) => {
                    self.issue.tags.insert(label.to_owned());
                }
                Err(_) => self.notes.push(odd_label(label)),
            }
        }
        for label in operation.labels("removed") {
            self.issue.tags.remove(label.trim());
        }
    }

    /// A new text of the description or of a comment. git-bug ignores an edit of anything else.
    fn edit(&mut self, operation: BugOperation<'_>) {
        let Some(target) = operation.text("target") else { return };
        if target == self.created_by {
            let text = operation.text("message").filter(|text| !text.trim().is_empty());
            self.issue.context = text.map(str::to_owned);
        } else if let Some(before) = self.standing.get(target).cloned() {
            self.comment(operation, target, Some(before));
        }
    }

    fn comment(&mut self, operation: BugOperation<'_>, of: &str, edits: Option<EntryId>) {
        let Some(time) = operation.time() else {
            self.notes.push("a comment has no time; `show ID --imported` shows it".into());
            return;
        };
        // Comments of one second stay in their order.
        let earlier = self.in_second.entry(time).or_default();
        let created_at = time.plus_millis((*earlier).min(LAST_MILLI));
        *earlier += 1;
        let comment = entry_at(&Stamp::import(created_at), |id| Comment {
            id,
            body: operation.text("message").unwrap_or_default().to_owned(),
            author: operation.author().into(),
            created_at,
            edits,
            source_id: Some(operation.id().to_owned()),
        });
        self.standing.insert(of.to_owned(), comment.id.clone());
        self.comments.push(comment);
    }

    /// What other programs noted about the bug itself.
    fn metadata(&mut self, create: BugOperation<'_>) {
        if create.has_files() {
            self.kept.insert("attached files have no field here".into());
        }
        let metadata = &create.op()["metadata"];
        if metadata.as_object().is_some_and(|members| !members.is_empty()) {
            self.kept.insert(OF_BUG.into());
        }
        self.address(metadata);
    }

    /// The page from which a bridge of git-bug imported it.
    fn address(&mut self, metadata: &Value) {
        let members = metadata.as_object().into_iter().flatten();
        let mut pages =
            members.filter(|(name, _)| name.ends_with("-url")).filter_map(|(_, value)| value.as_str());
        let page = pages.find(|text| limits::web_address(text).is_ok());
        if let Some(page) = page
            && self.issue.source_url.is_none()
        {
            self.issue.source_url = Some(page.to_owned());
        }
    }
}

#[cfg(test)]
mod tests;
