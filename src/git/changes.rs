//! What differs: in the work tree, in an index, between commits.

use std::collections::BTreeMap;
use std::path::Path;

use bstr::{BString, ByteSlice};

use super::process::feed;
use super::{Args, Git, GitError, ObjectId};

const STATUS: &[&str] = &["--no-optional-locks", "status", "--porcelain", "-z", "--no-renames"];

/// An entry of `git status`: its two letters, and its path.
pub(crate) type StatusEntry = (String, String);

impl Git {
    /// The tracked files of the work tree that have changes.
    pub(crate) fn changed_files(&self) -> Result<Vec<StatusEntry>, GitError> {
        Ok(status(&self.run(Args::new(STATUS).options(&["--untracked-files=no"]))?))
    }

    /// What has changes below these paths, untracked and ignored files included.
    pub(crate) fn status_below<S: AsRef<str>>(
        &self,
        paths: impl IntoIterator<Item = S>,
    ) -> Result<Vec<StatusEntry>, GitError> {
        let args = Args::new(STATUS).options(&["--untracked-files=all", "--ignored=matching"]);
        Ok(status(&self.run(paths.into_iter().fold(args, |args, path| args.path(path.as_ref())))?))
    }

    /// Whether anything in the work tree differs from HEAD; with `untracked`, untracked files count too. What `git status`
    /// is told not to look at counts as well: changes in submodules, and files that are assumed to be unchanged.
    pub(crate) fn is_dirty(&self, untracked: bool) -> Result<bool, GitError> {
        let options = if untracked {
            ["--untracked-files=normal", "--ignore-submodules=none"]
        } else {
            ["--untracked-files=no", "--ignore-submodules=untracked"]
        };
        let status = Args::new(&["--no-optional-locks", "status", "--porcelain"]).options(&options);
        Ok(!self.run(status)?.is_empty() || self.has_flagged_changes()?)
    }

    /// Whether a file differs from the index that git is told to assume unchanged, or to leave out of the work tree. A file
    /// that is left out and not there is no change.
    fn has_flagged_changes(&self) -> Result<bool, GitError> {
        let Some(top) = &self.work_dir else { return Ok(false) };
        let listed = self.run(&["ls-files", "-v", "-s", "-z"])?;
        let mut blobs = Vec::new();
        let mut paths = Vec::new();
        for entry in names(&listed).filter(|entry| entry[0].is_ascii_lowercase() || entry[0] == b'S') {
            let Some((head, path)) = entry.split_once_str("\t") else { continue };
            if top.join(path.to_os_str_lossy()).symlink_metadata().is_err() {
                continue;
            }
            let mut words = head.split_str(" ").skip(1);
            let (mode, blob) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            // git cannot be asked about a link, a submodule, or a name with a line break.
            if !mode.starts_with(b"100") || path.contains(&b'\n') {
                return Ok(true);
            }
            blobs.push(blob);
            paths.extend_from_slice(path);
            paths.push(b'\n');
        }
        if blobs.is_empty() {
            return Ok(false);
        }
        let now = self.run_with(Args::new(&["hash-object", "--stdin-paths"]), &paths)?;
        Ok(!now.lines().eq(blobs))
    }

    /// Whether git tracks a file at or below a path, relative to the root of the work tree.
    pub(crate) fn tracks(&self, path: &Path) -> Result<bool, GitError> {
        Ok(!self.run(Args::new(&["ls-files", "-z"]).path(path))?.is_empty())
    }

    /// The files in which an index differs from a commit.
    pub(crate) fn staged_files(&self, index: &Path, commit: ObjectId) -> Result<Vec<BString>, GitError> {
        let args = Args::new(&["diff-index", "--cached", "--name-only", "--no-renames", "-z"]);
        let mut command = self.command(args.value(commit.to_string()).no_paths());
        command.env("GIT_INDEX_FILE", index);
        Ok(names(&feed(command, b"")?).map(BString::from).collect())
    }

    /// The files of a commit that an index does not have.
    pub(crate) fn deleted_in_index(&self, index: &Path, commit: ObjectId) -> Result<Vec<String>, GitError> {
        let args =
            Args::new(&["diff-index", "--cached", "--name-only", "--no-renames", "--diff-filter=D", "-z"]);
        let mut command = self.command(args.value(commit.to_string()).no_paths());
        command.env("GIT_INDEX_FILE", index);
        Ok(texts(&feed(command, b"")?))
    }

