//! Reads issues from a table (CSV): GitLab and Jira write one, and any other is read by naming its columns. Pure, but for the
//! file.

mod columns;
mod values;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use self::columns::field_of;
pub(crate) use self::columns::{MappedColumn, TableField, TablePreset};
use self::values::{is_given_up, priority, status, when};
use super::csv::unguarded;
use super::fields::UNDATED;
use super::lines::Unreadable;
use super::title;
use super::tracker::{Arrival, Each, FoundRecord, Records, RefusedRecord, Tracker};
use crate::model::issue::StoredStatus;
use crate::model::uid::Uid;
use crate::model::{Issue, IssueId, Source, Time};
use crate::rules::limits;

/// Tables.
pub(crate) static TABLE: Tracker = Tracker {
    name: "csv",
    is_own: |record| record.get(OWN).is_some() && record.get(FIELDS).is_some_and(Value::is_object),
    read,
    kept,
    is_elsewhere: Some(|before, now| {
        project(before).zip(project(now)).is_some_and(|(before, now)| before != now)
    }),
    is_dated_by_file: true,
    hint: "the first line names the columns; `--map FIELD=COLUMN` says what they mean",
    ..Tracker::ALONE
};

/// The member of a record with the prefix of its ids.
const OWN: &str = "csv";
/// Its member with the values that have a field here, each a list of texts.
const FIELDS: &str = "fields";
/// Its member with all other columns.
const OTHERS: &str = "others";
/// Its member with the date of the file, if the row itself has none.
const CHANGED: &str = "changed";
/// Columns of Jira that say more of the status.
const CATEGORY: &str = "Status Category";
const RESOLUTION: &str = "Resolution";
/// The prefix of ids of GitLab.
const GITLAB: &str = "GL";
/// The prefix of ids that are only numbers, if no preset has one.
const PREFIX: &str = "CSV";
/// Longer paths of projects are cut in an id, and a number tells them apart.
const LONGEST_PATH: usize = 40;
/// A preview shows at most this many rows.
const MOST_PREVIEWED: usize = 5;
/// Tables with more columns are none.
const MOST_COLUMNS: usize = 2000;

/// The rows of a table.
pub(crate) struct TableRows {
    found: Vec<FoundRecord>,
    /// Which column has which field, in words.
    columns: Vec<String>,
    remarks: Vec<String>,
}

impl Records for TableRows {
    fn each(&mut self) -> Result<Each<'_>, Unreadable> {
        Ok(Box::new(self.found.iter().cloned().map(Ok)))
    }

    fn is_list(&self) -> bool {
        true
    }

    fn remarks(&self) -> &[String] {
        &self.remarks
    }
}

impl TableRows {
    /// Reads a table. What `mapped` does not name is taken from the preset, which is recognized if none is given, or from
    /// columns that are called as fields are.
    ///
    /// # Errors
    /// A sentence, if it is not a table or has no column for the id.
    pub(crate) fn read(
        source: &[u8],
        preset: Option<TablePreset>,
        mapped: &[MappedColumn],
    ) -> Result<Self, String> {
        let mut reader =
            csv::ReaderBuilder::new().flexible(true).delimiter(delimiter(source)).from_reader(source);
        let head = reader.headers().map_err(|error| error.to_string())?;
        let columns: Vec<String> =
            head.iter().map(|name| name.trim_start_matches('\u{feff}').trim().to_owned()).collect();
        if columns.len() > MOST_COLUMNS {
            return Err(format!("it has more than {MOST_COLUMNS} columns"));
        }
        if let Some(missing) = mapped.iter().find(|mapped| !columns.contains(&mapped.column)) {
            return Err(format!("there is no column `{}`", missing.column));
        }
        let preset = preset.or_else(|| TablePreset::detect(&columns));
        let fields: Vec<Option<TableField>> =
            columns.iter().map(|column| field_of(column, preset, mapped)).collect();
        if !fields.contains(&Some(TableField::Id)) {
            return Err("none of its columns is known to hold the ids".to_owned());
        }
        let prefix = preset.map_or(PREFIX, TablePreset::prefix);
        let rows = reader.records().map(|row| {
            let row = row.map_err(|error| RefusedRecord::fault(None, error.to_string()))?;
            Ok(record(&row, &columns, &fields, prefix))
        });
        // The first row of a table is in its second line, as spreadsheets count.
        let found = rows.zip(2..).map(|(record, number)| FoundRecord { unit: "row".into(), number, record });
        let found: Vec<FoundRecord> = found.collect();
        let named = columns.iter().zip(&fields);
        let columns =
            named.filter_map(|(column, field)| Some(format!("{} = `{column}`", (*field)?.as_str())));
        Ok(Self { columns: columns.collect(), found, remarks: vec![] })
    }

