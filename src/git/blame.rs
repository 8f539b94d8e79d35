//! Which commit wrote which line, and what happened to a file.

use std::ops::RangeInclusive;

use super::{Args, Git, GitError, ObjectId};

const NO_RENAMES: &[&str] = &["--no-follow"];

fn blame(path: &str) -> Args {
    Args::new(&["blame", "--porcelain", "-M"]).set("core.quotePath", "false").path(path)
}

impl Git {
    /// The answer of `git blame --porcelain` for a file of the work tree, or of HEAD in a bare repository. Renames are
    /// followed up to the commits `until`, or not at all.
    pub(crate) fn blame(
        &self,
        path: &str,
        lines: Option<&RangeInclusive<u64>>,
        until: Option<&[ObjectId]>,
    ) -> Result<String, GitError> {
        let mut args = blame(path).options(if until.is_none() { NO_RENAMES } else { &[] });
        if let Some(lines) = lines {
            args = args.with("-L", format_args!("{},{}", lines.start(), lines.end()));
        }
        if self.work_dir.is_none() {
            // blame alone does not know `--end-of-options`.
            args = args.options(&["HEAD"]);
        }
        self.text(until.unwrap_or_default().iter().fold(args, |args, end| args.with("^", end)))
    }

    /// The blame of a file of a commit, without renames.
    pub(crate) fn blame_at(&self, path: &str, commit: ObjectId) -> Result<String, GitError> {
        self.text(blame(path).options(NO_RENAMES).with("", commit))
    }

    /// The name of a file in the parent of a commit that renamed it.
    pub(crate) fn renamed_from(
        &self,
        parent: ObjectId,
        commit: ObjectId,
        path: &str,
    ) -> Result<Option<String>, GitError> {
        let args = Args::new(&["diff-tree", "-r", "-z", "-M", "-l1000", "--diff-filter=R", "--name-status"]);
        let output = self.run(args.values([parent, commit].map(|id| id.to_string())))?;
        let parts: Vec<_> = output.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
        Ok(parts.chunks_exact(3).find(|chunk| chunk[2] == path).map(|chunk| chunk[1].clone().into_owned()))
    }

    /// The last commit that deleted a file.
    pub(crate) fn deletion_of(&self, path: &str) -> Result<Option<ObjectId>, GitError> {
        let args = Args::new(&["log", "-1", "--no-show-signature", "--diff-filter=D", "--format=%H"]);
        let found = self.text(args.path(path))?;
        Ok(ObjectId::from_hex(found.trim().as_bytes()).ok())
    }

    fn text(&self, args: Args) -> Result<String, GitError> {
        Ok(String::from_utf8_lossy(&self.run(args)?).into_owned())
    }
}
