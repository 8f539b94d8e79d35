//! Checks each commit of the ref against its parents, and finds what can be restored from the history.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Findings, Severity, files};
use crate::git::{EntryKind, ObjectId};
use crate::store::commit_form;
use crate::store::error::StoreError;
use crate::store::identity_steps::REDIRECTED;
use crate::store::layout;
use crate::store::lineage::{Did, Lineage};
use crate::store::origins::{Fault, Origins};
use crate::store::repo::Store;
use crate::store::snapshot::{Snapshot, read_blob};

/// If one commit deleted more files than this, only the first is listed, with the number of all.
const MOST_LISTED: usize = 20;

impl Store {
    /// Reports the changes in each commit of the history that no command makes. A deleted path is an error while it
    /// is missing, and a note once it is restored. Returns all commits of the history.
    pub(super) fn check_history(
        &self,
        snapshot: &Snapshot<'_>,
        found: &mut Findings,
    ) -> Result<HashSet<ObjectId>, StoreError> {
        let failed = StoreError::object("cannot read the history of the store");
        let walk = self.repo.walk([snapshot.commit()], []).map_err(&failed)?;
        let ours = self.ours(snapshot.commit());
        let mut known = HashSet::new();
        let mut roots = 0;
        let mut is_whole = true;
        let mut history = Vec::new();
        for info in walk {
            let info = match info {
                Ok(info) => info,
                Err(error) => {
                    let what = format!("cannot read a commit of its history: {error}");
                    found.error(self.reference(), what);
                    is_whole = false;
                    break;
                }
            };
            known.insert(info.id);
            if !ours.contains(info.id) {
                continue;
            }
            if let Ok(Some(why)) = self.ill_formed(info.id) {
                let what = format!("{} {}", self.step(info.id)?.author, commit_form::what(why));
                found.add(Severity::Error, self.reference(), Some(info.id), what);
            }
            let mut parents: Vec<ObjectId> = info.parents.to_vec();
            if parents.is_empty() {
                roots += 1;
            }
            if info.id != snapshot.commit()
                && let Err(error) = self.snapshot_at(info.id)
            {
                // The newest state is a valid store, so someone repaired this.
                let severity = match error {
                    StoreError::NotAStore { .. } => Severity::Note,
                    _ => Severity::Error,
                };
                found.add(severity, self.reference(), Some(info.id), error.to_string());
            }
            parents.retain(|parent| {
                let is_stranger = self.repo.has_object(*parent) && !ours.contains(*parent);
                if is_stranger {
                    let what = format!("merged {parent}, which is not a commit of a store");
                    found.add(Severity::Error, self.reference(), Some(info.id), what);
                }
                !is_stranger
            });
            history.push((info.id, parents));
        }
        if is_whole {
            history = self.in_order(snapshot.commit(), history)?;
        } else {
            history.reverse();
        }
        self.check_changes(snapshot, &history, found)?;
        if is_whole {
            for it in self.wrongly_aside(None, snapshot.commit())? {
                let commit = ObjectId::from_hex(it.commit.as_bytes()).ok();
                found.add(Severity::Error, &it.path, commit, format!("{} {}", it.author, it.what));
            }
        }
        if roots > 1 {
            found.note(
                self.reference(),
                format!("its history has {roots} first commits; all stores share one"),
            );
        }
        Ok(known)
    }

    /// The commits, parents before children.
    fn in_order(
        &self,
        tip: ObjectId,
        history: Vec<(ObjectId, Vec<ObjectId>)>,
    ) -> Result<Vec<(ObjectId, Vec<ObjectId>)>, StoreError> {
        let mut parents: HashMap<ObjectId, Vec<ObjectId>> = history.into_iter().collect();
        let order = self.parents_first(&[tip], None)?;
        Ok(order.into_iter().filter_map(|(commit, _)| Some((commit, parents.remove(&commit)?))).collect())
    }

