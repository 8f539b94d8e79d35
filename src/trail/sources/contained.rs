//! Work of other plans that is a part of a larger change, recognized file by file.

use std::collections::BTreeSet;

use super::{SourceWork, Sources, add};
use crate::git::{ObjectId, PatchIdsByFile};
use crate::model::{CommitHash, PatchId, SolutionId};
use crate::store::{MOST_FILES, ReadState, StoreError, object_id};
use crate::trail::parts::sum;
use crate::trail::patch_id;

impl<R: ReadState> Sources<'_, R> {
    /// The work of other plans than `executed` that a change to these files repeats or reverts besides other changes:
    /// that of commits among `recent` whose files it changes on top of `head` in the same way, or back. No file counts for two of them.
    /// `by_file` are the patch ids of the change and of its reverse.
    pub(crate) fn contained(
        &self,
        recent: &[CommitHash],
        files: &[String],
        executed: &SolutionId,
        head: ObjectId,
        by_file: impl FnOnce() -> Result<[PatchIdsByFile; 2], StoreError>,
    ) -> Result<Vec<SourceWork>, StoreError> {
        if files.len() >= MOST_FILES {
            return Ok(vec![]);
        }
        let mut left: BTreeSet<&str> = files.iter().map(String::as_str).collect();
        let mut possible: Vec<(CommitHash, Vec<String>)> = Vec::new();
        for hash in recent {
            let links = self.links(hash, &self.known(hash)?)?;
            let is_own = links.iter().any(|(execution, _)| execution.solution_id == *executed);
            if is_own {
                continue;
            }
            let Some((_, link)) = links.into_iter().next() else { continue };
            let is_part = !link.files.is_empty()
                && link.files.len() < files.len()
                && link.files.iter().all(|file| left.contains(file.as_str()));
            if is_part {
                possible.push((hash.clone(), link.files.clone()));
            }
        }
        if possible.is_empty() {
            return Ok(vec![]);
        }
        let hashes: Vec<CommitHash> = possible.iter().map(|(hash, _)| hash.clone()).collect();
        let hashes = self.repeatable(&hashes, head)?;
        possible.retain(|(hash, _)| hashes.contains(hash));
        if possible.is_empty() {
            return Ok(vec![]);
        }
        let [own, undone] = by_file()?;
        let known = patch_id::of_commits(self.store, &hashes)?;
        let mut found = Vec::new();
        for (hash, files) in &possible {
            let (Some(patch), Some(id)) = (known.get(hash), object_id(hash)) else { continue };
            if !files.iter().all(|file| left.contains(file.as_str())) {
                continue;
            }
            let is_copy = whole(&own, files).as_ref() == Some(patch);
            if !is_copy && whole(&undone, files).as_ref() != Some(patch) {
                continue;
            }
            left.retain(|file| !files.iter().any(|taken| taken == file));
            for mut source in self.of_commit(id, 0)? {
                source.reverts = if is_copy { vec![] } else { source.commits.clone() };
                add(&mut found, source);
            }
        }
        Ok(found)
    }
}

/// The patch id of the change to all of these files.
fn whole(by_file: &PatchIdsByFile, files: &[String]) -> Option<PatchId> {
    let ids: Vec<&PatchId> = files.iter().map(|file| by_file.get(file)).collect::<Option<_>>()?;
    sum(ids)
}
