//! Whether the ref may move to a commit that somebody pushed.

mod record;

use gix::ObjectId;
use gix::objs::tree::EntryKind;

use self::record::Fault;
use super::files;
use crate::model::time::Time;
use crate::store::error::StoreError;
use crate::store::history::Link;
use crate::store::layout::{self, Form, ROOT_PATH};
use crate::store::merge::{self, EqualTrees};
use crate::store::purge::Unpurged;
use crate::store::repo::Store;
use crate::store::snapshot::{Read, Snapshot, read_blob};
use crate::store::tree_diff::Difference;
use crate::store::trees;

/// So many files of a folder that this version does not know are looked at.
const MOST_UNKNOWN: usize = 200_000;
/// So many commits are looked through for the one that brought what is at fault.
const MOST_COMMITS: usize = 1_000;
/// So many records are looked for in all that was pushed, to see how they came to be born anew.
const MOST_BIRTHS: usize = 100;
/// So many faults are told with the commit that brought them.
const MOST_TRACED: usize = 10;

/// How much one push may bring. A few kilobytes can unfold to more than any server could look at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    /// Paths that differ.
    files: usize,
    /// JSON values in the records there.
    values: usize,
}

const BUDGET: Budget = Budget { files: 1_000_000, values: 20_000_000 };

/// What whoever pushes does about a purge that took place here.
const PURGED: &str = "run `git wf redact --purge` in the clone, which keeps what is new";
/// What whoever runs the server does about a purge that took place elsewhere.
const NOT_PURGED: &str = "run `git wf redact --purge` on the server";
const IN_PARTS: &str = "push it in parts, `git push REMOTE COMMIT:REF` with an earlier commit first";

/// Whether it, or a folder above it, lies among records and is none.
fn is_misplaced(path: &str) -> bool {
    let above = path.match_indices('/').map(|(at, _)| &path[..at]);
    above
        .chain([path])
        .any(|path| !layout::is_folder(path) && !files::is_place(path) && files::misplaced(path).is_some())
}

impl Store {
    /// What is wrong with a move of the ref from `old`, or from nothing, to `new`; nothing where it may move. It must
    /// descend from what is there through nothing but stores, drop, set back and rewrite nothing of it, and bring only
    /// records as this program writes them.
    pub(crate) fn check_received(
        &self,
        old: Option<ObjectId>,
        new: ObjectId,
    ) -> Result<Vec<String>, StoreError> {
        self.received_within(old, new, BUDGET)
    }

    fn received_within(
        &self,
        old: Option<ObjectId>,
        new: ObjectId,
        budget: Budget,
    ) -> Result<Vec<String>, StoreError> {
        let after = match self.snapshot_at(new) {
            Ok(after) => after,
            Err(error @ (StoreError::NotAStore { .. } | StoreError::NewerFormat { .. })) => {
                return Ok(vec![error.to_string()]);
            }
            Err(error) => return Err(error),
        };
        match self.refuse_large_commits(new, old.as_slice(), "what was pushed") {
            Err(error @ StoreError::NotAStore { .. }) => return Ok(vec![error.to_string()]),
            checked => checked?,
        }
        if let Some(old) = old {
            match self.unpurged(&self.in_memory(), old, new)? {
                Some(Unpurged::Theirs) => {
                    return Ok(vec![format!("{new} brings back what was purged here: {PURGED}")]);
                }
                Some(Unpurged::Ours) => {
                    return Ok(vec![format!("{new} was purged, and {old} here was not: {NOT_PURGED}")]);
                }
                None => {}
            }
        }
        if let Some(old) = old.filter(|old| !self.is_ancestor(*old, new).unwrap_or(false)) {
            return Ok(vec![format!("{new} does not descend from {old}, where it is now")]);
        }
        let steps = self.commits_between(old, new)?;
        let faults = self.strangers(&steps, old.is_none())?;
        if !faults.is_empty() {
            return Ok(faults);
        }
        let before = match old {
            Some(old) => Snapshot::of_commit(&self.repo, old)?,
            None => None,
        };
        let tree = before.as_ref().map(Snapshot::tree);
        let (differences, is_all) = self.differences_within(tree, after.tree(), budget.files)?;
        if !is_all {
            return Ok(vec![format!("more than {} files differ: {IN_PARTS}", budget.files)]);
        }
        let now = self.now()?;
        let mut look = Look { store: self, steps: &steps, now, values: 0, births: 0, budget };
        let mut found: Vec<(String, String)> = Vec::new();
        for file in &differences {
            found.extend(look.fault(file)?.map(|why| (file.path.clone(), why)));
            if look.values > budget.values {
                return Ok(vec![format!("more than {} values in its records: {IN_PARTS}", budget.values)]);
            }
        }
        // What is broken is named once, and not looked at by a merge.
        if found.is_empty() {
            found = self.lost(old, new, &after)?;
        }
        found.sort();
        found.dedup();
        let mut faults = Vec::with_capacity(found.len());
        for (n, (path, why)) in found.into_iter().enumerate() {
            let by = match n < MOST_TRACED && steps.len() <= MOST_COMMITS {
                true => self.brought_by(&steps, &after, &path)?,
                false => String::new(),
            };
            faults.push(if path.is_empty() { why } else { format!("`{path}`: {why}{by}") });
        }
        Ok(faults)
    }

