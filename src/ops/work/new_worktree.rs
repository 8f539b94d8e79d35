//! The worktree that `next --worktree` creates: its path, its branch, its first commit.

use std::path::{Path, PathBuf};

use crate::model::execution::Execution;
use crate::model::hash::CommitHash;
use crate::model::id::SolutionId;
use crate::model::remedy::Call;
use crate::ops::Refusal;
use crate::store::Store;

/// A requested worktree.
pub(super) struct NewWorktree {
    path: Option<PathBuf>,
    /// The branches that are checked out in some worktree, with its directory.
    taken: Vec<(String, PathBuf)>,
}

/// The worktree for one plan.
pub(super) struct Plan {
    path: PathBuf,
    /// The full name.
    pub(super) branch: String,
    is_new_branch: bool,
    /// The commit that it starts from.
    pub(super) base: CommitHash,
    /// git's name for the worktree.
    pub(super) name: Option<String>,
}

impl NewWorktree {
    pub(super) fn wanted(store: &Store, path: Option<&Path>) -> Result<Self, Refusal> {
        let path = path.map(std::path::absolute).transpose().map_err(|error| {
            Refusal::new("path", format!("cannot find the path of the worktree: {error}"))
        })?;
        Ok(Self { path, taken: store.git().checked_out()? })
    }

    /// Chooses its path, branch and first commit. Creates nothing; anything in the way is an error.
    pub(super) fn plan(&self, store: &Store, solution: &SolutionId) -> Result<Plan, Refusal> {
        let short = format!("wf/{solution}");
        let branch = format!("refs/heads/{short}");
        if let Some((_, folder)) = self.taken.iter().find(|(taken, _)| *taken == branch) {
            return Err(Refusal::new(
                "branch-in-use",
                format!("`{short}` is already checked out in `{}`", folder.display()),
            )
            .remedy(
                Call::new("next", [solution]),
                "there continues with it; `git worktree remove` removes it",
            ));
        }
        let path = self.path.clone().unwrap_or_else(|| beside(store, solution));
        let is_free = path.read_dir().map_or_else(|_| !path.exists(), |mut names| names.next().is_none());
        if !is_free {
            return Err(Refusal::new("path-in-use", format!("`{}` already exists", path.display()))
                .remedy("next --worktree PATH", "creates the worktree elsewhere"));
        }
        // Continue on the branch of an earlier attempt.
        let earlier = store.read_ref(&branch)?;
        let Some(base) = earlier.or(store.head()?) else {
            return Err(Refusal::new("no-commit", "this repository has no commit to start a branch from")
                .hint("`git commit` creates one"));
        };
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(Plan { path, branch, is_new_branch: earlier.is_none(), base: base.into(), name })
    }

    /// Creates the worktree for a claim; returns its path.
    pub(super) fn make(&self, store: &Store, execution: &Execution) -> Result<PathBuf, Refusal> {
        let plan = self.plan(store, &execution.solution_id)?;
        let short = plan.branch.trim_start_matches("refs/heads/");
        let begin = plan.is_new_branch.then_some(&plan.base);
        store.git().add_worktree(&plan.path, short, begin.map(CommitHash::as_str)).map_err(|error| {
            Refusal::new("worktree", format!("cannot create the worktree `{}`: {error}", plan.path.display()))
                .hint("nothing is claimed")
                .remedy("next --worktree PATH", "creates it elsewhere")
        })?;
        // Without `..`, as people would write it.
        Ok(plan.path.canonicalize().unwrap_or(plan.path))
    }
}

/// `../<repository>-<plan>`
fn beside(store: &Store, solution: &SolutionId) -> PathBuf {
    let common = store.common_dir();
    let main = match common.file_name() {
        Some(name) if name == ".git" => common.parent().unwrap_or(&common).to_owned(),
        _ => common,
    };
    let name = main.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    main.with_file_name(format!("{}-{solution}", name.strip_suffix(".git").unwrap_or(&name)))
}
