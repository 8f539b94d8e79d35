//! What was derived about completed work and its target branch. The trail derives it; the index remembers it, so that only
//! what is new is looked at.

use std::collections::HashSet;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use serde::{Deserialize, Serialize};

use super::database::{self, IndexPart};
use super::error::IndexError;
use super::{InFile, Index};
use crate::git::ObjectId;
use crate::model::{Branch, CommitHash, IssueId, Time};
use crate::rules::{ExecutionFolder, IssueFolder, LandedState, LandingProof};

/// The name under which the key is stored.
const KEY: &str = "landing";

/// The state of the repository for which the landing of work was derived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LandingKey {
    /// The target branch.
    pub(crate) branch: Branch,
    /// Its tips, here and at the remote.
    pub(crate) tips: Vec<CommitHash>,
    /// Identifies the branches, tags, remote-tracking refs and detached HEADs, on which work that has not landed may be, and
    /// where the history of a shallow clone ends.
    pub(crate) refs: String,
    /// The rules by which it was derived: those of another program may have been others.
    pub(crate) rules: u32,
}

/// What was derived for an issue.
#[derive(Debug, Clone)]
pub(crate) struct LandingRow {
    /// The issue.
    pub(crate) id: IssueId,
    /// The answer.
    pub(crate) proof: LandingProof,
}

/// Stands for work that has landed as long as other branches stay as they are.
const LANDED_FOR_NOW: i64 = -1;

impl LandingRow {
    /// What the column `state` holds.
    fn column(&self) -> i64 {
        match self.proof.landed.state {
            LandedState::Landed if self.proof.depends_on_refs => LANDED_FOR_NOW,
            state => state as i64,
        }
    }
}

/// When work of an issue was first recorded as landed, in milliseconds.
pub(super) fn first_land(folder: &IssueFolder) -> Option<i64> {
    folder.executions.iter().filter_map(ExecutionFolder::first_land).min().map(Time::millis)
}

/// Forgets what was derived for the issue with the row number `n`.
pub(super) fn forget(db: &Connection, n: i64) -> Result<(), IndexError> {
    db.prepare_cached("DELETE FROM landing WHERE n = ?1")?.execute([n])?;
    db.prepare_cached("DELETE FROM landing_proofs WHERE n = ?1")?.execute([n])?;
    Ok(())
}

/// Notes when work of the issue with the row number `n` was first recorded as landed.
pub(super) fn note_first_land(db: &Connection, n: i64, at: Option<i64>) -> Result<(), IndexError> {
    match at {
        Some(at) => {
            db.prepare_cached("INSERT OR REPLACE INTO first_landings VALUES (?1, ?2)")?.execute([n, at])?
        }
        None => db.prepare_cached("DELETE FROM first_landings WHERE n = ?1")?.execute([n])?,
    };
    Ok(())
}

/// Writes what was derived.
fn write(db: &Connection, key: &LandingKey, rows: &[LandingRow], is_anew: bool) -> Result<(), IndexError> {
    if is_anew {
        db.execute_batch("DELETE FROM landing; DELETE FROM landing_proofs;")?;
    }
    for row in rows {
        let Some(n) = super::rows::number(db, &row.id)? else { continue };
        forget(db, n)?;
        let told = serde_json::to_string(&row.proof).map_err(std::io::Error::other)?;
        db.prepare_cached("INSERT INTO landing VALUES (?1, ?2, ?3)")?.execute(params![
            n,
            row.column(),
            told
        ])?;
        for hash in &row.proof.proofs {
            db.prepare_cached("INSERT OR IGNORE INTO landing_proofs VALUES (?1, ?2)")?
                .execute(params![hash.as_str(), n])?;
        }
    }
    let key = serde_json::to_string(key).map_err(std::io::Error::other)?;
    database::set_meta(db, KEY, &key)
}

