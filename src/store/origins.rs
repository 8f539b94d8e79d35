//! Records that a commit makes where its parents have none. On a branch that begins before the record, or behind a commit
//! that deleted it, anybody can make one under the same id, and a merge joins it with the one that is there.

use std::collections::HashMap;

use gix::ObjectId;

use super::error::StoreError;
use super::layout::{self, Form, form};
use super::repo::Store;
use super::snapshot::{Read, Snapshot};
use crate::model::doc::{Doc, Step};
use crate::model::time::Time;

/// So many commits that made a record under one id are remembered.
const MOST_MADE: usize = 8;
/// So many commits are looked at in all, for records that were there once.
const MOST_LOOKED_AT: usize = 200_000;

/// Judges records that commits make, of a history that is walked with parents before children.
pub(crate) struct Origins<'a> {
    store: &'a Store,
    /// The state before the commits that are walked; none if the whole history is.
    base: Option<Snapshot<'a>>,
    made: HashMap<String, Vec<ObjectId>>,
    left: usize,
}

impl<'a> Origins<'a> {
    /// For a walk over what was made since `base`, or over a whole history.
    pub(crate) fn since(store: &'a Store, base: Option<ObjectId>) -> Result<Self, StoreError> {
        let base = match base {
            Some(base) => Snapshot::of_commit(&store.repo, base)?,
            None => None,
        };
        Ok(Self { store, base, made: HashMap::new(), left: MOST_LOOKED_AT })
    }

    /// What is wrong with a record that a commit made at `at`, and that none of its `parents` has, in words.
    pub(crate) fn faults(
        &mut self,
        (path, new): (&str, &Doc),
        commit: ObjectId,
        parents: &[ObjectId],
        at: Time,
    ) -> Result<Vec<String>, StoreError> {
        let there = self.base.as_ref().map(|base| doc(base, path)).transpose()?.flatten();
        let mut known: Vec<(Doc, ObjectId)> = Vec::new();
        known.extend(there.clone().zip(self.base.as_ref().map(Snapshot::commit)));
        for made in self.made.get(path).into_iter().flatten() {
            known.extend(self.doc_of(*made, path)?.map(|doc| (doc, *made)));
        }
        for (other, of) in &known {
            let names = other.twin_fault(new);
            if !names.is_empty() {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                let (id, by) = (of.to_hex_with_len(10), self.store.step(*of)?.author);
                let what = match self.base.as_ref().is_some_and(|base| base.commit() == *of) {
                    true => "than the one that is there".to_owned(),
                    false => format!("than in commit {id} by {by}"),
                };
                return Ok(vec![format!("made the record again, with another {} {what}", names.join(", "))]);
            }
        }
        let made = self.made.entry(path.to_owned()).or_default();
        if made.len() < MOST_MADE {
            made.push(commit);
        }
        // Two births that do not know of each other are nobody's fault.
        let is_another = there.is_some_and(|there| !Step::between(Some(&there), new, at).faults().is_empty());
        if !is_another {
            return Ok(Vec::new());
        }
        let before = self.before(path, parents)?;
        Ok(before.map(|old| Step::between(Some(&old), new, at).faults()).unwrap_or_default())
    }

    /// The record as the history of these commits had it last.
    fn before(&mut self, path: &str, tips: &[ObjectId]) -> Result<Option<Doc>, StoreError> {
        let failed = StoreError::object("cannot read the history of the store");
        let here = tips.iter().copied().filter(|tip| self.store.repo.has_object(*tip));
        for info in self.store.repo.rev_walk(here).all().map_err(&failed)? {
            let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
            self.left = left;
            let Ok(info) = info else { return Ok(None) };
            if let Some(found) = self.doc_of(info.id, path)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn doc_of(&self, commit: ObjectId, path: &str) -> Result<Option<Doc>, StoreError> {
        Snapshot::of_commit(&self.store.repo, commit)?.map_or(Ok(None), |state| doc(&state, path))
    }
}

/// The record at a path of a state; `None` if there is none that can be read.
fn doc(state: &Snapshot<'_>, path: &str) -> Result<Option<Doc>, StoreError> {
    let (Form::Doc(schema), id) = form(path) else { return Ok(None) };
    let Some(bytes) = state.file(path)? else { return Ok(None) };
    Ok(layout::own_doc(schema, id.as_deref(), &bytes).ok())
}
