//! Finds what git would wait for: a named pipe in place of a file that git reads. git opens such a file without
//! checking what it is, and then waits for a writer that never comes. A link to a device can also be read without
//! end.

use std::fs::{self, FileType, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// Directories of a git directory in which git itself reads nothing.
const UNREAD: &[&str] = &["annex", "lfs", "modules", "wf"];
/// The only directories of objects that are searched: there are too many others, and git never reads an object to which
/// no ref leads.
const OBJECTS: &[&str] = &["objects", "objects/info", "objects/pack"];
/// The files of a work tree that git opens without a look at what they are.
const IN_TREE: &[&str] = &[".gitattributes", ".gitignore", ".gitmodules", ".mailmap"];

/// The pipes and devices in a git directory, and the links to them, by their paths in it.
pub(super) fn in_git_dir(common: &Path) -> Vec<PathBuf> {
    let is_searched = |folder: &Path| {
        let is = |name: &&str| folder == Path::new(name);
        if folder.starts_with("objects") { OBJECTS.iter().any(is) } else { !UNREAD.iter().any(is) }
    };
    let mut found = Vec::new();
    search(common, Path::new(""), &is_searched, &|_| true, &mut found);
    found
}

/// The pipes in a work tree that git would open, also in repositories within it. It follows no links to the files of the work
/// tree itself.
pub(crate) fn in_tree(tree: &Path) -> Vec<PathBuf> {
    let is_within = |file: &Path| file.components().any(|part| part.as_os_str() == ".git");
    let is_named = |file: &Path| file.file_name().is_some_and(|name| IN_TREE.iter().any(|it| name == *it));
    let is_read = |file: &Path| is_within(file) || is_named(file);
    let mut found = Vec::new();
    search(tree, Path::new(""), &|folder| folder != Path::new(".git"), &is_read, &mut found);
    found.retain(|file| is_within(file) || !tree.join(file).is_symlink());
    found
}

/// Removes a pipe or a link to one. Whoever waits for its writer, in this process or in git, goes on and reads nothing.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    let is_pipe = path.metadata().is_ok_and(|found| found.file_type().is_fifo());
    let nonblocking = OFlags::NONBLOCK.bits().cast_signed();
    // A writer that goes away at once.
    let writer =
        is_pipe.then(|| OpenOptions::new().read(true).write(true).custom_flags(nonblocking).open(path));
    let removed = fs::remove_file(path);
    drop(writer);
    removed
}

fn search(
    root: &Path,
    within: &Path,
    is_searched: &dyn Fn(&Path) -> bool,
    is_read: &dyn Fn(&Path) -> bool,
    found: &mut Vec<PathBuf>,
) {
    // What cannot be listed, git cannot open either.
    let entries = fs::read_dir(root.join(within)).into_iter().flatten().flatten();
    for entry in entries {
        let Ok(kind) = entry.file_type() else { continue };
        let name = within.join(entry.file_name());
        if kind.is_dir() {
            if is_searched(&name) {
                search(root, &name, is_searched, is_read, found);
            }
        } else if is_read(&name) && is_endless(&entry.path(), kind) {
            found.push(name);
        }
    }
}

fn is_endless(path: &Path, kind: FileType) -> bool {
    let is = |kind: FileType| kind.is_fifo() || kind.is_char_device() || kind.is_block_device();
    is(kind) || (kind.is_symlink() && path.metadata().is_ok_and(|found| is(found.file_type())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pipe(path: &Path) {
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    }

    #[test]
    fn pipes_are_found_wherever_git_reads() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["objects/pack", "objects/ab", "refs/heads/a", "worktrees/x", "lfs"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        fs::write(root.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        for name in ["objects/pack/x.idx", "objects/ab/cd", "refs/heads/a/b", "worktrees/x/HEAD", "lfs/x"] {
            pipe(&root.join(name));
        }
        std::os::unix::fs::symlink("/dev/zero", root.join("packed-refs")).unwrap();
        std::os::unix::fs::symlink("nowhere", root.join("ORIG_HEAD")).unwrap();
        let mut found = in_git_dir(root);
        found.sort();
        let expected = ["objects/pack/x.idx", "packed-refs", "refs/heads/a/b", "worktrees/x/HEAD"];
        assert_eq!(found, expected.map(PathBuf::from));
    }

    #[test]
    fn who_waits_at_a_pipe_goes_on_when_it_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("HEAD");
        pipe(&path);
        std::thread::scope(|scope| {
            // It may come too late, and find nothing.
            let waiting = scope.spawn(|| fs::read(&path).map_or(0, |read| read.len()));
            remove(&path).unwrap();
            assert_eq!(waiting.join().unwrap(), 0);
        });
        assert!(!path.exists());
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
}
