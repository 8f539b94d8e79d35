//! Redactions that set an entry aside because it was stamped in the future. Only the places of the two in their logs
//! count, so that every clone reads the same. But someone who gives such a redaction an early place could silence any
//! entry, so a gate checks it against its own clock, and other clones against the date of the commit that brought it.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::error::StoreError;
use super::identity_steps::Rewritten;
use super::layout::{Location, Log, entry_stamp};
use super::repo::Store;
use super::snapshot::{Snapshot, read_blob};
use crate::git::trees::{Here, Recent};
use crate::git::{EntryKind, ObjectId};
use crate::model::redaction::{ASIDE, Redaction};
use crate::model::stamp::Stamp;
use crate::model::time::Time;
use crate::model::{strict, typed};

/// An entry that a redaction sets aside.
pub(super) struct Aside {
    /// The entry's file.
    pub(super) target: String,
    /// Its place in its log.
    entry: Stamp,
}

impl Aside {
    /// What the redaction at `path` sets aside; `None` if it is none, or one that hides something.
    pub(super) fn by(path: &str, bytes: &[u8]) -> Option<Self> {
        let Location::Entry(Log::Redactions(owner), _) = Location::parse(path)? else { return None };
        let redaction: Redaction = typed::read(&strict::parse(bytes).ok()?).ok()?;
        if redaction.field != ASIDE {
            return None;
        }
        let target = format!("{owner}/{}", redaction.target);
        let entry = entry_stamp(&target)?;
        entry.is_ahead_of(redaction.id.stamp().time()).then_some(Self { target, entry })
    }

    /// Whether the entry was not ahead of `now` at all.
    pub(super) fn is_fine_at(&self, now: Time) -> bool {
        !self.entry.is_ahead_of(now)
    }
}

impl Store {
    /// Who set entries aside that were not in the future by the date of that commit, in the history of `tip` without
    /// that of `since`.
    pub(super) fn wrongly_aside(
        &self,
        since: Option<ObjectId>,
        tip: ObjectId,
    ) -> Result<Vec<Rewritten>, StoreError> {
        let Some(after) = Snapshot::of_commit(&self.repo, tip)? else { return Ok(Vec::new()) };
        let before = match since {
            Some(since) => Snapshot::of_commit(&self.repo, since)?,
            None => None,
        };
        let mut asides = BTreeMap::new();
        for file in self.differences(before.as_ref().map(Snapshot::tree), after.tree())? {
            let (None, Some((EntryKind::Blob | EntryKind::BlobExecutable, id))) = (file.old, file.new) else {
                continue;
            };
            if matches!(Location::parse(&file.path), Some(Location::Entry(Log::Redactions(_), _)))
                && let Some(aside) = Aside::by(&file.path, &read_blob(&self.repo, id, &file.path)?)
            {
                asides.insert(file.path, aside);
            }
        }
        if asides.is_empty() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        let mut additions = Additions { store: self, wanted: &asides, recent: Recent::default() };
        for (commit, parents) in self.parents_first(&[tip], since)? {
            for path in additions.of(commit, &parents)? {
                let Some(aside) = asides.get(&path) else { continue };
                let at = Time::from_seconds(self.committed(commit)?).unwrap_or(Time::EPOCH);
                if !aside.is_fine_at(at) {
                    continue;
                }
                found.push(Rewritten {
                    what: format!("set `{}` aside, which was not stamped in the future", aside.target),
                    path,
                    commit: commit.to_string(),
                    author: self.step(commit)?.author,
                });
            }
        }
        Ok(found)
    }
}

/// Finds which commits brought some files. A folder that a parent has as well is not opened, nor one in which nothing of
/// that is wanted: the walk costs what the commits changed, however many files are asked for.
struct Additions<'a, T> {
    store: &'a Store,
    wanted: &'a BTreeMap<String, T>,
    recent: Recent,
}

impl<T> Additions<'_, T> {
    /// The wanted files that a commit has and none of its parents.
    fn of(&mut self, commit: ObjectId, parents: &[ObjectId]) -> Result<Vec<String>, StoreError> {
        let tree = |commit| -> Result<Option<ObjectId>, StoreError> {
            Ok(Snapshot::of_commit(&self.store.repo, commit)?.map(|state| state.tree()))
        };
        let mut found = Vec::new();
        let Some(own) = tree(commit)? else { return Ok(found) };
        let mut before = Vec::with_capacity(parents.len());
        for parent in parents.iter().filter(|parent| self.store.repo.has_object(**parent)) {
            before.extend(tree(*parent)?);
        }
        self.look(own, &before, "", &mut found)?;
        Ok(found)
    }

    fn look(
        &mut self,
        tree: ObjectId,
        before: &[ObjectId],
        folder: &str,
        found: &mut Vec<String>,
    ) -> Result<(), StoreError> {
        if before.contains(&tree) || !self.is_wanted_in(folder) {
            return Ok(());
        }
        let entries = self.recent.entries(&self.store.repo, Some(tree))?;
        let mut others = Vec::with_capacity(before.len());
        for tree in before {
            others.push(self.recent.entries(&self.store.repo, Some(*tree))?);
        }
        for name in entries.names() {
            let here = entries.get(name);
            let there: Vec<Here> = others.iter().filter_map(|other| other.get(name)).collect();
            let Some((kind, id)) = here.filter(|here| !there.contains(here)) else { continue };
            let path = format!("{folder}{name}");
            if kind == EntryKind::Tree {
                let trees = there.iter().filter(|(kind, _)| *kind == EntryKind::Tree);
                let trees: Vec<ObjectId> = trees.map(|(_, id)| *id).collect();
                self.look(id, &trees, &format!("{path}/"), found)?;
            } else if there.is_empty() && self.wanted.contains_key(&path) {
                found.push(path);
            }
        }
        Ok(())
    }

    fn is_wanted_in(&self, folder: &str) -> bool {
        let behind = (Bound::Included(folder), Bound::Unbounded);
        self.wanted.range::<str, _>(behind).next().is_some_and(|(path, _)| path.starts_with(folder))
    }
}

#[cfg(test)]
mod tests;
