//! The audit log, and the way from a commit to what links it.

use std::collections::BTreeSet;

use rusqlite::params;

use super::Index;
use super::error::IndexError;
use crate::model::id::{ExecutionId, IssueId};
use crate::store::history::Step;

impl Index<'_> {
    /// The steps that did something to one of `things` (each an id, or `<queue>:<solution>` for an item), or all where
    /// there are none; the latest first, at most `limit`.
    pub(crate) fn steps(&self, things: &[String], limit: Option<usize>) -> Result<Vec<Step>, IndexError> {
        let limit = limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX));
        let order = "ORDER BY c.late DESC, c.depth DESC, c.hash DESC LIMIT ?1";
        let sql = if things.is_empty() {
            format!("SELECT c.hash, c.step FROM commits c {order}")
        } else {
            let wanted = "SELECT n FROM touched WHERE thing IN (SELECT value FROM json_each(?2))";
            format!("SELECT c.hash, c.step FROM commits c WHERE c.n IN ({wanted}) {}", order.replacen("c.", "+c.", 1))
        };
        let mut query = self.db.prepare(&sql)?;
        let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?));
        let rows = if things.is_empty() {
            query.query_map(params![limit], row)?.collect::<Result<Vec<_>, _>>()?
        } else {
            let things = serde_json::to_string(things).unwrap_or_default();
            query.query_map(params![limit, things], row)?.collect::<Result<Vec<_>, _>>()?
        };
        rows.into_iter()
            .map(|(commit, step)| {
                let step: Step = serde_json::from_str(&step).map_err(std::io::Error::from)?;
                Ok(Step { commit, ..step })
            })
            .collect()
    }

    /// Issues of which something is hidden.
    pub(crate) fn with_redactions(&self) -> Result<BTreeSet<IssueId>, IndexError> {
        let mut query = self.db.prepare_cached("SELECT id FROM issues WHERE hidden = 1")?;
        let rows = query.query_map([], |row| row.get::<_, String>(0))?;
        let ids: Vec<String> = rows.collect::<Result<_, _>>()?;
        Ok(ids.iter().filter_map(|id| IssueId::parse(id).ok()).collect())
    }

    /// The executions that link a commit of the project, or linked it before it was rewritten, with their issues.
    pub(crate) fn executions_of(&self, hash: &str) -> Result<Vec<(IssueId, ExecutionId)>, IndexError> {
        let mut query = self.db.prepare_cached("SELECT execution FROM links WHERE hash = ?1 ORDER BY execution")?;
        let rows = query.query_map([hash], |row| row.get::<_, String>(0))?;
        let mut found = Vec::new();
        for row in rows {
            found.extend(ExecutionId::parse(&row?).ok().map(|id| (id.issue(), id)));
        }
        Ok(found)
    }
}
