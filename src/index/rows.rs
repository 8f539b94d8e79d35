//! What the index stores for one issue. Any thread reads it from the tree; the one that owns the database writes it.

use std::collections::{BTreeSet, HashSet};

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params};

use super::database::{self, IndexPart};
use super::error::IndexError;
use super::filter;
use super::full_text::{self, Texts};
use super::landing;
use super::queues::{self, ItemRow};
use super::upsert::{
    self, Beside, COMPONENTS, DEPENDS, IssueColumns, LINK_FILES, LINKS, PARENTS, TAGS, UIDS,
};
use crate::model::{CommitHash, ISSUE_FIELDS, Issue, IssueField, IssueId, QueueId};
use crate::rules::{ExecutionFolder, IssueDerived, IssueFacts, IssueFolder, Undecided, claim, facts};
use crate::store::{MOST_FILES, ReadState, StoreError, object_id, records};

/// The `status` of an issue that cannot be read, and of a directory without an issue.
pub(super) const BROKEN: i64 = -1;
const NOTHING: i64 = -2;

/// The kind of record that an id names, as stored in `uids`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RowKind {
    Issue = 0,
    Solution = 1,
    Execution = 2,
}

impl RowKind {
    pub(super) const ALL: [Self; 3] = [Self::Issue, Self::Solution, Self::Execution];

    /// What its ids start with, before the id of the issue.
    pub(super) fn prefix(self) -> &'static str {
        match self {
            Self::Issue => "",
            Self::Solution => "SOL-",
            Self::Execution => "EXR-",
        }
    }

    /// The id of an issue's plan or execution, or of the issue itself.
    pub(super) fn id(self, issue: &str, uid: &str) -> String {
        match self {
            Self::Issue => issue.to_owned(),
            _ => format!("{}{issue}-{uid}", self.prefix()),
        }
    }
}

/// Which parts of an issue to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WantedRows {
    pub(super) rows: bool,
    pub(super) words: bool,
    /// Whether the index is still empty.
    pub(super) is_first: bool,
}

/// The rows and texts of an issue.
pub(super) struct IssueRows {
    id: IssueId,
    /// `None` if not wanted.
    rows: Option<Rows>,
    texts: Option<Texts>,
    /// Whether the issue's directory no longer exists.
    is_gone: bool,
}

impl IssueRows {
    /// The bytes of its texts.
    pub(super) fn bytes(&self) -> usize {
        self.texts.iter().flatten().map(String::len).sum()
    }
}

struct Rows {
    row: IssueColumns,
    author: String,
    /// Each with its kind as stored.
    uids: BTreeSet<(i64, String)>,
    tags: BTreeSet<String>,
    components: BTreeSet<String>,
    depends_on: BTreeSet<String>,
    parents: BTreeSet<String>,
    /// The commits, each with the uid of the execution.
    links: BTreeSet<(Vec<u8>, String)>,
    /// Their files, each with the commit, the time when it was authored, and whether it was rewritten.
    link_files: BTreeSet<(String, Vec<u8>, i64, bool)>,
    items: Vec<ItemRow>,
    facts: Option<Vec<u8>>,
    /// When its work was first recorded as landed.
    first_land: Option<i64>,
}

/// The end of an id, after the last dash.
fn uid(whole: &str) -> &str {
    whole.rsplit_once('-').map_or("", |(_, uid)| uid)
}

/// Reads an issue.
pub(super) fn read(read: &impl ReadState, id: &IssueId, wanted: WantedRows) -> Result<IssueRows, IndexError> {
    let (folder, status) = match records::issue(read, id) {
        Ok(Some(folder)) => (Some(folder), 0),
        Ok(None) => (None, NOTHING),
        Err(StoreError::Broken { .. }) => (None, BROKEN),
        Err(error) => return Err(error.into()),
    };
    let is_gone = status == NOTHING && is_gone(read, id)?;
    let texts = if wanted.words { folder.as_ref().map(full_text::texts) } else { None };
    if !wanted.rows {
        return Ok(IssueRows { id: id.clone(), rows: None, texts, is_gone });
    }
    let hidden = records::has_redactions(read, id)?;
    let items = queues::items_of(read, id, folder.as_ref())?;
    let known = folder.as_ref().filter(|folder| queues::keeps_facts(folder)).map(IssueFacts::derive);
    let facts = known.as_ref().map(queues::packed).transpose()?;
    let mut rows = match &folder {
        Some(folder) => rows(folder, hidden, known.as_ref().map_or(0, Undecided::bits)),
        None => empty_rows(status, hidden),
    };
    let mut note = |kind: RowKind, whole: &str| {
        rows.uids.insert((kind as i64, uid(whole).to_owned()));
    };
    note(RowKind::Issue, id.as_str());
    records::solution_ids(read, id)?.iter().for_each(|id| note(RowKind::Solution, id.as_str()));
    records::execution_ids(read, id)?.iter().for_each(|id| note(RowKind::Execution, id.as_str()));
    Ok(IssueRows { id: id.clone(), rows: Some(Rows { items, facts, ..rows }), texts, is_gone })
}

