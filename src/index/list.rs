//! Lists issues: filters and sort orders.

use std::ops::ControlFlow;

use rusqlite::types::{Type, Value};
use rusqlite::{Row, params_from_iter};

use super::error::IndexError;
use super::rows::BROKEN;
use super::{Index, query};
use crate::model::issue::Issue;
use crate::model::priority::Priority;
use crate::model::status::IssueStatus;
use crate::model::time::Time;
use crate::model::{strict, typed};
use crate::rules::shown::IssueDerived;

/// If a filter matches at least this many issues, they are searched in the requested order.
const MANY: i64 = 1000;
/// Collecting and sorting one issue takes as long as testing this many for a match.
const LOOKS: i64 = 10;
/// If a word is in at least this many issues, they are not collected: each issue is tested for the word.
const TOO_MANY: i64 = 10_000;

/// Which issues to list; an issue must match everything that is given.
#[derive(Debug, Clone, Default)]
pub(crate) struct Filter {
    /// One of these; any if empty.
    pub(crate) statuses: Vec<IssueStatus>,
    /// Also closed, completed and cancelled issues. Ignored if statuses are given.
    pub(crate) all: bool,
    /// All of these.
    pub(crate) tags: Vec<String>,
    /// All of these.
    pub(crate) components: Vec<String>,
    /// One of these; any if empty.
    pub(crate) priorities: Vec<Priority>,
    /// The assignee.
    pub(crate) assignee: Option<String>,
    /// A part of the author's name or address, in any case.
    pub(crate) author: Option<String>,
    /// The roadmap wave.
    pub(crate) wave: Option<u64>,
    /// Created at this time or later.
    pub(crate) since: Option<Time>,
    /// Created at this time or earlier.
    pub(crate) until: Option<Time>,
    /// Whether it has a plan.
    pub(crate) has_solution: bool,
    /// Whether it has an item that can be taken.
    pub(crate) ready: bool,
    /// Full text, in the syntax of FTS5.
    pub(crate) search: Option<String>,
}

/// The order; ties are broken by id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    /// The most urgent first, then the oldest.
    Priority,
    /// The newest first.
    Created,
    /// The last changed first.
    Updated,
    /// By id.
    Id,
    /// In the order of the workflow.
    Status,
    /// By title, in lower case.
    Title,
}

impl Sort {
    /// The database index with this order, and the order itself.
    fn order(self, is_open_only: bool) -> (&'static str, &'static str) {
        match self {
            Self::Priority if is_open_only => ("open_by_priority", "i.priority, i.created, i.id"),
            Self::Priority => ("by_priority", "i.priority, i.created, i.id"),
            Self::Created => ("by_created", "i.created DESC, i.id"),
            Self::Updated => ("by_updated", "i.updated DESC, i.id"),
            Self::Id => ("by_id", "i.id"),
            Self::Status => ("by_work", "i.status, i.id"),
            Self::Title => ("by_title", "i.folded, i.id"),
        }
    }
}

/// An issue as a row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    /// Its id.
    pub(crate) id: String,
    /// Its status.
    pub(crate) status: IssueStatus,
    /// Its priority.
    pub(crate) priority: Priority,
    /// The title, on one line.
    pub(crate) title: String,
    /// Its tags, joined by commas.
    pub(crate) tags: String,
}

const LISTED: &str = "SELECT id, status, priority, title, tags FROM issues WHERE n = ?1";

fn listed(row: &Row<'_>) -> rusqlite::Result<Listed> {
    let (status, priority): (i64, i64) = (row.get(1)?, row.get(2)?);
    let status = usize::try_from(status).ok().and_then(|at| IssueStatus::ALL.get(at));
    Ok(Listed {
        id: row.get(0)?,
        status: status.copied().unwrap_or(IssueStatus::Registered),
        priority: Priority::parse(&priority.to_string()).unwrap_or_default(),
        title: row.get(3)?,
        tags: row.get(4)?,
    })
}

