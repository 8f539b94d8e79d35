//! Writes the rows of one issue, skipping unchanged ones: most rows of an issue do not change when it is claimed or
//! gets a comment, and an unchanged page need not be written.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Params, Row, params, params_from_iter};

use super::error::IndexError;
use crate::model::{ISSUE_FIELDS, IssueId};

/// The row of an issue: the columns that are neither keys nor those of fields with one value.
macro_rules! row {
    ($($column:ident),+ $(,)?) => {
        /// The values of an issue's row.
        pub(super) struct IssueColumns {
            $(pub(super) $column: Value,)+
            /// The values of [`ISSUE_FIELDS`], in their order.
            pub(super) fields: Vec<Value>,
        }

        impl IssueColumns {
            fn into_values(self) -> Vec<Value> {
                let mut values = vec![$(self.$column),+];
                values.extend(self.fields);
                values
            }
        }

        static STATEMENTS: LazyLock<RowStatements> = LazyLock::new(|| RowStatements::new(&[$(stringify!($column)),+]));
    };
}

row!(
    status, over, created, updated, author, wave, finished, solutions, title, tags, hidden, executing,
    undecided, completed
);

/// The statements for the row of an issue.
struct RowStatements {
    /// Takes the id last.
    insert: String,
    select: String,
    /// For each column.
    updates: Vec<String>,
}

impl RowStatements {
    fn new(columns: &[&str]) -> Self {
        let fields = ISSUE_FIELDS.iter().map(|field| field.column);
        let columns: Vec<&str> = columns.iter().copied().chain(fields).collect();
        let (names, marks) = (columns.join(", "), "?, ".repeat(columns.len()));
        Self {
            insert: format!("INSERT INTO issues ({names}, id) VALUES ({marks}?)"),
            select: format!("SELECT {names}, n FROM issues WHERE id = ?1"),
            updates: columns
                .iter()
                .map(|column| format!("UPDATE issues SET {column} = ?1 WHERE n = ?2"))
                .collect(),
        }
    }
}

/// Writes the row of an issue and returns its number.
pub(super) fn issue(
    db: &Connection,
    id: &IssueId,
    row: IssueColumns,
    is_first: bool,
) -> Result<i64, IndexError> {
    let known = if is_first { None } else { known(db, id)? };
    let mut values = row.into_values();
    let Some((n, old)) = known else {
        values.push(Value::Text(id.to_string()));
        return insert(db, &STATEMENTS.insert, params_from_iter(values));
    };
    for ((new, old), update) in values.iter().zip(&old).zip(&STATEMENTS.updates) {
        if new != old {
            db.prepare_cached(update)?.execute(params![new, n])?;
        }
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
    let mut query = db.prepare_cached(&STATEMENTS.select)?;
    let row = query.query_row([id.as_str()], |row| {
        let count = STATEMENTS.updates.len();
        let values: Result<Vec<Value>, _> = (0..count).map(|at| row.get(at)).collect();
        Ok((row.get(count)?, values?))
    });
    Ok(row.optional()?)
}

/// The statements for a table whose rows belong to issues.
#[derive(Debug)]
pub(super) struct IssueTable {
    /// Finds what distinguishes the rows of an issue.
    values: &'static str,
    /// Adds a row, or replaces the one with the same key.
    pub(super) write: &'static str,
    /// Removes the rows of an issue.
    pub(super) delete: &'static str,
}

/// A table whose columns `$values` distinguish the rows of an issue.
macro_rules! table {
    ($table:literal, $values:literal, $write:literal) => {
        IssueTable {
            values: concat!("SELECT ", $values, " FROM ", $table, " WHERE n = ?1"),
            write: $write,
            delete: concat!("DELETE FROM ", $table, " WHERE n = ?1"),
        }
    };
}

pub(super) const TAGS: IssueTable = table!("tags", "tag", "INSERT INTO tags (n, tag) VALUES (?1, ?2)");
pub(super) const COMPONENTS: IssueTable =
    table!("components", "component", "INSERT INTO components (n, component) VALUES (?1, ?2)");
pub(super) const DEPENDS: IssueTable =
    table!("depends", "target", "INSERT INTO depends (n, target) VALUES (?1, ?2)");
pub(super) const PARENTS: IssueTable =
    table!("parents", "parent", "INSERT INTO parents (n, parent) VALUES (?1, ?2)");
pub(super) const UIDS: IssueTable =
    table!("uids", "kind, uid", "INSERT OR REPLACE INTO uids VALUES (?1, ?2, ?3)");
pub(super) const LINKS: IssueTable =
    table!("links", "hash, uid", "INSERT OR REPLACE INTO links VALUES (?1, ?2, ?3)");
pub(super) const LINK_FILES: IssueTable = table!(
    "link_files",
    "file, hash, at, rewritten",
    "INSERT OR REPLACE INTO link_files VALUES (?1, ?2, ?3, ?4, ?5)"
);

/// The rows that belong to the row with the number `n`.
pub(super) struct Beside<'a> {
    pub(super) db: &'a Connection,
    pub(super) n: i64,
    /// The index is empty.
    pub(super) is_first: bool,
}

impl Beside<'_> {
    /// Sets the texts of an issue in a table.
    pub(super) fn texts(&self, table: &IssueTable, wanted: &BTreeSet<String>) -> Result<(), IndexError> {
        self.all(table, wanted, |row| row.get(0), |text| self.write(table, params![self.n, text]))
    }

    /// Sets the rows of an issue in a table; `wanted` is what distinguishes them.
    pub(super) fn all<T: Ord>(
        &self,
        table: &IssueTable,
        wanted: &BTreeSet<T>,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
        insert: impl Fn(&T) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        if !self.is_first {
            let mut query = self.db.prepare_cached(table.values)?;
            let known: rusqlite::Result<BTreeSet<T>> = query.query_map([self.n], read)?.collect();
            if known? == *wanted {
                return Ok(());
            }
            self.delete(table)?;
        }
        wanted.iter().try_for_each(insert)
    }

    /// Writes one row.
    pub(super) fn write(&self, table: &IssueTable, values: impl Params) -> Result<(), IndexError> {
        self.db.prepare_cached(table.write)?.execute(values)?;
        Ok(())
    }

    fn delete(&self, table: &IssueTable) -> Result<(), IndexError> {
        if !self.is_first {
            self.db.prepare_cached(table.delete)?.execute([self.n])?;
        }
        Ok(())
    }
}
