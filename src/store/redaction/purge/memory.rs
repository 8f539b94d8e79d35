//! What this repository purged: `wf/purged` in the common git directory, one commit a line; and in
//! `wf/unpurged-remotes` the remotes that held the old history then, each with its commit. All worktrees share these
//! files, and git's garbage collection does not remove them. If they are lost, the two histories can still be told
//! apart: see [`super::apart`].

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::git::{ObjectId, Repository};
use crate::store::StoreError;
use crate::store::repo::object_id;

fn file(common_dir: &Path) -> PathBuf {
    common_dir.join("wf/purged")
}

/// The commits that a purge rewrote and that have no rewritten ancestor: every old history contains one of them.
pub(super) fn read(common_dir: &Path) -> Result<HashSet<ObjectId>, StoreError> {
    let path = file(common_dir);
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(text.lines().filter_map(object_id).collect()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(HashSet::new()),
        // A damaged file counts as empty: the histories themselves show the rest.
        Err(error) if error.kind() == std::io::ErrorKind::InvalidData => Ok(HashSet::new()),
        Err(source) => Err(StoreError::io(path)(source)),
    }
}

/// The remotes of the last purges that still had the old history when it was forgotten here: names and commits.
pub(crate) fn remotes(common_dir: &Path) -> Result<Vec<(String, ObjectId)>, StoreError> {
    let path = common_dir.join("wf/unpurged-remotes");
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(vec![]),
        Err(source) => return Err(StoreError::io(path)(source)),
    };
    Ok(text
        .lines()
        .filter_map(|line| {
            let (commit, remote) = line.split_once(' ')?;
            Some((remote.to_owned(), object_id(commit)?))
        })
        .collect())
}

/// Notes which remotes still have the old history, and forgets all others.
pub(crate) fn set_remotes(repo: &Repository, remotes: &[(String, ObjectId)]) -> Result<(), StoreError> {
    let lines: Vec<String> = remotes.iter().map(|(remote, commit)| format!("{commit} {remote}\n")).collect();
    replace(repo, &repo.common_dir().join("wf/unpurged-remotes"), &lines)
}

/// Adds commits. The file is replaced as a whole; the writer holds the store's lock.
pub(crate) fn add(repo: &Repository, commits: &[ObjectId]) -> Result<(), StoreError> {
    let mut known = read(&repo.common_dir())?;
    known.extend(commits);
    let mut lines: Vec<String> = known.iter().map(|commit| format!("{commit}\n")).collect();
    lines.sort();
    replace(repo, &file(&repo.common_dir()), &lines)
}

fn replace(repo: &Repository, path: &Path, lines: &[String]) -> Result<(), StoreError> {
    let (folder, shared) = (path.parent().unwrap_or(path), repo.shared_mode());
    shared.create_folder(folder).map_err(StoreError::io(folder))?;
    shared.replace(path, lines.concat()).map_err(StoreError::io(path))
}
