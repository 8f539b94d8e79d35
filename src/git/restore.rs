//! Puts back what a command of someone else changed in a work tree: what is checked out, the index, and files. Nothing
//! here overwrites a change that git does not know, and no hook runs.

use std::path::{Path, PathBuf};

use super::refs::RESTORED;
use super::{Args, Git, GitError, ObjectId};
use crate::model::branch::Branch;

impl Git {
    /// The files in the work tree that are neither tracked nor ignored, each by its own path.
    pub(crate) fn untracked(&self) -> Result<Vec<PathBuf>, GitError> {
        let listed = self.run(&["ls-files", "-z", "--others", "--exclude-standard"])?;
        Ok(super::worktrees::paths(&listed))
    }

    /// The reason for the last move of HEAD, from its reflog; empty if it has none.
    pub(crate) fn last_move(&self) -> Result<String, GitError> {
        let args = Args::new(&["log", "--walk-reflogs", "-n1", "--format=%gs"]).value("HEAD").no_paths();
        let logged = self.output(args)?;
        Ok(String::from_utf8_lossy(&logged.stdout).trim().to_owned())
    }

    /// Changes index and files from one commit to another, and keeps uncommitted changes. Returns false, and changes
    /// nothing, if these are in the way.
    pub(crate) fn change_files(&self, from: ObjectId, to: ObjectId) -> Result<bool, GitError> {
        let args = unhooked(&["read-tree", "-m", "-u"]).value(from.to_string()).value(to.to_string());
        Ok(self.output(args)?.status.success())
    }

    /// Checks out a branch whose files are already there.
    pub(crate) fn name_head(&self, branch: &Branch) -> Result<bool, GitError> {
        let args = unhooked(&["symbolic-ref", "-m", RESTORED]).value("HEAD").value(branch.as_str());
        Ok(self.output(args)?.status.success())
    }

    /// Stages exactly a tree. The files stay as they are.
    pub(crate) fn stage_tree(&self, tree: &str) -> Result<bool, GitError> {
        let is_staged = self.output(unhooked(&["read-tree"]).value(tree))?.status.success();
        // It fails if files have changes.
        self.output(unhooked(&["update-index", "-q", "--refresh"]))?;
        Ok(is_staged)
    }

    /// Gives files the content that they have in a commit, and leaves the index as it is.
    pub(crate) fn restore_files<S: AsRef<Path>>(
        &self,
        commit: ObjectId,
        files: impl IntoIterator<Item = S>,
    ) -> Result<bool, GitError> {
        let args = unhooked(&["restore", "--quiet", "--worktree"]).with("--source=", commit);
        let args = files.into_iter().fold(args, |args, file| args.path(file.as_ref()));
        Ok(self.output(args)?.status.success())
    }
}

fn unhooked(options: &[&'static str]) -> Args {
    Args::new(options).set("core.hooksPath", "/dev/null")
}