fn rows(folder: &IssueFolder, hidden: bool, undecided: i64) -> Rows {
    let issue = &folder.issue.record;
    let links = folder.executions.iter().flat_map(|execution| {
        let uid = uid(execution.execution.id.as_str());
        let ids = execution.known_commits().filter_map(|hash| object_id(hash));
        ids.map(move |id| (id.as_slice().to_vec(), uid.to_owned()))
    });
    Rows {
        row: IssueColumns { undecided: Value::Integer(undecided), ..row(folder, hidden) },
        author: issue.author.to_string(),
        uids: BTreeSet::new(),
        tags: issue.tags.iter().cloned().collect(),
        components: issue.affected_components.iter().cloned().collect(),
        depends_on: issue.depends_on.iter().map(ToString::to_string).collect(),
        parents: issue.parents(),
        links: links.collect(),
        link_files: folder.executions.iter().flat_map(files_of_links).collect(),
        items: Vec::new(),
        facts: None,
        first_land: landing::first_land(folder),
    }
}

/// The files of the commits that an execution links.
fn files_of_links(execution: &ExecutionFolder) -> BTreeSet<(String, Vec<u8>, i64, bool)> {
    let mut files = BTreeSet::new();
    let current: HashSet<CommitHash> =
        execution.commits().into_iter().map(|commit| commit.link.hash).collect();
    for (hash, link) in execution.links_by_hash() {
        let Some(id) = object_id(&hash) else { continue };
        let (commit, at, rewritten) =
            (id.as_slice().to_vec(), link.authored_at.millis(), !current.contains(&hash));
        if link.files.len() >= MOST_FILES {
            files.insert((String::new(), commit, at, rewritten));
        } else {
            files.extend(link.files.iter().map(|file| (file.clone(), commit.clone(), at, rewritten)));
        }
    }
    files
}

/// Replaces the rows of an issue in the index.
pub(super) fn write(db: &Connection, new: IssueRows, wanted: WantedRows) -> Result<(), IndexError> {
    let IssueRows { id, rows, texts, is_gone } = new;
    let n = match rows {
        Some(Rows { items, .. }) if is_gone => {
            queues::replace_items(db, &id, &items, wanted.is_first)?;
            return remove(db, &id, wanted);
        }
        // The rows may reflect a newer state.
        None if is_gone => return number(db, &id)?.map_or(Ok(()), |n| full_text::write(db, n, None, false)),
        None => number(db, &id)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?,
        Some(rows) => {
            let author = if rows.author.is_empty() { 0 } else { author(db, &rows.author)? };
            let row = IssueColumns { author: Value::Integer(author), ..rows.row };
            let n = upsert::issue(db, &id, row, wanted.is_first)?;
            let put = Beside { db, n, is_first: wanted.is_first };
            let add = |(kind, uid): &(i64, String)| put.write(&UIDS, params![n, kind, uid]);
            put.all(&UIDS, &rows.uids, |row| row.try_into(), add)?;
            put.texts(&TAGS, &rows.tags)?;
            put.texts(&COMPONENTS, &rows.components)?;
            put.texts(&DEPENDS, &rows.depends_on)?;
            put.texts(&PARENTS, &rows.parents)?;
            put.all(
                &LINKS,
                &rows.links,
                |row| row.try_into(),
                |(commit, uid)| put.write(&LINKS, params![commit, n, uid]),
            )?;
            put.all(
                &LINK_FILES,
                &rows.link_files,
                |row| row.try_into(),
                |(file, commit, at, rewritten)| {
                    put.write(&LINK_FILES, params![file, commit, n, at, rewritten])
                },
            )?;
            queues::replace_items(db, &id, &rows.items, wanted.is_first)?;
            queues::replace_facts(db, n, rows.facts.as_deref(), wanted.is_first)?;
            if !wanted.is_first {
                landing::forget(db, n)?;
            }
            if rows.first_land.is_some() || !wanted.is_first {
                landing::note_first_land(db, n, rows.first_land)?;
            }
            n
        }
    };
    if wanted.words {
        full_text::write(db, n, texts.as_ref(), wanted.is_first)?;
    }
    Ok(())
}

/// Replaces the ids of all queues in the index.
pub(super) fn queue_ids(db: &Connection, ids: &[QueueId]) -> Result<(), IndexError> {
    db.execute("DELETE FROM queues", [])?;
    let mut insert = db.prepare_cached("INSERT OR IGNORE INTO queues VALUES (?1)")?;
    ids.iter().try_for_each(|id| insert.execute([id.as_str()]).map(drop))?;
    Ok(())
}

/// The number of an issue's row.
pub(super) fn number(db: &Connection, id: &IssueId) -> Result<Option<i64>, IndexError> {
    let mut query = db.prepare_cached("SELECT n FROM issues WHERE id = ?1")?;
    Ok(query.query_row([id.as_str()], |row| row.get(0)).optional()?)
}

fn is_gone(read: &impl ReadState, id: &IssueId) -> Result<bool, StoreError> {
    Ok(read.names(&crate::store::layout::issue_folder(id))?.is_empty())
}

