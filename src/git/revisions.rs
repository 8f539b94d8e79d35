//! Finds commits: lists of them with `git rev-list`, and what a name resolves to.

use std::collections::HashSet;
use std::fmt::Display;

use super::{Args, Git, GitError, ObjectId};
use crate::model::Branch;

/// The commits to list, newest first.
#[derive(Debug, Clone)]
pub(crate) struct Revisions(Args);

impl Revisions {
    /// No revisions.
    pub(crate) fn none() -> Self {
        Self(Args::new(&["rev-list"]).no_paths())
    }

    /// The history of a commit, or of whatever names one.
    pub(crate) fn of(revision: impl Display) -> Self {
        Self::none().and(revision)
    }

    /// Commits or ranges as git parses them.
    pub(crate) fn named(words: &[&str]) -> Self {
        words.iter().fold(Self::none(), Self::and)
    }

    /// Also the history of this one.
    pub(crate) fn and(self, revision: impl Display) -> Self {
        Self(self.0.value(revision.to_string()))
    }

    /// Also all branches, here and at remotes.
    pub(crate) fn and_branches(self) -> Self {
        Self(self.0.options(&["--branches", "--remotes"]))
    }

    /// Also the branches of this clone, except for one.
    pub(crate) fn and_own_branches(self, except: Option<&Branch>) -> Self {
        let args = except.into_iter().fold(self.0, |args, branch| args.with("--exclude=", branch.short()));
        Self(args.options(&["--branches"]))
    }

    /// Without the history of a commit.
    pub(crate) fn without(self, commit: impl Display) -> Self {
        Self(self.0.without(commit))
    }

    /// Without what is on another branch than this one, a tag or a remote.
    pub(crate) fn on_no_other_branch(self, branch: &Branch) -> Self {
        let args = self.0.options(&["--not"]).with("--exclude=", branch.short());
        Self(args.options(&["--branches", "--tags", "--remotes", "--not"]))
    }

    /// Without what is on a branch, a tag or a remote.
    pub(crate) fn on_no_branch(self) -> Self {
        Self(self.0.options(&["--not", "--branches", "--tags", "--remotes", "--not"]))
    }

    /// Without merges.
    pub(crate) fn no_merges(self) -> Self {
        Self(self.0.options(&["--no-merges"]))
    }

    /// Limits the number of commits.
    pub(crate) fn at_most(self, count: usize) -> Self {
        Self(self.0.with("--max-count=", count))
    }

    /// Parents before children.
    pub(crate) fn oldest_first(self) -> Self {
        Self(self.0.options(&["--reverse", "--topo-order"]))
    }

    /// Only those that touch one of these files.
    pub(crate) fn touching<S: AsRef<str>>(self, files: impl IntoIterator<Item = S>) -> Self {
        Self(files.into_iter().fold(self.0, |args, file| args.path(file.as_ref())))
    }
}

impl Git {
    /// The commits.
    pub(crate) fn revisions(&self, wanted: Revisions) -> Result<Vec<ObjectId>, GitError> {
        Ok(ids(&self.run(wanted.0)?).collect())
    }

