//! Filters of issues, as conditions in SQL.

use rusqlite::types::Value;

use super::error::IndexError;
use super::rows::RowKind;
use super::{Index, query};
use crate::model::{FieldKey, IssueField, IssueStatus, Time, ValueKind};
use crate::rules::roadmap::names_of_tag;
use crate::rules::{LandedState, Undecided};

/// Which issues to list; an issue must match everything that is given.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Filter {
    /// One of these; any if empty.
    pub(crate) statuses: Vec<IssueStatus>,
    /// Also closed, completed and cancelled issues. Ignored if statuses are given, or a time of closing, which only these
    /// have.
    pub(crate) all: bool,
    /// All of these.
    pub(crate) tags: Vec<String>,
    /// All of these.
    pub(crate) components: Vec<String>,
    /// For each of these fields, one of the values, as people type them.
    pub(crate) fields: Vec<(&'static IssueField, Vec<String>)>,
    /// A part of the author's name or address, in any case.
    pub(crate) author: Option<String>,
    /// The roadmap wave.
    pub(crate) wave: Option<u64>,
    /// Created at this time or later.
    pub(crate) since: Option<Time>,
    /// Created at this time or earlier.
    pub(crate) until: Option<Time>,
    /// Completed, closed or cancelled at this time or later, and still so.
    pub(crate) closed_since: Option<Time>,
    /// Completed, closed or cancelled at this time or earlier, and still so.
    pub(crate) closed_until: Option<Time>,
    /// The id of the parent issue.
    pub(crate) parent: Option<String>,
    /// The assignee is one of these, in lower case; any if empty.
    pub(crate) assignees: Vec<String>,
    /// Registered, planning or planned, and every issue that it depends on is completed, closed or cancelled.
    pub(crate) unblocked: bool,
    /// Registered, planning or planned, and waits for another issue.
    pub(crate) waiting: bool,
    /// What someone has to decide about its plans.
    pub(crate) undecided: Option<Undecided>,
    /// Whether it has a plan.
    pub(crate) has_solution: bool,
    /// Whether it was executed, or is being executed.
    pub(crate) has_execution: bool,
    /// Whether it has an item that can be taken.
    pub(crate) ready: bool,
    /// Whether it was completed and its work is known to be absent from the target branch.
    pub(crate) unlanded: bool,
    /// Full text, in the syntax of FTS5.
    pub(crate) search: Option<String>,
}

impl Filter {
    /// Wants a value of a field, or another one of those that were wanted before.
    pub(crate) fn want(&mut self, field: &'static IssueField, value: String) {
        match self.fields.iter_mut().find(|(known, _)| known.name == field.name) {
            Some((_, values)) => values.push(value),
            None => self.fields.push((field, vec![value])),
        }
    }

    /// The values of a field of which an issue must have one, if any are wanted.
    pub(crate) fn wanted(&self, field: &str) -> Option<&[String]> {
        self.fields.iter().find(|(known, _)| known.name == field).map(|(_, values)| values.as_slice())
    }

    /// Whether closed, completed and cancelled issues are listed if no status is given.
    pub(crate) fn includes_closed(&self) -> bool {
        self.all || self.unlanded || self.closed_since.is_some() || self.closed_until.is_some()
    }

    /// Whether it depends on nothing but the status.
    pub(super) fn is_of_status(&self) -> bool {
        *self == Self { statuses: self.statuses.clone(), all: self.all, ..Self::default() }
    }
}

/// Selects issues that wait for a plan or a queue and are not blocked. The numbers are those of [`IssueStatus`]; a test
/// checks that.
const UNBLOCKED: &str = "i.status IN (0, 1, 2) AND NOT EXISTS (
    SELECT 1 FROM depends d LEFT JOIN issues o ON o.id = d.target
    WHERE d.n = i.n AND (o.n IS NULL OR o.status NOT IN (5, 8, 9)))";

/// Finds the issues, in any status, that depend on one that is neither completed, closed nor cancelled.
const WAITING: &str = "SELECT d.n FROM depends d LEFT JOIN issues o ON o.id = d.target
    WHERE o.n IS NULL OR o.status NOT IN (5, 8, 9)";

/// A condition with its values.
pub(super) struct Condition {
    /// Whether the issue `i` meets it.
    pub(super) test: String,
    /// A query for the numbers of the issues that meet it, if there is one that is faster than testing all issues.
    pub(super) find: Option<String>,
    pub(super) values: Vec<Value>,
}

impl Condition {
    fn test(test: impl Into<String>, values: Vec<Value>) -> Self {
        Self { test: test.into(), find: None, values }
    }

    fn found(find: impl Into<String>, test: impl Into<String>, values: Vec<Value>) -> Self {
        Self { find: Some(find.into()), ..Self::test(test, values) }
    }

    /// Matches the issues with one of these values in a column.
    fn equal(column: &str, values: Vec<Value>) -> Self {
        let marks = marks(values.len());
        Self::found(
            format!("SELECT n FROM issues WHERE {column} IN ({marks})"),
            format!("i.{column} IN ({marks})"),
            values,
        )
    }

    /// Matches the issues with this value in another table.
    fn with_row(table: &str, column: &str, value: &str) -> Self {
        Self::found(
            format!("SELECT n FROM {table} WHERE {column} = ?"),
            format!("EXISTS (SELECT 1 FROM {table} t WHERE t.n = i.n AND t.{column} = ?)"),
            vec![text_value(value)],
        )
    }

    /// Matches the issues that a query finds.
    fn one_of(find: &str, values: Vec<Value>) -> Self {
        Self::found(find, format!("i.n IN ({find})"), values)
    }
}