    fn check_changes(
        &self,
        now: &Snapshot<'_>,
        history: &[(ObjectId, Vec<ObjectId>)],
        found: &mut Findings,
    ) -> Result<(), StoreError> {
        let mut lineage =
            Lineage::over(self, history.iter().map(|(commit, parents)| (*commit, &parents[..])));
        let mut origins = Origins::between(self, None, now.commit())?;
        for (commit, parents) in history {
            // Group the paths by message.
            let mut lost: BTreeMap<(Severity, String), Vec<String>> = BTreeMap::new();
            for own in lineage.changes(*commit, parents, &|_| true)? {
                let faults = own.step().map(|step| step.faults()).unwrap_or_default();
                let mut faults: Vec<Fault> =
                    faults.into_iter().map(|what| Fault { commit: *commit, what }).collect();
                faults.extend(origins.faults(&own, *commit, parents)?);
                for Fault { commit, what } in faults {
                    let what = format!("{} {what}", self.step(commit)?.author);
                    found.add(Severity::Error, &own.path, Some(commit), what);
                }
                let done = match own.did {
                    Did::Wrote(_) => continue,
                    Did::Redirected => {
                        let what = format!("{} {REDIRECTED}", self.step(*commit)?.author);
                        found.add(Severity::Error, &own.path, Some(*commit), what);
                        continue;
                    }
                    Did::Deleted(_) => "deleted",
                    Did::Unreadable => "made unreadable",
                };
                let is_back = match own.did {
                    Did::Unreadable => self.has_sound(now, &own.path)?,
                    _ => now.entry(&own.path)?.is_some(),
                };
                let is_restorable = match own.did {
                    Did::Deleted(kind) => {
                        matches!(kind, EntryKind::Blob | EntryKind::BlobExecutable)
                            && files::is_place(&own.path)
                    }
                    _ => true,
                };
                let (severity, what) = match (is_back, is_restorable) {
                    (true, _) => (Severity::Note, ", and restored since"),
                    (false, true) => (Severity::Error, "; `git wf fsck --repair` restores it"),
                    (false, false) => (Severity::Note, "; it is not a path of this format"),
                };
                lost.entry((severity, format!("{done}{what}"))).or_default().push(own.path);
            }
            if lost.is_empty() {
                continue;
            }
            let by = format!(" by {}", self.step(*commit)?.author);
            for ((severity, what), paths) in lost {
                // `deleted by Ada, and restored since`
                let at = what.find([',', ';']).unwrap_or(what.len());
                let what = format!("{}{by}{}", &what[..at], &what[at..]);
                match paths.split_at(MOST_LISTED.min(paths.len())) {
                    (all, []) => all.iter().for_each(|path| found.add(severity, path, Some(*commit), &what)),
                    _ => {
                        let what = format!("{what} (the first of {} files)", paths.len());
                        found.add(severity, &paths[0], Some(*commit), what);
                    }
                }
            }
        }
        Ok(())
    }

    /// What can be restored from the history: for each path that was deleted or whose record cannot be read, the
    /// newest readable version.
    pub(crate) fn repairs(&self) -> Result<BTreeMap<String, Vec<u8>>, StoreError> {
        let failed = StoreError::object("cannot read the history of the store");
        let snapshot = self.unchecked(&mut Findings::default())?;
        let ours = self.ours(snapshot.commit());
        let mut repairs = BTreeMap::new();
        let walk = self.repo.walk([snapshot.commit()], []).map_err(&failed)?;
        for info in walk {
            // The readable part of a damaged history can still restore something.
            let Ok(info) = info else { break };
            if !ours.contains(info.id) {
                continue;
            }
            let Some(state) = Snapshot::of_commit(&self.repo, info.id)? else { continue };
            for parent in
                info.parents.into_iter().filter(|id| self.repo.has_object(*id) && ours.contains(*id))
            {
                let Some(before) = Snapshot::of_commit(&self.repo, parent)? else { continue };
                for file in self.differences(Some(before.tree()), state.tree())? {
                    let Some((EntryKind::Blob | EntryKind::BlobExecutable, old)) = file.old else { continue };
                    let is_wanted = files::is_place(&file.path) && !repairs.contains_key(&file.path);
                    if !is_wanted || self.has_sound(&snapshot, &file.path)? {
                        continue;
                    }
                    let bytes = read_blob(&self.repo, old, &file.path)?;
                    if files::is_sound(&file.path, &bytes) {
                        let bytes = layout::canonical(&file.path, &bytes).unwrap_or(bytes);
                        repairs.insert(file.path, bytes);
                    }
                }
            }
        }
        Ok(repairs)
    }
}

/// The commits of a history that belong to the store: those that descend from a first commit which is a store,
/// whether or not it is the first commit that all stores share. A commit of the code that someone merged does not
/// belong to it, and neither do its files.
struct Ours(Option<HashSet<ObjectId>>);

impl Ours {
    fn contains(&self, commit: ObjectId) -> bool {
        self.0.as_ref().is_none_or(|ours| ours.contains(&commit))
    }
}

impl Store {
    /// Returns all commits if the history is incomplete.
    fn ours(&self, tip: ObjectId) -> Ours {
        let Ok(history) = self.parents_first(&[tip], None) else { return Ours(None) };
        let mut ours = HashSet::new();
        for (commit, parents) in history {
            // The history of a shallow clone starts where it was cut.
            let is_first = || !parents.iter().any(|parent| self.repo.has_object(*parent));
            let begins = || is_first() && self.snapshot_at(commit).is_ok();
            if parents.iter().any(|parent| ours.contains(parent)) || begins() {
                ours.insert(commit);
            }
        }
        Ours(ours.contains(&tip).then_some(ours))
    }
}
