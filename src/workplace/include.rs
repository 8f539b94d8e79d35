//! The ignored files that a workplace gets: those that match the patterns of `.worktreeinclude`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::PreparationError;
use super::copy::{CopyOutcome, copy};
use crate::git::Git;

/// What was brought.
#[derive(Debug, Default)]
pub(super) struct Included {
    /// Files and links.
    pub(super) files: Vec<PathBuf>,
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
) -> Result<Included, PreparationError> {
    let mut included = Included::default();
    for path in matching(git, patterns, temporary)? {
        if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            included.skipped.push(path);
            continue;
        }
        match copy(from, to, &path) {
            Ok(CopyOutcome::Copied) => included.files.push(path),
            Ok(CopyOutcome::Exists) => {}
            Ok(CopyOutcome::Unsupported) => included.skipped.push(path),
            // It went away since it was listed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(PreparationError::Copy { path, source }),
        }
    }
    Ok(included)
}

fn matching(git: &Git, patterns: &[u8], temporary: &Path) -> Result<Vec<PathBuf>, PreparationError> {
    let failed = |source| PreparationError::Copy { path: temporary.to_owned(), source };
    let mut file = tempfile::NamedTempFile::new_in(temporary).map_err(failed)?;
    file.write_all(patterns).and_then(|()| file.flush()).map_err(failed)?;
    Ok(git.ignored_files(file.path())?)
}
