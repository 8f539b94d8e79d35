//! The user's worktrees before and after a step. What an agent changed there by a git command, as git's trace shows, is
//! put back: what is checked out, the index, uncommitted changes, and small files that git does not track. A change that
//! someone else may have made stays; what was lost by it is kept on a branch.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::git::raw::{self, FileStamp, RawContent};
use crate::git::{EntryKind, Git, GitError};
use crate::model::branch::Branch;
use crate::ops::Refusal;
use crate::store::{ObjectId, Store};

/// The state of a worktree that git cannot read.
const UNREADABLE: &str = "? (git cannot read it)";
/// Begins the line of a state that says when a file with uncommitted changes was written last, and how large it is: git
/// says only that it has changes.
pub(super) const CHANGED: &str = "~ ";
/// The lines of a state with the commit and with the branch that are checked out, and those that say something else.
const HEAD: &str = "# branch.oid ";
pub(super) const BRANCH: &str = "# branch.head ";
pub(super) const REMARK: &str = "# ";
/// What git says instead of a branch.
const DETACHED: &str = "(detached)";
/// How many files that git does not track are copied, and how large they may be.
const MOST_COPIES: usize = 200;
const LARGEST_COPY: u64 = 1024 * 1024;

/// A worktree before a step.
#[derive(Debug, Clone, Default)]
pub(super) struct WorktreeSnapshot {
    /// Its state, in lines.
    pub(super) lines: Vec<String>,
    /// The uncommitted changes of tracked files, as a commit like those of `git stash`; `None` if there are none, or if
    /// git cannot store them.
    pub(super) changes: Option<ObjectId>,
    /// Copies of the files that git does not track.
    untracked: BTreeMap<PathBuf, Copied>,
    /// Whether such files could not be copied, so that nobody can say that all of them are as before.
    is_partial: bool,
}

/// A copy of a file.
#[derive(Debug, Clone)]
struct Copied {
    seen: FileStamp,
    kind: EntryKind,
    mode: u32,
    blob: ObjectId,
}

impl WorktreeSnapshot {
    /// Looks at a worktree; `known` is how it looked before.
    pub(super) fn of(store: &Store, tree: &Path, git: &Git, known: Option<&Self>) -> Self {
        let lines = state(tree, git);
        let known = known.filter(|known| known.lines == lines);
        let changes = match known {
            Some(known) => known.changes,
            // What cannot be stored is not kept.
            None if lines.iter().any(|line| is_tracked(line)) => git.stashed().ok().flatten(),
            None => None,
        };
        let copies = match lines.iter().any(|line| line.starts_with('?')) {
            true => copies(store, tree, git, known.map(|known| &known.untracked)),
            false => Ok(BTreeMap::new()),
        };
        Self { lines, changes, is_partial: copies.is_err(), untracked: copies.unwrap_or_default() }
    }

    /// The copies of files that are gone.
    pub(super) fn gone(&self, tree: &Path) -> BTreeMap<PathBuf, (EntryKind, ObjectId)> {
        let is_gone = |path: &Path| raw::look(tree, path).is_ok_and(|found| found.is_none());
        let gone = self.untracked.iter().filter(|(path, _)| is_gone(path));
        gone.map(|(path, copy)| (path.clone(), (copy.kind, copy.blob))).collect()
    }
}

fn copies(
    store: &Store,
    tree: &Path,
    git: &Git,
    known: Option<&BTreeMap<PathBuf, Copied>>,
) -> Result<BTreeMap<PathBuf, Copied>, Refusal> {
    let mut copies = BTreeMap::new();
    for path in git.untracked()? {
        let Ok(Some(seen)) = raw::look(tree, &path) else { continue };
        let same = known.and_then(|known| known.get(&path)).filter(|known| known.seen == seen);
        let is_small = tree.join(&path).symlink_metadata().is_ok_and(|found| found.len() <= LARGEST_COPY);
        if let Some(same) = same {
            copies.insert(path, same.clone());
        } else if is_small && let Ok(RawContent { kind, mode, bytes }) = raw::read(tree, &path) {
            copies.insert(path, Copied { seen, kind, mode, blob: store.repo().write_bytes(&bytes)? });
        }
        if copies.len() == MOST_COPIES {
            break;
        }
    }
    Ok(copies)
}

