//! Checks everything in the store: each record against its schema, each reference between records, each commit against
//! its parents.

mod files;
mod gone;
mod heal;
mod history;
mod references;
mod repair;
mod roadmaps;
mod runs;
mod sources;
mod versions;

use std::collections::BTreeSet;

use crate::git::{GitError, ObjectId};
use crate::index::Refreshing;
use crate::model::{CommitHash, Op, Operation, Remedy, RemedyCall, shell};
use crate::ops::{Answer, Session};
use crate::store::{Snapshot, Store, StoreError, layout, merge};

pub(crate) use repair::{Repaired, repair};

/// The setting with the commits, or paths of files, whose errors are accepted in this repository.
const ACCEPTED: &str = "wf.fsckAccepted";

/// Whether a finding is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FsckSeverity {
    /// Something is wrong.
    Error,
    /// Wrong but harmless, and nothing can be done about it.
    Warning,
    /// Worth knowing but not wrong: another clone may have the record, or the problem was repaired.
    Note,
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub(crate) struct FsckFinding {
    /// Whether it is an error.
    pub(crate) severity: FsckSeverity,
    /// The file or record that the finding is about.
    pub(crate) path: String,
    /// The commit of the ref, if it is about the history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) commit: Option<CommitHash>,
    /// What is wrong.
    pub(crate) what: String,
    /// What can be done about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) remedies: Vec<Remedy>,
}

#[derive(Default)]
struct Findings {
    found: Vec<FsckFinding>,
    /// Records and entries that a repair rewrites in place.
    to_heal: BTreeSet<String>,
    /// How many findings were traced to the commit that brought them.
    traced: usize,
    /// Whether some of these are wrong only if this machine's clock is right.
    needs_clock: bool,
}

impl Findings {
    fn add(&mut self, severity: FsckSeverity, path: &str, commit: Option<ObjectId>, what: impl Into<String>) {
        self.add_with(severity, path, commit, what, None);
    }

    fn add_with(
        &mut self,
        severity: FsckSeverity,
        path: &str,
        commit: Option<ObjectId>,
        what: impl Into<String>,
        remedy: Option<Remedy>,
    ) {
        let (path, commit) = (path.to_owned(), commit.map(CommitHash::from));
        let remedies = remedy.into_iter().collect();
        self.found.push(FsckFinding { severity, path, commit, what: what.into(), remedies });
    }

    fn error_with(&mut self, path: &str, what: impl Into<String>, remedy: Remedy) {
        self.add_with(FsckSeverity::Error, path, None, what, Some(remedy));
    }

    fn error(&mut self, path: &str, what: impl Into<String>) {
        self.add(FsckSeverity::Error, path, None, what);
    }

    fn warning(&mut self, path: &str, what: impl Into<String>) {
        self.add(FsckSeverity::Warning, path, None, what);
    }

    fn note(&mut self, path: &str, what: impl Into<String>) {
        self.add(FsckSeverity::Note, path, None, what);
    }

    /// Records a directory that is too large to read; any other error is returned.
    fn crowded(&mut self, error: StoreError) -> Result<(), StoreError> {
        let (StoreError::Git(GitError::CrowdedFolder { path, .. }) | StoreError::FullFolder { path, .. }) =
            &error
        else {
            return Err(error);
        };
        if !self.found.iter().any(|finding| finding.path == *path) {
            self.error(path, format!("{error}; no clone can merge it"));
        }
        Ok(())
    }
}

/// The remedy for a finding that a repair fixes, and what the repair does.
fn repair_that(does: &str) -> Remedy {
    Remedy::call(RemedyCall::from(Op::Fsck).flag("repair"), does)
}

/// Checks records, references and the history. Findings are part of the result, not refusals.
///
/// # Errors
/// Only if the store cannot be read at all.
pub(crate) fn fsck(session: &Session) -> Answer<Vec<FsckFinding>> {
    let store = session.store();
    gone::refuse_migrated(store)?;
    let found =
        session.watched(|watch| findings(store, watch)).map_err(|error| gone::refusal(store, error))?;
    Ok(session.done(found, None))
}

/// All findings, errors first. Fails if the ref does not point to a commit, or if the store has a later format.
pub(super) fn findings(store: &Store, watch: Refreshing<'_>) -> Result<Vec<FsckFinding>, StoreError> {
    let mut found = Findings::default();
    let snapshot = unchecked(store, &mut found)?;
    let now = store.now()?;
    files::check(store, &snapshot, now, &mut found, &mut *watch)?;
    match merge::refused(&store.in_memory(), snapshot.tree()) {
        Ok(refused) => {
            for path in refused {
                if !found.found.iter().any(|finding| finding.path == path) {
                    let what = "a name that git refuses, or a tree that git would not write";
                    found.error_with(&path, what, repair_that("fixes it"));
                }
            }
        }
        Err(error) => found.crowded(error)?,
    }
    let known = history::check(store, &snapshot, &mut found)?;
    references::check(store, &snapshot, &known, &mut found, watch)?;
    accept(store, &mut found.found);
    found.found.sort_by(|a, b| {
        (a.severity, &a.path, &a.commit, &a.what).cmp(&(b.severity, &b.path, &b.commit, &b.what))
    });
    found.found.dedup();
    Ok(found.found)
}

/// Downgrades errors that the owner of this repository accepted to notes, like git's `fsck.skipList`, and says how to
/// accept those that no repair removes: what is in the history stays there.
fn accept(store: &Store, found: &mut [FsckFinding]) {
    let accepted = store.repo().config().all(ACCEPTED);
    // What an edit mends is accepted nowhere, such as a cycle, in which nothing could ever be executed.
    let repaired = found.iter().filter(|finding| {
        finding.remedies.iter().any(|remedy| {
            remedy.call.as_ref().is_some_and(|call| call.operation == Operation::from(Op::Fsck))
        })
    });
    let repaired: BTreeSet<String> = repaired.map(|finding| finding.path.clone()).collect();
    for finding in found.iter_mut().filter(|finding| finding.severity == FsckSeverity::Error) {
        let name = finding.commit.as_deref().unwrap_or(&finding.path);
        if accepted.iter().any(|accepted| accepted == name) {
            finding.severity = FsckSeverity::Note;
            finding.what = format!("{} (accepted in `{ACCEPTED}`)", finding.what);
            finding.remedies.clear();
        } else if !repaired.contains(&finding.path)
            && !finding.remedies.iter().any(|remedy| {
                remedy.call.as_ref().is_some_and(|call| call.operation == Operation::from(Op::Edit))
            })
        {
            let accepts = format!("`git config --add {ACCEPTED} {}` accepts it here", shell::word(name));
            finding.remedies.push(Remedy::words(accepts));
        }
    }
}

/// The newest state, even if its `wf.json` is missing or unreadable.
fn unchecked<'a>(store: &'a Store, found: &mut Findings) -> Result<Snapshot<'a>, StoreError> {
    let error = match store.snapshot() {
        Err(error @ StoreError::NotAStore { .. }) => error,
        other => return other,
    };
    let Some(tip) = store.tip()? else { return Err(error) };
    match store.state_at(tip)? {
        Some(snapshot) => {
            found.error_with(layout::ROOT_PATH, error.to_string(), repair_that("restores it"));
            Ok(snapshot)
        }
        None => Err(error),
    }
}

#[cfg(test)]
mod tests;
