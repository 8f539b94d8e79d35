//! What a project says about its workplaces, in two files that git tracks: `.worktreeinclude` lists ignored files to
//! bring, in the syntax of `.gitignore`; `.wfconfig` has settings in the syntax of `.gitconfig`, as `.lfsconfig` does
//! for Git LFS. git config overrides the latter.

use super::PreparationError;
use crate::git::{EntryKind, Git, GitError};
use crate::rules::CommandLine;
use crate::store::{ObjectId, Store};

/// The file of patterns. Other tools read it, too.
pub(super) const INCLUDE: &str = ".worktreeinclude";
/// The file of settings.
pub(super) const CONFIG: &str = ".wfconfig";
/// The setting with commands.
const SETUP: &str = "wf.workplace.setup";
/// The setting with commands for the end.
const TEARDOWN: &str = "wf.workplace.teardown";
/// Larger files are refused.
const MOST_BYTES: u64 = 64 * 1024;

/// What a project says about its workplaces.
#[derive(Debug, Default)]
pub(super) struct WorkplaceSettings {
    /// The patterns of ignored files to bring.
    pub(super) include: Option<Vec<u8>>,
    /// Commands that prepare a workplace, in order.
    pub(super) setup: Vec<CommandLine>,
    /// Commands that run before a workplace is removed, in order.
    pub(super) teardown: Vec<CommandLine>,
}

impl WorkplaceSettings {
    /// Reads them at a commit.
    pub(super) fn read(store: &Store, commit: Option<ObjectId>) -> Result<Self, PreparationError> {
        let Some(commit) = commit else { return Ok(Self::default()) };
        let git = store.git();
        let config = file(store, commit, CONFIG)?.is_some().then_some(commit);
        Ok(Self {
            include: file(store, commit, INCLUDE)?,
            setup: commands(store, &git, config, SETUP)?,
            teardown: commands(store, &git, config, TEARDOWN)?,
        })
    }
}

/// The bytes of a file at the top of a commit; `None` if there is no regular file of that name.
fn file(store: &Store, commit: ObjectId, name: &'static str) -> Result<Option<Vec<u8>>, PreparationError> {
    let repo = store.repo();
    let Some((kind, blob)) = repo.look_up(repo.tree_of(commit)?, name.into())? else { return Ok(None) };
    if !matches!(kind, EntryKind::Blob | EntryKind::BlobExecutable) {
        return Ok(None);
    }
    let size = repo.header(blob)?.size;
    if size > MOST_BYTES {
        return Err(PreparationError::TooLarge { name, size });
    }
    Ok(Some(repo.bytes_of(blob)?))
}

/// The error about the project's file, without what git calls it.
fn unreadable(stderr: &str, blob: &str) -> PreparationError {
    let line = stderr.lines().next().unwrap_or_default();
    let line =
        ["error: ", "fatal: "].iter().fold(line, |line, start| line.strip_prefix(start).unwrap_or(line));
    PreparationError::Config { name: CONFIG, why: line.replace(&format!(" in blob {blob}"), "") }
}

/// The commands of a key: those of git config if there are any, else those that the project's file names.
fn commands(
    store: &Store,
    git: &Git,
    config: Option<ObjectId>,
    key: &'static str,
) -> Result<Vec<CommandLine>, PreparationError> {
    let mut texts = store.config_all(key);
    if texts.is_empty()
        && let Some(commit) = config
    {
        let blob = format!("{commit}:{CONFIG}");
        texts = git.config_of_blob(&blob, key).map_err(|error| match error {
            GitError::Failed { stderr, .. } => unreadable(&stderr, &blob),
            error => error.into(),
        })?;
    }
    let parsed = texts.iter().map(|text| CommandLine::parse(text));
    parsed.collect::<Result<_, _>>().map_err(|hidden| PreparationError::Hidden { key, hidden })
}
