//! The index follows the ref, and can always be deleted.

use std::path::Path;

use crate::support::Repo;

mod freshness;
mod places;
mod portions;

/// The commit that an index reflects, if there is one.
fn reflected(index: &Path) -> Option<String> {
    let db = index.exists().then(|| rusqlite::Connection::open(index).ok()).flatten()?;
    db.query_row("SELECT value FROM meta WHERE key = 'rows'", [], |row| row.get(0)).ok()
}

/// Whether the index beside git reflects the ref.
fn is_fresh(repo: &Repo) -> bool {
    reflected(&repo.path().join(".git/wf/index.db")) == repo.tip()
}
