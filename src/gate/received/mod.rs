//! Decides whether the ref may move to a commit that someone pushed.

mod look;
mod record;

use std::collections::BTreeSet;

use self::look::FileCheck;
use crate::git::{self, ObjectId};
use crate::model::{Detail, Op, RemedyCall};
use crate::store::layout::{self, ROOT_PATH};
use crate::store::{EqualTrees, HistoryLink, RedactionCache, Snapshot, Store, StoreError, Unpurged, merge};

/// At most this many files are checked in a directory that this version does not know.
const MOST_UNKNOWN: usize = 200_000;
/// If more commits than this are pushed, faults are not traced to a commit.
const MOST_COMMITS: usize = 1_000;
/// At most this many faults are reported with the commit that brought them.
pub(crate) const MOST_TRACED: usize = 10;

/// How much one push may contain: a few kilobytes can unfold to more than any server could check.
#[derive(Debug, Clone, Copy)]
pub(super) struct PushBudget {
    /// Paths that differ, over all commits that are compared.
    files: usize,
    /// JSON values in those records.
    values: usize,
    /// Bytes of the records whose history is read.
    bytes: usize,
}

const BUDGET: PushBudget = PushBudget { files: 1_000_000, values: 20_000_000, bytes: 1 << 30 };

const IN_PARTS: &str = "push it in parts, with `git push REMOTE COMMIT:REF` for an earlier commit first";

fn purge() -> RemedyCall {
    RemedyCall::from(Op::Redact).flag("purge")
}

/// Whether the path or a directory above it is inside the directories of records without being the path of a record.
fn is_misplaced(path: &str) -> bool {
    let above = path.match_indices('/').map(|(at, _)| &path[..at]);
    above
        .chain([path])
        .any(|path| !layout::is_folder(path) && !layout::is_place(path) && layout::misplaced(path).is_some())
}

/// What is wrong with moving the ref from `old` (`None` if the ref is new) to `new`; empty if it may move. The
/// new commit must descend from the old one through stores only. It must not delete, set back or rewrite
/// anything, and must bring only records as this program writes them.
pub(crate) fn received(
    store: &Store,
    old: Option<ObjectId>,
    new: ObjectId,
) -> Result<Vec<Detail>, StoreError> {
    received_within(store, old, new, BUDGET)
}

fn received_within(
    store: &Store,
    old: Option<ObjectId>,
    new: ObjectId,
    budget: PushBudget,
) -> Result<Vec<Detail>, StoreError> {
    let ReceivedFaults { whole: mut faults, records } = faults_within(store, old, new, budget)?;
    if records.is_empty() {
        return Ok(faults);
    }
    let (after, steps) = (store.snapshot_at(new)?, store.commits_between(old, new)?);
    for (n, (path, why)) in records.into_iter().enumerate() {
        let by = if n < MOST_TRACED && steps.len() <= MOST_COMMITS {
            brought_by(store, &steps, &after, &path)?
        } else {
            String::new()
        };
        let Detail { message, remedies } = why;
        faults.push(Detail { message: format!("`{path}`: {message}{by}"), remedies });
    }
    Ok(faults)
}

/// What is wrong with a new commit of the ref.
#[derive(Debug, Default)]
pub(crate) struct ReceivedFaults {
    /// With all of it.
    pub(crate) whole: Vec<Detail>,
    /// With single files, by path.
    pub(crate) records: BTreeSet<(String, Detail)>,
}

impl ReceivedFaults {
    fn with_all(whole: impl IntoIterator<Item = impl Into<Detail>>) -> Self {
        Self { whole: whole.into_iter().map(Into::into).collect(), records: BTreeSet::new() }
    }
}

/// Checks what was received, and returns the faults of single files apart from those of the whole push.
pub(crate) fn received_faults(
    store: &Store,
    old: Option<ObjectId>,
    new: ObjectId,
) -> Result<ReceivedFaults, StoreError> {
    faults_within(store, old, new, BUDGET)
}

fn faults_within(
    store: &Store,
    old: Option<ObjectId>,
    new: ObjectId,
    budget: PushBudget,
) -> Result<ReceivedFaults, StoreError> {
    let after = match store.snapshot_at(new) {
        Ok(after) => after,
        Err(error @ (StoreError::NotAStore { .. } | StoreError::NewerFormat { .. })) => {
            return Ok(ReceivedFaults::with_all([error.to_string()]));
        }
        Err(error) => return Err(error),
    };
    match store.refuse_large_commits(new, old.as_slice(), "what was pushed") {
        Err(error @ StoreError::NotAStore { .. }) => {
            return Ok(ReceivedFaults::with_all([error.to_string()]));
        }
        checked => checked?,
    }
    if let Some(old) = old
        && let Some(fault) = refuse_other_history(store, old, new)?
    {
        return Ok(ReceivedFaults::with_all([fault]));
    }
    let steps = store.commits_between(old, new)?;
    let faults = strangers(store, &steps, old.is_none())?;
    if !faults.is_empty() {
        return Ok(ReceivedFaults::with_all(faults));
    }
    let before = match old {
        Some(old) => store.state_at(old)?,
        None => None,
    };
    let tree = before.as_ref().map(Snapshot::tree);
    let (differences, is_all) = store.differences_within(tree, after.tree(), budget.files)?;
    if !is_all {
        return Ok(ReceivedFaults::with_all([format!(
            "more than {} files differ: {IN_PARTS}",
            budget.files
        )]));
    }
    let now = store.now()?;
    let suspects = BTreeSet::new();
    let (before, shelf) = (before.as_ref(), RedactionCache::default());
    let mut look = FileCheck { store, before, after: &after, now, values: 0, suspects, shelf, budget };
    let mut found = of_files(&mut look, &differences)?;
    match look.identities(&steps)? {
        Ok(faults) => found.whole.extend(faults.into_iter().map(Detail::from)),
        Err(beyond) => return Ok(ReceivedFaults::with_all([beyond])),
    }
    // Try a merge only if no record is broken, so that each problem is reported once.
    if found.records.is_empty() && found.whole.is_empty() {
        found = lost(store, old, new, &after)?;
    }
    Ok(found)
}

