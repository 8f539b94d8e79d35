//! Where a run works on this machine: its files in the git directory, its worktrees beside the repository.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use super::view::folder;
use crate::git::Environment;
use crate::model::hash::CommitHash;
use crate::model::id::{IssueId, RunId, SolutionId};
use crate::model::remedy::Call;
use crate::model::run::Run;
use crate::ops::{Progress, Refusal, Session};
use crate::store::{Acting, Store};

/// The places of a run.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    /// For transcripts.
    pub(super) files: PathBuf,
    /// In which the worktrees are.
    pub(super) trees: PathBuf,
}

/// Nobody is shown how far an agent's own work has come.
struct Silent;

impl Progress for Silent {
    fn at(&self, _: &'static str, _: usize, _: usize) {}

    fn count(&self, _: &'static str, _: u64, _: Option<u64>) {}

    fn end(&self) {}
}

/// As whom a session is made, and what the programs that it starts may see.
#[derive(Debug, Clone)]
pub(crate) struct As {
    /// Who acts.
    pub(super) acting: Acting,
    /// The variables to choose from.
    pub(super) environment: Environment,
}

impl As {
    /// A session in a folder.
    pub(super) fn at(&self, folder: &Path) -> Result<Session, Refusal> {
        let store = Store::open(folder, &self.environment)?.acting(self.acting.clone());
        Ok(Session::new(store, Box::new(Silent)))
    }
}

impl Places {
    pub(super) fn of(store: &Store, run: &RunId) -> Self {
        let common = store.common_dir();
        let common = common.canonicalize().unwrap_or(common);
        let main = match common.file_name() {
            Some(name) if name == ".git" => common.parent().unwrap_or(&common).to_owned(),
            _ => common,
        };
        let name = main.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = name.strip_suffix(".git").unwrap_or(&name);
        Self { files: folder(store, run), trees: main.with_file_name(format!("{name}-{run}")) }
    }

    /// Keeps other processes from driving the same run until the returned file is dropped.
    pub(super) fn hold(&self, run: &RunId) -> Result<File, Refusal> {
        let path = self.files.join("driving.lock");
        let failed = |error: std::io::Error| {
            Refusal::new("cannot-write", format!("cannot lock {}: {error}", path.display()))
        };
        std::fs::create_dir_all(&self.files).map_err(failed)?;
        let file = File::create(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => {
                Err(Refusal::new("run-under-way", format!("another process drives run `{run}`"))
                    .remedy(Call::new("run show", [run]), "shows how far it has come"))
            }
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }

    /// The worktree of the run's branch.
    pub(super) fn branch_tree(&self) -> PathBuf {
        self.trees.join("branch")
    }

    /// The worktree in which a plan is carried out.
    pub(super) fn tree_of(&self, solution: &SolutionId) -> PathBuf {
        self.trees.join(solution.as_str())
    }

    /// The worktree in which an agent reads for an issue.
    pub(super) fn reading(&self, issue: &IssueId) -> PathBuf {
        self.trees.join(format!("read-{issue}"))
    }

    /// The directory for what agents say.
    pub(super) fn transcripts(&self) -> PathBuf {
        self.files.join("transcripts")
    }
}

/// The short name of a run's branch.
pub(super) fn short_branch(run: &RunId) -> String {
    format!("wf/{run}")
}

/// Makes sure that the run's branch and its worktree are there.
pub(super) fn prepare_branch(store: &Store, places: &Places, run: &Run) -> Result<(), Refusal> {
    let (Some(branch), Some(base)) = (&run.branch, &run.base_commit) else { return Ok(()) };
    let tree = places.branch_tree();
    if tree.exists() {
        // Whoever was killed in the middle of a merge left it behind, and nobody else works there.
        if let Ok(there) = Store::open(&tree, store.environment())
            && there.branch()?.as_deref() == Some(branch)
        {
            unlock(&there);
            return Ok(there.git().discard_uncommitted()?);
        }
        store.git().remove_worktree(&tree)?;
    }
    let is_new = store.read_ref(branch)?.is_none();
    store.git().prune_worktrees()?;
    store.git().add_worktree(&tree, &short_branch(&run.id), is_new.then_some(base.as_str()))?;
    Ok(())
}

/// The last commit of the run: on its branch, else the one that it began with.
pub(super) fn head(store: &Store, run: &Run) -> Result<Option<CommitHash>, Refusal> {
    let on_branch = match &run.branch {
        Some(branch) => store.read_ref(branch)?,
        None => None,
    };
    Ok(on_branch.map(CommitHash::from).or_else(|| run.base_commit.clone()))
}

/// Removes the worktrees of a run that is over, but for those that hold work that is nowhere else.
pub(super) fn clean_up(store: &Store, places: &Places) -> Result<(), Refusal> {
    let tree = places.branch_tree();
    if tree.exists() {
        store.git().remove_worktree(&tree)?;
    }
    // Only where nothing is left.
    let _ = std::fs::remove_dir(&places.trees);
    Ok(())
}

/// Removes the locks that git left in the work tree of `store` when it was killed. Nobody may work there.
pub(super) fn unlock(store: &Store) {
    for name in ["index.lock", "HEAD.lock"] {
        let _ = std::fs::remove_file(store.git_dir().join(name));
    }
}

/// Keeps what is not committed in the work tree of `store` on a new branch (its short name).
pub(super) fn keep_uncommitted(store: &Store, branch: &str) -> Result<(), Refusal> {
    let index = store.git_dir().join("wf/snapshot-index");
    // Without a copy, git reads the work tree anew.
    let _ = std::fs::copy(store.git_dir().join("index"), &index);
    let kept = store.git().keep_uncommitted(&index, branch);
    let _ = std::fs::remove_file(&index);
    Ok(kept?)
}
