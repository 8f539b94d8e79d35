//! Runs git with a temporary object directory, so that none of its objects stay in the repository.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use super::{Args, Git, GitError, ObjectId, Repository};

/// A git that reads all objects of the repository. Objects that it creates are removed when this is dropped.
pub(crate) struct ScratchGit {
    git: Git,
    environment: Vec<(&'static str, OsString)>,
    _folder: TempDir,
}

impl ScratchGit {
    /// With the settings and attributes of this clone; `read` are the directories of its objects. Fails if no directory
    /// can be made in `temporary`.
    pub(crate) fn new(git: Git, read: &[PathBuf], temporary: &Path) -> std::io::Result<Self> {
        let folder = tempfile::tempdir_in(temporary)?;
        let environment = objects(read, folder.path().into());
        Ok(Self { git, environment, _folder: folder })
    }

    /// Without the attributes, work tree, index and replacement objects of this clone: the answer depends on the
    /// objects alone, and no program runs that the clone has configured for a kind of file.
    pub(crate) fn without_attributes(
        repo: &Repository,
        read: &[PathBuf],
        temporary: &Path,
    ) -> std::io::Result<Self> {
        let folder = tempfile::tempdir_in(temporary)?;
        let git_dir = folder.path();
        for name in ["objects", "refs"] {
            std::fs::create_dir(git_dir.join(name))?;
        }
        std::fs::write(git_dir.join("HEAD"), "ref: refs/heads/none\n")?;
        let kind = repo.hash_kind();
        // A partial clone fetches missing objects from where its own configuration says.
        let own = repo.common_dir().join("config");
        let own = own.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
        let config = format!(
            "[core]\n\trepositoryFormatVersion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = {kind}\n\
             [include]\n\tpath = \"{own}\"\n"
        );
        std::fs::write(git_dir.join("config"), config)?;
        let mut environment = objects(read, git_dir.join("objects"));
        // For git 2.41 and later; an older git reads no attributes in a bare repository anyway.
        environment.push(("GIT_ATTR_SOURCE", ObjectId::empty_tree(kind).to_string().into()));
        environment.push(("GIT_ATTR_NOSYSTEM", "1".into()));
        let shallow = repo.common_dir().join("shallow");
        if shallow.exists() {
            environment.push(("GIT_SHALLOW_FILE", shallow.into()));
        }
        Ok(Self { git: Git::new(git_dir, None), environment, _folder: folder })
    }

    /// A command that the caller completes.
    pub(super) fn command(&self, args: impl Into<Args>) -> Command {
        let mut command = self.git.command(args);
        command
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            // With this variable, git takes the directory for a quarantine of objects that are not accepted yet.
            .env_remove("GIT_QUARANTINE_PATH");
        command
    }

    /// Runs git to its end and returns all output; `name` is for errors.
    pub(super) fn output(&self, name: &str, args: Args) -> Result<Output, GitError> {
        self.command(args).output().map_err(|source| GitError::Start { command: name.to_owned(), source })
    }
}

/// Lets git write to `folder`, and read what is in the directories `read`.
fn objects(read: &[PathBuf], folder: PathBuf) -> Vec<(&'static str, OsString)> {
    let mut alternates = OsString::new();
    for folder in read {
        // A quoted path may contain the colon that separates paths.
        let quoted = folder.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
        if !alternates.is_empty() {
            alternates.push(":");
        }
        alternates.push(format!("\"{quoted}\""));
    }
    vec![("GIT_OBJECT_DIRECTORY", folder.into()), ("GIT_ALTERNATE_OBJECT_DIRECTORIES", alternates)]
}
