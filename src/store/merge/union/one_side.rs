//! Directories that only one side of a merge has.

use super::{MergeLimits, TreeMerge, inside};
use crate::git::trees::{self, DEEPEST};
use crate::git::{Entry, EntryKind, Kind, ObjectId};
use crate::store::{StoreError, layout};

impl TreeMerge<'_> {
    /// The number of files in a tree unknown to the format, down to the depth that a merge looks at. Everything that
    /// must be read counts, including empty directories and entries that a merge leaves out.
    pub(super) fn count(&mut self, tree: ObjectId, depth: usize) -> Result<u64, StoreError> {
        if let Some(known) = self.counted.get(&(tree, depth)) {
            return Ok(*known);
        }
        let mut files = 0u64;
        let entries = trees::read(self.repo, tree)?.map(|folder| folder.entries).unwrap_or_default();
        for entry in entries {
            let inside = match entry.mode.kind() {
                EntryKind::Tree if depth < DEEPEST => self.count(entry.oid, depth + 1)?,
                _ => 1,
            };
            files = files.saturating_add(inside.max(1));
        }
        self.counted.insert((tree, depth), files);
        Ok(files)
    }

    /// Whether the directory at `path` is too large by itself.
    pub(in crate::store) fn is_full(&mut self, tree: ObjectId, path: &str, depth: usize) -> bool {
        let files = self.count(tree, depth);
        files.and_then(|files| self.refuse_full(path, files)).is_err()
    }

    /// Refuses a directory with more files than a merge accepts.
    pub(super) fn refuse_full(&self, path: &str, files: u64) -> Result<(), StoreError> {
        let MergeLimits { files: most, own_files, .. } = self.bounds;
        if files <= most.min(own_files) {
            return Ok(());
        }
        let most = if layout::is_folder(path) { own_files } else { most };
        if files > most {
            return Err(StoreError::FullFolder { path: path.to_owned(), most });
        }
        Ok(())
    }

    /// An entry that only one side has, without what a store cannot hold, and its number of files (see
    /// [`Self::count`]). `None` if nothing is left.
    pub(super) fn clean(
        &mut self,
        entry: &Entry,
        path: &str,
        depth: usize,
    ) -> Result<(Option<Entry>, u64), StoreError> {
        if entry.mode.kind() == EntryKind::Commit {
            // A commit of another repository.
            return Ok((Some(entry.clone()), 1));
        }
        if entry.mode.kind() != EntryKind::Tree {
            let header = self.repo.header(entry.oid).map_err(StoreError::object("cannot read a record"))?;
            let is_file = header.kind == Kind::Blob;
            if !is_file {
                self.refuse(path);
            }
            return Ok((is_file.then(|| entry.clone()), 1));
        }
        if depth >= DEEPEST {
            self.refuse(path);
            return Ok((None, 1));
        }
        let known = self.cleaned.get(&(entry.oid, depth)).copied();
        let (tree, files) = match known {
            Some(known) => known,
            None => {
                let mut kept = Vec::new();
                let (entries, mut files) = self.read(entry.oid, path)?;
                for inner in entries {
                    let (cleaned, count) = self.clean(&inner, &inside(path, &inner.filename), depth + 1)?;
                    files = files.saturating_add(count);
                    kept.extend(cleaned);
                }
                let tree = self.write(kept, &[entry.oid], path)?;
                let files = files.max(1);
                self.cleaned.insert((entry.oid, depth), (tree, files));
                (tree, files)
            }
        };
        self.refuse_full(path, files)?;
        Ok((tree.map(|oid| Entry { oid, ..entry.clone() }), files))
    }
}
