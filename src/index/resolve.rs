//! Resolves what a user types to an id, like [`crate::store::resolve`], but without reading every directory for a
//! short one.

use std::collections::BTreeSet;

use rusqlite::{Rows, params};

use super::Index;
use super::error::IndexError;
use super::rows::RowKind;
use crate::model::{ExecutionId, IssueId, QueueId, SolutionId};
use crate::store::{KnownRecord, ResolveError, records, resolve};

impl Index<'_> {
    /// The record that `text` names.
    pub(crate) fn resolve(&self, text: &str) -> Result<Result<KnownRecord, ResolveError>, IndexError> {
        let snapshot = self.snapshot()?;
        // There are few queues and roadmaps, and an item belongs to a queue.
        if resolve::begins(text, "QUE-")
            || resolve::begins(text, "RMAP-")
            || text.contains(':')
            || resolve::number(text).is_some()
        {
            return Ok(resolve::any(&snapshot, text));
        }
        let mut known = self.ids_that_begin(text)?;
        let is_no_other = known.is_empty();
        known.extend(records::roadmap_ids(&snapshot)?.into_iter().map(KnownRecord::Roadmap));
        match resolve::among("record", text, known) {
            Err(ResolveError::NotFound { .. }) if is_no_other => Ok(Err(self.not_found("record", text)?)),
            found => Ok(found),
        }
    }

    /// An issue.
    pub(crate) fn resolve_issue(&self, text: &str) -> Result<Result<IssueId, ResolveError>, IndexError> {
        let known = self.ids_that_begin(text)?;
        let issues: Vec<KnownRecord> =
            known.into_iter().filter(|known| matches!(known, KnownRecord::Issue(_))).collect();
        if issues.is_empty() {
            return Ok(Err(match resolve::no_issue(&self.snapshot()?, text) {
                Some(error) => error,
                None => self.not_found("issue", text)?,
            }));
        }
        Ok(resolve::among("issue", text, issues).and_then(|known| match known {
            KnownRecord::Issue(id) => Ok(id),
            _ => Err(ResolveError::NotFound { kind: "issue", text: text.to_owned(), near: None }),
        }))
    }

    /// Nothing has this id; names the most similar one of an issue.
    fn not_found(&self, kind: &'static str, text: &str) -> Result<ResolveError, IndexError> {
        let mut query = self.db.prepare_cached("SELECT id FROM issues")?;
        let ids = query.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
        Ok(resolve::not_found(kind, text, &ids))
    }

    /// The issues whose ids start with `text`, or else those whose uids do, each with its title, at most `most`.
    pub(crate) fn issues_that_begin(
        &self,
        text: &str,
        most: usize,
    ) -> Result<Vec<(String, String)>, IndexError> {
        self.titled(RowKind::Issue, text, most)
    }

    /// The plans whose ids start with `text`, each with the title of its issue, at most `most`.
    pub(crate) fn plans_that_begin(
        &self,
        text: &str,
        most: usize,
    ) -> Result<Vec<(String, String)>, IndexError> {
        self.titled(RowKind::Solution, text, most)
    }

    /// The executions whose ids start with `text`, each with the title of its issue, at most `most`.
    pub(crate) fn executions_that_begin(
        &self,
        text: &str,
        most: usize,
    ) -> Result<Vec<(String, String)>, IndexError> {
        self.titled(RowKind::Execution, text, most)
    }

    fn titled(&self, kind: RowKind, text: &str, most: usize) -> Result<Vec<(String, String)>, IndexError> {
        let mut found: Vec<(String, String)> = Vec::new();
        for case in [Case::Kept, Case::Ignored] {
            if found.is_empty() {
                self.each_that_begins(text, case, |known, whole, title| {
                    if known == kind {
                        found.push((whole, title.to_owned()));
                    }
                })?;
            }
        }
        if found.is_empty() {
            self.each_with_uid(kind, text, |whole, title| found.push((whole, title.to_owned())))?;
        }
        found.sort();
        found.truncate(most);
        Ok(found)
    }

    /// Everything with an id that starts with `text`, or whose uid does, in the order in which candidates are listed.
    pub(super) fn ids_that_begin(&self, text: &str) -> Result<Vec<KnownRecord>, IndexError> {
        let all_queues = self.queue_ids()?;
        let mut queues = Vec::new();
        let mut found = BTreeSet::new();
        for case in [Case::Kept, Case::Ignored] {
            self.each_that_begins(text, case, |kind, whole, _| {
                found.insert((kind, whole));
            })?;
            let mut query = self.db.prepare_cached(
                "SELECT u.kind, i.id, u.uid FROM uids u JOIN issues i ON i.n = u.n
                 WHERE u.uid >= ?1 AND u.uid < ?2",
            )?;
            let mut rows = query.query(params![text, end_of(text)])?;
            while let Some(row) = rows.next()? {
                let (kind, uid) = (kind_of(row.get(0)?)?, row.get_ref(2)?.as_str()?);
                if case.strip_start(uid, text).is_some() {
                    found.insert((kind, kind.id(row.get_ref(1)?.as_str()?, uid)));
                }
            }
            let begins = |id: &str| case.strip_start(id, text).is_some();
            queues.extend(all_queues.iter().filter(|queue| begins(queue.as_str()) || begins(queue.uid())));
            if !found.is_empty() || !queues.is_empty() || text.is_empty() {
                break;
            }
        }
        let mut known = Vec::new();
        for (kind, whole) in found {
            let (issue, id) = match kind {
                RowKind::Issue => {
                    let id = IssueId::parse(&whole).map_err(|_| invalid_id())?;
                    (id.clone(), KnownRecord::Issue(id))
                }
                RowKind::Solution => {
                    let id = SolutionId::parse(&whole).map_err(|_| invalid_id())?;
                    (id.issue(), KnownRecord::Solution(id))
                }
                RowKind::Execution => {
                    let id = ExecutionId::parse(&whole).map_err(|_| invalid_id())?;
                    (id.issue(), KnownRecord::Execution(id))
                }
            };
            // Plans come first, then executions, then the issue.
            known.push(((issue, (kind as i64 + 2) % 3, whole), id));
        }
        known.sort_by(|(one, _), (two, _)| one.cmp(two));
        let mut known: Vec<KnownRecord> = known.into_iter().map(|(_, id)| id).collect();
        known.extend(queues.into_iter().cloned().map(KnownRecord::Queue));
        Ok(known)
    }

    fn queue_ids(&self) -> Result<Vec<QueueId>, IndexError> {
        let mut query = self.db.prepare_cached("SELECT whole FROM queues ORDER BY whole")?;
        let ids = query.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
        ids.iter().map(|id| QueueId::parse(id).map_err(|_| invalid_id())).collect()
    }

    /// Calls `found` with the id and the issue's title of every record of a kind whose uid starts with `text`, in
    /// any case.
    fn each_with_uid(
        &self,
        kind: RowKind,
        text: &str,
        mut found: impl FnMut(String, &str),
    ) -> Result<(), IndexError> {
        let mut query = self.db.prepare_cached(
            "SELECT i.id, u.uid, i.title FROM uids u JOIN issues i ON i.n = u.n
             WHERE u.kind = ?1 AND u.uid >= ?2 AND u.uid < ?3",
        )?;
        let mut rows = query.query(params![kind as i64, text, end_of(text)])?;
        while let Some(row) = rows.next()? {
            found(kind.id(row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_str()?), row.get_ref(2)?.as_str()?);
        }
        Ok(())
    }

    /// Calls `found` with the kind, the id and the issue's title of every issue, plan and execution whose id starts
    /// with `text`.
    fn each_that_begins(
        &self,
        text: &str,
        case: Case,
        mut found: impl FnMut(RowKind, String, &str),
    ) -> Result<(), IndexError> {
        let collation = case.collation();
        // The text ends within the id of the issue.
        let mut within = self.db.prepare_cached(&format!(
            "SELECT i.id, u.uid, i.title FROM issues i CROSS JOIN uids u ON u.n = i.n
             WHERE i.id >= ?1 COLLATE {collation} AND i.id < ?2 COLLATE {collation} AND u.kind = ?3"
        ))?;
        // Or in what follows it.
        let mut behind = self.db.prepare_cached(&format!(
            "SELECT i.id, u.uid, i.title FROM issues i CROSS JOIN uids u ON u.n = i.n
             WHERE i.id = ?1 COLLATE {collation} AND u.kind = ?2
                 AND u.uid >= ?3 COLLATE {collation} AND u.uid < ?4 COLLATE {collation}"
        ))?;
        for kind in RowKind::ALL {
            let start = match case.strip_start(text, kind.prefix()) {
                Some(start) => start,
                None if case.strip_start(kind.prefix(), text).is_some() => "",
                None => continue,
            };
            let mut pass = |rows: &mut Rows<'_>| -> Result<(), IndexError> {
                while let Some(row) = rows.next()? {
                    let (issue, uid) = (row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_str()?);
                    found(kind, kind.id(issue, uid), row.get_ref(2)?.as_str()?);
                }
                Ok(())
            };
            pass(&mut within.query(params![start, end_of(start), kind as i64])?)?;
            if kind == RowKind::Issue {
                continue;
            }
            for (at, _) in start.match_indices('-') {
                let uid = &start[at + 1..];
                pass(&mut behind.query(params![&start[..at], kind as i64, uid, end_of(uid)])?)?;
            }
        }
        Ok(())
    }
}

/// Whether the case of letters matters in an id. If it does not, that is for ASCII letters, and no id has others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    Kept,
    Ignored,
}

impl Case {
    fn collation(self) -> &'static str {
        match self {
            Self::Kept => "BINARY",
            Self::Ignored => "NOCASE",
        }
    }

    /// What follows `start` in `text`.
    fn strip_start<'t>(self, text: &'t str, start: &str) -> Option<&'t str> {
        let (begins, rest) = text.split_at_checked(start.len())?;
        let is_start = match self {
            Self::Kept => begins == start,
            Self::Ignored => begins.eq_ignore_ascii_case(start),
        };
        is_start.then_some(rest)
    }
}

/// An upper bound of all ids that start with `text`: no id contains the greatest character.
fn end_of(text: &str) -> String {
    format!("{text}\u{10ffff}")
}

fn kind_of(number: i64) -> Result<RowKind, IndexError> {
    let known = RowKind::ALL.into_iter().find(|kind| *kind as i64 == number);
    known.ok_or_else(invalid_id)
}

fn invalid_id() -> IndexError {
    IndexError::File(std::io::Error::other("it holds an invalid id"))
}
