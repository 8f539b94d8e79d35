//! Finds what git would wait for: a named pipe in place of a file that git reads. git opens such a file without
//! checking what it is, and then waits for a writer that never comes. A link to a device can also be read without
//! end.

use std::fs::{self, FileType};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// The files of a work tree that git opens without a look at what they are.
const IN_TREE: &[&str] = &[".gitattributes", ".gitignore", ".gitmodules", ".mailmap"];

/// The pipes in a work tree that git would open, also in repositories within it. It follows no links to the files of the work
/// tree itself.
pub(crate) fn in_tree(tree: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    search(
        tree,
        Path::new(""),
        &|folder| folder != Path::new(".git"),
        &|file: &Path| {
            is_in_git_dir(file)
                || file.file_name().is_some_and(|name| IN_TREE.iter().any(|pipe| name == *pipe))
        },
        &mut found,
    );
    found.retain(|file| is_in_git_dir(file) || !tree.join(file).is_symlink());
    found
}

fn is_in_git_dir(file: &Path) -> bool {
    file.components().any(|part| part.as_os_str() == ".git")
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
}