fn remove(db: &Connection, id: &IssueId, wanted: WantedRows) -> Result<(), IndexError> {
    let Some(n) = number(db, id)? else { return Ok(()) };
    if wanted.words {
        db.execute("DELETE FROM words WHERE rowid = ?1", [n])?;
    } else {
        // They reflect a state in which the issue exists. If it came back before they are updated, they would still
        // have it, but under another number.
        database::clear(db, IndexPart::Words)?;
    }
    for table in [TAGS, COMPONENTS, DEPENDS, PARENTS, UIDS, LINKS, LINK_FILES] {
        db.prepare_cached(table.delete)?.execute([n])?;
    }
    queues::replace_facts(db, n, None, false)?;
    landing::forget(db, n)?;
    landing::note_first_land(db, n, None)?;
    db.prepare_cached("DELETE FROM issues WHERE n = ?1")?.execute([n])?;
    Ok(())
}

/// The row of an issue, still without the number of its author.
fn row(folder: &IssueFolder, hidden: bool) -> IssueColumns {
    let (issue, derived) = (&folder.issue.record, IssueDerived::derive(folder));
    let tags: Vec<&str> = issue.tags.iter().map(String::as_str).collect();
    // Even if the issue was closed, paused or cancelled since.
    let is_executing = claim::held(&folder.executions).is_some();
    IssueColumns {
        status: Value::Integer(derived.status as i64),
        over: Value::Integer(i64::from(derived.status.is_terminal())),
        created: Value::Integer(issue.created_at.millis()),
        updated: derived.updated_at.map(crate::model::time::Time::millis).into(),
        author: Value::Null,
        wave: derived.wave.and_then(|wave| i64::try_from(wave).ok()).into(),
        finished: derived.finished_at().map(crate::model::time::Time::millis).into(),
        solutions: Value::Integer(i64::try_from(derived.solution_count).unwrap_or(i64::MAX)),
        title: Value::Text(issue.title.clone()),
        tags: Value::Text(tags.join(",")),
        hidden: Value::Integer(i64::from(hidden)),
        executing: Value::Integer(i64::from(is_executing)),
        undecided: Value::Integer(0),
        completed: Value::Integer(i64::from(facts::is_completed(folder))),
        fields: fields(Some(issue)),
    }
}

/// What is stored for an issue of which nothing is known but its status.
fn empty_rows(status: i64, hidden: bool) -> Rows {
    Rows {
        row: empty_row(status, hidden),
        author: String::new(),
        uids: BTreeSet::new(),
        tags: BTreeSet::new(),
        components: BTreeSet::new(),
        depends_on: BTreeSet::new(),
        parents: BTreeSet::new(),
        links: BTreeSet::new(),
        link_files: BTreeSet::new(),
        items: Vec::new(),
        facts: None,
        first_land: None,
    }
}

/// The row of an issue that cannot be read, or of a directory without an issue.
fn empty_row(status: i64, hidden: bool) -> IssueColumns {
    let (nothing, text) = (Value::Integer(0), Value::Text(String::new()));
    IssueColumns {
        status: Value::Integer(status),
        over: Value::Integer(status),
        created: nothing.clone(),
        updated: Value::Null,
        author: nothing.clone(),
        wave: Value::Null,
        finished: Value::Null,
        solutions: nothing.clone(),
        title: text.clone(),
        tags: text,
        hidden: Value::Integer(i64::from(hidden)),
        executing: nothing.clone(),
        undecided: nothing.clone(),
        completed: nothing,
        fields: fields(None),
    }
}

/// The columns of the fields with one value; a choice that every issue has is 0 where nothing is known.
fn fields(issue: Option<&Issue>) -> Vec<Value> {
    let value = |field: &IssueField| match issue {
        Some(issue) => field.value(issue).and_then(|text| field.key(&text)).map(filter::key_value),
        None => field.is_required().then_some(Value::Integer(0)),
    };
    ISSUE_FIELDS.iter().map(|field| value(field).unwrap_or(Value::Null)).collect()
}

fn author(db: &Connection, name: &str) -> Result<i64, IndexError> {
    let known = db
        .prepare_cached("SELECT n FROM authors WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?;
    match known {
        Some(n) => Ok(n),
        None => upsert::insert(db, "INSERT INTO authors (name) VALUES (?1)", [name]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_an_older_state_remove_no_rows() {
        let db = database::create(None).unwrap();
        let id = IssueId::parse("N-1").unwrap();
        let rows = empty_rows(0, false);
        let texts = Some(full_text::Texts::default());
        let wanted = WantedRows { rows: true, words: true, is_first: false };
        write(&db, IssueRows { id: id.clone(), rows: Some(rows), texts, is_gone: false }, wanted).unwrap();
        let words = || db.query_row("SELECT count(*) FROM words", [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(words(), 1);
        let gone = IssueRows { id: id.clone(), rows: None, texts: None, is_gone: true };
        write(&db, gone, WantedRows { rows: false, ..wanted }).unwrap();
        assert_eq!((number(&db, &id).unwrap().is_some(), words()), (true, 0));
    }
}