    /// New commits of the history that are no stores. A commit of the code among the parents of a merge would bring its
    /// files in, where the history is asked for what was lost.
    fn strangers(&self, steps: &[Link], is_first: bool) -> Result<Vec<String>, StoreError> {
        let first = self.first_commit()?;
        let mut roots = Vec::new();
        let mut faults = Vec::new();
        for step in steps {
            if step.parents.is_empty() && !(is_first && step.commit == first) {
                let what =
                    format!("{} does not begin with the commit that all stores begin with", step.commit);
                faults.push(what);
                continue;
            }
            let root = trees::look_up(&self.repo, step.tree, ROOT_PATH.into())?;
            if root.is_some_and(|root| roots.contains(&root)) {
                continue;
            }
            match self.snapshot_at(step.commit) {
                Ok(_) => roots.extend(root),
                Err(error @ (StoreError::NotAStore { .. } | StoreError::NewerFormat { .. })) => {
                    faults.push(error.to_string());
                }
                Err(error) => return Err(error),
            }
        }
        Ok(faults)
    }

    /// What a merge with what is there now would bring back.
    fn lost(
        &self,
        old: Option<ObjectId>,
        new: ObjectId,
        after: &Snapshot<'_>,
    ) -> Result<Vec<(String, String)>, StoreError> {
        let merged = merge::heads(self, &self.in_memory(), old, (new, "what was pushed"), EqualTrees::Join)?;
        let Some(merged) = merged.filter(|it| !it.is_fast_forward) else { return Ok(vec![]) };
        let mut found: Vec<(String, String)> = Vec::new();
        found.extend(merged.refused.into_iter().map(|path| (path, "nothing that a store holds".into())));
        for path in merged.restored {
            let why = match after.entry(&path)? {
                Some(_) => "set back to an earlier state, or broken",
                None => "dropped",
            };
            found.push((path, why.into()));
        }
        if found.is_empty() {
            found.push((String::new(), "what is there now would not be kept as it is".into()));
        }
        Ok(found)
    }

    /// The first new commit in which `path` is as it was pushed, in words.
    fn brought_by(&self, steps: &[Link], after: &Snapshot<'_>, path: &str) -> Result<String, StoreError> {
        let wanted = after.entry(path)?;
        let is_so = |commit: ObjectId| -> Result<bool, StoreError> {
            Ok(Snapshot::of_commit(&self.repo, commit)?
                .map(|state| state.entry(path))
                .transpose()?
                .is_some_and(|entry| entry == wanted))
        };
        for step in steps {
            if is_so(step.commit)? && !step.parents.iter().any(|parent| is_so(*parent).unwrap_or(true)) {
                let by = self.step(step.commit)?.author;
                return Ok(format!(" (commit {} by {by})", step.commit.to_hex_with_len(10)));
            }
        }
        Ok(String::new())
    }

    fn is_too_large(&self, path: &str, id: ObjectId) -> Result<bool, StoreError> {
        let failed = StoreError::object("cannot read a record of the store");
        Ok(self.repo.find_header(id).map_err(failed)?.size() > layout::largest(path))
    }
}

/// The look at each file that a push brings or changes.
struct Look<'a> {
    store: &'a Store,
    /// What was pushed.
    steps: &'a [Link],
    now: Time,
    /// JSON values in all records so far.
    values: usize,
    /// Records that were born anew, so far.
    births: usize,
    budget: Budget,
}