    /// Dates the rows that do not say when they changed by their file.
    pub(crate) fn date(&mut self, changed: Time) {
        for record in self.found.iter_mut().filter_map(|found| found.record.as_mut().ok()) {
            let said = record[FIELDS][TableField::UpdatedAt.as_str()][0].as_str();
            if said.and_then(when).is_none() {
                record[CHANGED] = changed.to_string().into();
            }
        }
    }

    /// Remarks on which column has which field, and on what the first rows become.
    pub(crate) fn preview(&mut self) {
        self.remarks = vec![self.columns.join(", ")];
        for found in self.found.iter().take(MOST_PREVIEWED) {
            if let Ok(Ok(arrival)) = found.record.as_ref().map(read) {
                let Issue { id, title, status, priority, assignee, created_at, .. } = arrival.issue;
                let whose = assignee.map(|name| format!(", {name}")).unwrap_or_default();
                let priority = priority.name();
                let row = found.number;
                self.remarks
                    .push(format!("row {row}: {id} {title} ({status}, {priority}{whose}, {created_at})"));
            }
        }
    }
}

/// What separates the cells: what is most frequent in the first line.
fn delimiter(source: &[u8]) -> u8 {
    let head = source.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let count = |delimiter: &u8| head.iter().filter(|byte| *byte == delimiter).count();
    // Of equals, the last one.
    [b'\t', b';', b','].into_iter().max_by_key(count).unwrap_or(b',')
}

/// The project in `https://host/group/project/-/issues/7`.
fn project(record: &Value) -> Option<&str> {
    let url = record[FIELDS][TableField::Url.as_str()][0].as_str()?;
    if record[OWN] == GITLAB { Some(url.split_once("/-/")?.0) } else { None }
}

/// What an id begins with if the row has only a number. Each project of GitLab counts its issues from 1, so the id has the path
/// of the project, whatever else is in the table: `GL-group-project`.
fn prefix(record: &Value) -> String {
    let own = record[OWN].as_str().unwrap_or(PREFIX);
    let path = project(record).and_then(|url| Some(url.split_once("://")?.1.split_once('/')?.1));
    let Some(path) = path else { return own.to_owned() };
    let plain = path.replace('/', "-");
    if plain.len() <= LONGEST_PATH {
        return format!("{own}-{plain}");
    }
    let cut: String = plain.chars().take(LONGEST_PATH).collect();
    format!("{own}-{cut}-{}", Uid::from_content(&[path.as_bytes()]))
}

fn record(row: &csv::StringRecord, columns: &[String], fields: &[Option<TableField>], prefix: &str) -> Value {
    let (mut said, mut others) = (BTreeMap::<&str, Vec<&str>>::new(), BTreeMap::<&str, Vec<&str>>::new());
    for ((cell, column), field) in row.iter().zip(columns).zip(fields) {
        if cell.trim().is_empty() {
            continue;
        }
        match field {
            Some(field) => said.entry(field.as_str()).or_default().push(unguarded(cell)),
            None => others.entry(column).or_default().push(unguarded(cell)),
        }
    }
    json!({OWN: prefix, FIELDS: said, OTHERS: others})
}

/// The id of an issue that its tracker calls `given`.
fn id_of(record: &Value, given: &str) -> Result<IssueId, RefusedRecord> {
    let prefix = prefix(record);
    let id = IssueId::parse(given).or_else(|error| {
        let number = given.trim_start_matches('#');
        let is_plain = number.bytes().all(|byte| byte.is_ascii_alphanumeric());
        IssueId::parse(&format!("{prefix}-{number}"))
            .map_err(|_| error)
            .and_then(|id| if is_plain { Ok(id) } else { IssueId::parse(given) })
    });
    id.map_err(|error| RefusedRecord::fault(Some(given.to_owned()), error.to_string()))
}

