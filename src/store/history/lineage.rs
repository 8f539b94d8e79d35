//! What each commit of a history changed itself, as opposed to what it merged.
//!
//! A commit is compared with the merge of its parents. For a plain commit that is the state of its parent; for a
//! merge that this program made, nothing differs. A record that was deleted or made unreadable is remembered until it
//! exists again: deleting a record in one commit and adding another under its id in the next is also a change of
//! identity.
//!
//! The cost depends on the tree entries in which commits differ from their parents, not on the number of records: a
//! push of a few thousand small commits must not make every fetch slow.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::shared_map::SharedMap;
use super::versions::{RecordVersion, Versions};
use crate::git::{EntryId, EntryKind, ObjectId};
use crate::model::{Doc, RecordStep, Time};
use crate::store::layout::{self, form};
use crate::store::{Form, Snapshot, Store, StoreError};

#[cfg(test)]
pub(crate) mod tests;

/// A change of one path by one commit.
pub(crate) struct Own {
    /// The path in the tree of the ref.
    pub(crate) path: String,
    /// What the commit did there.
    pub(crate) did: Did,
    /// When the commit was made, by its own date.
    pub(crate) at: Time,
}

/// What a commit did at a path.
pub(crate) enum Did {
    /// It wrote a record with a clock.
    Wrote(Wrote),
    /// It deleted the entry, whether or not that was a record.
    Deleted(EntryKind),
    /// It changed the `plan_commit` of an execution.
    Redirected,
    /// It replaced a readable record with something unreadable.
    Unreadable,
}

/// A record that a commit wrote.
pub(crate) struct Wrote {
    /// The record as its parents have it, or as it was before it was deleted or made unreadable, and a commit that
    /// has it. `None` if there was none.
    pub(crate) old: Option<(Rc<Doc>, ObjectId)>,
    /// The record as the commit has it.
    pub(crate) new: Rc<Doc>,
    /// Its entry in the tree.
    pub(in crate::store) here: EntryId,
}

impl Own {
    /// The step from the old record to the new one; `None` if there is no new one.
    pub(crate) fn step(&self) -> Option<RecordStep> {
        match &self.did {
            Did::Wrote(Wrote { old, new, .. }) => {
                Some(RecordStep::between(old.as_ref().map(|(old, _)| &**old), new, self.at))
            }
            Did::Deleted(_) | Did::Redirected | Did::Unreadable => None,
        }
    }
}

/// The last versions of a record that a commit no longer has, each with a commit that has it.
type LostVersions = Rc<[(EntryId, ObjectId)]>;
/// By the number of the path.
type Gone = SharedMap<LostVersions>;

/// If different branches lost more versions than this, any of them will do: a change of identity is reported for the
/// one that is kept.
const MOST_LOST: usize = 8;

/// A commit that was walked and still has children to walk.
#[derive(Clone)]
struct Walked {
    /// `None` if the commit was skipped, or cannot be read.
    tree: Option<ObjectId>,
    gone: Gone,
}

/// A parent and its tree.
struct Before {
    commit: ObjectId,
    tree: ObjectId,
}

/// A path that differs: the entry in the commit, and the entries of those parents that differ, by their number.
struct Differing {
    after: Option<EntryId>,
    before: Vec<(usize, Option<EntryId>)>,
}

/// Walks a history, parents before children.
pub(crate) struct Lineage<'a> {
    store: &'a Store,
    walked: HashMap<ObjectId, Walked>,
    children_left: HashMap<ObjectId, usize>,
    versions: Versions<'a>,
    /// How many paths were compared.
    pub(crate) compared: usize,
    /// Whether records that no parent has are left out.
    skips_births: bool,
}

impl<'a> Lineage<'a> {
    /// Prepares a walk over these commits with their parents, in this order.
    pub(crate) fn over<'c>(
        store: &'a Store,
        history: impl IntoIterator<Item = (ObjectId, &'c [ObjectId])>,
    ) -> Self {
        let mut children_left = HashMap::new();
        for (_, parents) in history {
            for parent in parents {
                *children_left.entry(*parent).or_default() += 1;
            }
        }
        let versions = Versions::new(store);
        Self { store, walked: HashMap::new(), children_left, versions, compared: 0, skips_births: false }
    }

    /// Leaves out records with a clock that are new, without reading them.
    pub(crate) fn without_births(self) -> Self {
        Self { skips_births: true, ..self }
    }

