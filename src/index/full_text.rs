//! The indexed texts of an issue, for full-text search.

use rusqlite::{Connection, params};

use super::error::IndexError;
use super::{query, words};
use crate::rules::{ExecutionFolder, IssueFolder};

/// The texts of an issue, in the order of [`query::COLUMNS`], with words separated by spaces.
pub(super) type Texts = [String; query::COLUMNS.len()];

/// Collects the texts of an issue.
pub(super) fn texts(folder: &IssueFolder) -> Texts {
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
    let comments: Vec<&str> =
        folder.standing_comments().iter().map(|standing| standing.comment.body.as_str()).collect();
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
    for entry in &folder.feedback {
        feedback.push(&entry.content);
        feedback.extend(entry.detail.message.as_deref());
    }
    let explorations: Vec<&str> =
        folder.explorations.iter().flat_map(|exploration| exploration.found.texts()).collect();
    let commits: Vec<&str> = commits.iter().map(String::as_str).collect();
    [
        field_text(&[&issue.title]),
        field_text(&context),
        field_text(&comments),
        field_text(&plans),
        field_text(&commits),
        field_text(&feedback),
        field_text(&explorations),
    ]
}

fn field_text(parts: &[&str]) -> String {
    words::separated(&parts.join("\n")).into_owned()
}

/// Replaces the texts of the issue with the row number `n`.
pub(super) fn write(
    db: &Connection,
    n: i64,
    texts: Option<&Texts>,
    is_first: bool,
) -> Result<(), IndexError> {
    if !is_first {
        db.prepare_cached("DELETE FROM words WHERE rowid = ?1")?.execute([n])?;
    }
    let Some([title, context, comments, plans, commits, feedback, explorations]) = texts else {
        return Ok(());
    };
    db.prepare_cached(
        "INSERT INTO words (rowid, title, context, comments, plans, commits, feedback, explorations)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![n, title, context, comments, plans, commits, feedback, explorations])?;
    Ok(())
}

/// Collects all strings in a value.
fn strings<'a>(value: &'a serde_json::Value, found: &mut Vec<&'a str>) {
    match value {
        serde_json::Value::String(text) => found.push(text),
        serde_json::Value::Array(values) => values.iter().for_each(|value| strings(value, found)),
        serde_json::Value::Object(fields) => fields.values().for_each(|value| strings(value, found)),
        _ => {}
    }
}
