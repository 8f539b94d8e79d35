//! Commits that may make the same change as another one, alone or together, and those of them that do.

use std::collections::{BTreeSet, HashSet};

use super::compared::{ComparedChange, alike};
use super::{Same, SourceWork, Sources, add};
use crate::git::ObjectId;
use crate::model::{CommitHash, PatchId, SolutionId};
use crate::store::{MOST_FILES, ReadState, StoreError, object_id};
use crate::trail::parts::FilesByCommit;
use crate::trail::patch_id;

/// The commits that may make the same change as another one, or take it back.
pub(super) struct SimilarCommits {
    /// Those that may do it alone, latest first.
    whole: Vec<CommitHash>,
    /// Those that may do it together, each with its files.
    parts: Vec<(CommitHash, Vec<String>)>,
}

/// The commits that can be parts of a change.
pub(super) struct PartsOfChange<'a> {
    pub(super) files: FilesByCommit<'a>,
    /// In the order of `files`.
    pub(super) commits: Vec<CommitHash>,
}

impl<'a> PartsOfChange<'a> {
    /// Those of `commits` that can be parts of a change to `files`.
    pub(super) fn of(files: &'a [String], commits: &'a [(CommitHash, Vec<String>)]) -> Self {
        let mut found = Self { files: FilesByCommit::new(files.iter().map(String::as_str)), commits: vec![] };
        for (hash, files) in commits {
            if found.files.add(files.iter().map(String::as_str)) {
                found.commits.push(hash.clone());
            }
        }
        found
    }
}

impl<R: ReadState> Sources<'_, R> {
    /// Those of `others` that may make the same change, or take it back, alone or together.
    pub(super) fn similar(
        &self,
        others: &[CommitHash],
        files: &[String],
        change: &impl ComparedChange,
    ) -> Result<SimilarCommits, StoreError> {
        let names: HashSet<&str> = files.iter().map(String::as_str).collect();
        let mut whole = Vec::new();
        let mut parts: Vec<(CommitHash, Vec<String>)> = Vec::new();
        for hash in others {
            let links = self.links(hash, &self.known(hash)?)?;
            // The same change touches the same files; but a link lists only a limited number of them.
            let is_like = links.iter().any(|(_, link)| {
                files.len() >= MOST_FILES
                    || link.files.iter().map(String::as_str).collect::<HashSet<_>>() == names
            });
            if is_like {
                whole.push(hash.clone());
            } else if files.len() < MOST_FILES
                && let Some((_, link)) = links.into_iter().find(|(_, link)| link.files.len() < files.len())
            {
                parts.push((hash.clone(), link.files.clone()));
            }
        }
        if !PartsOfChange::of(files, &parts).files.may_do() {
            parts.clear();
        }
        Ok(SimilarCommits { whole: alike(self.store, whole, change), parts })
    }

    /// Those of the similar commits whose change can be repeated on top of `head`.
    pub(super) fn repeatable_of(
        &self,
        similar: SimilarCommits,
        head: ObjectId,
    ) -> Result<SimilarCommits, StoreError> {
        let SimilarCommits { whole, parts } = similar;
        let all: Vec<CommitHash> = whole.iter().chain(parts.iter().map(|(hash, _)| hash)).cloned().collect();
        let mut found = self.repeatable(&all, head)?;
        let parts = parts.into_iter().filter(|(hash, _)| found.contains(hash)).collect();
        found.retain(|hash| whole.contains(hash));
        Ok(SimilarCommits { whole: found, parts })
    }

    /// The work that makes the same change, or the reverse of it: that of the first matching commit among the similar ones
    /// (newest first), if all matches belong to the same plans.
    pub(super) fn same_among(
        &self,
        similar: &SimilarCommits,
        files: &[String],
        change: &impl ComparedChange,
    ) -> Result<Same, StoreError> {
        let parts = PartsOfChange::of(files, &similar.parts);
        if similar.whole.is_empty() && !parts.files.may_do() {
            return Ok(Same::Nobody);
        }
        let [own, undone] = change.patch_ids()?;
        let known = patch_id::of_commits(self.store, &similar.whole)?;
        let mut latest: Option<Vec<SourceWork>> = None;
        let mut plans: BTreeSet<SolutionId> = BTreeSet::new();
        for hash in &similar.whole {
            let patch = known.get(hash);
            let takes_back = undone.is_some() && patch == undone.as_ref();
            if patch.is_none() || (patch != own.as_ref() && !takes_back) {
                continue;
            }
            let Some(id) = object_id(hash) else { continue };
            let mut found = self.of_commit(id, 0)?;
            for source in &mut found {
                source.reverts = if takes_back { source.commits.clone() } else { vec![] };
            }
            let of: BTreeSet<SolutionId> = found.iter().map(|known| known.solution_id.clone()).collect();
            match &latest {
                None => latest = Some(found),
                Some(latest) if latest.iter().any(|source| of.contains(&source.solution_id)) => {}
                Some(_) => {
                    plans.extend(of);
                    return Ok(Same::Several(plans.into_iter().collect()));
                }
            }
            plans.extend(latest.iter().flatten().map(|source| source.solution_id.clone()));
        }
        if let Some(found) = latest.filter(|found| !found.is_empty()) {
            return Ok(Same::Of(found));
        }
        let found = self.put_together(&parts, [own, undone])?;
        Ok(if found.is_empty() { Same::Nobody } else { Same::Of(found) })
    }

    /// The work whose changes together make this change, or are undone by it.
    fn put_together(
        &self,
        parts: &PartsOfChange<'_>,
        [own, undone]: [Option<PatchId>; 2],
    ) -> Result<Vec<SourceWork>, StoreError> {
        let PartsOfChange { files: parts, commits } = parts;
        if !parts.may_do() {
            return Ok(vec![]);
        }
        let known = patch_id::of_commits(self.store, commits)?;
        let ids: Vec<Option<&PatchId>> = commits.iter().map(|hash| known.get(hash)).collect();
        for (whole, takes_back) in [(own, false), (undone, true)] {
            let Some(chosen) = whole.and_then(|whole| parts.making(&whole, &ids)) else { continue };
            let mut found = Vec::new();
            for id in chosen.iter().filter_map(|n| object_id(&commits[*n])) {
                for mut source in self.of_commit(id, 0)? {
                    source.reverts = if takes_back { source.commits.clone() } else { vec![] };
                    add(&mut found, source);
                }
            }
            return Ok(found);
        }
        Ok(vec![])
    }
}
