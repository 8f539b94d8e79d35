//! Errors of git and gix.

use std::path::PathBuf;

use super::process::OLDEST;
use crate::model::{Code, Explain, Other, Remedies, shell};

/// A failure of git, of gix, or of a file in the git directory.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GitError {
    /// The current directory is not in a repository.
    #[error("`{0}` is not in a git repository")]
    NotARepository(PathBuf),
    /// The repository cannot be opened.
    #[error("cannot open the repository: {0}")]
    Open(String),
    /// The repository belongs to someone else, and git refuses to work in it.
    #[error("{words}")]
    DubiousOwnership {
        /// git's message.
        words: String,
        /// The command that makes git trust it, as git suggests.
        remedy: String,
    },
    /// The repository is bare, was not named explicitly, and git is configured to refuse such repositories.
    #[error("{0}")]
    BareNotNamed(String),
    /// A lock file of git's that does not go away.
    #[error("`{0}` exists: a git process is running, or one that died left it behind")]
    LockFile(PathBuf),
    /// A ref cannot have its name, since another one has a part of it: one of both would be a file and a directory.
    #[error("`{reference}` cannot exist beside `{other}`")]
    RefInTheWay {
        /// The ref.
        reference: String,
        /// The one that is there.
        other: String,
    },
    /// The refs are stored in a format that this program cannot write.
    #[error("the repository at `{0}` stores its references as reftable, which git-wf cannot write yet")]
    Reftable(PathBuf),
    /// This repository borrows objects from one that is gone.
    #[error("this repository borrows objects from `{0}`, which does not exist (`objects/info/alternates`)")]
    MissingAlternate(PathBuf),
    /// Refs of this repository need objects that it does not have; git's message.
    #[error("this repository lacks objects that its own refs need: {0}")]
    MissingObjects(String),
    /// A file of the git directory cannot be read or written.
    #[error("`{path}`: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// Reading or writing objects or refs failed.
    #[error("{doing}: {source}")]
    Object {
        /// The operation, for the message.
        doing: &'static str,
        /// gix's error.
        source: Box<gix::Error>,
    },
    /// A tree that is too large to read: changing or merging it would lose its contents.
    #[error("the directory `{path}` is too large: {} MB of names, and a directory has at most 32 MB", size >> 20)]
    CrowdedFolder {
        /// Its path in the tree.
        path: String,
        /// The size of the tree object in bytes.
        size: u64,
    },
    /// `git` could not be started.
    #[error("cannot run `git {command}`: {source}")]
    Start {
        /// Its arguments, joined by blanks.
        command: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// git exited with a failure.
    #[error("`git {command}` failed: {stderr}")]
    Failed {
        /// Its arguments, joined by blanks.
        command: String,
        /// What it printed on stderr, trimmed.
        stderr: String,
        /// Its exit code; `None` if a signal ended it.
        code: Option<i32>,
    },
    /// The work was cancelled.
    #[error("`git {command}` was stopped")]
    Stopped {
        /// Its arguments, joined by blanks.
        command: String,
    },
    /// git failed, and is older than the oldest version that is known to work.
    #[error("`git {command}` failed: {words}")]
    TooOld {
        /// Its arguments, joined by blanks.
        command: String,
        /// What it printed on stderr, trimmed, followed by its version.
        words: String,
    },
}

/// The objects directory from which a repository borrows an object, and which is gone.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` does not exist")]
pub(super) struct LenderGone(pub(super) PathBuf);

impl GitError {
    /// Wraps an error of gix with what was being done.
    pub(crate) fn object(doing: &'static str) -> impl Fn(gix::Error) -> Self {
        move |source| match source.downcast_any_ref() {
            Some(LenderGone(gone)) => Self::MissingAlternate(gone.clone()),
            None => Self::Object { doing, source: Box::new(source) },
        }
    }

    /// Adds the path to an error of the file system.
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}

impl Explain for GitError {
    fn code(&self) -> Code {
        match self {
            Self::NotARepository(_) => Code::NotARepository,
            Self::Open(_) => Code::CannotOpen,
            Self::DubiousOwnership { .. } => Code::DubiousOwnership,
            Self::BareNotNamed(_) => Code::BareNotNamed,
            Self::LockFile(_) => Code::LockFile,
            Self::RefInTheWay { .. } => Code::Exists,
            Self::Reftable(_) => Code::Reftable,
            Self::Io { .. } => Code::Io,
            Self::Object { .. } | Self::MissingAlternate(_) | Self::MissingObjects(_) => Code::Object,
            Self::CrowdedFolder { .. } => Code::TooLarge,
            Self::Start { .. } => Code::GitMissing,
            Self::Failed { .. } => Code::GitFailed,
            Self::TooOld { .. } => Code::GitTooOld,
            Self::Stopped { .. } => Code::Interrupted,
        }
    }

