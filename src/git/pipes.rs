//! Finds what git would wait for: a named pipe in place of a file that git reads. git opens such a file without
//! checking what it is, and then waits for a writer that never comes. A link to a device can also be read without
//! end.

use std::ffi::OsStr;
use std::fs::{self, FileType};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Component, Path, PathBuf};

/// The files of a work tree that git opens without a look at what they are.
const IN_TREE: &[&str] = &[".gitattributes", ".gitignore", ".gitmodules", ".mailmap"];

/// Where git puts the git directories of submodules and worktrees.
const NAMED: [&str; 2] = [".git/modules", ".git/worktrees"];
/// Longer `.git` files are not read: a path is not longer.
const LONGEST: u64 = 8192;

/// The pipes in a work tree that git would open, also in repositories within it, and what leads git to a directory elsewhere. It
/// follows no links to the files of the work tree itself.
pub(crate) fn in_tree(tree: &Path) -> Vec<PathBuf> {
    // git writes paths without links.
    let tree = &tree.canonicalize().unwrap_or_else(|_| tree.to_owned());
    let mut found = Vec::new();
    search(tree, Path::new(""), &mut found);
    // git reads these for the submodules and for the worktrees that its `.git` files name.
    for folder in NAMED.iter().filter(|folder| is_no_link(tree, folder)) {
        search(tree, Path::new(folder), &mut found);
    }
    found.retain(|file| is_in_git_dir(file) || !tree.join(file).is_symlink());
    found
}

fn is_read(file: &Path) -> bool {
    is_in_git_dir(file) || file.file_name().is_some_and(|name| IN_TREE.iter().any(|pipe| name == *pipe))
}

fn is_in_git_dir(file: &Path) -> bool {
    file.components().any(|part| part.as_os_str() == ".git")
}

fn search(root: &Path, within: &Path, found: &mut Vec<PathBuf>) {
    // What cannot be listed, git cannot open either.
    let entries = fs::read_dir(root.join(within)).into_iter().flatten().flatten();
    // All of them are read first, so that no directory stays open while those below it are searched.
    for entry in entries.collect::<Vec<_>>() {
        let Ok(kind) = entry.file_type() else { continue };
        let name = within.join(entry.file_name());
        if kind.is_dir() {
            if name != Path::new(".git") {
                search(root, &name, found);
            }
        } else if leads_away(root, &name, kind) || (is_read(&name) && is_endless(&entry.path(), kind)) {
            found.push(name);
        }
    }
}

/// Whether git would read a git directory elsewhere, which nobody has searched: through a `.git` file or link that git does not
/// make for a submodule or a worktree, or a link to a directory in a git directory.
fn leads_away(root: &Path, name: &Path, kind: FileType) -> bool {
    if name == Path::new(".git") {
        return false;
    }
    let path = root.join(name);
    if name.file_name() != Some(OsStr::new(".git")) {
        return kind.is_symlink() && is_in_git_dir(name) && path.is_dir();
    }
    let Some(target) = git_dir_named_in(&path, kind) else { return true };
    let target = clean(&path.with_file_name(target));
    !NAMED.iter().any(|folder| is_no_link(root, folder) && target.starts_with(clean(&root.join(folder))))
}

/// The path in a `.git` file.
fn git_dir_named_in(path: &Path, kind: FileType) -> Option<PathBuf> {
    let is_small = path.symlink_metadata().is_ok_and(|found| found.len() <= LONGEST);
    if !kind.is_file() || !is_small {
        return None;
    }
    let content = fs::read(path).ok()?;
    let target = content.strip_prefix(b"gitdir: ")?.trim_ascii_end();
    Some(PathBuf::from(OsStr::from_bytes(target)))
}

/// Whether no part of a path below the top is a link.
fn is_no_link(top: &Path, path: &str) -> bool {
    Path::new(path).ancestors().all(|part| part.as_os_str().is_empty() || !top.join(part).is_symlink())
}

/// A path without `..`, whatever links there are.
fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(clean.pop()),
            part => clean.push(part),
        }
    }
    clean
}

fn is_endless(path: &Path, kind: FileType) -> bool {
    never_ends(kind)
        || (kind.is_symlink() && path.metadata().is_ok_and(|found| never_ends(found.file_type())))
}

fn never_ends(kind: FileType) -> bool {
    kind.is_fifo() || kind.is_char_device() || kind.is_block_device()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pipe(path: &Path) {
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    }

    #[test]
    fn pipes_of_a_work_tree_count_if_git_opens_them() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("a/b")).unwrap();
        for name in ["a/b/.gitignore", "a/pipe"] {
            pipe(&folder.path().join(name));
        }
        assert_eq!(in_tree(folder.path()), [PathBuf::from("a/b/.gitignore")]);
    }

    #[test]
    fn a_git_directory_elsewhere_counts_unless_git_made_it_there() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("tree");
        let absolute = format!("gitdir: {}\n", root.join(".git/worktrees/w").display());
        for (place, content) in [
            ("lib", "gitdir: ../.git/modules/lib\n"),
            ("w", absolute.as_str()),
            ("away", "gitdir: ../../elsewhere\n"),
            ("up", "gitdir: ../.git/modules/../../../elsewhere\n"),
            ("other", "something else"),
        ] {
            fs::create_dir_all(root.join(place)).unwrap();
            fs::write(root.join(place).join(".git"), content).unwrap();
        }
        for inner in [".git/modules/lib", ".git/worktrees/w", "own/.git", "linked"] {
            fs::create_dir_all(root.join(inner)).unwrap();
        }
        let found = |expected: &[&str]| {
            let mut found = in_tree(&root);
            found.sort();
            assert_eq!(found, expected.iter().map(PathBuf::from).collect::<Vec<_>>());
        };
        found(&["away/.git", "other/.git", "up/.git"]);
        for name in ["away", "up", "other"] {
            fs::remove_dir_all(root.join(name)).unwrap();
        }
        found(&[]);
        pipe(&root.join(".git/modules/lib/HEAD"));
        std::os::unix::fs::symlink("/", root.join("own/.git/refs")).unwrap();
        std::os::unix::fs::symlink("../own/.git", root.join("linked/.git")).unwrap();
        found(&[".git/modules/lib/HEAD", "linked/.git", "own/.git/refs"]);
    }
}
