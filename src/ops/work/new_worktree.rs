//! The worktree that `next --worktree` creates: its path, its branch, its first commit.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::take::ClaimRequest;
use crate::model::{Branch, Code, CommitHash, Execution, Op, RemedyCall, SolutionId};
use crate::ops::Refusal;
use crate::ops::queue::ClaimBase;
use crate::store::{Store, StoreError, object_id};
use crate::workplace::beside;

/// At most this many names beside the repository are tried.
const MOST_BESIDE: u32 = 100;

/// Whether there is nothing at a path, or an empty directory.
fn is_free(path: &Path) -> bool {
    path.read_dir().map_or_else(|_| path.symlink_metadata().is_err(), |mut names| names.next().is_none())
}

/// An absolute path without links; what is not there yet stays as it is.
fn resolved(path: &Path) -> PathBuf {
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(real), ..) => real,
        (Err(_), Some(parent), Some(name)) => resolved(parent).join(name),
        (Err(_), ..) => path.to_owned(),
    }
}

/// A requested worktree.
pub(super) struct NewWorktree {
    path: Option<PathBuf>,
    /// Whether it starts from HEAD on a new branch, whatever earlier attempts left.
    is_fresh: bool,
    /// Where its branch starts, unless it continues that of an earlier attempt.
    base: ClaimBase,
    /// The branches that are checked out in some worktree, with its directory.
    taken: Vec<(Branch, PathBuf)>,
    /// Whether it has no files, since no agent works where a run claims.
    is_fileless: bool,
    /// The call that asks for the same item again.
    again: RemedyCall,
}

/// The worktree for one plan.
pub(super) struct PlanWorktree {
    /// Its branch.
    pub(super) branch: Branch,
    /// The commit that it starts from.
    pub(super) base: CommitHash,
    /// git's name for the worktree.
    pub(super) name: Option<String>,
}

impl NewWorktree {
    /// The worktree that a claim asks for.
    pub(super) fn wanted(store: &Store, wish: &ClaimRequest) -> Result<Self, Refusal> {
        let taken = store.repo().checked_out()?;
        let (path, base) = (wish.worktree.path().map(Path::to_owned), wish.base());
        if let ClaimBase::Branch(branch) = &base
            && store.read_ref(branch.as_str())?.is_none()
        {
            return Err(Refusal::new(Code::NotFound, format!("there is no branch `{branch}`"))
                .command("git branch --list", "lists the branches"));
        }
        let is_fileless = wish.run.is_some();
        Ok(Self { path, is_fresh: wish.is_fresh, is_fileless, base, taken, again: wish.again() })
    }

    /// The plans whose branches are checked out in worktrees; none if it gets a branch of its own.
    pub(super) fn plans_in_use(&self) -> BTreeSet<SolutionId> {
        if self.is_fresh {
            return BTreeSet::new();
        }
        self.taken.iter().filter_map(|taken| taken.0.plan()).collect()
    }

    /// Chooses its path, branch and first commit. Creates nothing; anything in the way is an error.
    pub(super) fn plan(&self, store: &Store, solution: &SolutionId) -> Result<PlanWorktree, Refusal> {
        let branch = self.branch(store, solution)?;
        self.refuse_taken(&branch, solution)?;
        let path = self.path(store, solution)?;
        // Continue on the branch of an earlier attempt.
        let earlier = store.read_ref(branch.as_str())?;
        let base = match earlier {
            Some(earlier) => Some(earlier),
            None => self.base.commit(store)?.map(|base| base.tip),
        };
        let Some(base) = base else {
            return Err(Refusal::new(Code::NoCommit, "this repository has no commit to start a branch from")
                .command("git commit", "creates one"));
        };
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(PlanWorktree { branch, base: base.into(), name })
    }