    fn remedies(&self) -> Remedies {
        match self {
            Self::NotARepository(_) => {
                Remedies::from("run this in a repository").or_command("git init", "creates one")
            }
            Self::Open(_) => Remedies::command("git status", "shows whether git can open it"),
            Self::DubiousOwnership { remedy, .. } => Remedies::command(remedy, "says that you trust it"),
            Self::BareNotNamed(_) => {
                Remedies::command("git --git-dir=DIRECTORY wf …", "names it, if you trust its configuration")
            }
            Self::LockFile(_) => "if no git command is running here, remove that file and try again".into(),
            Self::RefInTheWay { other, .. } => {
                let elsewhere = Remedies::command("git config wf.ref refs/heads/wf-main", "names another ref");
                match other.strip_prefix("refs/heads/") {
                    Some(branch) => elsewhere
                        .or_command(format!("git branch -m {} NAME", shell::operand(branch)), "renames the branch"),
                    None => elsewhere,
                }
            }
            Self::Reftable(_) => Remedies::command("git clone --ref-format=files OLD NEW", "makes a clone with other refs")
                .or_command(
                    "git refs migrate --ref-format=files",
                    "converts the repository, if git is 2.48 or later and it has no linked worktrees",
                ),
            Self::MissingAlternate(_) => {
                "move that repository back, or correct its path in `objects/info/alternates` of this git directory".into()
            }
            Self::MissingObjects(_) => Remedies::command("git fsck", "lists them")
                .and("restore the objects, or those of a repository in `objects/info/alternates`"),
            Self::Io { .. } => "make sure that the git directory is writable and the disk has space".into(),
            Self::Object { .. } => Remedies::command("git fsck", "checks the repository's objects")
                .or_command(
                    "git fetch --refetch --no-filter REMOTE REF",
                    "fetches what a partial clone lacks",
                ),
            Self::Start { .. } => {
                format!("git-wf needs the `git` command, {OLDEST} or later, on the PATH").into()
            }
            Self::Stopped { .. } => "call it again".into(),
            Self::TooOld { .. } => format!("install git {OLDEST} or later").into(),
            Self::CrowdedFolder { .. } => {
                Remedies::call(Other::Log, "shows who wrote it; the rest of the store is not affected")
            }
            Self::Failed { .. } => "with GIT_TRACE=1 set, git shows what it does".into(),
        }
    }
}

/// The lock file that was in git's way, if its message names one.
pub(crate) fn lock_file(words: &str) -> Option<PathBuf> {
    const EXISTS: &str = ": File exists";
    let quoted = words.split_once("Unable to create '").and_then(|(_, rest)| rest.split_once("'"));
    let lock = quoted.filter(|(path, rest)| path.ends_with(".lock") && rest.starts_with(EXISTS));
    lock.map(|(path, _)| path.into()).or_else(|| {
        words
            .split_once("could not lock config file ")
            .and_then(|(_, rest)| rest.split_once(EXISTS))
            .map(|(path, _)| format!("{path}.lock").into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_lock_file_that_git_names_is_one() {
        let lock = |words: &str| lock_file(words).map(|path| path.display().to_string());
        for (words, path) in [
            (
                "fatal: Unable to create '/x y/.git/index.lock': File exists.\n\nAnother git",
                "/x y/.git/index.lock",
            ),
            ("cannot lock ref 'refs/heads/q': Unable to create '/a/q.lock': File exists.", "/a/q.lock"),
            ("error: could not lock config file .git/config: File exists", ".git/config.lock"),
        ] {
            assert_eq!(lock(words).as_deref(), Some(path), "{words}");
        }
        for words in [
            "fatal: could not create leading directories of '/home/blockchain/x': File exists",
            "fatal: cannot mkdir lock: File exists",
            "fatal: Unable to create '/x/main.lock': Permission denied",
            "fatal: Unable to create '/blocks/a': File exists",
            "",
        ] {
            assert_eq!(lock(words), None, "{words}");
        }
    }
}
