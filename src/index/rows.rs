//! What the index stores for one issue.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params};

use super::database::{self, Part};
use super::error::IndexError;
use super::upsert::{self, Beside, COMPONENTS, DEPENDS, FACTS, IDS, LINKS, PARENTS, Row, TAGS, WHOLE};
use super::{queues, words};
use crate::model::id::{IssueId, QueueId};
use crate::model::issue::Issue;
use crate::model::status::ExecutionStatus;
use crate::rules::facts;
use crate::rules::folder::{ExecutionFolder, IssueFolder};
use crate::rules::shown::IssueDerived;
use crate::store::{Read, StoreError, records};

/// The `status` of an issue that cannot be read, and of a directory without an issue.
pub(super) const BROKEN: i64 = -1;
const NOTHING: i64 = -2;

/// The kind of thing that an id names, as stored in `ids`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Issue = 0,
    Solution = 1,
    Execution = 2,
    Queue = 3,
}

/// Which parts of an issue are to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) rows: bool,
    pub(super) words: bool,
    /// The index is empty.
    pub(super) is_first: bool,
}

/// Reads an issue and replaces what the index had for it.
pub(super) fn reload(
    db: &Connection,
    read: &impl Read,
    id: &IssueId,
    wanted: Wanted,
) -> Result<(), IndexError> {
    let (folder, status) = match records::issue(read, id) {
        Ok(Some(folder)) => (Some(folder), 0),
        Ok(None) if is_gone(read, id)? => {
            if wanted.rows {
                queues::forget_items(db, id)?;
                queues::add_items(db, read, id, None)?;
            }
            return remove(db, id, wanted);
        }
        Ok(None) => (None, NOTHING),
        Err(StoreError::Broken { .. }) => (None, BROKEN),
        Err(error) => return Err(error.into()),
    };
    let n = if wanted.rows {
        let hidden = records::has_redactions(read, id)?;
        let derived = folder.as_ref().map(IssueDerived::of);
        let known = folder.as_ref().zip(derived.as_ref());
        let row = match known {
            Some((folder, derived)) => row(db, folder, derived, hidden)?,
            None => empty_row(status, hidden),
        };
        let n = upsert::issue(db, id, row, wanted.is_first)?;
        let put = Beside { db, n, is_first: wanted.is_first };
        ids(&put, read, id)?;
        let facts = folder.as_ref().map(queues::facts_of).transpose()?;
        if !wanted.is_first {
            queues::forget_items(db, id)?;
        }
        queues::add_items(db, read, id, facts.as_deref())?;
        put.one(&FACTS, facts.map(Value::Blob))?;
        beside(&put, known)?;
        n
    } else {
        number(db, id)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?
    };
    if wanted.words {
        if !wanted.is_first {
            db.prepare_cached("DELETE FROM words WHERE rowid = ?1")?.execute([n])?;
        }
        if let Some(folder) = &folder {
            full_text(db, folder, n)?;
        }
    }
    Ok(())
}

/// Replaces the ids of all queues in the index.
pub(super) fn queue_ids(db: &Connection, ids: &[QueueId]) -> Result<(), IndexError> {
    db.execute("DELETE FROM ids WHERE kind = ?1", [Kind::Queue as i64])?;
    ids.iter().try_for_each(|id| note_id(db, id.as_str(), Kind::Queue, None))
}

/// The number of an issue's row.
pub(super) fn number(db: &Connection, id: &IssueId) -> Result<Option<i64>, IndexError> {
    let mut query = db.prepare_cached("SELECT n FROM issues WHERE id = ?1")?;
    Ok(query.query_row([id.as_str()], |row| row.get(0)).optional()?)
}

fn is_gone(read: &impl Read, id: &IssueId) -> Result<bool, StoreError> {
    Ok(read.names(&crate::store::layout::issue_folder(id))?.is_empty())
}

