//! What the index keeps of one issue.

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;

use super::error::IndexError;
use super::{queues, words};
use crate::model::id::{IssueId, QueueId};
use crate::rules::folder::{ExecutionFolder, IssueFolder};
use crate::rules::shown::{self, IssueDerived};
use crate::store::{Read, StoreError, records};

/// The `status` of an issue that cannot be read, and of a folder without one.
pub(super) const BROKEN: i64 = -1;
const NOTHING: i64 = -2;

/// What kind of thing an id is of, as `ids` stores it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Issue = 0,
    Solution = 1,
    Execution = 2,
    Queue = 3,
}

/// What of an issue is to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) rows: bool,
    pub(super) words: bool,
    /// Nothing of any issue is there yet.
    pub(super) is_first: bool,
}

/// Reads an issue and puts it in place of what the index had of it.
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
            return remove(db, id);
        }
        Ok(None) => (None, NOTHING),
        Err(StoreError::Broken { .. }) => (None, BROKEN),
        Err(error) => return Err(error.into()),
    };
    let n = if wanted.rows {
        let hidden = records::has_redactions(read, id)?;
        let derived = folder.as_ref().map(IssueDerived::of);
        let n = issue(db, id, folder.as_ref().zip(derived.as_ref()).ok_or(status), hidden)?;
        if !wanted.is_first {
            forget(db, n)?;
            queues::forget_items(db, id)?;
        }
        ids(db, read, id, n)?;
        let facts = folder.as_ref().map(queues::facts_of).transpose()?;
        queues::add_items(db, read, id, facts.as_deref())?;
        if let Some(facts) = &facts {
            queues::add_facts(db, n, facts)?;
        }
        if let (Some(folder), Some(derived)) = (&folder, &derived) {
            beside(db, folder, derived, n)?;
        }
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

/// Puts the ids of all queues in place of those that the index had.
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

fn remove(db: &Connection, id: &IssueId) -> Result<(), IndexError> {
    let Some(n) = number(db, id)? else { return Ok(()) };
    forget(db, n)?;
    db.execute("DELETE FROM words WHERE rowid = ?1", [n])?;
    db.execute("DELETE FROM issues WHERE n = ?1", [n])?;
    Ok(())
}

/// Takes away everything beside the row itself.
fn forget(db: &Connection, n: i64) -> Result<(), IndexError> {
    for sql in [
        "DELETE FROM answers WHERE n = ?1",
        "DELETE FROM tags WHERE n = ?1",
        "DELETE FROM components WHERE n = ?1",
        "DELETE FROM ids WHERE n = ?1",
        "DELETE FROM links WHERE n = ?1",
        "DELETE FROM facts WHERE n = ?1",
    ] {
        db.prepare_cached(sql)?.execute([n])?;
    }
    Ok(())
}

/// The row of an issue, or of one that cannot be read.
fn issue(
    db: &Connection,
    id: &IssueId,
    known: Result<(&IssueFolder, &IssueDerived), i64>,
    hidden: bool,
) -> Result<i64, IndexError> {
    let mut insert = db.prepare_cached(
        "INSERT INTO issues (id, status, over, priority, created, updated, author, assignee, wave, solutions,
             title, folded, tags, hidden)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
         ON CONFLICT (id) DO UPDATE SET status = excluded.status, over = excluded.over,
             priority = excluded.priority, created = excluded.created, updated = excluded.updated,
             author = excluded.author, assignee = excluded.assignee, wave = excluded.wave,
             solutions = excluded.solutions, title = excluded.title, folded = excluded.folded,
             tags = excluded.tags, hidden = excluded.hidden
         RETURNING n",
    )?;
    let number = |row: &rusqlite::Row<'_>| row.get(0);
    let (folder, derived) = match known {
        Ok(known) => known,
        Err(status) => {
            let nothing = params![
                id.as_str(),
                status,
                status,
                0,
                0,
                None::<i64>,
                0,
                None::<String>,
                None::<i64>,
                0,
                "",
                "",
                "",
                hidden
            ];
            return Ok(insert.query_row(nothing, number)?);
        }
    };
    let it = &folder.issue.record;
    let tags: Vec<&str> = it.tags.iter().map(String::as_str).collect();
    Ok(insert.query_row(
        params![
            id.as_str(),
            derived.status as i64,
            i64::from(derived.status.is_over()),
            i64::from(it.priority.number()),
            it.created_at.millis(),
            derived.updated_at.map(crate::model::time::Time::millis),
            author(db, &it.author)?,
            it.assignee,
            derived.wave.and_then(|wave| i64::try_from(wave).ok()),
            i64::try_from(derived.solution_count).unwrap_or(i64::MAX),
            it.title,
            it.title.to_lowercase(),
            tags.join(","),
            hidden,
        ],
        number,
    )?)
}

