//! The ignored files that a workplace gets: those that match the patterns of `.worktreeinclude`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::PreparationError;
use super::copy::{CopyOutcome, copy, make_folder};
use crate::git::Git;

/// The files that were copied.
#[derive(Debug, Default)]
pub(super) struct Included {
    /// Files and links.
    pub(super) files: Vec<PathBuf>,
    /// Paths that match and were not brought.
    pub(super) skipped: Vec<SkippedPath>,
}

/// A path that matches and was not brought.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SkippedPath {
    /// The path.
    pub(crate) path: PathBuf,
    /// Whether it is a repository of its own, and not a socket or the like.
    pub(crate) is_repository: bool,
}

fn pattern_file(patterns: &[u8], folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(patterns)?;
    file.flush()?;
    Ok(file)
}

/// Copies the ignored files of the work tree of `git`, which is `from`, that match `patterns`, and makes the ignored
/// directories that are empty. What exists in `to` stays.
pub(super) fn bring(
    git: &Git,
    patterns: &[u8],
    from: &Path,
    to: &Path,
    temporary: &Path,
) -> Result<Included, PreparationError> {
    let file = pattern_file(patterns, temporary)
        .map_err(|source| PreparationError::Copy { path: temporary.to_owned(), source })?;
    let mut included = Included::default();
    for path in git.ignored_files(file.path())? {
        if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            included.skipped.push(SkippedPath { path, is_repository: true });
            continue;
        }
        match copy(from, to, &path) {
            Ok(CopyOutcome::Copied) => included.files.push(path),
            Ok(CopyOutcome::Exists) => {}
            Ok(CopyOutcome::Unsupported) => {
                included.skipped.push(SkippedPath { path, is_repository: false });
            }
            // It went away since it was listed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(PreparationError::Copy { path, source }),
        }
    }
    for folder in git.ignored_folders(file.path())? {
        for path in empty_below(from, folder) {
            match make_folder(from, to, &path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(PreparationError::Copy { path, source: error });
                }
                _ => {}
            }
        }
    }
    Ok(included)
}

/// The empty directories at and below a directory of the work tree `top`. Links are not followed, and repositories are
/// left out.
fn empty_below(top: &Path, folder: PathBuf) -> Vec<PathBuf> {
    let (mut empty, mut open) = (Vec::new(), vec![folder]);
    while let Some(folder) = open.pop() {
        // What cannot be read, or went away, is not brought.
        let Ok(entries) = fs::read_dir(top.join(&folder)) else { continue };
        let entries: Vec<fs::DirEntry> = entries.filter_map(Result::ok).collect();
        if entries.is_empty() {
            empty.push(folder);
        } else if !entries.iter().any(|entry| entry.file_name() == ".git") {
            let folders = entries.iter().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
            open.extend(folders.map(|entry| folder.join(entry.file_name())));
        }
    }
    empty
}
