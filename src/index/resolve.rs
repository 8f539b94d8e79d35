//! Resolves what a user types to an id, like [`crate::store::resolve`], but without reading every directory for a
//! short one.

use rusqlite::params;

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
        let mut query = self.db.prepare_cached(
            "SELECT whole, ifnull((SELECT title FROM issues i WHERE i.n = ids.n), '') FROM ids
             WHERE kind = ?1 AND whole >= ?2 AND whole < ?3 ORDER BY whole LIMIT ?4",
        )?;
        let end = format!("{text}\u{10ffff}");
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let rows =
            query.query_map(params![kind as i64, text, end, most], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Everything with an id that starts with `text`, or whose uid does, in the order in which candidates are listed.
    pub(super) fn ids_that_begin(&self, text: &str) -> Result<Vec<Known>, IndexError> {
        // No id contains the greatest byte.
        let end = format!("{text}\u{10ffff}");
        let mut query = self.db.prepare_cached(
            "SELECT whole, kind, ifnull((SELECT id FROM issues i WHERE i.n = ids.n), '~') AS issue
             FROM ids WHERE (whole >= ?1 AND whole < ?2) OR (uid >= ?1 AND uid < ?2)
             ORDER BY issue, (kind + 2) % 3, whole",
        )?;
        let found = known(query.query(params![text, end])?)?;
        if !found.is_empty() || text.is_empty() {
            return Ok(found);
        }
        // In any case, which has to look at all ids. LIKE ignores the case of ASCII letters.
        let mut query = self.db.prepare_cached(
            "SELECT whole, kind, ifnull((SELECT id FROM issues i WHERE i.n = ids.n), '~') AS issue
             FROM ids WHERE whole LIKE ?1 ESCAPE '\\' OR uid LIKE ?1 ESCAPE '\\'
             ORDER BY issue, (kind + 2) % 3, whole",
        )?;
        let escaped = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
        known(query.query(params![format!("{escaped}%")])?)
    }
}

/// What rows of ids and their kinds name.
fn known(mut rows: rusqlite::Rows<'_>) -> Result<Vec<Known>, IndexError> {
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let (whole, kind): (String, i64) = (row.get(0)?, row.get(1)?);
        let broken = |_| IndexError::File(std::io::Error::other("it holds an invalid id"));
        found.push(match kind {
            kind if kind == Kind::Issue as i64 => Known::Issue(IssueId::parse(&whole).map_err(broken)?),
            kind if kind == Kind::Solution as i64 => {
                Known::Solution(SolutionId::parse(&whole).map_err(broken)?)
            }
            kind if kind == Kind::Execution as i64 => {
                Known::Execution(ExecutionId::parse(&whole).map_err(broken)?)
            }
            _ => Known::Queue(QueueId::parse(&whole).map_err(broken)?),
        });
    }
    Ok(found)
}
