//! Reads issues by status for a board: their counts, and a few rows of each status.

use rusqlite::types::Value;
use rusqlite::{OptionalExtension, params_from_iter};

use super::Index;
use super::error::IndexError;
use super::filter::{Filter, all};
use super::list::{IssueRow, SortOrder};
use crate::model::IssueStatus;

/// An issue on a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Carded {
    pub(crate) row: IssueRow,
    /// Whether it has an item that can be taken; `false` if not requested.
    pub(crate) is_ready: bool,
    /// Whether it is in a dependency cycle.
    pub(crate) is_in_cycle: bool,
}

impl Index<'_> {
    /// The number of matching issues per status, in workflow order.
    pub(crate) fn counts_of(&self, filter: &Filter) -> Result<Vec<(IssueStatus, usize)>, IndexError> {
        let (tests, values) = all(self.conditions(filter)?);
        let sql =
            format!("SELECT i.status, count(*) FROM issues i WHERE {tests} GROUP BY i.status ORDER BY 1");
        let mut query = self.db.prepare(&sql)?;
        let rows = query.query_map(params_from_iter(values), |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut counts = Vec::new();
        for row in rows {
            let (status, count): (i64, i64) = row?;
            let status = usize::try_from(status).ok().and_then(|at| IssueStatus::ALL.get(at));
            counts.extend(status.map(|status| (*status, usize::try_from(count).unwrap_or_default())));
        }
        Ok(counts)
    }

    /// The issues with these row numbers. `with_ready` takes time for every item of every queue.
    pub(crate) fn cards(&self, numbers: &[i64], with_ready: bool) -> Result<Vec<Carded>, IndexError> {
        let cycles = self.cycles_of(numbers)?;
        if with_ready {
            self.note_ready()?;
        }
        let mut query =
            if with_ready { Some(self.db.prepare_cached("SELECT 1 FROM ready WHERE n = ?1")?) } else { None };
        numbers
            .iter()
            .map(|n| {
                let is_ready = query.as_mut().map_or(Ok(false), |query| query.exists([n]))?;
                let row = self.listed(*n)?;
                let is_in_cycle = cycles.iter().any(|cycle| cycle.issues().contains(&row.id));
                Ok(Carded { row, is_ready, is_in_cycle })
            })
            .collect()
    }

    /// The status of an issue, and its position among the matching issues with that status; `None` if it does not
    /// match.
    pub(crate) fn place(
        &self,
        filter: &Filter,
        id: &str,
    ) -> Result<Option<(IssueStatus, usize)>, IndexError> {
        let mut query = self.db.prepare_cached("SELECT n, status FROM issues WHERE id = ?1")?;
        let found = query.query_row([id], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        let Some((n, status)): Option<(i64, i64)> = found else { return Ok(None) };
        let Some(status) = usize::try_from(status).ok().and_then(|at| IssueStatus::ALL.get(at)).copied()
        else {
            return Ok(None);
        };
        let is_wanted = match filter.statuses.as_slice() {
            [] => filter.includes_closed() || !status.is_terminal(),
            some => some.contains(&status),
        };
        if !is_wanted {
            return Ok(None);
        }
        let (tests, values) = all(self.conditions(&Filter { statuses: vec![status], ..filter.clone() })?);
        let order = SortOrder::PRIORITY_COLUMNS;
        let matches = format!("SELECT count(*) FROM issues i WHERE {tests} AND i.n = ?");
        let before = format!(
            "SELECT count(*) FROM issues i WHERE {tests} AND ({order}) < (SELECT {order} FROM issues i WHERE i.n = ?)"
        );
        let values: Vec<Value> = values.into_iter().chain([Value::Integer(n)]).collect();
        let count = |sql: &str| -> Result<i64, rusqlite::Error> {
            self.db.prepare(sql)?.query_row(params_from_iter(&values), |row| row.get(0))
        };
        if count(&matches)? == 0 {
            return Ok(None);
        }
        Ok(Some((status, usize::try_from(count(&before)?).unwrap_or_default())))
    }
}
