//! Finds what other tools recorded about the agents behind commits: Entire and Git AI. Anyone can write that, so it is
//! bounded and checked, and what cannot be read is left out, so that every command still answers.

mod entire;
mod git_ai;

use std::ops::RangeInclusive;

use bstr::ByteSlice;
use serde_json::Value;

use crate::git::{EntryKind, Kind, ObjectId, bounded};
use crate::model::Provenance;
use crate::store::{Store, one_line};

/// A longer document is not read.
const LONGEST: u64 = 1024 * 1024;
/// The most characters of a name.
const LONGEST_NAME: usize = 200;
/// The most entries about one commit.
const MOST: usize = 20;

/// An entry about a commit, and the lines that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stated {
    /// What was recorded.
    pub(crate) provenance: Provenance,
    /// The lines of files as they are in that commit; `None` if it is about the whole commit.
    lines: Option<Vec<(String, RangeInclusive<u64>)>>,
}

impl Stated {
    /// Whether it is about any of these lines of a file, as they are in that commit.
    pub(crate) fn is_about(&self, path: &str, numbers: &[u64]) -> bool {
        let Some(lines) = &self.lines else { return true };
        lines.iter().any(|(file, range)| file == path && numbers.iter().any(|number| range.contains(number)))
    }
}

/// The places where other tools keep their records, as they are now.
pub(crate) struct Provenances<'a> {
    store: &'a Store,
    /// The tree of Git AI's notes.
    notes: Option<ObjectId>,
    /// The trees with Entire's checkpoints.
    checkpoints: Vec<ObjectId>,
}

impl<'a> Provenances<'a> {
    /// Looks for these places.
    pub(crate) fn find(store: &'a Store) -> Self {
        let checkpoints = entire::BRANCHES.iter().filter_map(|name| tree_of(store, name)).collect();
        Self { store, notes: tree_of(store, git_ai::NOTES), checkpoints }
    }

    /// What is recorded about a commit with this message.
    pub(crate) fn about(&self, commit: ObjectId, message: &[u8]) -> Vec<Stated> {
        let mut stated = Vec::new();
        for id in entire::checkpoints(message) {
            stated.extend(
                entire::sessions(self, &id).into_iter().map(|provenance| Stated { provenance, lines: None }),
            );
        }
        if let Some(note) = self.notes.and_then(|notes| self.note(notes, commit)) {
            stated.extend(git_ai::parse(&note));
        }
        stated.truncate(MOST);
        stated
    }

    /// The note on a commit. The first digits of its id may be directories, two for each.
    fn note(&self, notes: ObjectId, commit: ObjectId) -> Option<Vec<u8>> {
        let (mut tree, name) = (notes, commit.to_string());
        let mut rest = name.as_str();
        loop {
            if let Some((_, id)) = self.look_up(tree, rest).filter(|(kind, _)| *kind != EntryKind::Tree) {
                return self.blob(id);
            }
            let (start, end) = rest.split_at_checked(2).filter(|(_, end)| !end.is_empty())?;
            (tree, rest) = (self.folder(tree, start)?, end);
        }
    }

    /// The bytes of the file at a path below a tree.
    fn file(&self, tree: ObjectId, path: &str) -> Option<Vec<u8>> {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let folders = folders.split('/').filter(|folder| !folder.is_empty());
        let tree = folders.into_iter().try_fold(tree, |tree, folder| self.folder(tree, folder))?;
        self.look_up(tree, name).and_then(|(_, id)| self.blob(id))
    }

    fn folder(&self, tree: ObjectId, name: &str) -> Option<ObjectId> {
        self.look_up(tree, name).filter(|(kind, _)| *kind == EntryKind::Tree).map(|(_, id)| id)
    }

    fn look_up(&self, tree: ObjectId, name: &str) -> Option<(EntryKind, ObjectId)> {
        self.store.repo().look_up(tree, name.as_bytes().as_bstr()).ok().flatten()
    }

    fn blob(&self, id: ObjectId) -> Option<Vec<u8>> {
        let found = bounded::find(self.store.repo(), id, Kind::Blob, LONGEST, "cannot read a note");
        Some(found.ok().flatten()?.data.clone())
    }
}

/// The tree of the commit to which a ref points.
fn tree_of(store: &Store, name: &str) -> Option<ObjectId> {
    let commit = store.read_ref(name).ok().flatten()?;
    store.repo().is_commit(commit).then(|| store.repo().tree_of(commit).ok()).flatten()
}

/// The name in a field of an object, as it can be shown.
fn name_in(object: &Value, field: &str) -> Option<String> {
    object.get(field).and_then(Value::as_str).and_then(name)
}

/// A name as it can be shown; `None` if nothing is left of it.
fn name(text: &str) -> Option<String> {
    let text: String = one_line(text).chars().take(LONGEST_NAME).collect();
    Some(text).filter(|text| !text.trim().is_empty())
}
