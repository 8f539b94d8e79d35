//! Removing hidden values from the history, and finding where they still exist.

mod history;

use schemars::JsonSchema;
use serde::Serialize;

use crate::index;
use crate::model::{CommitHash, Op, Other, shell};
use crate::ops::{Answer, Notice, Session};
use crate::store::Tracked;
use history::Purged;
pub(super) use history::mend_trees;

/// The result of a purge, and what must be done elsewhere.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Purge {
    /// The ref.
    pub(crate) reference: String,
    /// The commit that the ref pointed to.
    pub(crate) from: CommitHash,
    /// The commit that the ref points to now; the same one if nothing was rewritten.
    pub(crate) to: CommitHash,
    /// Commits that were rewritten.
    pub(crate) commits: usize,
    /// Versions of files that were rewritten, each counted once.
    pub(crate) files: usize,
    /// Entries that got another id, because it is derived from their content.
    pub(crate) renamed: Vec<Renamed>,
    /// Remote-tracking references with an unpurged history, whose commits were brought in.
    pub(crate) merged: Vec<String>,
    /// Remotes that hold the old history, as far as is known here.
    pub(crate) remotes: Vec<Remote>,
    /// Other references of this repository that hold commits of the old history.
    pub(crate) held_by: Vec<String>,
}

/// An entry with another name.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Renamed {
    /// Its previous path.
    pub(crate) from: String,
    /// Its path now.
    pub(crate) to: String,
}

/// A remote that holds the old history.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Remote {
    /// Its name.
    pub(crate) remote: String,
    /// Its remote-tracking reference, which was deleted.
    pub(crate) tracking: String,
    /// The command that replaces the history there, unless someone pushed meanwhile.
    pub(crate) push: String,
    /// The command to run in each other clone afterwards, which keeps its unpublished commits.
    pub(crate) clones: String,
}

/// Rewrites the history of the ref in this repository so that no commit of it holds a hidden value.
///
/// # Errors
/// Any error from reading or writing the history.
pub(crate) fn purge(session: &Session) -> Answer<Purge> {
    session.permit(Op::Redact)?;
    let store = session.store();
    let reference = store.reference().to_owned();
    let (view, commit) = match history::purge(store)? {
        Some(purged) => {
            let commit = (purged.commits > 0).then_some(purged.to);
            (view(reference, purged), commit)
        }
        None => {
            let tip = CommitHash::from(store.snapshot()?.commit());
            let (from, to) = (tip.clone(), tip);
            let (renamed, merged, held_by) = (vec![], vec![], vec![]);
            let remotes = remotes(&reference, store.unpurged_remotes()?);
            (Purge { reference, from, to, commits: 0, files: 0, renamed, merged, remotes, held_by }, None)
        }
    };
    if let Err(error) = index::forget(store) {
        let message = format!("the index may still hold what was hidden: {error}");
        session.notice(Notice::warning(message).remedy(Other::Reindex, "rebuilds it"));
    }
    Ok(session.done(view, commit))
}

/// The commands for each remote.
fn remotes(reference: &str, tracked: Vec<Tracked>) -> Vec<Remote> {
    tracked
        .into_iter()
        .map(|Tracked { remote, tracking, commit }| Remote {
            push: format!(
                "git push --force-with-lease={} {} {}",
                shell::word(&format!("{reference}:{commit}")),
                shell::operand(&remote),
                shell::word(reference)
            ),
            clones: format!(
                "git fetch {0} && git wf redact --purge --yes && git wf sync {0}",
                shell::operand(&remote)
            ),
            remote,
            tracking,
        })
        .collect()
}

fn view(reference: String, purged: Purged) -> Purge {
    Purge {
        from: purged.from.into(),
        to: purged.to.into(),
        commits: purged.commits,
        files: purged.files,
        renamed: purged.renamed.into_iter().map(|(from, to)| Renamed { from, to }).collect(),
        merged: purged.merged.into_iter().map(|merged| merged.tracking).collect(),
        remotes: remotes(&reference, purged.remotes),
        held_by: purged.held_by,
        reference,
    }
}
