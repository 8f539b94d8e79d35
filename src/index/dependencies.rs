//! What open issues depend on, and the cycles among them.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::Row;

use super::Index;
use super::error::IndexError;
use crate::model::IssueId;
use crate::rules::{DependencyCycle, RelationCycle, Relations, dag};

/// The dependencies of open issues on open issues: all that a cycle of unmet dependencies can consist of. The numbers are
/// those of completed, closed and cancelled issues.
const OPEN: &str =
    "SELECT i.id, o.id, o.n FROM depends d JOIN issues i ON i.n = d.n JOIN issues o ON o.id = d.target
     WHERE i.status NOT IN (5, 8, 9) AND o.status NOT IN (5, 8, 9)";

/// The parts of issues that are parts themselves: all that a cycle of them can consist of.
const PARTS: &str = "SELECT i.id, t.parent FROM parents t JOIN issues i ON i.n = t.n
     WHERE t.parent IN (SELECT o.id FROM parents p JOIN issues o ON o.n = p.n)";

/// What each issue depends on.
#[derive(Default)]
struct Dependencies(BTreeMap<IssueId, Vec<IssueId>>);

impl Dependencies {
    /// Adds a row of [`OPEN`].
    fn add(&mut self, row: &Row<'_>) -> rusqlite::Result<()> {
        let (from, to): (String, String) = (row.get(0)?, row.get(1)?);
        if let (Ok(from), Ok(to)) = (IssueId::parse(&from), IssueId::parse(&to)) {
            self.0.entry(from).or_default().push(to);
        }
        Ok(())
    }

    fn cycles(&self) -> Vec<DependencyCycle> {
        let ids: Vec<IssueId> = self.0.keys().cloned().collect();
        let paths = dag::cycles(&ids, |id| self.0.get(id).cloned().unwrap_or_default());
        paths.into_iter().map(DependencyCycle::new).collect()
    }
}

impl Index<'_> {
    /// The cycles of unmet dependencies.
    pub(crate) fn cycles(&self) -> Result<Vec<DependencyCycle>, IndexError> {
        let mut query = self.db.prepare_cached(OPEN)?;
        let mut found = Dependencies::default();
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            found.add(row)?;
        }
        Ok(found.cycles())
    }

    /// The cycles of issues that are parts of each other.
    pub(crate) fn cycles_of_parts(&self) -> Result<Vec<RelationCycle>, IndexError> {
        let mut query = self.db.prepare_cached(PARTS)?;
        let mut found = Relations::default();
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let (part, whole): (String, String) = (row.get(0)?, row.get(1)?);
            if let (Ok(part), Ok(whole)) = (IssueId::parse(&part), IssueId::parse(&whole)) {
                found.add_part(part, whole);
            }
        }
        Ok(found.cycles())
    }

    /// The cycles of unmet dependencies that these issues are in or wait for. Reads only what they depend on.
    pub(crate) fn cycles_of(&self, numbers: &[i64]) -> Result<Vec<DependencyCycle>, IndexError> {
        let mut query = self.db.prepare_cached(&format!("{OPEN} AND d.n = ?1"))?;
        let mut found = Dependencies::default();
        let (mut seen, mut open) = (BTreeSet::new(), numbers.to_vec());
        while let Some(n) = open.pop() {
            if !seen.insert(n) {
                continue;
            }
            let mut rows = query.query([n])?;
            while let Some(row) = rows.next()? {
                found.add(row)?;
                open.push(row.get(2)?);
            }
        }
        Ok(found.cycles())
    }
}
