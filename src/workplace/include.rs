//! The ignored files that a workplace gets: those that match the patterns of `.worktreeinclude`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::WorkplaceError;
use super::copy::{CopyOutcome, copy};
use crate::git::Git;

/// What was brought.
#[derive(Debug, Default)]
pub(super) struct Included {
    /// How many files and links.
    pub(super) count: usize,
    /// Paths that match and were not brought: repositories of their own, sockets and the like.
    pub(super) skipped: Vec<PathBuf>,
}

/// Copies the ignored files of the work tree of `git`, which is `from`, that match `patterns`. What exists in `to`
/// stays.
pub(super) fn bring(
    git: &Git,
    patterns: &[u8],
    from: &Path,
    to: &Path,
    temporary: &Path,
) -> Result<Included, WorkplaceError> {
    let mut included = Included::default();
    for path in matching(git, patterns, temporary)? {
        if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            included.skipped.push(path);
            continue;
        }
        match copy(from, to, &path) {
            Ok(CopyOutcome::Copied) => included.count += 1,
            Ok(CopyOutcome::Exists) => {}
            Ok(CopyOutcome::Unsupported) => included.skipped.push(path),
            // It went away since it was listed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(WorkplaceError::Copy { path, source }),
        }
    }
    Ok(included)
}

fn matching(git: &Git, patterns: &[u8], temporary: &Path) -> Result<Vec<PathBuf>, WorkplaceError> {
    let failed = |source| WorkplaceError::Copy { path: temporary.to_owned(), source };
    let mut file = tempfile::NamedTempFile::new_in(temporary).map_err(failed)?;
    file.write_all(patterns).and_then(|()| file.flush()).map_err(failed)?;
    Ok(git.ignored_files(file.path())?)
}
