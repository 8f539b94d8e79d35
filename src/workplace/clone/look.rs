//! Looks at a workplace while an agent works there. Nothing is waited for, and nothing is read without an end.

use std::time::SystemTime;

use super::Workplace;
use super::untrusted::UntrustedDir;

/// Longer files in the git directory are not read.
const LONGEST: u64 = 64 * 1024;
/// At most this many files and directories are read.
const MOST_FILES: usize = 100_000;

impl Workplace {
    /// A file that programs in the workplace write into its git directory; `None` if it is not a small regular file.
    pub(crate) fn read_file(&self, folder: &str, name: &str) -> Option<Vec<u8>> {
        read_file(&self.git_dir().ok()?, folder, name)
    }

    /// When a file was last changed, of those in the work tree and the branch.
    pub(crate) fn changed_at(&self) -> Option<SystemTime> {
        let (mut newest, mut left) = (None, MOST_FILES);
        let mut open = vec![self.folder.clone()];
        while let Some(folder) = open.pop() {
            for entry in folder.read_dir().into_iter().flatten().flatten() {
                if left == 0 {
                    return newest;
                }
                left -= 1;
                let Ok(metadata) = entry.metadata() else { continue };
                newest = newest.max(metadata.modified().ok());
                let is_objects = folder != self.folder && entry.file_name() == "objects";
                if metadata.is_dir() && !is_objects {
                    open.push(entry.path());
                }
            }
        }
        newest
    }
}

/// A small regular file in the git directory of a workplace.
pub(super) fn read_file(git_dir: &UntrustedDir, folder: &str, name: &str) -> Option<Vec<u8>> {
    git_dir.below(folder).ok()??.read(name, LONGEST).ok()?
}
