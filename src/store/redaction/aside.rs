//! Redactions that set an entry aside because it was stamped in the future. Only the two positions in their logs
//! count, so every clone reads the same result. But anyone could silence an entry by giving such a redaction an early
//! position. So a server checks the redaction against its own clock, and other clones check it against the date of
//! the commit that brought it.

use std::collections::BTreeMap;
use std::ops::Bound;

use crate::git::{EntryId, EntryKind, ObjectId};
use crate::model::{ASIDE, Redaction, Stamp, Time, strict, typed};
use crate::store::layout::entry_stamp;
use crate::store::snapshot::read_blob;
use crate::store::{Location, LogKind, Rewritten, Snapshot, Store, StoreError};

/// An entry that a redaction sets aside.
pub(crate) struct SetAside {
    /// The path of the entry's file.
    pub(crate) target: String,
    /// The entry's position in its log.
    entry: Stamp,
}

impl SetAside {
    /// The entry that the redaction at `path` sets aside. `None` if the file is not a redaction, or if it hides a
    /// value instead.
    pub(crate) fn by(path: &str, bytes: &[u8]) -> Option<Self> {
        let Location::Entry(LogKind::Redactions(owner), _) = Location::parse(path)? else { return None };
        let redaction: Redaction = typed::read(&strict::parse(bytes).ok()?).ok()?;
        if redaction.field != ASIDE {
            return None;
        }
        let target = format!("{owner}/{}", redaction.target);
        let entry = entry_stamp(&target)?;
        entry.is_ahead_of(redaction.id.stamp().time()).then_some(Self { target, entry })
    }

    /// Whether the entry was not stamped after `now`.
    pub(crate) fn is_not_after(&self, now: Time) -> bool {
        !self.entry.is_ahead_of(now)
    }
}

impl Store {
    /// The commits in the history of `tip` but not of `since` that set an entry aside although it was not in the
    /// future by the commit's own date.
    pub(crate) fn wrongly_aside(
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
            let (None, Some(id)) = (file.old, file.new_file()) else { continue };
            if matches!(Location::parse(&file.path), Some(Location::Entry(LogKind::Redactions(_), _)))
                && let Some(aside) = SetAside::by(&file.path, &read_blob(&self.repo, id, &file.path)?)
            {
                asides.insert(file.path, aside);
            }
        }
        if asides.is_empty() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        let additions = Additions { store: self, wanted: &asides };
        for (commit, parents) in self.parents_first(&[tip], since)? {
            for path in additions.paths(commit, &parents)? {
                let Some(aside) = asides.get(&path) else { continue };
                let at = Time::from_seconds(self.committed(commit)?).unwrap_or(Time::EPOCH);
                if !aside.is_not_after(at) {
                    continue;
                }
                found.push(Rewritten {
                    what: format!("set `{}` aside, which was not stamped in the future", aside.target),
                    path,
                    commit: commit.into(),
                    author: self.step(commit)?.author,
                });
            }
        }
        Ok(found)
    }
}

/// Finds the commits that added given files. The walk skips directories that a parent also has and directories
/// without a wanted file, so it costs what the commits changed, however many files are wanted.
struct Additions<'a, T> {
    store: &'a Store,
    wanted: &'a BTreeMap<String, T>,
}

impl<T> Additions<'_, T> {
    /// The wanted files that a commit has and none of its parents has.
    fn paths(&self, commit: ObjectId, parents: &[ObjectId]) -> Result<Vec<String>, StoreError> {
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
        &self,
        tree: ObjectId,
        before: &[ObjectId],
        folder: &str,
        found: &mut Vec<String>,
    ) -> Result<(), StoreError> {
        if before.contains(&tree) || !self.is_wanted_in(folder) {
            return Ok(());
        }
        let entries = self.store.repo.entries(Some(tree))?;
        let mut others = Vec::with_capacity(before.len());
        for tree in before {
            others.push(self.store.repo.entries(Some(*tree))?);
        }
        for name in entries.names() {
            let here = entries.get(name);
            let there: Vec<EntryId> = others.iter().filter_map(|other| other.get(name)).collect();
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
