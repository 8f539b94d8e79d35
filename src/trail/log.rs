//! The audit log: the commits of the ref, those of one record, and what each changed.

use gix::ObjectId;
use gix::objs::tree::EntryKind;

use crate::index::{Index, IndexError};
use crate::model::redaction::REDACTED;
use crate::store::history::{FileChange, Step};
use crate::store::redact::Redactions;
use crate::store::{Read, Snapshot, Store, StoreError, Subjects, object_id};

/// The steps that led to the present state, as they may be shown now: what is hidden now was not hidden then.
pub(crate) struct Log<'a> {
    store: &'a Store,
    index: Index<'a>,
    now: Snapshot<'a>,
    has_hidden: bool,
    subjects: Subjects<'a>,
}

impl<'a> Log<'a> {
    /// All that is shown of a log is of the state of the index.
    pub(crate) fn of(store: &'a Store, index: Index<'a>) -> Result<Self, IndexError> {
        let has_hidden = !index.with_redactions()?.is_empty();
        let (now, subjects) = (index.snapshot()?, Subjects::new(index.snapshot()?));
        Ok(Self { store, index, now, has_hidden, subjects })
    }

    /// One step, by its number in the index; with what it changed at or under `paths` (anywhere where there are none),
    /// where that is wanted.
    pub(crate) fn step(&mut self, n: i64, paths: Option<&[String]>) -> Result<Step, IndexError> {
        let mut step = self.index.step(n)?;
        if self.has_hidden && self.subjects.hide(&mut step.subject)? && step.force.is_some() {
            step.force = Some(REDACTED.into());
        }
        if let Some(paths) = paths
            && let Some(commit) = object_id(&step.commit)
        {
            let parents = self.store.parents(commit)?;
            if parents.len() < 2 {
                step.changes = changes(self.store, &self.now, parents.first().copied(), commit, paths)?;
            }
        }
        Ok(step)
    }
}

/// Files at or under `paths` (anywhere, where there are none) that differ between two commits.
fn changes(
    store: &Store,
    now: &Snapshot<'_>,
    before: Option<ObjectId>,
    after: ObjectId,
    paths: &[String],
) -> Result<Vec<FileChange>, StoreError> {
    let old = before.map(|id| store.snapshot_at(id)).transpose()?;
    let new = store.snapshot_at(after)?;
    let differing = store.differences(old.as_ref().map(Snapshot::tree), new.tree())?;
    let wanted = |path: &str| {
        paths.is_empty()
            || paths
                .iter()
                .any(|at| path.strip_prefix(at.as_str()).is_some_and(|r| r.is_empty() || r.starts_with('/')))
    };
    let mut found = Vec::new();
    // A folder that is none of ours has no text to show.
    let is_file = |side: Option<(EntryKind, ObjectId)>| side.is_some_and(|(kind, _)| kind != EntryKind::Tree);
    let files = differing.into_iter().filter(|it| is_file(it.old) || is_file(it.new));
    for path in files.map(|it| it.path).filter(|path| wanted(path)) {
        // What is hidden now was not hidden then.
        let hidden = Redactions::at(now, &path)?;
        let text = |bytes: Vec<u8>| hidden.text(&path, &bytes);
        let before = match &old {
            Some(old) => old.file(&path)?.map(text),
            None => None,
        };
        let after = new.file(&path)?.map(text);
        found.push(FileChange { before, after, path });
    }
    Ok(found)
}
