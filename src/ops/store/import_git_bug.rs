//! Importing from git-bug.

use std::path::Path;

use super::import::{Import, Selected, import};
use crate::git::{Environment, Repository};
use crate::interchange::ImportReport;
use crate::interchange::git_bug::{Bugs, GIT_BUG};
use crate::model::{Code, Op};
use crate::ops::{Answer, Refusal, Session};
use crate::store::StoreError;

/// What to import from git-bug.
pub(crate) struct ImportFromGitBug {
    /// The remote that they were fetched from, or the path of another repository; by default the bugs of this repository.
    pub(crate) place: Option<String>,
    /// Which of them, and how.
    pub(crate) how: Selected,
}

/// Imports the bugs of git-bug.
///
/// # Errors
/// `not-found` if `place` is neither a remote nor a repository, or holds no bugs; as [`import`].
pub(crate) fn import_git_bug(session: &Session, input: ImportFromGitBug) -> Answer<ImportReport> {
    let (place, how) = (input.place.as_deref(), input.how);
    let own = session.store().repo();
    let remote = place.filter(|place| own.remotes().iter().any(|remote| remote == place));
    let other = match place {
        Some(path) if remote.is_none() => Some(open(path)?),
        _ => None,
    };
    let repo = other.as_ref().unwrap_or(own);
    let mut bugs = Bugs::new(repo, remote).map_err(StoreError::from)?;
    let name = place.map_or_else(|| "this repository".to_owned(), |place| format!("`{place}`"));
    if bugs.is_empty() {
        let place = remote.map_or("refs".to_owned(), |remote| format!("refs/remotes/{remote}"));
        let from = remote.unwrap_or("REMOTE");
        return Err(Refusal::new(
            Code::NotFound,
            format!("{name} has no bugs of git-bug in `{place}/bugs/`"),
        )
        .command(
            format!("git fetch {from} 'refs/bugs/*:{place}/bugs/*' 'refs/identities/*:{place}/identities/*'"),
            "fetches them",
        ));
    }
    let (op, tracker) = (Op::ImportGitBug, &GIT_BUG);
    import(session, Import { op, tracker, name: &name, records: &mut bugs, how })
}

/// Another repository. The variables of git name this one.
fn open(path: &str) -> Result<Repository, Refusal> {
    Repository::discover(Path::new(path), &Environment::default()).map_err(|_| {
        Refusal::new(Code::NotFound, format!("`{path}` is neither a remote nor a git repository"))
            .hint("give the name of a remote, or the path of a repository")
            .command("git remote", "lists the remotes")
    })
}