impl Look<'_> {
    fn fault(&mut self, file: &Difference) -> Result<Option<String>, StoreError> {
        // What is dropped, the merge finds.
        let Some((kind, id)) = file.new else { return Ok(None) };
        if is_misplaced(&file.path) {
            return Ok(Some("no place for a record".into()));
        }
        match kind {
            EntryKind::Tree => {
                let why = self.fault_in_folder(&file.path, file.old.map(|(_, old)| old), id)?;
                Ok(why.map(str::to_owned))
            }
            EntryKind::Blob | EntryKind::BlobExecutable => self.fault_in_file(file, id),
            // A merge keeps these where no record belongs.
            EntryKind::Link | EntryKind::Commit => {
                let is_free =
                    files::is_place(&file.path) && matches!(layout::form(&file.path).0, Form::Unknown);
                Ok(trees::unread(kind).filter(|_| !is_free).map(str::to_owned))
            }
        }
    }

    /// Of a folder that a later version of the format may know, and that is kept as it is.
    fn fault_in_folder(
        &self,
        path: &str,
        old: Option<ObjectId>,
        new: ObjectId,
    ) -> Result<Option<&'static str>, StoreError> {
        if !matches!(layout::form(path).0, Form::Unknown) {
            return Ok(Some("a folder, not a record"));
        }
        let files = self.store.first_differences(old, new, MOST_UNKNOWN + 1)?;
        let Some(files) = files.filter(|files| files.len() <= MOST_UNKNOWN) else {
            return Ok(Some("more files than a store has"));
        };
        for (kind, id) in files.into_iter().filter_map(|file| file.new) {
            if kind != EntryKind::Commit && self.store.is_too_large(path, id)? {
                return Ok(Some("what is in it is larger than a record may be"));
            }
        }
        Ok(None)
    }

    fn fault_in_file(&mut self, file: &Difference, id: ObjectId) -> Result<Option<String>, StoreError> {
        if !files::is_place(&file.path) {
            return Ok(Some("no place for a record".into()));
        }
        if self.store.is_too_large(&file.path, id)? {
            return Ok(Some("larger than a record may be".into()));
        }
        if matches!(layout::form(&file.path).0, Form::Unknown) {
            return Ok(None);
        }
        let new = read_blob(&self.store.repo, id, &file.path)?;
        self.values += record::most_values(&new);
        if self.values > self.budget.values {
            return Ok(None);
        }
        let old = match file.old {
            Some((EntryKind::Blob | EntryKind::BlobExecutable, old)) if old != id => {
                Some(read_blob(&self.store.repo, old, &file.path)?)
            }
            Some((_, old)) if old == id => return Ok(None),
            _ => None,
        };
        let fault = record::fault(&file.path, old.as_deref(), &new, self.now);
        if matches!(fault, Some(Fault::Birth { .. })) {
            self.births += 1;
            if self.births <= MOST_BIRTHS && self.has_met(&file.path)? {
                return Ok(None);
            }
        }
        Ok(fault.map(|fault| fault.to_string()))
    }

    /// Whether two records under one id met in merges, and nobody put one into the place of the other.
    fn has_met(&self, path: &str) -> Result<bool, StoreError> {
        let read = |commit: ObjectId| -> Result<Option<Vec<u8>>, StoreError> {
            let state = Snapshot::of_commit(&self.store.repo, commit)?;
            state.map(|state| state.file(path)).transpose().map(Option::flatten)
        };
        for step in self.steps {
            let after = read(step.commit)?;
            let is_kept = match &step.parents[..] {
                [parent] => record::is_same_birth(path, read(*parent)?.as_deref(), after.as_deref()),
                [one, two] => match (read(*one)?, read(*two)?) {
                    (Some(one), Some(two)) => {
                        let hash = self.store.repo.object_hash();
                        after == Some(merge::join(path, &one, &two, hash)?)
                    }
                    (one, two) => after == one.or(two),
                },
                _ => after.is_none(),
            };
            if !is_kept {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_push_beyond_what_can_be_looked_at_is_told_to_come_in_parts() {
        let folder = tempfile::tempdir().unwrap();
        gix::init_bare(folder.path()).unwrap();
        let store = Store::open(folder.path()).unwrap();
        let work = &store.repo;
        let first = crate::store::root::make(work).unwrap();
        let of = |files, values| store.received_within(None, first, Budget { files, values }).unwrap();
        assert_eq!(of(1, 100), [""; 0]);
        assert!(of(0, 100)[0].starts_with("more than 0 files differ: push it in parts"), "{:?}", of(0, 100));
        assert!(of(1, 1)[0].starts_with("more than 1 values in its records: push it in parts"));
    }
}
