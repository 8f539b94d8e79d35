//! Taking what is hidden out of the history, and what else holds it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::index;
use crate::model::shell;
use crate::ops::{Answer, Notice, Session};
use crate::store::{Purged, Tracked};

/// What a rewritten history asks of others.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Purge {
    /// The ref.
    pub(crate) reference: String,
    /// The commit that it pointed to.
    pub(crate) from: String,
    /// The commit that it points to; the same one where nothing was rewritten.
    pub(crate) to: String,
    /// Commits that were rewritten.
    pub(crate) commits: usize,
    /// Versions of files that were rewritten in them, each counted once.
    pub(crate) files: usize,
    /// Entries that have another id since then, because it is made of what they say.
    pub(crate) renamed: Vec<Renamed>,
    /// References of remotes that a purge kept apart from the ref, and whose steps came in.
    pub(crate) merged: Vec<String>,
    /// Remotes that hold the old history, as far as is known here.
    pub(crate) remotes: Vec<Remote>,
    /// Other references of this repository that hold commits of the old history.
    pub(crate) held_by: Vec<String>,
}

/// An entry with another name.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Renamed {
    /// Its path of before.
    pub(crate) from: String,
    /// Its path now.
    pub(crate) to: String,
}

/// A remote that holds the old history.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Remote {
    /// Its name.
    pub(crate) remote: String,
    /// The reference that told what it has, which was dropped.
    pub(crate) tracking: String,
    /// The command that puts the new history there, unless somebody pushed meanwhile.
    pub(crate) push: String,
    /// The command that each other clone needs then. What it had not published stays.
    pub(crate) clones: String,
}

/// Rewrites the history of the ref in this repository so that no commit of it holds anything hidden.
///
/// # Errors
/// What reading and writing the history can come to.
pub(crate) fn purge(session: &Session) -> Answer<Purge> {
    let store = session.store();
    let reference = store.reference().to_owned();
    let (view, commit) = match store.purge()? {
        Some(purged) => {
            let commit = (purged.commits > 0).then_some(purged.to);
            (view(reference, purged), commit)
        }
        None => {
            let tip = store.snapshot()?.commit().to_string();
            let (from, to) = (tip.clone(), tip);
            let (renamed, merged, held_by) = (vec![], vec![], vec![]);
            let remotes = remotes(&reference, store.unpurged_remotes()?);
            (Purge { reference, from, to, commits: 0, files: 0, renamed, merged, remotes, held_by }, None)
        }
    };
    if let Err(error) = index::forget(store) {
        let message = format!("the index may still hold what was hidden: {error}");
        session.notice(Notice::warning(message).remedy("reindex", "rebuilds it"));
    }
    Ok(session.done(view, commit))
}

/// What each of them asks for.
fn remotes(reference: &str, tracked: Vec<Tracked>) -> Vec<Remote> {
    let one = |Tracked { remote, tracking, commit }| Remote {
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
    };
    tracked.into_iter().map(one).collect()
}

fn view(reference: String, purged: Purged) -> Purge {
    Purge {
        from: purged.from.to_string(),
        to: purged.to.to_string(),
        commits: purged.commits,
        files: purged.files,
        renamed: purged.renamed.into_iter().map(|(from, to)| Renamed { from, to }).collect(),
        merged: purged.merged.into_iter().map(|it| it.tracking).collect(),
        remotes: remotes(&reference, purged.remotes),
        held_by: purged.held_by,
        reference,
    }
}
