//! The audit log, and the executions that link a commit.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{OptionalExtension, params};

use super::Index;
use super::error::IndexError;
use super::rows::RowKind;
use crate::git::ObjectId;
use crate::model::{ExecutionId, IssueId};
use crate::store::{HistoryStep, object_id};

impl Index<'_> {
    /// The numbers of the steps that changed `thing` (an id, or `<queue>:<solution>` for an item), or of all steps;
    /// latest first, at most `limit`.
    pub(crate) fn steps(&self, thing: Option<&str>, limit: Option<usize>) -> Result<Vec<i64>, IndexError> {
        let limit = limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX));
        let sql = match thing {
            None => "SELECT n FROM commits ORDER BY late DESC, depth DESC, hash DESC LIMIT ?2",
            Some(_) => {
                "SELECT c.n FROM touched t CROSS JOIN commits c ON c.n = t.n WHERE t.thing = ?1
                 ORDER BY +c.late DESC, c.depth DESC, c.hash DESC LIMIT ?2"
            }
        };
        let mut query = self.db.prepare(sql)?;
        let rows = query.query_map(params![thing, limit], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The numbers of the steps that changed `thing` with a gate overridden, oldest first.
    pub(crate) fn forced_steps(&self, thing: &str) -> Result<Vec<i64>, IndexError> {
        let sql = "SELECT c.n FROM touched t CROSS JOIN commits c ON c.n = t.n
                 WHERE t.thing = ?1 AND json_extract(c.step, '$.force') IS NOT NULL ORDER BY c.late, c.depth, c.hash";
        let mut query = self.db.prepare(sql)?;
        let rows = query.query_map([thing], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The latest step at or before a time in seconds since 1970; `None` before the first step.
    pub(crate) fn step_until(&self, seconds: i64) -> Result<Option<String>, IndexError> {
        let sql =
            "SELECT hash FROM commits WHERE late <= ?1 ORDER BY late DESC, depth DESC, hash DESC LIMIT 1";
        Ok(self.db.prepare(sql)?.query_row([seconds], |row| row.get(0)).optional()?)
    }

    /// The numbers of the steps of one operation, such as `settings`, oldest first.
    pub(crate) fn steps_of(&self, operation: &str) -> Result<Vec<i64>, IndexError> {
        let sql = "SELECT n FROM commits WHERE json_extract(step, '$.op') = ?1 ORDER BY late, depth, hash";
        let mut query = self.db.prepare_cached(sql)?;
        let rows = query.query_map([operation], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The numbers of the steps that were made in a role or that overrode a gate, oldest first.
    pub(crate) fn steps_to_audit(&self) -> Result<Vec<i64>, IndexError> {
        let sql = "SELECT n FROM commits WHERE json_extract(step, '$.role') IS NOT NULL
                 OR json_extract(step, '$.force') IS NOT NULL ORDER BY late, depth, hash";
        let mut query = self.db.prepare(sql)?;
        let rows = query.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The issues that each of these steps changed.
    pub(crate) fn issues_of_steps(
        &self,
        steps: &[i64],
    ) -> Result<BTreeMap<i64, BTreeSet<IssueId>>, IndexError> {
        let sql = "SELECT n, thing FROM touched WHERE n IN (SELECT value FROM json_each(?1))";
        let mut query = self.db.prepare(sql)?;
        let steps = serde_json::to_string(steps).map_err(std::io::Error::from)?;
        let mut rows = query.query([steps])?;
        let mut found: BTreeMap<i64, BTreeSet<IssueId>> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            if let Ok(id) = IssueId::parse(&row.get::<_, String>(1)?) {
                found.entry(row.get(0)?).or_default().insert(id);
            }
        }
        Ok(found)
    }

    /// One step.
    pub(crate) fn step(&self, n: i64) -> Result<HistoryStep, IndexError> {
        let mut query = self.db.prepare_cached("SELECT step FROM commits WHERE n = ?1")?;
        let step: String = query.query_row([n], |row| row.get(0))?;
        Ok(serde_json::from_str(&step).map_err(std::io::Error::from)?)
    }

    /// Issues with redactions.
    pub(crate) fn with_redactions(&self) -> Result<BTreeSet<IssueId>, IndexError> {
        let mut query = self.db.prepare_cached("SELECT id FROM issues WHERE hidden = 1")?;
        let rows = query.query_map([], |row| row.get::<_, String>(0))?;
        let ids: Vec<String> = rows.collect::<Result<_, _>>()?;
        Ok(ids.iter().filter_map(|id| IssueId::parse(id).ok()).collect())
    }

    /// The commits with these files that executions link, latest first, then those that they linked before a rewrite, at most
    /// `most`; also those of which the files are too many to list.
    pub(crate) fn links_touching(&self, files: &[String], most: usize) -> Result<Vec<ObjectId>, IndexError> {
        let files: Vec<&str> = files.iter().map(String::as_str).chain([""]).collect();
        let files = serde_json::to_string(&files).map_err(std::io::Error::from)?;
        let mut query = self.db.prepare_cached(
            "SELECT hash FROM link_files WHERE file IN (SELECT value FROM json_each(?1))
             GROUP BY hash ORDER BY min(rewritten), max(at) DESC, hash LIMIT ?2",
        )?;
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let rows = query.query_map(params![files, most], |row| row.get::<_, Vec<u8>>(0))?;
        let hashes: Vec<Vec<u8>> = rows.collect::<Result<_, _>>()?;
        Ok(hashes.iter().filter_map(|hash| ObjectId::try_from(hash.as_slice()).ok()).collect())
    }

    /// The executions that link a commit of the project, or linked it before it was rewritten, with their issues.
    pub(crate) fn executions_of(&self, hash: &str) -> Result<Vec<(IssueId, ExecutionId)>, IndexError> {
        let Some(hash) = object_id(hash) else { return Ok(Vec::new()) };
        let mut query = self
            .db
            .prepare_cached("SELECT i.id, l.uid FROM links l JOIN issues i ON i.n = l.n WHERE l.hash = ?1")?;
        let rows = query.query_map([hash.as_slice()], |row| {
            Ok(RowKind::Execution.id(row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_str()?))
        })?;
        let mut ids: Vec<String> = rows.collect::<Result<_, _>>()?;
        ids.sort();
        let parsed = ids.iter().filter_map(|id| ExecutionId::parse(id).ok());
        Ok(parsed.map(|id| (id.issue(), id)).collect())
    }
}
