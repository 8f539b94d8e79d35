//! Writes the rows of one issue, skipping unchanged ones: most rows of an issue do not change when it is claimed or
//! gets a comment, and an unchanged page need not be written.

use std::collections::BTreeSet;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Params, params, params_from_iter};

use super::error::IndexError;
use crate::model::id::IssueId;

/// The columns of an issue's row that are not keys, as named in the table.
const COLUMNS: [&str; 14] = [
    "status",
    "over",
    "priority",
    "created",
    "updated",
    "author",
    "assignee",
    "wave",
    "solutions",
    "title",
    "folded",
    "tags",
    "hidden",
    "executing",
];

/// Their values.
pub(super) type Row = [Value; COLUMNS.len()];

/// Writes the row of an issue and returns its number.
pub(super) fn issue(db: &Connection, id: &IssueId, row: Row, is_first: bool) -> Result<i64, IndexError> {
    let known = if is_first { None } else { known(db, id)? };
    let Some((n, old)) = known else {
        let marks = vec!["?"; COLUMNS.len()].join(", ");
        let sql = format!("INSERT INTO issues (id, {}) VALUES (?, {marks})", COLUMNS.join(", "));
        let values = std::iter::once(Value::Text(id.to_string())).chain(row);
        return insert(db, &sql, params_from_iter(values));
    };
    let differs = |(at, value): &(usize, &Value)| old[*at] != **value;
    let (columns, mut values): (Vec<String>, Vec<&Value>) = row
        .iter()
        .enumerate()
        .filter(differs)
        .map(|(at, value)| (format!("{} = ?", COLUMNS[at]), value))
        .unzip();
    if !columns.is_empty() {
        let number = Value::Integer(n);
        values.push(&number);
        let sql = format!("UPDATE issues SET {} WHERE n = ?", columns.join(", "));
        db.prepare_cached(&sql)?.execute(params_from_iter(values))?;
    }
    Ok(n)
}

/// Adds a row and returns its number. Does not use `RETURNING`: such a statement could end half done, and before each
/// one SQLite flushes the full text that it buffers.
pub(super) fn insert(db: &Connection, sql: &str, values: impl Params) -> Result<i64, IndexError> {
    db.prepare_cached(sql)?.execute(values)?;
    Ok(db.last_insert_rowid())
}

fn known(db: &Connection, id: &IssueId) -> Result<Option<(i64, Vec<Value>)>, IndexError> {
    let sql = format!("SELECT n, {} FROM issues WHERE id = ?1", COLUMNS.join(", "));
    let mut query = db.prepare_cached(&sql)?;
    let row = query.query_row([id.as_str()], |row| {
        let values: Result<Vec<Value>, _> = (1..=COLUMNS.len()).map(|at| row.get(at)).collect();
        Ok((row.get(0)?, values?))
    });
    Ok(row.optional()?)
}

/// The rows that belong to the row with the number `n`.
pub(super) struct Beside<'a> {
    pub(super) db: &'a Connection,
    pub(super) n: i64,
    /// The index is empty.
    pub(super) is_first: bool,
}

impl Beside<'_> {
    /// Sets the single value of an issue in a table; none removes it.
    pub(super) fn one(&self, table: &str, column: &str, value: Option<Value>) -> Result<(), IndexError> {
        let Some(value) = value else { return self.delete(table) };
        if !self.is_first {
            let sql = format!("SELECT 1 FROM {table} WHERE n = ?1 AND {column} = ?2");
            if self.db.prepare_cached(&sql)?.exists(params![self.n, value])? {
                return Ok(());
            }
        }
        let sql = format!("INSERT OR REPLACE INTO {table} (n, {column}) VALUES (?1, ?2)");
        self.db.prepare_cached(&sql)?.execute(params![self.n, value])?;
        Ok(())
    }

    /// Sets the texts of an issue in a table.
    pub(super) fn texts(
        &self,
        table: &str,
        column: &str,
        wanted: &BTreeSet<String>,
    ) -> Result<(), IndexError> {
        let sql = format!("INSERT INTO {table} (n, {column}) VALUES (?1, ?2)");
        self.all(table, column, wanted, |text| {
            self.db.prepare_cached(&sql)?.execute(params![self.n, text])?;
            Ok(())
        })
    }

    /// Sets the rows of an issue in a table; `text` is their key.
    pub(super) fn all(
        &self,
        table: &str,
        text: &str,
        wanted: &BTreeSet<String>,
        insert: impl Fn(&str) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        if !self.is_first {
            let mut query = self.db.prepare_cached(&format!("SELECT {text} FROM {table} WHERE n = ?1"))?;
            let known: Result<BTreeSet<String>, _> = query.query_map([self.n], |row| row.get(0))?.collect();
            if known? == *wanted {
                return Ok(());
            }
            self.delete(table)?;
        }
        wanted.iter().try_for_each(|text| insert(text))
    }

    fn delete(&self, table: &str) -> Result<(), IndexError> {
        if !self.is_first {
            self.db.prepare_cached(&format!("DELETE FROM {table} WHERE n = ?1"))?.execute([self.n])?;
        }
        Ok(())
    }
}