/// The state of a worktree, in lines.
pub(super) fn state(tree: &Path, git: &Git) -> Vec<String> {
    let asked = match git.state() {
        // Ctrl-C ends git only once.
        Err(GitError::Stopped { .. }) => git.state(),
        asked => asked,
    };
    // A worktree that is missing or broken must not hide the others.
    let mut lines = asked.unwrap_or_else(|_| vec![UNREADABLE.to_owned()]);
    let changed: Vec<String> = lines.iter().filter_map(|line| changed(tree, line)).collect();
    lines.extend(changed);
    lines
}

/// The further line for a tracked file with uncommitted changes.
fn changed(tree: &Path, line: &str) -> Option<String> {
    let path = Some(path_of(line)).filter(|_| is_tracked(line))?;
    let found = tree.join(path).symlink_metadata().ok()?;
    Some(format!("{CHANGED}{}.{}-{} {path}", found.mtime(), found.mtime_nsec(), found.size()))
}

/// Whether a line is about uncommitted changes of a tracked file.
fn is_tracked(line: &str) -> bool {
    line.starts_with(['1', 'u'])
}

/// The path, or the branch, in a line of a state: of `git status --porcelain=v2` without renames, or [`CHANGED`].
pub(super) fn path_of(line: &str) -> &str {
    let fields = match line.as_bytes().first() {
        Some(b'#') => return line.strip_prefix(BRANCH).unwrap_or(line),
        Some(b'1') => 8,
        Some(b'u') => 10,
        Some(b'~') => 2,
        _ => 1,
    };
    line.splitn(fields + 1, ' ').nth(fields).unwrap_or(line)
}

/// The branch that is checked out, or [`DETACHED`].
pub(super) fn branch(lines: &[String]) -> Option<&str> {
    lines.iter().find_map(|line| line.strip_prefix(BRANCH))
}

fn head(lines: &[String]) -> Option<ObjectId> {
    lines.iter().find_map(|line| line.strip_prefix(HEAD))?.parse().ok()
}

/// What is different in two states, without what follows from the branch.
pub(super) fn difference(before: &[String], after: &[String]) -> BTreeSet<String> {
    let is_told = |line: &&String| !line.starts_with(REMARK) || line.starts_with(BRANCH);
    let only = |these: &[String], those: &[String]| -> Vec<String> {
        these.iter().filter(|line| !those.contains(line)).filter(is_told).cloned().collect()
    };
    only(before, after).into_iter().chain(only(after, before)).collect()
}

/// Whether two states have the same commit, branch, index and changed files.
fn is_same(one: &[String], other: &[String], by_time: bool) -> bool {
    let counts =
        |line: &&String| line.starts_with(HEAD) || line.starts_with(BRANCH) || !line.starts_with(REMARK);
    let lines = |all: &[String]| -> BTreeSet<String> {
        let lines = all.iter().filter(counts).filter(|line| by_time || !line.starts_with(CHANGED));
        lines.cloned().collect()
    };
    lines(one) == lines(other)
}

/// Checks out again what was checked out before, if a single command has changed that. Uncommitted changes stay; if they
/// are in the way, nothing is done.
pub(super) fn switch_back(
    store: &Store,
    git: &Git,
    before: &[String],
    after: &[String],
) -> Result<bool, Refusal> {
    let (Some(from), Some(to)) = (head(after), head(before)) else { return Ok(false) };
    let Some(old) = branch(before).filter(|old| branch(after).is_some_and(|new| new != *old)) else {
        return Ok(false);
    };
    let branch = Branch::of_short(old).filter(|_| old != DETACHED);
    if let Some(branch) = &branch
        && store.read_ref(branch.as_str())? != Some(to)
    {
        return Ok(false);
    }
    let name = branch.as_ref().map_or_else(|| to.to_string(), Branch::to_string);
    if !git.last_move()?.starts_with(&format!("checkout: moving from {name} to ")) {
        return Ok(false);
    }
    if from != to && !git.change_files(from, to)? {
        return Ok(false);
    }
    match branch {
        Some(branch) => Ok(git.name_head(&branch)?),
        None => Ok(git.detach_head(to).is_ok()),
    }
}

