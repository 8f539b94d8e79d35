//! Runs git with a temporary object directory, so that nothing that it writes stays in the repository.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::git::{Args, Git, GitError, ObjectId};
use crate::store::Store;

/// Runs git beside the repository: it reads all objects that are there, and what it writes goes away with this.
pub(super) struct Aside {
    git: Git,
    environment: Vec<(&'static str, OsString)>,
    _folder: TempDir,
}

impl Aside {
    /// With the settings and attributes of this clone. Fails if no temporary folder can be made.
    pub(super) fn new(store: &Store) -> std::io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let environment = objects(store, folder.path().into());
        Ok(Self { git: store.git(), environment, _folder: folder })
    }

    /// Without the attributes of this clone, its work tree, its index and what it puts in the place of objects: the answer
    /// depends on the objects alone, and no program runs that the clone has set up for a kind of file.
    pub(super) fn without_attributes(store: &Store) -> std::io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let git_dir = folder.path();
        for name in ["objects", "refs"] {
            std::fs::create_dir(git_dir.join(name))?;
        }
        std::fs::write(git_dir.join("HEAD"), "ref: refs/heads/none\n")?;
        let kind = store.repo().hash_kind();
        // What a partial clone lacks comes from where its own configuration says.
        let own = store.common_dir().join("config");
        let own = own.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
        let config = format!(
            "[core]\n\trepositoryFormatVersion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = {kind}\n\
             [include]\n\tpath = \"{own}\"\n"
        );
        std::fs::write(git_dir.join("config"), config)?;
        let mut environment = objects(store, git_dir.join("objects"));
        // git 2.41 and later; an older one finds none in a bare repository anyway.
        environment.push(("GIT_ATTR_SOURCE", ObjectId::empty_tree(kind).to_string().into()));
        environment.push(("GIT_ATTR_NOSYSTEM", "1".into()));
        let shallow = store.common_dir().join("shallow");
        if shallow.exists() {
            environment.push(("GIT_SHALLOW_FILE", shallow.into()));
        }
        Ok(Self { git: Git::new(git_dir, None), environment, _folder: folder })
    }

    /// A command that the caller still shapes.
    pub(super) fn command(&self, args: impl Into<Args>) -> Command {
        let mut command = self.git.command(args);
        command
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            // With it git takes the folder for one whose objects are not let in yet.
            .env_remove("GIT_QUARANTINE_PATH");
        command
    }

    /// Runs to the end and answers with whatever came out; `name` is what an error calls it.
    pub(super) fn output(&self, name: &str, args: Args) -> Result<Output, GitError> {
        self.command(args).output().map_err(|source| GitError::Start { command: name.to_owned(), source })
    }
}

/// Lets git write to `folder`, and read what the store reads.
fn objects(store: &Store, folder: PathBuf) -> Vec<(&'static str, OsString)> {
    let mut alternates = OsString::new();
    for folder in store.object_folders() {
        // A path in quotes may hold the colon that stands between two paths.
        let quoted = folder.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
        if !alternates.is_empty() {
            alternates.push(":");
        }
        alternates.push(format!("\"{quoted}\""));
    }
    vec![("GIT_OBJECT_DIRECTORY", folder.into()), ("GIT_ALTERNATE_OBJECT_DIRECTORIES", alternates)]
}