fn read(record: &Value) -> Result<Arrival, RefusedRecord> {
    let all = |field: TableField| {
        let list = record[FIELDS][field.as_str()].as_array().into_iter().flatten();
        list.filter_map(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
    };
    let text = |field: TableField| all(field).next();
    let given = text(TableField::Id).ok_or_else(|| RefusedRecord::fault(None, "it has no id"))?;
    let id = id_of(record, given)?;
    let mut notes = Vec::new();
    let mut time = |field: TableField| {
        let text = text(field)?;
        let time = when(text);
        if time.is_none() {
            notes.push(format!("`{}` is `{text}`, which is not a time", field.as_str()));
        }
        time
    };
    let (created, updated) = (time(TableField::CreatedAt), time(TableField::UpdatedAt));
    let closed = time(TableField::ClosedAt);
    if created.is_none() {
        notes.push(UNDATED.to_owned());
    }
    let born = created.unwrap_or(Time::EPOCH);
    let (title, is_cut) =
        text(TableField::Title).and_then(title::shortened).unwrap_or_else(|| (id.to_string(), false));
    notes.extend(is_cut.then(title::note));
    let mut issue = Issue::new(id, text(TableField::Author).unwrap_or("unknown").into(), born, title);
    issue.source = Some(Source::Import);
    issue.context = text(TableField::Description).map(str::to_owned);
    let mut people: Vec<&str> = all(TableField::Assignee).collect();
    if record[OWN] == GITLAB {
        people = people.into_iter().flat_map(|names| names.split(',')).map(str::trim).collect();
    }
    issue.assignee = people.first().map(|name| (*name).to_owned());
    issue.issue_type = text(TableField::Type).map(str::to_lowercase);
    for label in all(TableField::Tags).flat_map(|text| text.split(',')).map(str::trim) {
        match limits::label(label) {
            Ok(label) => drop(issue.tags.insert(label.to_owned())),
            Err(error) => notes.push(error.to_string()),
        }
    }
    let url = text(TableField::Url);
    issue.source_url = url.filter(|url| limits::web_address(url).is_ok()).map(str::to_owned);
    let updated = updated.or_else(|| record[CHANGED].as_str().and_then(Time::parse));
    let mut arrival = Arrival::new(issue, record.clone(), updated.map_or(born, |updated| updated.max(born)));
    if people.len() > 1 {
        arrival.kept.insert("further people".into());
    }
    if let Some(word) = text(TableField::Status) {
        set_status(&mut arrival, record, word);
    }
    if let Some(word) = text(TableField::Priority) {
        set_priority(&mut arrival, word);
    }
    if matches!(arrival.issue.status, StoredStatus::Closed | StoredStatus::Cancelled) {
        arrival.issue.closed_at = closed;
    }
    arrival.kept.extend(kept(record).keys().map(|name| format!("the column `{name}`").into()));
    Ok(Arrival { is_dated: created.is_some(), notes, ..arrival })
}

/// Sets the priority that a word means.
fn set_priority(arrival: &mut Arrival, word: &str) {
    match priority(word) {
        Some(priority) => arrival.issue.priority = priority,
        None => drop(arrival.kept.insert(format!("the priority `{word}` became `medium`").into())),
    }
}

/// Sets the status that a word means, or else its category, as far as Jira says it.
fn set_status(arrival: &mut Arrival, record: &Value, word: &str) {
    let other = |name: &str| record[OTHERS][name][0].as_str();
    let (mut own, mut is_known) = status(word);
    if let (Some(category), false) = (other(CATEGORY), is_known) {
        (own, is_known) = status(category);
    }
    if own == StoredStatus::Closed && other(RESOLUTION).is_some_and(is_given_up) {
        own = StoredStatus::Cancelled;
    }
    arrival.issue.status = own;
    if !is_known {
        arrival.kept.insert(format!("the status `{word}` became `{own}`").into());
    }
}

/// The columns that have no field here.
fn kept(record: &Value) -> Map<String, Value> {
    record[OTHERS].as_object().cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrivals(text: &str, mapped: &[MappedColumn]) -> Vec<Arrival> {
        let mut rows = TableRows::read(text.as_bytes(), None, mapped).unwrap();
        let found = rows.each().unwrap().map(|found| found.unwrap().record.unwrap());
        found.map(|record| read(&record).unwrap()).collect()
    }

    #[test]
    fn the_columns_of_gitlab_and_jira_are_known() {
        let gitlab = "Title,Description,Issue ID,URL,State,Author Username,Assignee Username,Weight,Created At (UTC),Labels\n\
                      \"A, b\",\"Two\nlines\",7,https://gitlab.example/z/-/issues/7,Closed,ada,bea,3,2026-11-01 08:00:00,\"x,y z\"\n";
        let found = &arrivals(gitlab, &[])[0];
        let issue = &found.issue;
        assert_eq!((issue.id.as_str(), issue.title.as_str()), ("GL-z-7", "A, b"));
        assert_eq!((issue.status, issue.tags.len()), (StoredStatus::Closed, 2));
        assert_eq!(issue.context.as_deref(), Some("Two\nlines"));
        assert!(found.kept.contains("the column `Weight`"));
        let jira = "Summary,Issue key,Issue Type,Status,Priority,Reporter,Created,Labels,Labels\n\
                    Feed,ZOO-12,Bug,Waiting,Highest,Ada,28/Nov/26 5:02 PM,a,b\n";
        let found = &arrivals(jira, &[])[0];
        let issue = &found.issue;
        assert_eq!((issue.id.as_str(), issue.priority.number()), ("ZOO-12", 1));
        assert_eq!((issue.issue_type.as_deref(), issue.tags.len()), (Some("bug"), 2));
        assert!(found.kept.contains("the status `Waiting` became `registered`"));
    }

    #[test]
    fn the_id_of_an_issue_of_gitlab_has_the_path_of_its_project() {
        let id = |rows: &str| -> Vec<String> {
            let found = arrivals(&format!("Title,Issue ID,URL,State\n{rows}"), &[]);
            found.iter().map(|arrival| arrival.issue.id.to_string()).collect()
        };
        let row = |path: &str| format!("A,7,https://gitlab.example/{path},Open\n");
        let both = row("g1/a/-/issues/7") + &row("g2/a/-/issues/7");
        assert_eq!(id(&both), ["GL-g1-a-7", "GL-g2-a-7"]);
        assert_eq!(id(&row("g2/a/-/issues/7")), ["GL-g2-a-7"], "the other rows do not count");
        assert_eq!(id(&row("a/issues/7")), ["GL-7"]);
        let long = id(&row(&format!("{}/a/-/issues/7", "g".repeat(90))));
        assert!(long[0].starts_with("GL-gggg") && long[0].ends_with("-7") && long[0].len() < 80, "{long:?}");
    }

    #[test]
    fn a_preview_names_the_columns_and_the_first_rows() {
        let text = "Title,Issue ID,State,Closed At (UTC),Assignee Username,Created At (UTC)\n\
                    Feed,7,Closed,2026-11-02 08:00:00,bea,2026-11-01 08:00:00\n";
        let mut rows = TableRows::read(text.as_bytes(), None, &[]).unwrap();
        assert_eq!(rows.remarks(), [""; 0]);
        rows.preview();
        assert!(
            rows.remarks()[0].starts_with("title = `Title`, id = `Issue ID`, status = `State`, closed_at = ")
        );
        assert_eq!(rows.remarks()[1], "row 2: GL-7 Feed (closed, medium, bea, 2026-11-01T08:00:00.000Z)");
        let closed = arrivals(text, &[])[0].issue.closed_at.unwrap().to_string();
        assert_eq!(closed, "2026-11-02T08:00:00.000Z");
    }

    #[test]
    fn any_table_is_read_by_the_names_of_its_columns() {
        let text = "No,Name,status\n3,Feed the okapi,doing\n,none,open\n";
        let column = |field, column: &str| MappedColumn { field, column: column.to_owned() };
        let mapped = [column(TableField::Id, "No"), column(TableField::Title, "Name")];
        let mut rows = TableRows::read(text.as_bytes(), None, &mapped).unwrap();
        let found: Vec<Value> = rows.each().unwrap().map(|row| row.unwrap().record.unwrap()).collect();
        let first = read(&found[0]).unwrap().issue;
        assert_eq!((first.id.as_str(), first.status), ("CSV-3", StoredStatus::Planning));
        assert_eq!(read(&found[1]).unwrap_err().reason, "it has no id");
        let error = |mapped: &[MappedColumn]| TableRows::read(text.as_bytes(), None, mapped).err().unwrap();
        assert_eq!(error(&[]), "none of its columns is known to hold the ids");
        assert_eq!(error(&[column(TableField::Id, "Nr")]), "there is no column `Nr`");
    }
}
