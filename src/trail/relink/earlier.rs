//! Linked commits that were replaced, and are on a branch again in place of what replaced them.

use std::collections::HashSet;

use super::{Known, RelinkEvidence, UnlinkedCommit, lost_as};
use crate::model::CommitHash;
use crate::rules::ExecutionFolder;
use crate::store::{CodeCommit, Store, StoreError};
use crate::trail::reach::Unreached;
use crate::trail::restored;

/// Adds those among `commits` to what was `found`.
pub(super) fn find(
    store: &Store,
    known: &Known,
    commits: &[CommitHash],
    found: &mut Vec<(usize, UnlinkedCommit, CodeCommit)>,
) -> Result<(), StoreError> {
    let hashes = known
        .executions
        .iter()
        .filter(|execution| execution.has_rewrites())
        .flat_map(ExecutionFolder::known_commits);
    let unreached = Unreached::among(store, hashes)?;
    let searched: HashSet<&CommitHash> = commits.iter().collect();
    for (n, execution) in
        known.executions.iter().enumerate().filter(|(_, execution)| execution.has_rewrites())
    {
        let rewrites = restored::rewrites(execution, &unreached);
        if rewrites.is_empty() {
            continue;
        }
        let links = execution.with_rewrites(rewrites.clone()).links_by_hash();
        for rewrite in rewrites {
            if !searched.contains(&rewrite.new) {
                continue;
            }
            let Some(id) = store.commit_here(&rewrite.new) else { continue };
            let commit = store.code_commit(id)?;
            let tasks = links.get(&rewrite.new).map(|link| link.tasks().cloned().collect());
            let mut unlinked = lost_as(known, n, &commit, tasks.unwrap_or_default(), RelinkEvidence::Earlier);
            unlinked.replaces = Some(rewrite.old);
            found.push((n, unlinked, commit));
        }
    }
    Ok(())
}
