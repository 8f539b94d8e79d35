//! Files of the work tree that git ignores, and settings in a file that git tracks.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::{Args, Git, GitError};

impl Git {
    /// The ignored files of the work tree that match patterns in the syntax of `.gitignore`, which the file `patterns`
    /// contains. A repository within the work tree is one path that ends in a slash.
    pub(crate) fn ignored_files(&self, patterns: &Path) -> Result<Vec<PathBuf>, GitError> {
        self.ignored_among(&["ls-files", "-z", "--others", "--ignored"], patterns)
    }

    /// The directories of the work tree that are ignored as a whole, and match as the files do, with a slash at the end;
    /// not those below them. They may be empty.
    pub(crate) fn ignored_folders(&self, patterns: &Path) -> Result<Vec<PathBuf>, GitError> {
        let listed =
            self.ignored_among(&["ls-files", "-z", "--others", "--ignored", "--directory"], patterns)?;
        Ok(listed.into_iter().filter(|path| path.as_os_str().as_bytes().ends_with(b"/")).collect())
    }

    /// The ignored paths among those that this command of git lists.
    fn ignored_among(&self, list: &[&'static str], patterns: &Path) -> Result<Vec<PathBuf>, GitError> {
        let listed = self.run(Args::new(list).with("--exclude-from=", patterns.display()))?;
        if listed.is_empty() {
            return Ok(vec![]);
        }
        match self.run_with(&["check-ignore", "-z", "--stdin"], &listed) {
            Ok(ignored) => Ok(paths(&ignored)),
            // None of them is ignored.
            Err(GitError::Failed { code: Some(1), .. }) => Ok(vec![]),
            Err(error) => Err(error),
        }
    }

    /// All values of a key in a configuration file that is a blob, such as `HEAD:.wfconfig`. The file can include no
    /// other file.
    pub(crate) fn config_of_blob(&self, blob: &str, key: &str) -> Result<Vec<String>, GitError> {
        let args = Args::new(&["config", "--null", "--no-includes"]).with("--blob=", blob);
        match self.run(args.options(&["--get-all"]).value(key)) {
            Ok(values) => {
                Ok(String::from_utf8_lossy(&values).split_terminator('\0').map(str::to_owned).collect())
            }
            // git exits with 1 for a broken file, too, and says what is wrong.
            Err(GitError::Failed { code: Some(1), stderr, .. }) if stderr.is_empty() => Ok(vec![]),
            Err(error) => Err(error),
        }
    }
}

fn paths(listed: &[u8]) -> Vec<PathBuf> {
    let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names.map(|name| PathBuf::from(OsStr::from_bytes(name))).collect()
}