/// What is wrong with the files that differ; only that they are too much, if they are.
fn of_files(look: &mut FileCheck<'_>, differences: &[git::Difference]) -> Result<ReceivedFaults, StoreError> {
    let mut found = ReceivedFaults::default();
    for file in differences {
        found.records.extend(look.fault(file)?.map(|why| (file.path.clone(), why)));
        if look.values > look.budget.values {
            let what = format!("more than {} values in its records: {IN_PARTS}", look.budget.values);
            return Ok(ReceivedFaults::with_all([what]));
        }
    }
    Ok(found)
}

/// Why `new` does not continue the history that leads to `old`; `None` if it does.
fn refuse_other_history(store: &Store, old: ObjectId, new: ObjectId) -> Result<Option<Detail>, StoreError> {
    Ok(match store.unpurged(&store.in_memory(), old, new)? {
        Some(Unpurged::Theirs) => {
            let what = Detail::from(format!("{new} brings back what was purged here"));
            Some(what.remedy(purge(), "in that clone keeps what is new there"))
        }
        Some(Unpurged::Ours) => {
            let what = Detail::from(format!("{new} was purged, and {old} here was not"));
            Some(what.remedy(purge(), "on the server purges it there too"))
        }
        None if store.is_ancestor(old, new)? => None,
        None => Some(format!("{new} does not descend from {old}, where the ref is now").into()),
    })
}

/// New commits of the history that are not stores. If a merge had a commit of the code as a parent, a later
/// restore would take files from that commit.
fn strangers(store: &Store, steps: &[HistoryLink], is_first: bool) -> Result<Vec<String>, StoreError> {
    let first = store.first_commit()?;
    let mut roots = Vec::new();
    let mut faults = Vec::new();
    for step in steps {
        if let Some(why) = store.ill_formed(step.commit)? {
            let what = format!("{} by {}", step.commit, store.step(step.commit)?.author);
            faults.push(format!("commit {what} is malformed, and hosts that check objects refuse it: {why}"));
            continue;
        }
        if step.parents.is_empty() && !(is_first && step.commit == first) {
            let what = format!("{} is a root commit, but not the one that all stores share", step.commit);
            faults.push(what);
            continue;
        }
        let root = store.repo().look_up(step.tree, ROOT_PATH.into())?;
        if root.is_some_and(|root| roots.contains(&root)) {
            continue;
        }
        match store.snapshot_at(step.commit) {
            Ok(_) => roots.extend(root),
            Err(error @ (StoreError::NotAStore { .. } | StoreError::NewerFormat { .. })) => {
                faults.push(error.to_string());
            }
            Err(error) => return Err(error),
        }
    }
    Ok(faults)
}

/// What a merge with the current state would restore.
fn lost(
    store: &Store,
    old: Option<ObjectId>,
    new: ObjectId,
    after: &Snapshot<'_>,
) -> Result<ReceivedFaults, StoreError> {
    let merged = merge::heads(store, &store.in_memory(), old, new, "what was pushed", EqualTrees::Join)?;
    let Some(merged) = merged.filter(|merge| !merge.is_fast_forward) else {
        return Ok(ReceivedFaults::default());
    };
    let mut found = ReceivedFaults::default();
    found.records.extend(merged.refused.into_iter().map(|path| (path, "a store cannot hold this".into())));
    for path in merged.restored {
        let why = match after.entry(&path)? {
            Some(_) => "set back to an earlier state, or damaged",
            None => "deleted",
        };
        found.records.insert((path, why.into()));
    }
    if found.records.is_empty() {
        found.whole.push("the current state would not be preserved".into());
    }
    Ok(found)
}

/// The first new commit in which `path` is as it was pushed, in words.
fn brought_by(
    store: &Store,
    steps: &[HistoryLink],
    after: &Snapshot<'_>,
    path: &str,
) -> Result<String, StoreError> {
    let Some(commit) = store.introducing_commit(steps, after, path)? else { return Ok(String::new()) };
    let by = store.step(commit)?.author;
    Ok(format!(" (commit {} by {by})", git::short(commit)))
}

fn is_too_large(store: &Store, path: &str, id: ObjectId) -> Result<bool, StoreError> {
    let failed = StoreError::object("cannot read a record of the store");
    Ok(store.repo().header(id).map_err(failed)?.size > layout::largest(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::history::lineage::tests::History;

    #[test]
    fn a_push_beyond_what_can_be_looked_at_is_told_to_come_in_parts() {
        let history = History::new();
        let (store, first) = (&history.store, history.first());
        let of = |files, values| {
            received_within(store, None, first, PushBudget { files, values, bytes: 0 }).unwrap()
        };
        assert_eq!(of(1, 100), []);
        assert!(
            of(0, 100)[0].message.starts_with("more than 0 files differ: push it in parts"),
            "{:?}",
            of(0, 100)
        );
        assert!(of(1, 1)[0].message.starts_with("more than 1 values in its records: push it in parts"));
    }
}
