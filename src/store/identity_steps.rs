//! Steps of the history that no command makes: a record that says something else in a field which is written once, that
//! was born again, or whose epoch moved as it may not. A merge joins any two versions and cannot tell who is right, so
//! these are named, with the commit that brought them. What a merge makes of its parents is no step of its own.

use gix::ObjectId;
use gix::objs::tree::EntryKind;
use schemars::JsonSchema;
use serde::Serialize;

use super::error::StoreError;
use super::layout::{Form, form};
use super::merge;
use super::repo::Store;
use super::snapshot::{Snapshot, read_blob};
use crate::model::doc::{Doc, Step};

/// A step that no command makes, and who brought it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Rewritten {
    /// The record's file in the tree of the ref.
    pub(crate) path: String,
    /// What it says otherwise.
    pub(crate) what: String,
    /// The commit of the ref.
    pub(crate) commit: String,
    /// Its author: `Name <email>`.
    pub(crate) author: String,
}

impl Store {
    /// The steps that no command makes in the history of `tip`, without that of `since`, of records that both states
    /// have. Where those agree in all that is at stake, no history is walked.
    pub(crate) fn rewritten(&self, since: ObjectId, tip: ObjectId) -> Result<Vec<Rewritten>, StoreError> {
        let (before, after) = (self.commit_tree(since)?, self.commit_tree(tip)?);
        let mut suspects = Vec::new();
        for file in self.differences(Some(before), after)? {
            if let (Some(old), Some(new)) = (blob(file.old), blob(file.new))
                && !self.step_faults(&file.path, old, new)?.is_empty()
            {
                suspects.push(file.path);
            }
        }
        let mut found = Vec::new();
        if suspects.is_empty() {
            return Ok(found);
        }
        for (commit, parents) in self.parents_first(&[tip], Some(since))? {
            self.rewritten_by(commit, &parents, &|path| suspects.iter().any(|it| it == path), &mut found)?;
        }
        Ok(found)
    }

    /// Adds what one commit did of that to the files that are looked at.
    pub(crate) fn rewritten_by(
        &self,
        commit: ObjectId,
        parents: &[ObjectId],
        is_looked_at: &dyn Fn(&str) -> bool,
        found: &mut Vec<Rewritten>,
    ) -> Result<(), StoreError> {
        let Some(state) = Snapshot::of_commit(&self.repo, commit)? else { return Ok(()) };
        for parent in parents.iter().filter(|parent| self.repo.has_object(**parent)) {
            let Some(before) = Snapshot::of_commit(&self.repo, *parent)? else { continue };
            for file in self.differences(Some(before.tree()), state.tree())? {
                let (Some(old), Some(new)) = (blob(file.old), blob(file.new)) else { continue };
                if !is_looked_at(&file.path) {
                    continue;
                }
                for what in self.own_faults(&file.path, (old, new), parents)? {
                    let (path, author) = (file.path.clone(), self.step(commit)?.author);
                    let one = Rewritten { path, what, commit: commit.to_string(), author };
                    if !found.contains(&one) {
                        found.push(one);
                    }
                }
            }
        }
        Ok(())
    }

    /// What a commit with these parents did to a file that one of them has as `old`, as far as it is no merge's doing.
    pub(super) fn own_faults(
        &self,
        path: &str,
        (old, new): (ObjectId, ObjectId),
        parents: &[ObjectId],
    ) -> Result<Vec<String>, StoreError> {
        let faults = self.step_faults(path, old, new)?;
        if faults.is_empty() || parents.len() < 2 {
            return Ok(faults);
        }
        let mut joined: Option<Vec<u8>> = None;
        for parent in parents {
            let Some(state) = Snapshot::of_commit(&self.repo, *parent)? else { continue };
            let Some(id) = blob(state.entry(path)?.map(|(id, kind)| (kind, id))) else { continue };
            let bytes = read_blob(&self.repo, id, path)?;
            joined = Some(match joined {
                Some(joined) => merge::join(path, &joined, &bytes, self.repo.object_hash())?,
                None => bytes,
            });
        }
        let is_joined = joined == Some(read_blob(&self.repo, new, path)?);
        Ok(if is_joined { Vec::new() } else { faults })
    }

    fn step_faults(&self, path: &str, old: ObjectId, new: ObjectId) -> Result<Vec<String>, StoreError> {
        let (Form::Doc(schema), _) = form(path) else { return Ok(Vec::new()) };
        let read = |id| Ok::<_, StoreError>(Doc::parse(schema, &read_blob(&self.repo, id, path)?).ok());
        Ok(match (read(old)?, read(new)?) {
            (Some(old), Some(new)) => Step::between(Some(&old), &new).faults(),
            _ => Vec::new(),
        })
    }
}

/// The file on one side of a difference, whatever its mode: a merge joins both kinds.
fn blob(side: Option<(EntryKind, ObjectId)>) -> Option<ObjectId> {
    side.filter(|(kind, _)| matches!(kind, EntryKind::Blob | EntryKind::BlobExecutable)).map(|(_, id)| id)
}
