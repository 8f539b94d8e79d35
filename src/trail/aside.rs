//! git with a folder of its own for the objects that it makes: it merges in memory, as it were, and nothing stays behind.

use std::ffi::OsString;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::store::Store;
use crate::store::git::{Args, Git, GitError};

/// Runs git beside the repository: it reads all objects that are there, and what it writes goes away with this.
pub(super) struct Aside {
    git: Git,
    alternates: OsString,
    folder: TempDir,
}

impl Aside {
    /// Fails if no temporary folder can be made.
    pub(super) fn new(store: &Store) -> std::io::Result<Self> {
        let mut alternates = OsString::new();
        for folder in store.object_folders() {
            // A path in quotes may hold the colon that stands between two paths.
            let quoted = folder.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
            if !alternates.is_empty() {
                alternates.push(":");
            }
            alternates.push(format!("\"{quoted}\""));
        }
        Ok(Self { git: store.git(), alternates, folder: tempfile::tempdir()? })
    }

    /// A command that the caller still shapes.
    pub(super) fn command(&self, args: impl Into<Args>) -> Command {
        let mut command = self.git.command(args);
        command
            .env("GIT_OBJECT_DIRECTORY", self.folder.path())
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", &self.alternates)
            // With it git takes the folder for one whose objects are not let in yet.
            .env_remove("GIT_QUARANTINE_PATH");
        command
    }

    /// Runs to the end and answers with whatever came out; `name` is what an error calls it.
    pub(super) fn output(&self, name: &str, args: Args) -> Result<Output, GitError> {
        self.command(args).output().map_err(|source| GitError::Start { command: name.to_owned(), source })
    }
}
