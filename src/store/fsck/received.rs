//! Whether the ref may move to a commit that somebody pushed.

use gix::ObjectId;
use gix::objs::tree::EntryKind;

use super::files;
use crate::store::error::StoreError;
use crate::store::layout::{self, Form};
use crate::store::merge::{self, EqualTrees};
use crate::store::repo::Store;
use crate::store::root;
use crate::store::snapshot::{LARGEST_RECORD, Snapshot, read_blob};

/// So many files of a folder that this version does not know are looked at.
const MOST_UNKNOWN: usize = 200_000;

/// Whether it, or a folder above it, lies among records and is none.
fn is_misplaced(path: &str) -> bool {
    let above = path.match_indices('/').map(|(at, _)| &path[..at]);
    above
        .chain([path])
        .any(|path| !layout::is_folder(path) && !files::is_place(path) && files::misplaced(path).is_some())
}

impl Store {
    /// What is wrong with a move of the ref from `old`, or from nothing, to `new`; nothing where it may move. It must
    /// descend from what is there, drop or set back nothing of it, and bring only records that can be read.
    pub(crate) fn check_received(
        &self,
        old: Option<ObjectId>,
        new: ObjectId,
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
        let work = self.in_memory();
        let (from, is_kept) = match old {
            Some(old) => (old, self.is_ancestor(old, new)?),
            None => {
                let root = root::make(&work)?;
                (root, merge::is_ancestor(&work, root, new)?)
            }
        };
        if !is_kept {
            return Ok(vec![match old {
                Some(old) => format!("{new} does not descend from {old}, where it is now"),
                None => format!("{new} does not begin with the commit that all stores begin with"),
            }]);
        }
        let mut faults = Vec::new();
        let merged = merge::heads(self, &work, old, (new, "what was pushed"), EqualTrees::Join)?;
        if let Some(merged) = merged.filter(|it| !it.is_fast_forward) {
            let refused = merged.refused.iter().map(|path| format!("`{path}`: nothing that a store holds"));
            faults.extend(refused);
            let lost = |path: &String| match after.entry(path) {
                Ok(Some(_)) => format!("`{path}`: set back to an earlier state, or broken"),
                _ => format!("`{path}`: dropped"),
            };
            faults.extend(merged.restored.iter().map(lost));
            if faults.is_empty() {
                faults.push("what is there now would not be kept as it is".into());
            }
        }
        let before = match old {
            Some(_) => Snapshot::of_commit(&self.repo, from)?,
            None => None,
        };
        for file in self.differences(before.as_ref().map(Snapshot::tree), after.tree())? {
            let Some((kind, id)) = file.new else { continue };
            let why = match kind {
                _ if is_misplaced(&file.path) => Some("no place for a record"),
                EntryKind::Tree => self.fault_in_folder(&file.path, file.old.map(|(_, old)| old), id)?,
                _ => self.fault(&file.path, kind, id)?,
            };
            faults.extend(why.map(|why| format!("`{}`: {why}", file.path)));
        }
        faults.sort();
        faults.dedup();
        Ok(faults)
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
        let files = self.first_differences(old, new, MOST_UNKNOWN + 1)?;
        if files.len() > MOST_UNKNOWN {
            return Ok(Some("more files than a store has"));
        }
        for (kind, id) in files.into_iter().filter_map(|file| file.new) {
            if kind != EntryKind::Blob || self.is_too_large(id)? {
                return Ok(Some("what is in it is no plain file, or larger than a record may be"));
            }
        }
        Ok(None)
    }

    fn is_too_large(&self, id: ObjectId) -> Result<bool, StoreError> {
        let failed = StoreError::object("cannot read a record of the store");
        Ok(self.repo.find_header(id).map_err(failed)?.size() > LARGEST_RECORD)
    }

    fn fault(&self, path: &str, kind: EntryKind, id: ObjectId) -> Result<Option<&'static str>, StoreError> {
        if kind != EntryKind::Blob {
            return Ok(Some("no plain file"));
        }
        if !files::is_place(path) {
            return Ok(Some("no place for a record"));
        }
        if self.is_too_large(id)? {
            return Ok(Some("larger than a record may be"));
        }
        let is_sound = files::is_sound(path, &read_blob(&self.repo, id)?);
        Ok((!is_sound).then_some("not a record that can be read"))
    }
}