impl Index<'_> {
    /// The state of the repository for which everything stored was derived; `None` if nothing was.
    pub(crate) fn landing_key(&self) -> Result<Option<LandingKey>, IndexError> {
        if let Some(key) = &*self.noted_landing.borrow() {
            return Ok(Some(key.clone()));
        }
        Ok(database::meta(&self.db, KEY)?.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// When work was first recorded as landed.
    pub(crate) fn first_land(&self) -> Result<Option<Time>, IndexError> {
        let mut query = self.db.prepare_cached("SELECT min(at) FROM first_landings")?;
        let first: Option<i64> = query.query_row([], |row| row.get(0))?;
        Ok(first.and_then(Time::from_millis))
    }

    /// Whether an execution completed any issue.
    pub(crate) fn has_completed(&self) -> Result<bool, IndexError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM issues WHERE completed = 1)";
        Ok(self.db.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
    }

    /// The issues that an execution completed: all of them, or those for which nothing was derived.
    pub(crate) fn completed(&self, is_all: bool) -> Result<Vec<IssueId>, IndexError> {
        let unknown = if is_all {
            String::new()
        } else {
            format!("AND n NOT IN (SELECT n FROM {})", self.landing_table())
        };
        let sql = format!("SELECT id FROM issues WHERE completed = 1 {unknown} ORDER BY id");
        let mut query = self.db.prepare(&sql)?;
        let ids = query.query_map([], |row| row.get::<_, String>(0))?;
        let ids: Vec<String> = ids.collect::<Result<_, _>>()?;
        Ok(ids.iter().filter_map(|id| IssueId::parse(id).ok()).collect())
    }

    /// What was derived for issues whose work has not landed, of which nobody can tell, or whose work may be absent once other
    /// branches change.
    pub(crate) fn not_landed(&self) -> Result<Vec<LandingRow>, IndexError> {
        let sql = format!(
            "SELECT i.id, l.told FROM {} l CROSS JOIN issues i ON i.n = l.n WHERE l.state <> 0 ORDER BY i.id",
            self.landing_table()
        );
        let mut query = self.db.prepare(&sql)?;
        let rows = query.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        let mut found = Vec::new();
        for row in rows {
            let (id, told) = row?;
            if let (Ok(id), Ok(proof)) = (IssueId::parse(&id), serde_json::from_str(&told)) {
                found.push(LandingRow { id, proof });
            }
        }
        Ok(found)
    }

    /// The issues whose work is on the branch as one of these commits.
    pub(crate) fn landed_as(&self, commits: &HashSet<ObjectId>) -> Result<Vec<IssueId>, IndexError> {
        let table = if self.has_new_landing.get() { "landing_proofs_now" } else { "landing_proofs" };
        let sql = format!("SELECT i.id FROM {table} p JOIN issues i ON i.n = p.n WHERE p.hash = ?1");
        let mut query = self.db.prepare_cached(&sql)?;
        let mut found = Vec::new();
        for commit in commits {
            let ids = query.query_map([commit.to_string()], |row| row.get::<_, String>(0))?;
            let ids: Vec<String> = ids.collect::<Result<_, _>>()?;
            found.extend(ids.iter().filter_map(|id| IssueId::parse(id).ok()));
        }
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// What was derived for an issue.
    pub(crate) fn landing_of(&self, id: &IssueId) -> Result<Option<LandingProof>, IndexError> {
        let sql = format!(
            "SELECT l.told FROM {} l JOIN issues i ON i.n = l.n WHERE i.id = ?1",
            self.landing_table()
        );
        let mut query = self.db.prepare_cached(&sql)?;
        let told: Option<String> = query.query_row([id.as_str()], |row| row.get(0)).optional()?;
        Ok(told.and_then(|told| serde_json::from_str(&told).ok()))
    }

    /// Stores what was derived; with `is_anew`, in place of everything. This query sees it in any case; the next ones do
    /// unless another process is writing or has moved the index.
    pub(crate) fn note_landing(
        &self,
        key: &LandingKey,
        rows: &[LandingRow],
        is_anew: bool,
    ) -> Result<(), IndexError> {
        let Some(InFile { folder, .. }) = &self.file else { return write(&self.db, key, rows, is_anew) };
        self.note_for_this_query(rows, is_anew)?;
        self.noted_landing.replace(Some(key.clone()));
        let stored = database::open(&folder.database(), Duration::ZERO).and_then(|mut db| {
            let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            // Another process may have derived the same, or read a newer state.
            let is_ours = database::tip(&tx, IndexPart::Rows)? == Some(self.commit)
                && database::meta(&tx, KEY)? == database::meta(&self.db, KEY)?;
            if is_ours {
                write(&tx, key, rows, is_anew)?;
            }
            Ok(tx.commit()?)
        });
        match stored {
            Err(error) if !error.is_of_database() => Err(error),
            // What was not stored is derived again.
            _ => Ok(()),
        }
    }

    /// Shows rows to this query, which reads one state of the database.
    fn note_for_this_query(&self, rows: &[LandingRow], is_anew: bool) -> Result<(), IndexError> {
        if rows.is_empty() && !is_anew {
            return Ok(());
        }
        if is_anew || !self.has_new_landing.get() {
            self.overlay_landing(is_anew)?;
        }
        let mut insert = self.db.prepare("INSERT OR REPLACE INTO landing_new VALUES (?1, ?2, ?3)")?;
        let mut forget = self.db.prepare("DELETE FROM landing_proofs_new WHERE n = ?1")?;
        let mut prove = self.db.prepare("INSERT OR IGNORE INTO landing_proofs_new VALUES (?1, ?2)")?;
        for row in rows {
            let Some(n) = super::rows::number(&self.db, &row.id)? else { continue };
            let told = serde_json::to_string(&row.proof).map_err(std::io::Error::other)?;
            insert.execute(params![n, row.column(), told])?;
            forget.execute([n])?;
            for hash in &row.proof.proofs {
                prove.execute(params![hash.as_str(), n])?;
            }
        }
        self.has_new_landing.set(true);
        Ok(())
    }

    /// Makes empty tables over the stored answers; with `is_anew`, none of those is seen any more.
    fn overlay_landing(&self, is_anew: bool) -> Result<(), IndexError> {
        let stored = if is_anew { "0" } else { "n NOT IN (SELECT n FROM landing_new)" };
        Ok(self.db.execute_batch(&format!(
            "DROP VIEW IF EXISTS landing_now; DROP TABLE IF EXISTS landing_new;
             DROP VIEW IF EXISTS landing_proofs_now; DROP TABLE IF EXISTS landing_proofs_new;
             CREATE TEMP TABLE landing_new (n INTEGER PRIMARY KEY, state INTEGER NOT NULL, told TEXT NOT NULL);
             CREATE TEMP TABLE landing_proofs_new (hash TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (hash, n));
             CREATE TEMP VIEW landing_now AS SELECT n, state, told FROM landing_new
                 UNION ALL SELECT n, state, told FROM landing WHERE {stored};
             CREATE TEMP VIEW landing_proofs_now AS SELECT hash, n FROM landing_proofs_new
                 UNION ALL SELECT hash, n FROM landing_proofs WHERE {stored}"
        ))?)
    }

    /// The table with the newest answers.
    pub(super) fn landing_table(&self) -> &'static str {
        if self.has_new_landing.get() { "landing_now" } else { "landing" }
    }
}
