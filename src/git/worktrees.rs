//! The worktrees of the repository, which the installed git manages.

use std::path::{Path, PathBuf};

use super::{Args, Git, GitError, ObjectId, Repository};
use crate::model::Branch;

impl Git {
    /// Creates a worktree on `branch`. If `begin` is given, the branch is created from that commit.
    pub(crate) fn add_worktree(
        &self,
        path: &Path,
        branch: &Branch,
        begin: Option<&str>,
    ) -> Result<(), GitError> {
        let args = Args::new(&["worktree", "add", "--quiet"]);
        let args = match begin {
            Some(begin) => args.with("-b", branch.short()).value(path).value(begin),
            None => args.value(path).value(branch.short()),
        };
        self.run(args).map(drop)
    }

    /// Creates a worktree on no branch, at a commit.
    pub(crate) fn add_detached_worktree(&self, path: &Path, commit: &str) -> Result<(), GitError> {
        let args = Args::new(&["worktree", "add", "--quiet", "--detach"]).value(path).value(commit);
        self.run(args).map(drop)
    }

    /// Removes a worktree, with whatever is in it, even one that git was killed in the middle of making.
    pub(crate) fn remove_worktree(&self, path: &Path) -> Result<(), GitError> {
        let removed = self.run(Args::new(&["worktree", "remove", "-f", "-f"]).value(path));
        let Err(error) = removed else { return Ok(()) };
        // git may not know about it, or consider it unfinished.
        if path.exists() && std::fs::remove_dir_all(path).is_err() {
            return Err(error);
        }
        let _ = self.run(Args::new(&["worktree", "unlock"]).value(path));
        self.prune_worktrees()
    }

    /// Removes a worktree if nothing is changed in it; otherwise it stays.
    pub(crate) fn remove_unchanged_worktree(&self, path: &Path) -> Result<(), GitError> {
        self.output(Args::new(&["worktree", "remove"]).value(path)).map(drop)
    }

    /// Lets git forget worktrees whose folders are gone.
    pub(crate) fn prune_worktrees(&self) -> Result<(), GitError> {
        self.run(&["worktree", "prune"]).map(drop)
    }

    /// What is changed or new in the work tree, each as git lists it, without ignored files.
    pub(crate) fn uncommitted(&self) -> Result<Vec<String>, GitError> {
        let options = ["--no-optional-locks", "status", "--porcelain", "--untracked-files=normal"];
        let listed = self.run(&options)?;
        Ok(String::from_utf8_lossy(&listed).lines().map(str::to_owned).collect())
    }

    /// Moves the branch of a worktree of agents to `commit`, with index and work tree. Whatever is not committed goes.
    pub(crate) fn reset_to(&self, commit: ObjectId) -> Result<(), GitError> {
        let args = Args::new(&["reset", "--quiet", "--hard"]).value(commit.to_string());
        self.run(args).map(drop)
    }

    /// Updates index and work tree from one commit to another. If a change that is not committed is in the way, nothing is updated.
    pub(crate) fn update_files(&self, from: ObjectId, to: ObjectId) -> Result<(), GitError> {
        // Until git has looked, a file with another time counts as changed. If some are, it says so by its exit code.
        let _ = self.run(&["update-index", "-q", "--refresh"]);
        let args = Args::new(&["read-tree", "-m", "-u"]).value(from.to_string()).value(to.to_string());
        self.run(args).map(drop)
    }

    /// Throws away what is not committed in a worktree of agents, but for ignored files.
    pub(crate) fn discard_uncommitted(&self) -> Result<(), GitError> {
        self.run(&["reset", "--quiet", "--hard"])?;
        self.run(&["clean", "--quiet", "-f", "-d"]).map(drop)
    }

    /// Merges `branch` into the branch `into`, which is checked out in a worktree of agents; with hooks if `has_hooks`.
    pub(crate) fn merge_branch(
        &self,
        branch: &Branch,
        into: &Branch,
        has_hooks: bool,
    ) -> Result<BranchMerge, GitError> {
        let subject = format!("Merge branch '{branch}' into {into}");
        let args = Args::new(&["merge", "--quiet", "--no-edit"]).with("--message=", subject);
        let args = if has_hooks { args } else { args.set("core.hooksPath", "/dev/null") };
        let merged = self.run(args.value(branch.as_str()));
        let Err(error) = merged else { return Ok(BranchMerge::Done) };
        let listed = self.run(&["diff", "--name-only", "--diff-filter=U"])?;
        let files: Vec<String> = String::from_utf8_lossy(&listed).lines().map(str::to_owned).collect();
        // If there was nothing to abort, the first error says more.
        let _ = self.run(&["merge", "--abort"]);
        if files.is_empty() { Err(error) } else { Ok(BranchMerge::Conflict(files)) }
    }
}

impl Repository {
    /// The checked-out branches, with the directory of each, and those to which a rebase or a bisect in progress will
    /// return.
    pub(crate) fn checked_out(&self) -> Result<Vec<(Branch, PathBuf)>, GitError> {
        // The git directory may be elsewhere.
        let main = self.main_work_dir().unwrap_or_else(|| self.common_dir());
        let is_bare = self.config().boolean("core.bare").unwrap_or(false);
        let main = (!is_bare).then(|| (self.common_dir(), main));
        let linked = self.linked_worktrees()?;
        let linked = linked.iter().map(|tree| (tree.git_dir().to_owned(), tree.folder().unwrap_or_default()));
        let mut found = Vec::new();
        for (git_dir, folder) in main.into_iter().chain(linked) {
            let branches = match head_of(&git_dir) {
                Some(branch) => vec![branch],
                None => in_progress(&git_dir),
            };
            found.extend(branches.into_iter().map(|branch| (branch, folder.clone())));
        }
        Ok(found)
    }
}

/// The branch that is checked out in the worktree with this git directory. In old repositories, `HEAD` can be a link.
fn head_of(git_dir: &Path) -> Option<Branch> {
    let head = git_dir.join("HEAD");
    match head.read_link() {
        Ok(target) => Branch::parse(target.to_str()?),
        Err(_) => Branch::parse(read_in(git_dir, "HEAD").strip_prefix("ref:")?.trim()),
    }
}

/// The branches that a rebase or a bisect in a worktree moves or returns to when it ends. HEAD is detached until then, and
/// git refuses to delete them.
fn in_progress(git_dir: &Path) -> Vec<Branch> {
    let rebased = ["rebase-merge/head-name", "rebase-apply/head-name"].map(|name| read_in(git_dir, name));
    // Three lines for each branch: its name, and where it was and will be.
    let moved = read_in(git_dir, "rebase-merge/update-refs");
    let names = rebased.iter().map(String::as_str).chain(moved.lines().step_by(3));
    let bisected = Branch::of_short(read_in(git_dir, "BISECT_START").trim());
    names.filter_map(|name| Branch::parse(name.trim())).chain(bisected).collect()
}

fn read_in(git_dir: &Path, name: &str) -> String {
    std::fs::read_to_string(git_dir.join(name)).unwrap_or_default()
}

/// The result of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BranchMerge {
    /// The branch holds it.
    Done,
    /// These files conflict. Nothing was changed.
    Conflict(Vec<String>),
}
