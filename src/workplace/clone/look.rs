//! Looks at a workplace while an agent works there. Nothing is waited for, and nothing is read without an end.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::Workplace;
use super::untrusted::UntrustedDir;

/// Longer files in the git directory are not read.
const LONGEST: u64 = 64 * 1024;
/// At most this many files and directories are read.
const MOST_FILES: usize = 100_000;

/// A path that differs from the start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ChangedPath {
    /// As git lists it.
    pub(crate) line: String,
    /// Stands for the sizes and times of all that is there: another sign means that somebody wrote there since.
    sign: u64,
}

impl Workplace {
    /// These paths, as git listed them, each with a sign of what is there now.
    pub(crate) fn with_signs(&self, listed: Vec<String>) -> Vec<ChangedPath> {
        listed.into_iter().map(|line| ChangedPath { sign: self.sign(&line), line }).collect()
    }

    fn sign(&self, line: &str) -> u64 {
        let mut sign = DefaultHasher::new();
        let mut left = MOST_FILES;
        // Two letters and a blank come before the path. Nothing is found at one that git quotes.
        let mut open: Vec<_> = line.get(3..).map(|path| self.folder.join(path)).into_iter().collect();
        while let Some(path) = open.pop()
            && left > 0
        {
            left -= 1;
            let Ok(found) = path.symlink_metadata() else { continue };
            path.hash(&mut sign);
            (found.len(), found.mode(), found.mtime(), found.mtime_nsec()).hash(&mut sign);
            if found.is_dir() {
                let entries = path.read_dir().into_iter().flatten().flatten();
                let mut below: Vec<_> = entries.map(|entry| entry.path()).collect();
                below.sort();
                open.extend(below);
            }
        }
        sign.finish()
    }

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
