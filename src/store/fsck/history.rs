//! Each commit of the ref against its parents, and what the history can give back.

use std::collections::{BTreeMap, HashSet};

use gix::ObjectId;
use gix::objs::tree::EntryKind;

use super::{Findings, Severity, files};
use crate::store::error::StoreError;
use crate::store::repo::Store;
use crate::store::snapshot::{Snapshot, read_blob};

impl Store {
    /// A path that is dropped is a fault while it is still missing, and a note where somebody restored it. Answers with
    /// all commits of the history.
    pub(super) fn check_history(
        &self,
        snapshot: &Snapshot<'_>,
        found: &mut Findings,
    ) -> Result<HashSet<ObjectId>, StoreError> {
        let failed = StoreError::object("cannot read the history of the store");
        let walk = self.repo.rev_walk([snapshot.commit()]).all().map_err(&failed)?;
        let ours = self.ours(snapshot.commit());
        let mut known = HashSet::new();
        let mut roots = 0;
        for info in walk {
            let info = match info {
                Ok(info) => info,
                Err(error) => {
                    let what = format!("a commit of its history cannot be read: {error}");
                    found.error(self.reference(), what);
                    break;
                }
            };
            known.insert(info.id);
            if !ours.contains(info.id) {
                continue;
            }
            let parents: Vec<ObjectId> = info.parent_ids().map(gix::Id::detach).collect();
            if parents.is_empty() {
                roots += 1;
            }
            if info.id != snapshot.commit()
                && let Err(error) = self.snapshot_at(info.id)
            {
                // The newest state is a store, so that somebody mended it.
                let severity = match error {
                    StoreError::NotAStore { .. } => Severity::Note,
                    _ => Severity::Error,
                };
                found.add(severity, self.reference(), Some(info.id), error.to_string());
            }
            let Some(state) = Snapshot::of_commit(&self.repo, info.id)? else { continue };
            for parent in &parents {
                if self.repo.has_object(*parent) && !ours.contains(*parent) {
                    let what = format!("it was merged with {parent}, which is no commit of a store");
                    found.add(Severity::Error, self.reference(), Some(info.id), what);
                    continue;
                }
                self.check_step(snapshot, *parent, (&state, &parents), found)?;
            }
        }
        if roots > 1 {
            found.note(
                self.reference(),
                format!("its history has {roots} first commits, where all stores share one"),
            );
        }
        Ok(known)
    }

    fn check_step(
        &self,
        now: &Snapshot<'_>,
        parent: ObjectId,
        (state, parents): (&Snapshot<'_>, &[ObjectId]),
        found: &mut Findings,
    ) -> Result<(), StoreError> {
        // A parent that a shallow clone does not have.
        if !self.repo.has_object(parent) {
            return Ok(());
        }
        let Some(before) = Snapshot::of_commit(&self.repo, parent)? else { return Ok(()) };
        for file in self.differences(Some(before.tree()), state.tree())? {
            if let (Some((EntryKind::Blob, old)), Some((EntryKind::Blob, new))) = (file.old, file.new) {
                for fault in self.own_faults(&file.path, (old, new), parents)? {
                    let what = format!("{fault}; by {}", self.step(state.commit())?.author);
                    found.add(Severity::Error, &file.path, Some(state.commit()), what);
                }
            }
            let Some((kind, _)) = file.old.filter(|_| file.new.is_none()) else { continue };
            let (severity, what) = match now.entry(&file.path)? {
                Some(_) => (Severity::Note, "dropped by this commit, and restored since"),
                None if matches!(kind, EntryKind::Blob | EntryKind::BlobExecutable)
                    && files::is_place(&file.path) =>
                {
                    (Severity::Error, "dropped by this commit; `git wf fsck --repair` restores it")
                }
                None => (Severity::Note, "dropped by this commit; it is no path of this format"),
            };
            found.add(severity, &file.path, Some(state.commit()), what);
        }
        Ok(())
    }

    /// What the history can give back: for each path that a commit dropped, or whose record cannot be read, the newest
    /// version that can be.
    pub(crate) fn repairs(&self) -> Result<BTreeMap<String, Vec<u8>>, StoreError> {
        let failed = StoreError::object("cannot read the history of the store");
        let snapshot = self.unchecked(&mut Findings::default())?;
        let ours = self.ours(snapshot.commit());
        let mut repairs = BTreeMap::new();
        let walk = self.repo.rev_walk([snapshot.commit()]).all().map_err(&failed)?;
        for info in walk {
            // A history that ends early gives back what it has.
            let Ok(info) = info else { break };
            if !ours.contains(info.id) {
                continue;
            }
            let Some(state) = Snapshot::of_commit(&self.repo, info.id)? else { continue };
            let parents =
                info.parent_ids().filter(|id| self.repo.has_object(*id) && ours.contains(id.detach()));
            for parent in parents {
                let Some(before) = Snapshot::of_commit(&self.repo, parent.detach())? else { continue };
                for file in self.differences(Some(before.tree()), state.tree())? {
                    let Some((EntryKind::Blob | EntryKind::BlobExecutable, old)) = file.old else { continue };
                    let is_wanted = files::is_place(&file.path) && !repairs.contains_key(&file.path);
                    if !is_wanted || self.has_sound(&snapshot, &file.path)? {
                        continue;
                    }
                    let bytes = read_blob(&self.repo, old, &file.path)?;
                    if files::is_sound(&file.path, &bytes) {
                        repairs.insert(file.path, bytes);
                    }
                }
            }
        }
        Ok(repairs)
    }
}

/// The commits of a history that belong to the store: those that descend from a first commit that is one, be it the one that
/// all stores begin with or not. A commit of the code that somebody made a parent does not, and its files are none of the
/// store's.
struct Ours(Option<HashSet<ObjectId>>);

impl Ours {
    fn contains(&self, commit: ObjectId) -> bool {
        self.0.as_ref().is_none_or(|ours| ours.contains(&commit))
    }
}

impl Store {
    /// All of them where that cannot be told, since the history is not all here.
    fn ours(&self, tip: ObjectId) -> Ours {
        let Ok(history) = self.parents_first(&[tip], None) else { return Ours(None) };
        let mut ours = HashSet::new();
        for (commit, parents) in history {
            // Where a shallow clone ends, a history begins, too.
            let is_first = || !parents.iter().any(|parent| self.repo.has_object(*parent));
            let begins = || is_first() && self.snapshot_at(commit).is_ok();
            if parents.iter().any(|parent| ours.contains(parent)) || begins() {
                ours.insert(commit);
            }
        }
        Ours(ours.contains(&tip).then_some(ours))
    }
}