fn remove(db: &Connection, id: &IssueId, wanted: Wanted) -> Result<(), IndexError> {
    let Some(n) = number(db, id)? else { return Ok(()) };
    if wanted.words {
        db.execute("DELETE FROM words WHERE rowid = ?1", [n])?;
    } else {
        // They reflect a state in which the issue exists. If it came back before they are updated, they would still
        // have it, but under another number.
        database::clear(db, Part::Words)?;
    }
    for table in [WHOLE, TAGS, COMPONENTS, DEPENDS, PARENTS, IDS, LINKS, FACTS] {
        db.prepare_cached(table.delete)?.execute([n])?;
    }
    db.prepare_cached("DELETE FROM issues WHERE n = ?1")?.execute([n])?;
    Ok(())
}

/// The row of an issue.
fn row(
    db: &Connection,
    folder: &IssueFolder,
    derived: &IssueDerived,
    hidden: bool,
) -> Result<Row, IndexError> {
    let it = &folder.issue.record;
    let tags: Vec<&str> = it.tags.iter().map(String::as_str).collect();
    // Even if something else was decided meanwhile.
    let is_executing = facts::holder(folder).is_some_and(|it| it.outcome() == ExecutionStatus::Executing);
    Ok(Row {
        status: Value::Integer(derived.status as i64),
        over: Value::Integer(i64::from(derived.status.is_terminal())),
        priority: Value::Integer(i64::from(it.priority.number())),
        created: Value::Integer(it.created_at.millis()),
        updated: derived.updated_at.map(crate::model::time::Time::millis).into(),
        author: Value::Integer(author(db, &it.author)?),
        assignee: it.assignee.clone().into(),
        wave: derived.wave.and_then(|wave| i64::try_from(wave).ok()).into(),
        solutions: Value::Integer(i64::try_from(derived.solution_count).unwrap_or(i64::MAX)),
        title: Value::Text(it.title.clone()),
        folded: Value::Text(it.title.to_lowercase()),
        tags: Value::Text(tags.join(",")),
        hidden: Value::Integer(i64::from(hidden)),
        executing: Value::Integer(i64::from(is_executing)),
        kind: it.issue_type.as_ref().map(|kind| kind.to_lowercase()).into(),
    })
}

/// The row of an issue that cannot be read, or of a directory without an issue.
fn empty_row(status: i64, hidden: bool) -> Row {
    let (nothing, text) = (Value::Integer(0), Value::Text(String::new()));
    Row {
        status: Value::Integer(status),
        over: Value::Integer(status),
        priority: nothing.clone(),
        created: nothing.clone(),
        updated: Value::Null,
        author: nothing.clone(),
        assignee: Value::Null,
        wave: Value::Null,
        solutions: nothing.clone(),
        title: text.clone(),
        folded: text.clone(),
        tags: text,
        hidden: Value::Integer(i64::from(hidden)),
        executing: nothing,
        kind: Value::Null,
    }
}

