//! The audit log: the commits of the ref, those of one record, and what each changed.

use std::collections::BTreeSet;

use gix::ObjectId;
use gix::objs::tree::EntryKind;

use crate::index::{Index, IndexError};
use crate::model::id::{ExecutionId, IssueId, SolutionId};
use crate::model::redaction::REDACTED;
use crate::store::history::{FileChange, Step};
use crate::store::redact::Redactions;
use crate::store::{Read, Snapshot, Store, StoreError, object_id};

/// The steps that led to the present state, as they may be shown now: what is hidden now was not hidden then.
pub(crate) struct Log<'a> {
    store: &'a Store,
    index: Index<'a>,
    now: Snapshot<'a>,
    hidden: BTreeSet<IssueId>,
}

impl<'a> Log<'a> {
    /// All that is shown of a log is of the state of the index.
    pub(crate) fn of(store: &'a Store, index: Index<'a>) -> Result<Self, IndexError> {
        let (now, hidden) = (index.snapshot()?, index.with_redactions()?);
        Ok(Self { store, index, now, hidden })
    }

    /// One step, by its number in the index; with what it changed at or under `paths` (anywhere where there are none),
    /// where that is wanted.
    pub(crate) fn step(&self, n: i64, paths: Option<&[String]>) -> Result<Step, IndexError> {
        let mut step = self.index.step(n)?;
        if !self.hidden.is_empty() {
            hide(&mut step.subject, &self.hidden);
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

/// Subjects quote titles and reasons: of an issue of which something is hidden they show no more than its id.
fn hide(subject: &mut String, hidden: &BTreeSet<IssueId>) {
    if let Some((end, issue)) = first_id(subject)
        && hidden.contains(&issue)
        && subject[end..].contains(['"', ':'])
    {
        subject.truncate(end);
        subject.push_str(": ");
        subject.push_str(REDACTED);
    }
}

/// The first word that is an id of an issue, a plan or an execution: where it ends, and whose it is.
fn first_id(subject: &str) -> Option<(usize, IssueId)> {
    let mut at = 0;
    for word in subject.split(' ') {
        let id = word.trim_end_matches([':', ',']);
        let issue = SolutionId::parse(id)
            .map(|id| id.issue())
            .or_else(|_| ExecutionId::parse(id).map(|id| id.issue()))
            .or_else(|_| IssueId::parse(id));
        if let Ok(issue) = issue {
            return Some((at + id.len(), issue));
        }
        at += word.len() + 1;
    }
    None
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
