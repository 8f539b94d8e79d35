//! Lists issues in a sort order, and reads what was found.
//!
//! Which index a query starts from is decided here (`rarest`), and not by SQLite. At 100,000 issues of which half have a
//! tag, SQLite starts from that tag and takes a hundred times as long; `ANALYZE` changes nothing, since it counts how often a
//! tag is used on average, and not how often this one is.
//! Names of columns and placeholders are put into the SQL as text; values are always bound.

use std::borrow::Cow;
use std::ops::ControlFlow;

use rusqlite::types::{Type, Value};
use rusqlite::{OptionalExtension, Row, params_from_iter};

use super::Index;
use super::error::IndexError;
use super::filter::{Condition, Filter, all};
use super::rows::{BROKEN, RowKind};
use crate::model::{Issue, IssueId, IssueStatus, Priority, Time};
use crate::rules::{IssueDerived, Landed, LandedState, LandingProof};
use crate::store::records;

/// If fewer issues than this meet a condition, the search starts from those.
const FEW: usize = 1000;

/// A sort order; ties are broken by id.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SortOrder {
    /// The most urgent first, then the oldest.
    #[default]
    Priority,
    /// The newest first.
    Created,
    /// The last changed first.
    Updated,
    /// By id.
    Id,
    /// In the order of the work; within a status the most urgent first, then the oldest.
    Status,
    /// By title, in lower case.
    Title,
    /// The last completed, closed or cancelled first, and then the open ones.
    Closed,
}

impl SortOrder {
    /// The columns of [`SortOrder::Priority`], which is also the order within a lane of a board.
    pub(super) const PRIORITY_COLUMNS: &str = "i.priority, i.created, i.id";

    /// The database index with this order, and the order itself.
    fn order(self, filter: &Filter) -> (&'static str, &'static str) {
        let by_priority = match filter.statuses.len() {
            0 if !filter.includes_closed() => "open_by_priority",
            // There, issues with the same status are adjacent, in this order.
            1 => "by_status",
            _ => "by_priority",
        };
        match self {
            Self::Priority => (by_priority, Self::PRIORITY_COLUMNS),
            Self::Created => ("by_created", "i.created DESC, i.id"),
            Self::Updated => ("by_updated", "i.updated DESC, i.id"),
            Self::Id => ("by_id", "i.id"),
            Self::Status => ("by_status", "i.status, i.priority, i.created, i.id"),
            Self::Title => ("by_title", "folded(i.title), i.id"),
            Self::Closed => ("by_finished", "i.finished DESC, i.id"),
        }
    }
}

/// An issue as a row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IssueRow {
    /// Its id.
    pub(crate) id: IssueId,
    /// Its status.
    pub(crate) status: IssueStatus,
    /// Its priority.
    pub(crate) priority: Priority,
    /// The title, on one line.
    pub(crate) title: String,
    /// Its tags, joined by commas.
    pub(crate) tags: String,
    /// Its type, in lower case.
    pub(crate) kind: Option<String>,
    /// The assignee.
    pub(crate) assignee: Option<String>,
    /// When it was completed, closed or cancelled, if it still is.
    pub(crate) finished: Option<Time>,
    /// For completed work that is known to be absent from the target branch, what is there.
    pub(crate) not_landed: Option<Landed>,
}

impl IssueRow {
    /// Its status in words: `completed, not on main`.
    pub(crate) fn status_words(&self) -> Cow<'static, str> {
        match self.not_landed.as_ref().and_then(Landed::words) {
            Some(words) => format!("{}, {words}", self.status).into(),
            None => self.status.shown().into(),
        }
    }
}