fn author(db: &Connection, name: &str) -> Result<i64, IndexError> {
    let known = db
        .prepare_cached("SELECT n FROM authors WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?;
    match known {
        Some(n) => Ok(n),
        None => upsert::insert(db, "INSERT INTO authors (name) VALUES (?1)", [name]),
    }
}

fn ids(put: &Beside<'_>, read: &impl Read, id: &IssueId) -> Result<(), IndexError> {
    let mut all = BTreeMap::from([(id.as_str().to_owned(), Kind::Issue)]);
    all.extend(records::solution_ids(read, id)?.iter().map(|id| (id.to_string(), Kind::Solution)));
    all.extend(records::execution_ids(read, id)?.iter().map(|id| (id.to_string(), Kind::Execution)));
    put.all(&IDS, &all.keys().cloned().collect(), |whole| note_id(put.db, whole, all[whole], Some(put.n)))
}

fn note_id(db: &Connection, whole: &str, kind: Kind, n: Option<i64>) -> Result<(), IndexError> {
    let uid = whole.rsplit_once('-').map_or("", |(_, uid)| uid);
    let mut insert = db.prepare_cached(IDS.write)?;
    insert.execute(params![whole, uid, kind as i64, n])?;
    Ok(())
}

/// Everything except the row itself, the ids and what queues need; nothing if the issue cannot be read.
fn beside(put: &Beside<'_>, known: Option<(&IssueFolder, &IssueDerived)>) -> Result<(), IndexError> {
    // The record of the source is shown only by commands that read the issue itself.
    let listed = |issue: &Issue| Issue { imported: None, ..issue.clone() };
    let whole =
        known.map(|(folder, derived)| serde_json::to_string(&(listed(&folder.issue.record), derived)));
    let whole = whole.transpose().map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    put.one(&WHOLE, whole.map(Value::Text))?;
    let issue = known.map(|(folder, _)| &folder.issue.record);
    let tags = issue.map(|issue| issue.tags.iter().cloned().collect()).unwrap_or_default();
    put.texts(&TAGS, &tags)?;
    let components =
        issue.map(|issue| issue.affected_components.iter().cloned().collect()).unwrap_or_default();
    put.texts(&COMPONENTS, &components)?;
    let depends_on = issue.map(|issue| issue.depends_on.iter().map(ToString::to_string).collect());
    put.texts(&DEPENDS, &depends_on.unwrap_or_default())?;
    put.texts(&PARENTS, &issue.map(Issue::parents).unwrap_or_default())?;
    let executions = known.into_iter().flat_map(|(folder, _)| &folder.executions);
    let links: BTreeSet<String> = executions
        .flat_map(|it| it.known_commits().map(|hash| format!("{hash} {}", it.execution.id)))
        .collect();
    put.all(&LINKS, &links, |link| {
        let (hash, execution) = link.split_once(' ').unwrap_or_default();
        put.write(&LINKS, params![hash, execution, put.n])
    })
}

fn full_text(db: &Connection, folder: &IssueFolder, n: i64) -> Result<(), IndexError> {
    let issue = &folder.issue.record;
    let mut context: Vec<&str> = [
        &issue.context,
        &issue.expected_behavior,
        &issue.actual_behavior,
        &issue.extended_context.location,
        &issue.extended_context.suggested_fix,
        &issue.extended_context.design,
    ]
    .into_iter()
    .flatten()
    .map(String::as_str)
    .collect();
    if let Some(notes) = &issue.extended_context.notes {
        strings(notes, &mut context);
    }
    let comments: Vec<&str> = folder.standing_comments().iter().map(|it| it.comment.body.as_str()).collect();
    let mut plans = Vec::new();
    for solution in &folder.solutions {
        strings(&solution.record.plan, &mut plans);
    }
    let commits: Vec<String> = folder
        .executions
        .iter()
        .flat_map(ExecutionFolder::commits)
        .map(|commit| commit.link.subject)
        .collect();
    let mut feedback: Vec<&str> = Vec::new();
    for it in &folder.feedback {
        feedback.push(&it.content);
        feedback.extend(it.detail.message.as_deref());
    }
    let explorations: Vec<&str> = folder.explorations.iter().flat_map(|it| it.found.texts()).collect();
    let text = |parts: &[&str]| words::separated(&parts.join("\n")).into_owned();
    let commits: Vec<&str> = commits.iter().map(String::as_str).collect();
    db.prepare_cached(
        "INSERT INTO words (rowid, title, context, comments, plans, commits, feedback, explorations)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![
        n,
        words::separated(&issue.title),
        text(&context),
        text(&comments),
        text(&plans),
        text(&commits),
        text(&feedback),
        text(&explorations)
    ])?;
    Ok(())
}

/// All texts in a value.
fn strings<'a>(value: &'a serde_json::Value, found: &mut Vec<&'a str>) {
    match value {
        serde_json::Value::String(text) => found.push(text),
        serde_json::Value::Array(values) => values.iter().for_each(|value| strings(value, found)),
        serde_json::Value::Object(fields) => fields.values().for_each(|value| strings(value, found)),
        _ => {}
    }
}