    /// How many lines of these files an index adds to a commit and removes from it. Binary files and equal ones are not named;
    /// others may be.
    pub(crate) fn lines_staged(
        &self,
        index: &Path,
        commit: ObjectId,
        files: &[String],
    ) -> Result<BTreeMap<String, ChangedLines>, GitError> {
        let args = Args::new(&["diff-index", "--cached", "--numstat", "--no-renames", "-z"]);
        let mut command = self.command(only_in(args.value(commit.to_string()), files));
        command.env("GIT_INDEX_FILE", index);
        Ok(changed_lines(&feed(command, b"")?))
    }

    /// The same for two commits.
    pub(crate) fn lines_changed(
        &self,
        old: ObjectId,
        new: ObjectId,
        files: &[String],
    ) -> Result<BTreeMap<String, ChangedLines>, GitError> {
        let args = Args::new(&["diff-tree", "-r", "--numstat", "--no-renames", "-z"]);
        let args = args.values([old, new].map(|id| id.to_string()));
        Ok(changed_lines(&self.run(only_in(args, files))?))
    }

    /// Selects the `commits` that touch one of these files, in their order.
    pub(crate) fn touching<C: std::fmt::Display, S: AsRef<str>>(
        &self,
        commits: impl IntoIterator<Item = C>,
        files: impl IntoIterator<Item = S>,
    ) -> Result<Vec<ObjectId>, GitError> {
        let list: String = commits.into_iter().map(|commit| format!("{commit}\n")).collect();
        let args = Args::new(&["diff-tree", "--stdin", "--root", "-r", "--name-only", "--no-renames"]);
        let args = files.into_iter().fold(args, |args, file| args.path(file.as_ref()));
        Ok(super::revisions::ids(&self.run_with(args, list.as_bytes())?).collect())
    }

    /// Whether these files are the same in two commits.
    pub(crate) fn are_equal_in<S: AsRef<str>>(
        &self,
        commits: [ObjectId; 2],
        files: impl IntoIterator<Item = S>,
    ) -> Result<bool, GitError> {
        let args = Args::new(&["diff-tree", "--quiet", "-r", "--no-renames"]);
        let args = args.values(commits.map(|id| id.to_string()));
        let args = files.into_iter().fold(args, |args, file| args.path(file.as_ref()));
        Ok(self.output(args)?.status.success())
    }
}

/// How many lines of a file were added and removed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ChangedLines {
    pub(crate) added: u64,
    pub(crate) removed: u64,
}

impl ChangedLines {
    /// All of them.
    pub(crate) fn all(self) -> u64 {
        self.added.saturating_add(self.removed)
    }
}

/// At most this many paths are passed to git: the length of a command line is limited.
const MOST_PATHS: usize = 200;

/// Limits a command to these files, unless they are many.
fn only_in(args: Args, files: &[String]) -> Args {
    if files.len() > MOST_PATHS {
        return args.no_paths();
    }
    files.iter().fold(args, Args::path)
}

/// The lines of `--numstat -z`: how many were added and removed, and a path.
fn changed_lines(output: &[u8]) -> BTreeMap<String, ChangedLines> {
    let mut found = BTreeMap::new();
    for line in texts(output) {
        let mut parts = line.splitn(3, '\t');
        let counts = [parts.next(), parts.next()].map(|count| count?.parse::<u64>().ok());
        if let ([Some(added), Some(removed)], Some(path)) = (counts, parts.next()) {
            found.insert(path.to_owned(), ChangedLines { added, removed });
        }
    }
    found
}

fn texts(output: &[u8]) -> Vec<String> {
    names(output).map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

fn names(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    output.split(|byte| *byte == 0).filter(|name| !name.is_empty())
}

/// The entries of `git status --porcelain -z`, without renames: two letters, a space and a path.
fn status(output: &[u8]) -> Vec<StatusEntry> {
    names(output)
        .filter(|line| line.len() > 3)
        .map(|line| (lossy_text(&line[..2]), lossy_text(&line[3..])))
        .collect()
}

fn lossy_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