fn listed(row: &Row<'_>) -> rusqlite::Result<IssueRow> {
    let (status, priority): (u16, u8) = (row.get(1)?, row.get(2)?);
    Ok(IssueRow {
        id: IssueId::parse(&row.get::<_, String>(0)?).map_err(|_| out_of_range())?,
        status: IssueStatus::ALL.get(usize::from(status)).copied().ok_or_else(out_of_range)?,
        priority: Priority::new(priority.into()).ok_or_else(out_of_range)?,
        title: row.get(3)?,
        tags: row.get(4)?,
        kind: row.get(5)?,
        assignee: row.get(6)?,
        finished: row.get::<_, Option<i64>>(7)?.and_then(Time::from_millis),
        not_landed: row
            .get::<_, Option<String>>(8)?
            .and_then(|told| serde_json::from_str::<LandingProof>(&told).ok())
            .map(|proof| proof.landed),
    })
}

fn out_of_range() -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(1, Type::Integer, "out of range".into())
}

impl Index<'_> {
    /// The numbers of the issues that match, in order.
    pub(crate) fn list(
        &self,
        filter: &Filter,
        sort: SortOrder,
        offset: usize,
        limit: Option<usize>,
    ) -> Result<Vec<i64>, IndexError> {
        let mut conditions = self.conditions(filter)?;
        let (index, order) = sort.order(filter);
        let start = match self.start_from_rarest(&mut conditions)? {
            SearchStart::Nothing => return Ok(vec![]),
            SearchStart::Rarest => "NOT INDEXED".to_owned(),
            SearchStart::Order => format!("INDEXED BY {index}"),
        };
        let (tests, mut values) = all(conditions);
        let sql = format!("SELECT i.n FROM issues i {start} WHERE {tests} ORDER BY {order} LIMIT ? OFFSET ?");
        values.push(limit.map_or(Value::Integer(-1), integer));
        values.push(integer(offset));
        let mut query = self.db.prepare(&sql)?;
        let found = query.query_map(params_from_iter(values), |row| row.get(0));
        let found = found.and_then(Iterator::collect);
        Ok(found?)
    }

    /// The number of issues that match.
    pub(crate) fn count(&self, filter: &Filter) -> Result<usize, IndexError> {
        if let Some(count) = self.count_at_once(filter)? {
            return Ok(count);
        }
        let mut conditions = self.conditions(filter)?;
        let start = match self.start_from_rarest(&mut conditions)? {
            SearchStart::Nothing => return Ok(0),
            SearchStart::Rarest => "NOT INDEXED",
            SearchStart::Order => "",
        };
        let (tests, values) = all(conditions);
        let mut query = self.db.prepare(&format!("SELECT count(*) FROM issues i {start} WHERE {tests}"))?;
        let count: Result<i64, _> = query.query_row(params_from_iter(values), |row| row.get(0));
        Ok(usize::try_from(count?).unwrap_or_default())
    }

    /// The number of issues that match, if it is known without looking at them: if only their statuses matter.
    pub(crate) fn count_at_once(&self, filter: &Filter) -> Result<Option<usize>, IndexError> {
        if !filter.is_of_status() {
            return Ok(None);
        }
        let (counts, _) = self.counts()?;
        Ok(Some(
            counts
                .iter()
                .filter(|(status, _)| match filter.statuses.as_slice() {
                    [] => filter.includes_closed() || !status.is_terminal(),
                    some => some.contains(status),
                })
                .map(|(_, count)| count)
                .sum(),
        ))
    }

    /// How many issues have each status, and how many cannot be read.
    pub(crate) fn counts(&self) -> Result<(Vec<(IssueStatus, usize)>, usize), IndexError> {
        let mut query = self.db.prepare("SELECT status, count FROM counts WHERE count > 0")?;
        let rows = query.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))?;
        let (mut counts, mut broken) = (Vec::new(), 0);
        for row in rows {
            let (status, count) = row?;
            let count = usize::try_from(count).unwrap_or_default();
            match usize::try_from(status).ok().and_then(|at| IssueStatus::ALL.get(at)) {
                Some(status) => counts.push((*status, count)),
                None if status == BROKEN => broken = count,
                None => {}
            }
        }
        Ok((counts, broken))
    }

    /// How many issues cannot be read.
    pub(crate) fn broken(&self) -> Result<usize, IndexError> {
        let mut query = self.db.prepare_cached("SELECT count FROM counts WHERE status = ?1")?;
        let count: Option<i64> = query.query_row([BROKEN], |row| row.get(0)).optional()?;
        Ok(usize::try_from(count.unwrap_or_default()).unwrap_or_default())
    }

    /// All names of a kind that issues have: `tag`, `component` or `type` (in lower case).
    pub(crate) fn names(&self, kind: &str) -> Result<Vec<String>, IndexError> {
        let sql = match kind {
            "tag" => "SELECT DISTINCT tag FROM tags",
            "component" => "SELECT DISTINCT component FROM components",
            _ => "SELECT DISTINCT lower(kind) FROM issues WHERE kind IS NOT NULL",
        };
        let mut query = self.db.prepare(sql)?;
        let names = query.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        Ok(names)
    }

    /// Passes each of these issues, with its derived fields, to `found`, until that stops. They are read from the tree.
    pub(crate) fn each_whole<B>(
        &self,
        numbers: &[i64],
        mut found: impl FnMut((Issue, IssueDerived)) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, IndexError> {
        let snapshot = self.snapshot()?;
        let id = |row: &Row<'_>| row.get::<_, String>(0);
        let mut failed = None;
        let passed = self.each("SELECT id FROM issues WHERE n = ?1", numbers, id, |id| {
            let read = IssueId::parse(&id).ok().map(|id| records::issue(&snapshot, &id)).transpose();
            match read.map(Option::flatten) {
                Ok(Some(folder)) => {
                    let mut derived = IssueDerived::derive(&folder);
                    if derived.status == IssueStatus::Completed {
                        match self.landing_of(&folder.issue.record.id) {
                            Ok(proof) => derived.landed = proof.map(|proof| proof.landed),
                            Err(error) => {
                                failed = Some(error);
                                return ControlFlow::Break(None);
                            }
                        }
                    }
                    // Only commands that read a single issue show the source's record.
                    let issue = Issue { imported: None, ..folder.issue.record };
                    found((issue, derived)).map_break(Some)
                }
                Ok(None) => ControlFlow::Continue(()),
                Err(error) => {
                    failed = Some(error.into());
                    ControlFlow::Break(None)
                }
            }
        })?;
        match (failed, passed) {
            (Some(error), _) => Err(error),
            (None, ControlFlow::Break(Some(why))) => Ok(ControlFlow::Break(why)),
            (None, _) => Ok(ControlFlow::Continue(())),
        }
    }

    /// Passes each of these issues, as a row of a table, to `found`, until that stops.
    pub(crate) fn each_listed<B>(
        &self,
        numbers: &[i64],
        found: impl FnMut(IssueRow) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, IndexError> {
        self.each(&self.listed_query(), numbers, listed, found)
    }

    /// The sub-issues of this one.
    pub(crate) fn children(&self, id: &IssueId) -> Result<Vec<IssueRow>, IndexError> {
        self.related("SELECT i.n FROM parents t JOIN issues i ON i.n = t.n WHERE t.parent = ?1", id)
    }

    /// The issues that depend on this one.
    pub(crate) fn dependents(&self, id: &IssueId) -> Result<Vec<IssueRow>, IndexError> {
        self.related("SELECT i.n FROM depends t JOIN issues i ON i.n = t.n WHERE t.target = ?1", id)
    }

    fn related(&self, find: &str, id: &IssueId) -> Result<Vec<IssueRow>, IndexError> {
        let sql = format!("{find} AND i.status >= 0 ORDER BY i.over, i.priority, i.id");
        let mut query = self.db.prepare_cached(&sql)?;
        let numbers: Result<Vec<i64>, _> = query.query_map([id.as_str()], |row| row.get(0))?.collect();
        numbers?.into_iter().map(|n| self.listed(n)).collect()
    }

    /// The issues that were executed or are being executed, even if they cannot be read.
    pub(crate) fn executed(&self) -> Result<Vec<IssueId>, IndexError> {
        let sql = "SELECT id FROM issues WHERE n IN (SELECT n FROM uids WHERE kind = ?1) ORDER BY id";
        let mut query = self.db.prepare(sql)?;
        let ids: Result<Vec<String>, _> =
            query.query_map([RowKind::Execution as i64], |row| row.get(0))?.collect();
        Ok(ids?.iter().filter_map(|id| IssueId::parse(id).ok()).collect())
    }

    /// An issue as a row of a table.
    pub(super) fn listed(&self, n: i64) -> Result<IssueRow, IndexError> {
        Ok(self.db.prepare_cached(&self.listed_query())?.query_row([n], listed)?)
    }

    fn listed_query(&self) -> String {
        let landing = self.landing_table();
        let absent = LandedState::ABSENT.map(|state| (state as i64).to_string()).join(", ");
        format!(
            "SELECT id, status, priority, title, tags, kind, assignee, finished,
                 (SELECT told FROM {landing} l WHERE l.n = issues.n AND l.state IN ({absent}))
             FROM issues WHERE n = ?1"
        )
    }

    /// Uses one statement for all rows: looking it up for each row takes as long as reading the row.
    fn each<T, B>(
        &self,
        sql: &str,
        numbers: &[i64],
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
        mut found: impl FnMut(T) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, IndexError> {
        let mut query = self.db.prepare_cached(sql)?;
        for n in numbers {
            if let ControlFlow::Break(why) = found(query.query_row([n], &read)?) {
                return Ok(ControlFlow::Break(why));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Makes a query start from the condition that the fewest issues meet, if these are few. Otherwise it is faster to walk
    /// in the requested order until enough are found.
    ///
    /// SQLite does not decide this well: it does not weigh how soon a walk finds the few issues that are asked for. Left to
    /// itself it collects all issues of a frequent tag, 60 to 120 ms for 25,000 of 100,000 issues, where the walk takes
    /// less than one.
    fn start_from_rarest(&self, conditions: &mut [Condition]) -> Result<SearchStart, IndexError> {
        let Some((count, at, find)) = self.rarest(conditions)? else { return Ok(SearchStart::Order) };
        if count == 0 {
            return Ok(SearchStart::Nothing);
        }
        conditions[at].test = format!("i.n IN ({find})");
        Ok(SearchStart::Rarest)
    }

    /// The condition that the fewest issues meet, if these are few: how many, its place, and the query for them.
    fn rarest(&self, conditions: &[Condition]) -> Result<Option<(usize, usize, String)>, IndexError> {
        let mut rarest: Option<(usize, usize, &String)> = None;
        for (at, condition) in conditions.iter().enumerate() {
            let Some(find) = &condition.find else { continue };
            let mut query = self.db.prepare(&format!("SELECT count(*) FROM ({find} LIMIT {FEW})"))?;
            let count: i64 = query.query_row(params_from_iter(&condition.values), |row| row.get(0))?;
            let count = usize::try_from(count).unwrap_or(FEW);
            if count < rarest.map_or(FEW, |(least, ..)| least) {
                rarest = Some((count, at, find));
            }
        }
        Ok(rarest.map(|(count, at, find)| (count, at, find.clone())))
    }
}

/// Where a search starts.
enum SearchStart {
    /// Nowhere: no issue meets one of the conditions.
    Nothing,
    /// From the few issues that meet the rarest condition.
    Rarest,
    /// From the first issue in the order that is asked for.
    Order,
}

fn integer(n: usize) -> Value {
    Value::Integer(i64::try_from(n).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_does_not_say_its_status_or_priority_is_an_error() {
        let db = rusqlite::Connection::open_in_memory().unwrap();
        let listed = |status: i64, priority: i64| {
            let row = "SELECT 'ISS-1', ?1, ?2, 'title', '', NULL, NULL, NULL, NULL";
            db.query_row(row, [status, priority], listed)
        };
        assert_eq!(listed(0, 1).unwrap().priority.number(), 1);
        for (status, priority) in [(-1, 1), (99, 1), (0, 0), (0, 6)] {
            assert!(listed(status, priority).is_err(), "{status} {priority}");
        }
    }
}
