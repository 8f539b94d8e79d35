//! Looks at a workplace while an agent works there. Nothing is waited for, and nothing is read without an end.

use std::path::Path;
use std::time::SystemTime;

use super::Workplace;
use super::hand_in::git_dir;

/// Longer files in the git directory are not read.
const LONGEST: u64 = 64 * 1024;
/// At most this many files and directories are read.
const MOST_FILES: usize = 100_000;

impl Workplace {
    /// A file that programs in the workplace write into its git directory; `None` if it is not a small regular file.
    pub(crate) fn read_file(&self, folder: &str, name: &str) -> Option<Vec<u8>> {
        read_file(&self.folder, folder, name)
    }

    /// When a file was last changed, of those in the work tree and the branch.
    pub(crate) fn changed_at(&self) -> Option<SystemTime> {
        let mut newest = None;
        let mut left = MOST_FILES;
        look(&self.folder, &self.folder, &mut newest, &mut left);
        newest
    }
}

/// A small regular file in the git directory of the workplace in a directory.
pub(super) fn read_file(workplace: &Path, folder: &str, name: &str) -> Option<Vec<u8>> {
    git_dir(workplace).ok()?.below(folder).ok()??.read(name, LONGEST).ok()?
}

fn look(top: &Path, folder: &Path, newest: &mut Option<SystemTime>, left: &mut usize) {
    let Ok(entries) = folder.read_dir() else { return };
    for entry in entries.flatten() {
        if *left == 0 {
            return;
        }
        *left -= 1;
        let Ok(metadata) = entry.metadata() else { continue };
        *newest = (*newest).max(metadata.modified().ok());
        let is_objects = folder != top && entry.file_name() == "objects";
        if metadata.is_dir() && !is_objects {
            look(top, &entry.path(), newest, left);
        }
    }
}
