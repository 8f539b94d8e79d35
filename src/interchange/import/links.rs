//! What the issues of an import depend on, and which of that is missing.

use std::collections::{BTreeMap, BTreeSet};

use super::{Batch, cycles};
use crate::interchange::{ImportReport, Noted, Skipped};
use crate::model::{Issue, IssueId};
use crate::store::{ReadState, StoreError, Tx, layout};

/// The dependencies of the issues that were written.
#[derive(Default)]
pub(super) struct Links {
    /// Issues that got a new dependency.
    dependent: Vec<IssueId>,
    /// The dependencies of the issues that were written.
    depends_on: BTreeMap<IssueId, Vec<IssueId>>,
    /// How many issues of the source depend on an issue.
    wanted: BTreeMap<IssueId, u64>,
}

impl Links {
    /// Counts what an issue of the source depends on.
    pub(super) fn want(&mut self, issue: &Issue) {
        for target in &issue.depends_on {
            match self.wanted.get_mut(target) {
                Some(count) => *count += 1,
                None => drop(self.wanted.insert(target.clone(), 1)),
            }
        }
    }

    /// Counts new relations and dependencies. Returns notes on issues that were not imported and are not here; of those
    /// that were skipped, [`Links::end`] says it.
    pub(super) fn count(
        &mut self,
        report: &mut ImportReport,
        tx: &Tx<'_>,
        batch: &Batch,
        now: &Issue,
        here: Option<&Issue>,
    ) -> Result<Vec<String>, StoreError> {
        let mut notes = Vec::new();
        report.relations += added(&now.relations, here.map(|here| &here.relations)).count() as u64;
        self.depends_on.insert(now.id.clone(), now.depends_on.iter().cloned().collect());
        for target in added(&now.depends_on, here.map(|here| &here.depends_on)) {
            report.dependencies += 1;
            if self.dependent.last() != Some(&now.id) {
                self.dependent.push(now.id.clone());
            }
            if batch.places.contains_key(target) || tx.file(&layout::issue(target))?.is_some() {
                continue;
            }
            if batch.unselected.contains(target) {
                notes.push(format!("it depends on `{target}`, which the options left out"));
            } else if !batch.skipped.contains(target) {
                notes.push(format!("it depends on `{target}`, which is neither in the source nor here"));
            }
        }
        Ok(notes)
    }

    /// Says of each skipped issue how many others depend on it; returns notes on cycles.
    pub(super) fn end(
        self,
        tx: &Tx<'_>,
        skipped: &mut [Skipped],
        is_missing: impl Fn(&IssueId) -> bool,
    ) -> Result<Vec<Noted>, StoreError> {
        for record in skipped {
            let id = record.id.as_deref().and_then(|id| IssueId::parse(id).ok()).filter(|id| is_missing(id));
            let depend = match id.and_then(|id| self.wanted.get(&id)) {
                None => continue,
                Some(1) => "1 issue depends on it".to_owned(),
                Some(count) => format!("{count} issues depend on it"),
            };
            record.reason = format!("{}; {depend}", record.reason);
        }
        cycles::notes(tx, &self.dependent, self.depends_on)
    }
}

/// The elements that are new in the set.
fn added<'a, T: Ord>(now: &'a BTreeSet<T>, before: Option<&'a BTreeSet<T>>) -> impl Iterator<Item = &'a T> {
    now.iter().filter(move |item| before.is_none_or(|before| !before.contains(item)))
}
