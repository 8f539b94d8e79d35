//! Resolves what a user types to an id, like [`crate::store::resolve`], but without reading every directory for a
//! short one.

use std::collections::BTreeSet;

use rusqlite::{Rows, params};

use super::Index;
use super::error::IndexError;
use super::rows::Kind;
use crate::model::id::{ExecutionId, IssueId, QueueId, SolutionId};
use crate::store::records;
use crate::store::resolve::{self, Known, ResolveError};

impl Index<'_> {
    /// The record that `text` names.
    pub(crate) fn resolve(&self, text: &str) -> Result<Result<Known, ResolveError>, IndexError> {
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
        known.extend(records::roadmap_ids(&snapshot)?.into_iter().map(Known::Roadmap));
        Ok(resolve::among("record", text, known))
    }

    /// An issue.
    pub(crate) fn resolve_issue(&self, text: &str) -> Result<Result<IssueId, ResolveError>, IndexError> {
        let known = self.ids_that_begin(text)?;
        let issues = known.into_iter().filter(|it| matches!(it, Known::Issue(_))).collect();
        Ok(resolve::among("issue", text, issues).and_then(|known| match known {
            Known::Issue(id) => Ok(id),
            _ => Err(ResolveError::NotFound { kind: "issue", text: text.to_owned() }),
        }))
    }

    /// The issues whose ids start with `text`, each with its title, at most `most`.
    pub(crate) fn issues_that_begin(
        &self,
        text: &str,
        most: usize,
    ) -> Result<Vec<(String, String)>, IndexError> {
        self.titled(Kind::Issue, text, most)
    }

    /// The plans whose ids start with `text`, each with the title of its issue, at most `most`.
    pub(crate) fn plans_that_begin(
        &self,
        text: &str,
        most: usize,
    ) -> Result<Vec<(String, String)>, IndexError> {
        self.titled(Kind::Solution, text, most)
    }

    /// The executions whose ids start with `text`, each with the title of its issue, at most `most`.
    pub(crate) fn executions_that_begin(
        &self,
        text: &str,
        most: usize,
    ) -> Result<Vec<(String, String)>, IndexError> {
        self.titled(Kind::Execution, text, most)
    }

    fn titled(&self, kind: Kind, text: &str, most: usize) -> Result<Vec<(String, String)>, IndexError> {
        let mut found: Vec<(String, String)> = Vec::new();
        self.each_that_begins(text, |known, whole, title| {
            if known == kind {
                found.push((whole, title.to_owned()));
            }
        })?;
        found.sort();
        found.truncate(most);
        Ok(found)
    }

    /// Everything with an id that starts with `text`, or whose uid does, in the order in which candidates are listed.
    pub(super) fn ids_that_begin(&self, text: &str) -> Result<Vec<Known>, IndexError> {
        let mut found = BTreeSet::new();
        self.each_that_begins(text, |kind, whole, _| {
            found.insert((kind, whole));
        })?;
        let mut query = self.db.prepare_cached(
            "SELECT u.kind, i.id, u.uid FROM uids u JOIN issues i ON i.n = u.n WHERE u.uid >= ?1 AND u.uid < ?2",
        )?;
        add(&mut found, query.query(params![text, end_of(text)])?)?;
        if found.is_empty() && !text.is_empty() {
            // Again, ignoring case, which has to look at all ids. LIKE does so for ASCII letters.
            let mut query = self.db.prepare_cached(
                "SELECT u.kind, i.id, u.uid FROM uids u JOIN issues i ON i.n = u.n
                 WHERE u.uid LIKE ?1 ESCAPE '\\' OR CASE u.kind WHEN 0 THEN i.id
                     WHEN 1 THEN 'SOL-' || i.id || '-' || u.uid ELSE 'EXR-' || i.id || '-' || u.uid
                 END LIKE ?1 ESCAPE '\\'",
            )?;
            let escaped = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
            add(&mut found, query.query([format!("{escaped}%")])?)?;
        }
        let broken = |_| IndexError::File(std::io::Error::other("it holds an invalid id"));
        let mut known = Vec::new();
        for (kind, whole) in found {
            let (issue, id) = match kind {
                Kind::Issue => {
                    let id = IssueId::parse(&whole).map_err(broken)?;
                    (id.clone(), Known::Issue(id))
                }
                Kind::Solution => {
                    let id = SolutionId::parse(&whole).map_err(broken)?;
                    (id.issue(), Known::Solution(id))
                }
                Kind::Execution => {
                    let id = ExecutionId::parse(&whole).map_err(broken)?;
                    (id.issue(), Known::Execution(id))
                }
            };
            // Plans come first, then executions, then the issue.
            known.push(((issue, (kind as i64 + 2) % 3, whole), id));
        }
        known.sort_by(|(one, _), (two, _)| one.cmp(two));
        let mut known: Vec<Known> = known.into_iter().map(|(_, id)| id).collect();
        let mut query = self.db.prepare_cached("SELECT whole FROM queues ORDER BY whole")?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let whole = row.get_ref(0)?.as_str()?;
            if whole.starts_with(text) || whole.rsplit_once('-').is_some_and(|(_, uid)| uid.starts_with(text))
            {
                known.push(Known::Queue(QueueId::parse(whole).map_err(broken)?));
            }
        }
        Ok(known)
    }

    /// Calls `found` with the kind, the id and the issue's title of every issue, plan and execution whose id starts
    /// with `text`.
    fn each_that_begins(
        &self,
        text: &str,
        mut found: impl FnMut(Kind, String, &str),
    ) -> Result<(), IndexError> {
        // `text` ends within the id of the issue.
        let mut within = self.db.prepare_cached(
            "SELECT i.id, u.uid, i.title FROM issues i CROSS JOIN uids u ON u.n = i.n
             WHERE i.id >= ?1 AND i.id < ?2 AND u.kind = ?3",
        )?;
        // `text` contains the whole id of the issue.
        let mut behind = self.db.prepare_cached(
            "SELECT i.id, u.uid, i.title FROM issues i CROSS JOIN uids u ON u.n = i.n
             WHERE i.id = ?1 AND u.kind = ?2 AND u.uid >= ?3 AND u.uid < ?4",
        )?;
        for kind in Kind::ALL {
            let start = match text.strip_prefix(kind.prefix()) {
                Some(start) => start,
                None if kind.prefix().starts_with(text) => "",
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
            for (at, _) in start.match_indices('-').filter(|_| kind != Kind::Issue) {
                let uid = &start[at + 1..];
                pass(&mut behind.query(params![&start[..at], kind as i64, uid, end_of(uid)])?)?;
            }
        }
        Ok(())
    }
}

/// Adds what the rows name: each has a kind, an issue, and a uid.
fn add(found: &mut BTreeSet<(Kind, String)>, mut rows: Rows<'_>) -> Result<(), IndexError> {
    while let Some(row) = rows.next()? {
        let kind = kind_of(row.get(0)?)?;
        found.insert((kind, kind.id(row.get_ref(1)?.as_str()?, row.get_ref(2)?.as_str()?)));
    }
    Ok(())
}

/// An upper bound of all ids that start with `text`: no id contains the greatest character.
fn end_of(text: &str) -> String {
    format!("{text}\u{10ffff}")
}

fn kind_of(number: i64) -> Result<Kind, IndexError> {
    let known = Kind::ALL.into_iter().find(|kind| *kind as i64 == number);
    known.ok_or_else(|| IndexError::File(std::io::Error::other("it holds an invalid id")))
}
