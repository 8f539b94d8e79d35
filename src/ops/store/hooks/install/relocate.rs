//! Moves hooks between the directory of hooks and one below it. A relative link leads where it led before.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Moves a hook to a directory below its own.
pub(super) fn below(hook: &Path, aside: &Path) -> io::Result<()> {
    match relative_link(hook) {
        Some(target) => {
            symlink(Path::new("..").join(target), aside)?;
            fs::remove_file(hook)
        }
        None => fs::rename(hook, aside),
    }
}

/// Moves it back, in the place of whatever is there.
pub(super) fn back(aside: &Path, hook: &Path) -> io::Result<()> {
    let target = relative_link(aside);
    let Some(target) = target.as_ref().and_then(|target| target.strip_prefix("..").ok()) else {
        return fs::rename(aside, hook);
    };
    let link = aside.with_extension("link");
    symlink(target, &link)?;
    fs::rename(&link, hook)?;
    fs::remove_file(aside)
}

fn relative_link(path: &Path) -> Option<PathBuf> {
    fs::read_link(path).ok().filter(|target| target.is_relative())
}