fn whole(row: &Row<'_>) -> rusqlite::Result<(Issue, IssueDerived)> {
    let broken = |why: String| rusqlite::Error::FromSqlConversionFailure(0, Type::Text, why.into());
    let parts = strict::parse_own(row.get_ref(0)?.as_bytes()?).map_err(|fault| broken(fault.to_string()))?;
    typed::read(&parts).map_err(|error| broken(error.to_string()))
}

/// A condition with its values. `find` is a query for the numbers of the issues that meet it, if there is one that is
/// faster than testing all issues; `probe` is a test that does not collect them first.
struct Condition {
    test: String,
    find: Option<String>,
    probe: Option<String>,
    /// The issues that meet it can be anywhere in any order.
    is_spread: bool,
    values: Vec<Value>,
}

impl Condition {
    fn test(test: impl Into<String>, values: Vec<Value>) -> Self {
        Self { test: test.into(), find: None, probe: None, is_spread: false, values }
    }

    fn found(find: impl Into<String>, test: impl Into<String>, values: Vec<Value>) -> Self {
        Self { find: Some(find.into()), ..Self::test(test, values) }
    }
}

impl Index<'_> {
    /// The numbers of the issues that match, in order.
    pub(crate) fn list(
        &self,
        filter: &Filter,
        sort: Sort,
        (offset, limit): (usize, Option<usize>),
    ) -> Result<Vec<i64>, IndexError> {
        let conditions = self.conditions(filter)?;
        let last = limit.map(|limit| limit.saturating_add(offset));
        let from = self.from(filter, sort, &conditions, self.many(last)?)?;
        let sql = format!("SELECT i.n {} ORDER BY {} LIMIT ? OFFSET ?", from.sql, from.order);
        let number = |n: usize| Value::Integer(i64::try_from(n).unwrap_or(i64::MAX));
        let mut values = from.values;
        values.push(limit.map_or(Value::Integer(-1), number));
        values.push(number(offset));
        let mut query = self.db.prepare(&sql)?;
        let found = query.query_map(params_from_iter(values), |row| row.get(0));
        let found = found.and_then(Iterator::collect);
        Ok(found?)
    }

    /// The number of issues that match.
    pub(crate) fn count(&self, filter: &Filter) -> Result<usize, IndexError> {
        let conditions = self.conditions(filter)?;
        let (sql, values) = plain(&conditions, None);
        let mut query = self.db.prepare(&format!("SELECT count(*) {sql}"))?;
        let count: Result<i64, _> = query.query_row(params_from_iter(values), |row| row.get(0));
        Ok(usize::try_from(count?).unwrap_or_default())
    }

    /// How many issues have each status, and how many cannot be read.
    pub(crate) fn counts(&self) -> Result<(Vec<(IssueStatus, usize)>, usize), IndexError> {
        let mut query = self.db.prepare("SELECT status, count(*) FROM issues GROUP BY status")?;
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
        let mut query = self.db.prepare_cached("SELECT count(*) FROM issues WHERE status = ?1")?;
        let count: i64 = query.query_row([BROKEN], |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// Passes each of these issues, with its derived fields, to `found`, until that stops.
    pub(crate) fn each_whole<B>(
        &self,
        numbers: &[i64],
        found: impl FnMut((Issue, IssueDerived)) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, IndexError> {
        self.each("SELECT json FROM whole WHERE n = ?1", numbers, whole, found)
    }

    /// Passes each of these issues, as a row of a table, to `found`, until that stops.
    pub(crate) fn each_listed<B>(
        &self,
        numbers: &[i64],
        found: impl FnMut(Listed) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, IndexError> {
        self.each(LISTED, numbers, listed, found)
    }

    /// An issue as a row of a table.
    pub(super) fn listed(&self, n: i64) -> Result<Listed, IndexError> {
        Ok(self.db.prepare_cached(LISTED)?.query_row([n], listed)?)
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

    fn conditions(&self, filter: &Filter) -> Result<Vec<Condition>, IndexError> {
        let mut all = Vec::new();
        let text = |text: &str| Value::Text(text.to_owned());
        if filter.statuses.is_empty() {
            all.push(Condition::test(if filter.all { "i.over >= 0" } else { "i.over = 0" }, vec![]));
        } else {
            let values: Vec<Value> = filter.statuses.iter().map(|it| Value::Integer(*it as i64)).collect();
            let marks = marks(values.len());
            all.push(Condition::found(
                format!("SELECT n FROM issues WHERE status IN ({marks})"),
                format!("i.status IN ({marks})"),
                values,
            ));
        }
        for (table, column, wanted) in
            [("tags", "tag", &filter.tags), ("components", "component", &filter.components)]
        {
            all.extend(wanted.iter().map(|value| {
                Condition::found(
                    format!("SELECT n FROM {table} WHERE {column} = ?"),
                    format!("EXISTS (SELECT 1 FROM {table} t WHERE t.n = i.n AND t.{column} = ?)"),
                    vec![text(value)],
                )
            }));
        }
        if !filter.priorities.is_empty() {
            let values = filter.priorities.iter().map(|it| Value::Integer(i64::from(it.number())));
            let marks = marks(filter.priorities.len());
            all.push(Condition::test(format!("i.priority IN ({marks})"), values.collect()));
        }
        let mut equal = |column: &str, values: Vec<Value>| {
            let marks = marks(values.len());
            all.push(Condition::found(
                format!("SELECT n FROM issues WHERE {column} IN ({marks})"),
                format!("i.{column} IN ({marks})"),
                values,
            ));
        };
        if let Some(assignee) = &filter.assignee {
            equal("assignee", vec![text(assignee)]);
        }
        if let Some(author) = &filter.author {
            equal("author", self.authors(author)?);
        }
        if let Some(wave) = filter.wave {
            equal("wave", vec![i64::try_from(wave).map_or(Value::Null, Value::Integer)]);
        }
        for (time, sign) in [(filter.since, ">="), (filter.until, "<=")] {
            all.extend(time.map(|time| {
                Condition::test(format!("i.created {sign} ?"), vec![Value::Integer(time.millis())])
            }));
        }
        if filter.ready {
            let ready = "SELECT n FROM ready";
            let found = Condition::found(ready, format!("i.n IN ({ready})"), vec![]);
            all.push(Condition { is_spread: true, ..found });
        }
        if filter.has_solution {
            all.push(Condition::test("i.solutions > 0", vec![]));
        }
        if let Some(search) = &filter.search {
            let find = "SELECT rowid FROM words WHERE words MATCH ?";
            let test = format!("i.n IN ({find})");
            all.push(Condition {
                probe: Some(format!("EXISTS ({find} AND rowid = i.n)")),
                ..Condition::found(find, test, vec![text(&query::query(search))])
            });
        }
        Ok(all)
    }

    /// Authors whose name or address contains `part`.
    fn authors(&self, part: &str) -> Result<Vec<Value>, IndexError> {
        let part = part.to_lowercase();
        let mut query = self.db.prepare("SELECT n, name FROM authors")?;
        let rows = query.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
        let mut found = Vec::new();
        for row in rows {
            let (n, name) = row?;
            if name.to_lowercase().contains(&part) {
                found.push(Value::Integer(n));
            }
        }
        Ok(found)
    }

    /// If a condition matches at least this many issues, and these are spread over the requested order, walking in
    /// that order finds the first `limit` of them sooner than collecting all of them.
    fn many(&self, limit: Option<usize>) -> Result<i64, IndexError> {
        let mut query = self.db.prepare_cached("SELECT coalesce(max(n), 0) FROM issues")?;
        let issues: i64 = query.query_row([], |row| row.get(0))?;
        let all = issues / LOOKS;
        let limit = limit.and_then(|limit| i64::try_from(limit).ok()).unwrap_or(all);
        Ok((limit.min(all) * all).isqrt() + 1)
    }

    /// If few issues meet the rarest condition, the search starts from those; otherwise it walks in the requested
    /// order, so that the first matches are found first. Few means fewer than [`MANY`], or than `many` if that is more,
    /// since all issues that meet a condition may be at the end of the order. Issues that can be taken are spread over
    /// any order, so for them only `many` counts.
    ///
    /// SQLite cannot decide this: it knows how many issues a tag has on average, and no more with `ANALYZE` (without its
    /// compile-time option STAT4). Left to itself it collects all issues of a frequent tag, 60 to 120 ms for 25,000 of
    /// 100,000 issues where going along the order takes less than one.
    fn from(
        &self,
        filter: &Filter,
        sort: Sort,
        conditions: &[Condition],
        many: i64,
    ) -> Result<From, IndexError> {
        let (mut lead, mut probed): (Option<(i64, usize)>, _) = (None, None);
        for (at, condition) in conditions.iter().enumerate() {
            let Some(find) = &condition.find else { continue };
            let is_text = condition.probe.is_some();
            let many = if condition.is_spread { many } else { many.max(MANY) };
            // Skipping rows is faster than counting them; beginning another search is not.
            let passes = |many: i64| -> Result<bool, IndexError> {
                let sql = format!("{find} LIMIT 1 OFFSET {}", many - 1);
                let mut query = self.db.prepare(&sql)?;
                Ok(query.exists(params_from_iter(&condition.values))?)
            };
            let count = if !is_text && passes(many)? {
                many
            } else {
                let sql = format!("SELECT count(*) FROM ({find} LIMIT {many})");
                let mut query = self.db.prepare(&sql)?;
                let count = query.query_row(params_from_iter(&condition.values), |row| row.get(0));
                count?
            };
            if count < many {
                if lead.is_none_or(|(least, _)| count < least) {
                    lead = Some((count, at));
                }
            } else if is_text && passes(TOO_MANY)? {
                probed = Some(at);
            }
        }
        let is_open_only = filter.statuses.is_empty() && !filter.all;
        let (mut index, order) = sort.order(is_open_only);
        if sort == Sort::Priority && filter.statuses.len() == 1 {
            // There, issues with the same status are adjacent, in this order.
            index = "by_status";
        }
        let (rest, values) = plain(conditions, probed);
        Ok(match lead.and_then(|(_, at)| Some((conditions[at].find.as_ref()?, &conditions[at].values))) {
            Some((find, first)) => From {
                sql: format!(
                    "FROM ({find}) f CROSS JOIN {} AND i.n = f.{}",
                    &rest["FROM ".len()..],
                    number_of(find)
                ),
                // Do not use an index here: that would look at all issues.
                order: order.replacen("i.", "+i.", 1),
                values: first.iter().cloned().chain(values).collect(),
            },
            None => From {
                sql: rest.replacen("issues i", &format!("issues i INDEXED BY {index}"), 1),
                order: order.to_owned(),
                values,
            },
        })
    }
}

struct From {
    sql: String,
    order: String,
    values: Vec<Value>,
}

/// All conditions, one after the other; the one at the index `probed` is tested without collecting its issues first.
fn plain(conditions: &[Condition], probed: Option<usize>) -> (String, Vec<Value>) {
    let test = |(at, condition): (usize, &Condition)| match &condition.probe {
        Some(probe) if probed == Some(at) => probe.clone(),
        _ => condition.test.clone(),
    };
    let tests: Vec<String> = conditions.iter().enumerate().map(test).collect();
    let values = conditions.iter().flat_map(|condition| condition.values.iter().cloned());
    (format!("FROM issues i WHERE {}", tests.join(" AND ")), values.collect())
}

fn number_of(find: &str) -> &'static str {
    if find.starts_with("SELECT rowid") { "rowid" } else { "n" }
}

fn marks(count: usize) -> String {
    vec!["?"; count].join(", ")
}
