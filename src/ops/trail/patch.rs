//! The patches of an issue's commits.

use crate::model::{CommitHash, TaskId};
use crate::ops::issues::existing;
use crate::ops::work::executions_within;
use crate::ops::{Answer, Session, unreached_of};
use crate::store::{object_id, resolve};

/// The maximum number of patches; further commits are only counted.
const MOST_COMMITS: usize = 30;
/// The maximum size of all patches together, in bytes.
const MOST_BYTES: usize = 256 * 1024;

/// The patches of the commits that implement an issue.
#[derive(Debug)]
pub(crate) struct IssuePatches {
    /// In the order in which the commits were linked.
    pub(crate) commits: Vec<Patch>,
    /// The number of further commits.
    pub(crate) left_out: usize,
}

/// The patch of a commit.
#[derive(Debug)]
pub(crate) struct Patch {
    /// Its id.
    pub(crate) hash: CommitHash,
    /// The first line of its message.
    pub(crate) subject: String,
    /// The task that it implements.
    pub(crate) task: Option<TaskId>,
    /// The patch as git prints it; `None` if the commit is not in this repository.
    pub(crate) text: Option<String>,
    /// Whether the text was cut.
    pub(crate) is_cut: bool,
}

/// The patches of the commits that implement an issue: those of the latest attempt that has any.
///
/// # Errors
/// `not-found`, `ambiguous-id`.
pub(crate) fn patches(session: &Session, issue: &str) -> Answer<IssuePatches> {
    let store = session.store();
    let snapshot = store.snapshot()?;
    let folder = existing(&snapshot, &resolve::issue(&snapshot, issue)?)?;
    let executions = executions_within(&folder, &unreached_of(session, folder.executions.iter()));
    let links =
        executions.into_iter().rev().map(|execution| execution.commits).find(|commits| !commits.is_empty());
    let links = links.unwrap_or_default();
    let left_out = links.len().saturating_sub(MOST_COMMITS);
    let (git, mut room) = (store.git(), MOST_BYTES);
    let mut commits = Vec::new();
    for link in links.into_iter().take(MOST_COMMITS).map(|link| link.link) {
        // The commit may not have been fetched; then only the link's data is known.
        let found = object_id(link.hash.as_str()).and_then(|id| git.patch_text(id, room).ok());
        let (text, is_cut) = found.map_or((None, false), |(text, is_cut)| (Some(text), is_cut));
        room = room.saturating_sub(text.as_ref().map_or(0, String::len));
        commits.push(Patch { hash: link.hash, subject: link.subject, task: link.task_id, text, is_cut });
    }
    Ok(session.done(IssuePatches { commits, left_out }, None))
}