    /// Like `revisions`, but returns git's message if it does not understand the words.
    pub(crate) fn named_revisions(
        &self,
        wanted: Revisions,
    ) -> Result<Result<Vec<ObjectId>, String>, GitError> {
        let output = self.output(wanted.0)?;
        if output.status.success() {
            return Ok(Ok(ids(&output.stdout).collect()));
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Ok(Err(said.lines().next().unwrap_or_default().trim_start_matches("fatal: ").to_owned()))
    }

    /// The number of commits.
    pub(crate) fn count_revisions(&self, wanted: Revisions) -> Result<u64, GitError> {
        let answer = self.run(wanted.0.options(&["--count"]))?;
        let text = String::from_utf8_lossy(&answer);
        text.trim().parse().map_err(|_| GitError::Failed {
            command: "rev-list --count".into(),
            stderr: format!("`{}` is not a number", text.trim()),
            code: None,
        })
    }

    /// The part of the history of `commits` that no branch, tag, remote or one of `heads` contains.
    pub(crate) fn unreachable<C: Display>(
        &self,
        commits: impl IntoIterator<Item = C>,
        heads: impl IntoIterator<Item = String>,
    ) -> Result<Vec<ObjectId>, GitError> {
        self.unreachable_but_for(None, commits, heads)
    }

    /// The same, not counting what the remotes have on this branch.
    pub(crate) fn unreachable_but_for<C: Display>(
        &self,
        branch: Option<&Branch>,
        commits: impl IntoIterator<Item = C>,
        heads: impl IntoIterator<Item = String>,
    ) -> Result<Vec<ObjectId>, GitError> {
        let args = Args::new(&["rev-list", "--stdin", "--not", "--branches", "--tags"]);
        let tracking = branch.map(|branch| self.tracking_refs(branch)).transpose()?.unwrap_or_default();
        let args = tracking.into_iter().fold(args, |args, name| args.with("--exclude=", name));
        let args = args.options(&["--remotes", "--not"]);
        let list: String = commits.into_iter().map(|commit| format!("{commit}\n")).collect();
        let answer = self.run_with(heads.into_iter().fold(args, Args::without), list.as_bytes())?;
        Ok(ids(&answer).collect())
    }

    /// What this clone knows of a branch at the remotes, without `refs/remotes/`: the branches of its name, its upstream,
    /// where it is pushed to, and the default branches, which only repeat others.
    fn tracking_refs(&self, branch: &Branch) -> Result<Vec<String>, GitError> {
        let named = Args::new(&["for-each-ref", "--format=%(refname)"])
            .values([format!("refs/remotes/*/{}", branch.short()), "refs/remotes/*/HEAD".to_owned()]);
        let configured =
            Args::new(&["for-each-ref", "--format=%(upstream)%0a%(push)"]).value(branch.as_str());
        let listed = [self.run(named)?, self.run(configured)?].concat();
        let listed = String::from_utf8_lossy(&listed);
        Ok(listed.lines().filter_map(|line| line.strip_prefix("refs/remotes/")).map(str::to_owned).collect())
    }

    /// The `commits` that are not in the history of any of `tips`. All of them must be here.
    pub(crate) fn outside(&self, commits: &[ObjectId], tips: &[ObjectId]) -> Result<Vec<ObjectId>, GitError> {
        if commits.is_empty() {
            return Ok(vec![]);
        }
        let wanted: HashSet<ObjectId> = commits.iter().copied().collect();
        let mut list: String = commits.iter().map(|commit| format!("{commit}\n")).collect();
        list.extend(tips.iter().map(|tip| format!("^{tip}\n")));
        let answer = self.run_with(Args::new(&["rev-list", "--stdin"]), list.as_bytes())?;
        Ok(ids(&answer).filter(|id| wanted.contains(id)).collect())
    }

    /// The history of `tips` without that of `without`, parents first.
    pub(crate) fn between(&self, tips: &[ObjectId], without: &[ObjectId]) -> Result<Vec<ObjectId>, GitError> {
        if tips.is_empty() {
            return Ok(vec![]);
        }
        let mut list: String = tips.iter().map(|tip| format!("{tip}\n")).collect();
        list.extend(without.iter().map(|commit| format!("^{commit}\n")));
        let args = Args::new(&["rev-list", "--reverse", "--topo-order", "--stdin"]);
        Ok(ids(&self.run_with(args, list.as_bytes())?).collect())
    }

    /// The commit that a text names, as git resolves it; `None` if it names none.
    pub(crate) fn commit_named(&self, text: &str) -> Result<Option<ObjectId>, GitError> {
        let args = Args::new(&["rev-parse", "--verify", "--quiet"]).value(format!("{text}^{{commit}}"));
        let output = self.output(args)?;
        Ok(if output.status.success() { ids(&output.stdout).next() } else { None })
    }

    /// A best common ancestor of two commits.
    pub(crate) fn merge_base(&self, one: ObjectId, two: ObjectId) -> Result<Option<ObjectId>, GitError> {
        let output = self.output(Args::new(&["merge-base"]).values([one, two].map(|id| id.to_string())))?;
        Ok(if output.status.success() { ids(&output.stdout).next() } else { None })
    }

    /// The objects of `head` that are missing here; nothing below a missing tree is among them.
    pub(crate) fn missing_objects(
        &self,
        head: ObjectId,
        without: Option<ObjectId>,
    ) -> Result<Vec<ObjectId>, GitError> {
        let args = Args::new(&["rev-list", "--objects", "--missing=print"]).value(head.to_string());
        let listed = self.run(without.into_iter().fold(args, Args::without))?;
        let listed = String::from_utf8_lossy(&listed);
        Ok(listed.lines().filter_map(|line| id(line.strip_prefix('?')?)).collect())
    }
}

fn id(hex: &str) -> Option<ObjectId> {
    ObjectId::from_hex(hex.trim().as_bytes()).ok()
}

/// The ids in an output with one on each line.
pub(super) fn ids(output: &[u8]) -> impl Iterator<Item = ObjectId> {
    output.split(|byte| *byte == b'\n').filter_map(|line| id(str::from_utf8(line).ok()?))
}