fn author(db: &Connection, name: &str) -> Result<i64, IndexError> {
    let known = db
        .prepare_cached("SELECT n FROM authors WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?;
    match known {
        Some(n) => Ok(n),
        None => Ok(db
            .prepare_cached("INSERT INTO authors (name) VALUES (?1) RETURNING n")?
            .query_row([name], |row| row.get(0))?),
    }
}

fn ids(db: &Connection, read: &impl Read, id: &IssueId, n: i64) -> Result<(), IndexError> {
    note_id(db, id.as_str(), Kind::Issue, Some(n))?;
    for solution in records::solution_ids(read, id)? {
        note_id(db, solution.as_str(), Kind::Solution, Some(n))?;
    }
    for execution in records::execution_ids(read, id)? {
        note_id(db, execution.as_str(), Kind::Execution, Some(n))?;
    }
    Ok(())
}

fn note_id(db: &Connection, whole: &str, kind: Kind, n: Option<i64>) -> Result<(), IndexError> {
    let uid = whole.rsplit_once('-').map_or("", |(_, uid)| uid);
    let mut insert = db.prepare_cached("INSERT OR REPLACE INTO ids VALUES (?1, ?2, ?3, ?4)")?;
    insert.execute(params![whole, uid, kind as i64, n])?;
    Ok(())
}

/// Everything but the row itself and the ids.
fn beside(db: &Connection, folder: &IssueFolder, derived: &IssueDerived, n: i64) -> Result<(), IndexError> {
    let issue = &folder.issue.record;
    let answer = serde_json::to_string_pretty(&shown::issue_as(folder, derived)).unwrap_or_default();
    // As it stands in an array.
    let answer = answer.replace('\n', "\n  ");
    db.prepare_cached("INSERT INTO answers VALUES (?1, ?2)")?.execute(params![n, answer])?;
    for tag in &issue.tags {
        db.prepare_cached("INSERT INTO tags VALUES (?1, ?2)")?.execute(params![n, tag])?;
    }
    for component in &issue.affected_components {
        db.prepare_cached("INSERT INTO components VALUES (?1, ?2)")?.execute(params![n, component])?;
    }
    for execution in &folder.executions {
        let mut insert = db.prepare_cached("INSERT OR REPLACE INTO links VALUES (?1, ?2, ?3)")?;
        for hash in execution.known_commits() {
            insert.execute(params![hash, execution.execution.id.as_str(), n])?;
        }
    }
    Ok(())
}

fn full_text(db: &Connection, folder: &IssueFolder, n: i64) -> Result<(), IndexError> {
    let issue = &folder.issue.record;
    let mut context: Vec<&str> = [
        &issue.context,
        &issue.expected_behavior,
        &issue.actual_behavior,
        &issue.extended_context.location,
        &issue.extended_context.suggested_fix,
    ]
    .into_iter()
    .flatten()
    .map(String::as_str)
    .collect();
    if let Some(notes) = &issue.extended_context.notes {
        strings(notes, &mut context);
    }
    let comments: Vec<&str> = folder.comments_as_edited().iter().map(|it| it.body.as_str()).collect();
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
    let text = |parts: &[&str]| words::separated(&parts.join("\n")).into_owned();
    let commits: Vec<&str> = commits.iter().map(String::as_str).collect();
    db.prepare_cached(
        "INSERT INTO words (rowid, title, context, comments, plans, commits, feedback)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![
        n,
        words::separated(&issue.title),
        text(&context),
        text(&comments),
        text(&plans),
        text(&commits),
        text(&feedback)
    ])?;
    Ok(())
}

/// All texts in a value.
fn strings<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(values) => values.iter().for_each(|value| strings(value, found)),
        Value::Object(fields) => fields.values().for_each(|value| strings(value, found)),
        _ => {}
    }
}