/// Puts the index and the files back, once the same commit is checked out as before. `after` is the state that the agent
/// left. Only files are overwritten that are as in a commit. Returns whether everything is as before.
pub(super) fn restore(
    store: &Store,
    tree: &Path,
    git: &Git,
    before: &WorktreeSnapshot,
    after: &[String],
) -> Result<bool, Refusal> {
    let now = state(tree, git);
    let Some(base) = head(&before.lines).filter(|base| head(&now) == Some(*base)) else { return Ok(false) };
    if branch(&now) != branch(&before.lines) {
        return Ok(false);
    }
    let index = match before.changes {
        Some(changes) => format!("{changes}^2^{{tree}}"),
        None if before.lines.iter().any(|line| is_tracked(line)) => return Ok(false),
        None => format!("{base}^{{tree}}"),
    };
    if !git.stage_tree(&index)? {
        return Ok(false);
    }
    if !is_same(&state(tree, git), &before.lines, true) {
        let is_clean = !after.iter().any(|line| is_tracked(line));
        if let Some(from) = head(after).filter(|from| is_clean && *from != base) {
            move_files(git, from, base, &index)?;
        }
        restore_lost(tree, git, before, after)?;
        for (path, copy) in &before.untracked {
            if let Ok(None) = raw::look(tree, path) {
                let bytes = store.repo().bytes_of(copy.blob)?;
                let content = RawContent { kind: copy.kind, mode: copy.mode, bytes };
                // If it cannot be written, the state shows it.
                let _ = raw::write(tree, path, &content);
            }
        }
    }
    let is_whole = !before.is_partial && before.gone(tree).is_empty();
    Ok(is_whole && is_same(&state(tree, git), &before.lines, false))
}

/// Takes files that are all as in one commit to another one.
fn move_files(git: &Git, from: ObjectId, to: ObjectId, index: &str) -> Result<(), GitError> {
    if git.stage_tree(&format!("{from}^{{tree}}"))? {
        git.change_files(from, to)?;
    }
    git.stage_tree(index).map(drop)
}

/// Restores the files that had changes and are as in the commit or in the index now.
fn restore_lost(tree: &Path, git: &Git, before: &WorktreeSnapshot, after: &[String]) -> Result<(), GitError> {
    let Some(changes) = before.changes else { return Ok(()) };
    // A file that is as in the index has no content that git does not know.
    let is_staged = |line: &&String| line.starts_with('1') && line.as_bytes().get(3) == Some(&b'.');
    let left = after.iter().filter(|line| !line.starts_with(REMARK) && !line.starts_with(CHANGED));
    let left: BTreeSet<&str> = left.filter(|line| !is_staged(line)).map(|line| path_of(line)).collect();
    let lost = before.lines.iter().filter(|line| is_tracked(line) && !left.contains(path_of(line)));
    // Nobody else's name for a file has quotes.
    let lost: Vec<&String> = lost.filter(|line| !path_of(line).starts_with('"')).collect();
    let (deleted, changed): (Vec<&String>, Vec<&String>) =
        lost.into_iter().partition(|line| line.starts_with("1 D"));
    for line in deleted {
        // If it stays, the state shows it.
        let _ = raw::remove(tree, Path::new(path_of(line)));
    }
    if !changed.is_empty() {
        git.restore_files(changes, changed.iter().map(|line| Path::new(path_of(line))))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::path_of;

    #[test]
    fn a_changed_file_is_named_by_its_path() {
        for (line, path) in [
            ("1 .M N... 100644 100644 100644 aa bb src/a b.rs", "src/a b.rs"),
            ("u UU N... 100644 100644 100644 100644 aa bb cc a.txt", "a.txt"),
            ("? new.txt", "new.txt"),
            ("~ 1-2 src/a b.rs", "src/a b.rs"),
            ("# branch.head main", "main"),
        ] {
            assert_eq!(path_of(line), path);
        }
    }
}