/// All conditions as one, and their values.
pub(super) fn all(conditions: Vec<Condition>) -> (String, Vec<Value>) {
    let (tests, values): (Vec<_>, Vec<_>) =
        conditions.into_iter().map(|condition| (condition.test, condition.values)).unzip();
    (tests.join(" AND "), values.concat())
}

impl Index<'_> {
    pub(super) fn conditions(&self, filter: &Filter) -> Result<Vec<Condition>, IndexError> {
        let mut all = vec![of_status(filter)];
        all.extend(filter.tags.iter().map(|tag| of_tag(tag)));
        let components = filter.components.iter();
        all.extend(components.map(|name| Condition::with_row("components", "component", name)));
        for (field, words) in &filter.fields {
            all.push(of_field(field, words));
        }
        if let Some(author) = &filter.author {
            all.push(Condition::equal("author", self.authors(author)?));
        }
        if let Some(wave) = filter.wave {
            let wave = i64::try_from(wave).map_or(Value::Null, Value::Integer);
            all.push(Condition::equal("wave", vec![wave]));
        }
        all.extend(of_times(filter));
        all.extend(filter.parent.iter().map(|parent| Condition::with_row("parents", "parent", parent)));
        if !filter.assignees.is_empty() {
            let values = filter.assignees.iter().map(|assignee| text_value(assignee)).collect();
            let marks = marks(filter.assignees.len());
            all.push(Condition::test(format!("folded(ifnull(i.assignee, '')) IN ({marks})"), values));
        }
        self.add_of_work(filter, &mut all)?;
        if let Some(search) = &filter.search {
            let values = vec![text_value(&query::query(search))];
            all.push(Condition::one_of("SELECT rowid FROM words WHERE words MATCH ?", values));
        }
        Ok(all)
    }

    /// Adds what has to be known of other issues, plans, queues and executions.
    fn add_of_work(&self, filter: &Filter, all: &mut Vec<Condition>) -> Result<(), IndexError> {
        if filter.unblocked {
            all.push(Condition::test(UNBLOCKED, vec![]));
        }
        if filter.waiting {
            all.push(Condition::test("i.status IN (0, 1, 2)", vec![]));
            all.push(Condition::one_of(WAITING, vec![]));
        }
        if let Some(undecided) = filter.undecided {
            all.push(Condition::found(
                "SELECT n FROM issues WHERE undecided > 0 AND undecided & ? > 0",
                "i.undecided & ? > 0",
                vec![Value::Integer(undecided as i64)],
            ));
        }
        if filter.ready {
            self.note_ready()?;
            all.push(Condition::one_of("SELECT n FROM ready", vec![]));
        }
        if filter.unlanded {
            let absent = LandedState::ABSENT.map(|state| Value::Integer(state as i64));
            let find = format!("SELECT n FROM {} WHERE state IN (?, ?)", self.landing_table());
            all.push(Condition::one_of(&find, absent.to_vec()));
        }
        if filter.has_solution {
            all.push(Condition::test("i.solutions > 0", vec![]));
        }
        if filter.has_execution {
            let sql = "EXISTS (SELECT 1 FROM uids u WHERE u.n = i.n AND u.kind = ?)";
            all.push(Condition::test(sql, vec![Value::Integer(RowKind::Execution as i64)]));
        }
        Ok(())
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
}

fn of_status(filter: &Filter) -> Condition {
    if filter.statuses.is_empty() {
        return Condition::test(if filter.includes_closed() { "i.over >= 0" } else { "i.over = 0" }, vec![]);
    }
    let values = filter.statuses.iter().map(|status| Value::Integer(*status as i64));
    Condition::equal("status", values.collect())
}

fn of_tag(tag: &str) -> Condition {
    let names = names_of_tag(tag);
    if names.len() <= 1 {
        return Condition::with_row("tags", "tag", tag);
    }
    let marks = marks(names.len());
    let exists = format!("EXISTS (SELECT 1 FROM tags t WHERE t.n = i.n AND t.tag IN ({marks}))");
    Condition::test(exists, names.into_iter().map(text_value).collect())
}

fn of_field(field: &IssueField, words: &[String]) -> Condition {
    let values = words.iter().filter_map(|word| field.key(word)).map(key_value).collect();
    let condition = Condition::equal(field.column, values);
    match field.values {
        // Many issues have each of a few values.
        ValueKind::Choice { .. } => Condition { find: None, ..condition },
        ValueKind::Person | ValueKind::Word => condition,
    }
}

fn of_times(filter: &Filter) -> Vec<Condition> {
    let mut all = Vec::new();
    for (time, test) in [(filter.since, "i.created >= ?"), (filter.until, "i.created <= ?")] {
        all.extend(time.map(|time| Condition::test(test, vec![Value::Integer(time.millis())])));
    }
    for (time, test) in [(filter.closed_since, "finished >= ?"), (filter.closed_until, "finished <= ?")] {
        let find = format!("SELECT n FROM issues WHERE {test}");
        all.extend(
            time.map(|time| Condition::found(find, format!("i.{test}"), vec![Value::Integer(time.millis())])),
        );
    }
    all
}

/// A value as it is stored.
pub(super) fn key_value(key: FieldKey) -> Value {
    match key {
        FieldKey::Number(number) => Value::Integer(number),
        FieldKey::Text(text) => Value::Text(text),
    }
}

fn text_value(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn marks(count: usize) -> String {
    vec!["?"; count].join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_statuses_are_those_in_the_query() {
        use IssueStatus::{Closed, Completed, Planned, Planning, Registered};
        assert_eq!([Registered, Planning, Planned].map(|it| it as i64), [0, 1, 2]);
        assert_eq!([Completed, Closed].map(|it| it as i64), [5, 9]);
    }
}