    /// How many bytes of records were read.
    pub(crate) fn read(&self) -> usize {
        self.versions.read
    }

    /// The changes of the next commit, at the paths that are `wanted`. Parents that are not here, or not in
    /// `parents`, are not compared.
    pub(crate) fn changes(
        &mut self,
        commit: ObjectId,
        parents: &[ObjectId],
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<Own>, StoreError> {
        let (before, mut gone) = self.before(parents)?;
        let mut found = Vec::new();
        let tree = self.tree(commit)?;
        if let (Some(tree), Some(before)) = (tree, before) {
            let mut at = None;
            for (path, differing) in self.differing(tree, &before, wanted)? {
                let Some(did) = self.change(&path, &differing, &before, &mut gone)? else { continue };
                let at = match at {
                    Some(at) => at,
                    None => *at.insert(self.time(commit)?),
                };
                found.push(Own { path, did, at });
            }
        }
        if self.children_left.contains_key(&commit) {
            self.walked.insert(commit, Walked { tree, gone });
        }
        Ok(found)
    }

    fn time(&self, commit: ObjectId) -> Result<Time, StoreError> {
        Ok(Time::from_seconds(self.store.committed(commit)?).unwrap_or(Time::EPOCH))
    }

    fn tree(&self, commit: ObjectId) -> Result<Option<ObjectId>, StoreError> {
        Ok(Snapshot::of_commit(&self.store.repo, commit)?.map(|state| state.tree()))
    }

    /// The parents (`None` if one is missing, as at the end of a shallow clone), and the records that they have lost.
    fn before(&mut self, parents: &[ObjectId]) -> Result<(Option<Vec<Before>>, Gone), StoreError> {
        let mut before = Some(Vec::with_capacity(parents.len()));
        let mut gone = Gone::default();
        for parent in parents {
            let known = self.last_look(*parent);
            let tree = match known.as_ref().and_then(|known| known.tree) {
                Some(tree) => Some(tree),
                None if self.store.repo.has_object(*parent) => self.tree(*parent)?,
                None => {
                    before = None;
                    None
                }
            };
            if let (Some(before), Some(tree)) = (&mut before, tree) {
                before.push(Before { commit: *parent, tree });
            }
            if let Some(known) = known {
                gone = if gone.is_empty() { known.gone } else { gone.union(&known.gone, both) };
            }
        }
        Ok((before, gone))
    }

    /// What is known about a parent. It is forgotten with its last child.
    fn last_look(&mut self, parent: ObjectId) -> Option<Walked> {
        let is_last = self.children_left.get_mut(&parent).is_none_or(|left| {
            *left = left.saturating_sub(1);
            *left == 0
        });
        if is_last { self.walked.remove(&parent) } else { self.walked.get(&parent).cloned() }
    }

    /// The wanted paths at which a tree differs from that of a parent.
    fn differing(
        &mut self,
        tree: ObjectId,
        parents: &[Before],
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<BTreeMap<String, Differing>, StoreError> {
        let mut all: BTreeMap<String, Differing> = BTreeMap::new();
        let mut unread = Vec::new();
        for (n, parent) in parents.iter().enumerate() {
            let differences = self.store.differences(Some(parent.tree), tree)?;
            self.compared += differences.len();
            for file in differences {
                // Such a directory is too large to be read; it stands for everything in it.
                if layout::is_folder(&file.path) && file.old.is_some_and(|(kind, _)| kind == EntryKind::Tree)
                {
                    unread.push((n, format!("{}/", file.path)));
                }
                if wanted(&file.path) {
                    let none = Differing { after: file.new, before: Vec::new() };
                    all.entry(file.path).or_insert(none).before.push((n, file.old));
                }
            }
        }
        for (n, folder) in unread {
            for (_, differing) in all.iter_mut().filter(|(path, _)| path.starts_with(&folder)) {
                differing.before.push((n, None));
            }
        }
        Ok(all)
    }

    fn change(
        &mut self,
        path: &str,
        differing: &Differing,
        parents: &[Before],
        gone: &mut Gone,
    ) -> Result<Option<Did>, StoreError> {
        let after = differing.after;
        let mut had: Vec<(EntryId, ObjectId)> = Vec::with_capacity(parents.len());
        for (n, parent) in parents.iter().enumerate() {
            let other = differing.before.iter().find(|(differs, _)| *differs == n);
            let here = other.map_or(after, |(_, here)| *here);
            had.extend(here.map(|here| (here, parent.commit)));
        }
        let deleted =
            if after.is_none() { had.first().map(|((kind, _), _)| Did::Deleted(*kind)) } else { None };
        match form(path).0 {
            Form::Unknown => Ok(deleted),
            Form::Entry(_) => match after {
                None => Ok(deleted),
                Some(after) => self.change_of_entry(path, after, &had),
            },
            Form::Doc(_) => {
                let number = self.versions.number(path);
                if self.skips_births && had.is_empty() && gone.get(number).is_none() {
                    return Ok(None);
                }
                // If all parents that have the file have the same one, a merge keeps it.
                if let Some(after) = after
                    && !had.is_empty()
                    && had.iter().all(|(earlier, _)| *earlier == after)
                {
                    if gone.get(number).is_some() && self.versions.doc(path, after)?.is_some() {
                        gone.set(number, None);
                    }
                    return Ok(None);
                }
                let did = self.change_of_doc(path, number, after, &had, gone)?;
                Ok(deleted.or(did))
            }
        }
    }

    /// A write-once record cannot be rewritten, since its name depends on its content; the only exception is the
    /// `plan_commit` of an execution.
    fn change_of_entry(
        &mut self,
        path: &str,
        after: EntryId,
        had: &[(EntryId, ObjectId)],
    ) -> Result<Option<Did>, StoreError> {
        if had.iter().all(|(earlier, _)| *earlier == after) {
            return Ok(None);
        }
        let mut sound = Vec::with_capacity(had.len());
        for (here, _) in had {
            if let RecordVersion::Entry(named) = self.versions.get(path, *here)? {
                sound.push(named);
            }
        }
        Ok(match self.versions.get(path, after)? {
            _ if sound.is_empty() => None,
            RecordVersion::Entry(named) => (!sound.contains(&named)).then_some(Did::Redirected),
            _ => Some(Did::Unreadable),
        })
    }

    fn change_of_doc(
        &mut self,
        path: &str,
        number: u32,
        after: Option<EntryId>,
        had: &[(EntryId, ObjectId)],
        gone: &mut Gone,
    ) -> Result<Option<Did>, StoreError> {
        let new = match after {
            Some(after) => self.versions.doc(path, after)?,
            None => None,
        };
        let mut read = self.docs(path, had)?;
        let Some((new, here)) = new.zip(after) else {
            if read.is_empty() {
                return Ok(None);
            }
            gone.set(number, Some(read.iter().map(|(_, version)| *version).collect()));
            return Ok(Some(Did::Unreadable));
        };
        if let Some(lost) = gone.get(number).cloned() {
            if read.is_empty() {
                read = self.docs(path, &lost)?;
            }
            gone.set(number, None);
        }
        let old = joined(&read);
        let is_new = old.as_ref().is_none_or(|(old, _)| *old != new);
        Ok(is_new.then_some(Did::Wrote(Wrote { old, new, here })))
    }

    /// The versions that can be read.
    fn docs(&mut self, path: &str, versions: &[(EntryId, ObjectId)]) -> Result<Vec<Readable>, StoreError> {
        let mut read: Vec<Readable> = Vec::with_capacity(versions.len());
        for version in versions {
            if !read.iter().any(|(_, known)| known.0 == version.0) {
                read.extend(self.versions.doc(path, version.0)?.map(|doc| (doc, *version)));
            }
        }
        Ok(read)
    }
}

/// A version of a record, its entry in the tree, and a commit that has it.
type Readable = (Rc<Doc>, (EntryId, ObjectId));

/// The merge of these versions, and a commit that has its birth.
fn joined(versions: &[Readable]) -> Option<(Rc<Doc>, ObjectId)> {
    let (first, rest) = versions.split_first()?;
    if rest.is_empty() {
        return Some((Rc::clone(&first.0), first.1.1));
    }
    let all = rest.iter().fold((*first.0).clone(), |all, (doc, _)| all.merge((**doc).clone()));
    let bearer = versions.iter().find(|(doc, _)| doc.birth() == all.birth()).unwrap_or(first);
    Some((Rc::new(all), bearer.1.1))
}

/// The result does not depend on the order of merges.
fn both(one: &LostVersions, two: &LostVersions) -> LostVersions {
    let mut all: BTreeMap<EntryId, ObjectId> = BTreeMap::new();
    for (here, commit) in one.iter().chain(two.iter()) {
        let known = all.entry(*here).or_insert(*commit);
        *known = (*known).min(*commit);
    }
    all.into_iter().take(MOST_LOST).collect()
}