    /// The branch of the plan; for a fresh start the first of its numbered names that is free.
    fn branch(&self, store: &Store, solution: &SolutionId) -> Result<Branch, Refusal> {
        let branch = Branch::of_plan(solution);
        let mut number = 1;
        let mut name = branch.clone();
        while self.is_fresh && store.read_ref(name.as_str())?.is_some() {
            number += 1;
            name = branch.numbered(number);
        }
        Ok(name)
    }

    fn refuse_taken(&self, branch: &Branch, solution: &SolutionId) -> Result<(), Refusal> {
        let Some((_, folder)) = self.taken.iter().find(|(taken, _)| taken == branch) else { return Ok(()) };
        Err(Refusal::new(
            Code::BranchInUse,
            format!("`{branch}` is already checked out in `{}`", folder.display()),
        )
        .remedy(
            RemedyCall::new(Op::Next, [solution]),
            "continues with it there; `git worktree remove` removes that worktree",
        ))
    }

    /// Its directory: the requested one, which must be free, or else one beside the repository that is.
    fn path(&self, store: &Store, solution: &SolutionId) -> Result<PathBuf, Refusal> {
        let Some(path) = self.path.clone() else {
            let numbered = (2..=MOST_BESIDE).map(|n| beside(store, format!("{solution}-{n}")));
            let mut names = std::iter::once(beside(store, solution)).chain(numbered);
            return names.find(|path| is_free(path)).ok_or_else(|| {
                let path = beside(store, solution);
                Refusal::new(Code::PathInUse, format!("`{}` already exists", path.display()))
                    .remedy(self.again.clone().option("worktree", "PATH"), "creates the worktree elsewhere")
            });
        };
        for git_dir in [store.common_dir(), store.git_dir()] {
            if resolved(&path).starts_with(resolved(&git_dir)) {
                return Err(Refusal::new(
                    Code::Worktree,
                    format!("`{}` is in the git directory `{}`", path.display(), git_dir.display()),
                )
                .remedy(self.again.clone().flag("worktree"), "creates the worktree beside the repository"));
            }
        }
        if !is_free(&path) {
            return Err(Refusal::new(Code::PathInUse, format!("`{}` already exists", path.display()))
                .remedy(self.again.clone().option("worktree", "PATH"), "creates the worktree elsewhere"));
        }
        Ok(path)
    }

    /// Creates the worktree for a claim, on the branch that the claim names; returns its path.
    pub(super) fn make(&self, store: &Store, execution: &Execution) -> Result<PathBuf, Refusal> {
        let solution = &execution.solution_id;
        let branch = execution.branch.clone().unwrap_or_else(|| Branch::of_plan(solution));
        self.refuse_taken(&branch, solution)?;
        let path = self.path(store, solution)?;
        let begin = match store.read_ref(branch.as_str())? {
            Some(_) => None,
            None => execution.base_commit.as_ref().map(CommitHash::as_str).or(Some("HEAD")),
        };
        self.add(store, &path, &branch, begin).map_err(|error| {
            Refusal::new(Code::Worktree, format!("cannot create the worktree `{}`: {error}", path.display()))
                .hint("nothing is claimed")
                .remedy(self.again.clone().option("worktree", "PATH"), "creates it elsewhere")
        })?;
        // Without `..`, as people would write it.
        Ok(path.canonicalize().unwrap_or(path))
    }

    fn add(
        &self,
        store: &Store,
        path: &Path,
        branch: &Branch,
        begin: Option<&str>,
    ) -> Result<(), StoreError> {
        let head = store.head()?;
        let start = match begin {
            None => store.read_ref(branch.as_str())?,
            Some("HEAD") => head,
            Some(begin) => object_id(begin),
        };
        if let (true, Some(start)) = (self.is_fileless, start) {
            return store.add_fileless_worktree(path, branch, start);
        }
        // Agents may have made what is in other commits.
        let is_users = begin.is_some() && start == head;
        let git = if is_users { store.git() } else { store.foreign_git() };
        Ok(git.add_worktree(path, branch, begin)?)
    }
}
