//! What landing asks git for: commits of merged trees, and a checked-out branch that moves forward.

use crate::git::Commit;
use std::process::Output;
use std::time::Duration;

use bstr::ByteSlice;

use super::process::{feed, git_version};
use super::revisions::ids;
use super::{Args, Fault, Git, GitError, HooksPlace, ObjectId, Repository};
use crate::model::Branch;

/// How often a command is run again while another git has the index locked, and how long to wait before that.
const LOCK_TRIES: usize = 50;
const LOCK_PAUSE: Duration = Duration::from_millis(100);

/// The oldest git whose `merge-tree` merges trees with any base, and whose clones of local repositories are safe.
pub(crate) const OLDEST_TO_LAND: &str = "2.45.1";

/// The version of the installed git if it is too old to land; also if there is none that says its version.
pub(crate) fn too_old_to_land() -> Option<String> {
    let found = git_version().unwrap_or_else(|| "of an unknown version".to_owned());
    (numbers(&found) < numbers(OLDEST_TO_LAND)).then_some(found)
}

/// The first three numbers of a version.
fn numbers(version: &str) -> [u32; 3] {
    let mut found = [0; 3];
    for (number, part) in found.iter_mut().zip(version.split('.')) {
        *number = part.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0);
    }
    found
}

/// A commit to make.
#[derive(Debug, Clone)]
pub(crate) struct NewCommit<'a> {
    /// Its tree.
    pub(crate) tree: ObjectId,
    /// Its parents, in order.
    pub(crate) parents: &'a [ObjectId],
    /// Its message, in UTF-8.
    pub(crate) message: &'a [u8],
    /// The commit whose author it keeps; `None` for the user's own.
    pub(crate) author_of: Option<&'a CommitAuthor>,
    /// Whether git signs it.
    pub(crate) is_signed: bool,
}

/// The author of a commit, as git takes it from variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommitAuthor {
    /// The name.
    pub(crate) name: String,
    /// The address.
    pub(crate) email: String,
    /// Seconds since 1970 and the offset.
    pub(crate) date: String,
}

/// A commit to pick.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pick {
    /// The commit.
    pub(crate) id: ObjectId,
    /// Whether the other side has a commit with the same patch id, which ignores whitespace.
    pub(crate) has_look_alike: bool,
}

impl Repository {
    /// The author of a commit, in UTF-8.
    pub(crate) fn author_of(&self, id: ObjectId) -> Result<CommitAuthor, Fault> {
        let commit = self.commit(id)?;
        let author = commit.author()?;
        Ok(CommitAuthor {
            name: text_in(&commit, author.name),
            email: text_in(&commit, author.email),
            date: author.time.to_owned(),
        })
    }
}

fn text_in(commit: &Commit<'_>, bytes: &[u8]) -> String {
    commit.in_utf8(bytes).to_str_lossy().into_owned()
}

impl Git {
    /// Makes a commit. No ref holds it, and no hook runs.
    pub(crate) fn make_commit(&self, new: &NewCommit<'_>) -> Result<ObjectId, GitError> {
        let mut args = Args::new(&["commit-tree", "-F", "-"]).set("i18n.commitEncoding", "UTF-8");
        if new.is_signed {
            args = args.options(&["-S"]);
        }
        let args = new.parents.iter().fold(args, |args, parent| args.with("-p", parent));
        let mut command = self.with_keys().command(args.value(new.tree.to_string()));
        if let Some(author) = new.author_of {
            command.env("GIT_AUTHOR_NAME", &author.name).env("GIT_AUTHOR_EMAIL", &author.email);
            command.env("GIT_AUTHOR_DATE", format!("@{}", author.date));
        }
        let made = feed(command, new.message)?;
        ObjectId::from_hex(made.trim()).map_err(|_| GitError::Failed {
            command: "commit-tree".into(),
            stderr: format!("it answered `{}`", made.to_str_lossy().trim()),
            code: Some(0),
        })
    }

    /// Whether the work tree could move forward from `old`, which is checked out, to `new`; if not, what git says stands in the
    /// way. Nothing is changed.
    pub(crate) fn try_forward(&self, old: ObjectId, new: ObjectId) -> Result<Result<(), String>, GitError> {
        // Otherwise files that were only touched would count as changed.
        self.once_unlocked(&Args::new(&["update-index", "-q", "--refresh"]))?;
        let args = Args::new(&["read-tree", "--dry-run", "-m", "-u"]);
        let output = self.once_unlocked(&args.values([old.to_string(), new.to_string()]))?;
        Ok(if output.status.success() { Ok(()) } else { Err(said(&output.stderr)) })
    }

    /// Runs a command, again while another git has the index locked.
    fn once_unlocked(&self, args: &Args) -> Result<Output, GitError> {
        let mut output = self.output(args.clone())?;
        for _ in 0..LOCK_TRIES {
            let is_locked = !output.status.success() && output.stderr.contains_str("index.lock");
            if !is_locked {
                break;
            }
            std::thread::sleep(LOCK_PAUSE);
            output = self.output(args.clone())?;
        }
        Ok(output)
    }

    /// Moves the branch that is checked out in the work tree forward, as `git merge --ff-only` does. The inner error is what git
    /// says if it cannot.
    pub(crate) fn forward(&self, new: ObjectId) -> Result<Result<(), String>, GitError> {
        let options = ["merge", "--ff-only", "--quiet", "--no-verify-signatures"];
        let output = self.once_unlocked(&Args::new(&options).value(new.to_string()))?;
        Ok(if output.status.success() { Ok(()) } else { Err(said(&output.stderr)) })
    }

    /// Whether the hooks of the work tree are files in it which differ between two commits.
    ///
    /// # Errors
    /// If git cannot compare them.
    pub(crate) fn brings_hooks(&self, old: ObjectId, new: ObjectId) -> Result<bool, GitError> {
        let (HooksPlace::Folder(hooks), Some(top)) = (self.hooks_place()?, self.work_dir.as_ref()) else {
            return Ok(false);
        };
        let top = top.canonicalize().unwrap_or_else(|_| top.clone());
        let real = hooks.canonicalize().unwrap_or_else(|_| hooks.clone());
        for path in [hooks, real].iter().filter_map(|hooks| hooks.strip_prefix(&top).ok()) {
            let args = Args::new(&["diff-tree", "-r", "--name-only"]);
            let changed = self.run(args.values([old.to_string(), new.to_string()]).path(path))?;
            if !changed.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Git {
    /// The commits that none of the others contains, in the order of git.
    pub(crate) fn independent(&self, commits: &[ObjectId]) -> Result<Vec<ObjectId>, GitError> {
        if let [] | [_] = commits {
            return Ok(commits.to_vec());
        }
        let args = Args::new(&["merge-base", "--independent"]);
        let listed = self.run(args.values(commits.iter().map(ObjectId::to_string)))?;
        Ok(ids(&listed).collect())
    }

    /// The commits that `head` has and `onto` has not, parents first.
    pub(crate) fn picks(&self, onto: ObjectId, head: ObjectId) -> Result<Vec<Pick>, GitError> {
        self.marked("--right-only", onto, head)
    }

    /// The commits that `onto` has and `head` has not, with a change that looks like one of `head`.
    pub(crate) fn look_alikes(&self, onto: ObjectId, head: ObjectId) -> Result<Vec<ObjectId>, GitError> {
        let all = self.marked("--left-only", onto, head)?;
        Ok(all.into_iter().filter(|pick| pick.has_look_alike).map(|pick| pick.id).collect())
    }

    fn marked(&self, side: &'static str, onto: ObjectId, head: ObjectId) -> Result<Vec<Pick>, GitError> {
        let args = Args::new(&["rev-list", "--cherry-mark", "--reverse", "--topo-order"]);
        let args = args.options(&[side]).value(format!("{onto}...{head}")).no_paths();
        let listed = self.run(args)?;
        let mut found = Vec::new();
        for line in listed.lines() {
            let Some((mark, hex)) = line.split_first() else { continue };
            if let Ok(id) = ObjectId::from_hex(hex) {
                found.push(Pick { id, has_look_alike: *mark == b'=' });
            }
        }
        Ok(found)
    }

    /// Begins a merge of what agents made in the work tree, and stops before it is committed. That it conflicts is no failure.
    pub(crate) fn begin_merge(&self, theirs: ObjectId, message: &str) -> Result<(), GitError> {
        let args = Args::new(&["merge", "--no-ff", "--no-commit", "--quiet", "--no-verify-signatures"]);
        let args = args.with("--message=", message).value(theirs.to_string());
        let output = self.output(args)?;
        match output.status.code() {
            Some(0 | 1) => Ok(()),
            code => Err(GitError::Failed { command: "merge".into(), stderr: said(&output.stderr), code }),
        }
    }

    /// Merges a commit into the branch that is checked out in a worktree of agents. The inner error is what git says if it cannot; then
    /// nothing has changed.
    pub(crate) fn merge_commit(
        &self,
        theirs: ObjectId,
        message: &str,
    ) -> Result<Result<(), String>, GitError> {
        let args = Args::new(&["merge", "--quiet", "--no-edit", "--no-verify-signatures"]);
        let output = self.output(args.with("--message=", message).value(theirs.to_string()))?;
        if output.status.success() {
            return Ok(Ok(()));
        }
        // If there was nothing to abort, the first error says more.
        let _ = self.output(&["merge", "--abort"][..]);
        Ok(Err(said(&[output.stdout, output.stderr].concat())))
    }

    /// The files of the work tree with conflicts that nobody has resolved.
    pub(crate) fn unresolved(&self) -> Result<Vec<String>, GitError> {
        let listed = self.run(&["diff", "--name-only", "--diff-filter=U", "-z"])?;
        Ok(names(&listed))
    }

    /// The changed files of the work tree that are not staged.
    pub(crate) fn unstaged(&self) -> Result<Vec<String>, GitError> {
        let listed = self.run(&["diff", "--name-only", "-z"])?;
        Ok(names(&listed))
    }

    /// The staged files in which conflict markers were left, as `FILE:LINE`.
    pub(crate) fn marked_files(&self) -> Result<Vec<String>, GitError> {
        let output = self.output(&["diff", "--cached", "--check", "HEAD"][..])?;
        let text = output.stdout.to_str_lossy();
        let marked = text.lines().filter_map(|line| line.strip_suffix(": leftover conflict marker"));
        Ok(marked.map(str::to_owned).collect())
    }

    /// Makes a commit of what is staged in the work tree. No ref holds it.
    pub(crate) fn commit_index(
        &self,
        parents: &[ObjectId],
        message: &[u8],
        is_signed: bool,
    ) -> Result<ObjectId, GitError> {
        let written = self.run(&["write-tree"])?;
        let tree = ObjectId::from_hex(written.trim()).map_err(|_| GitError::Failed {
            command: "write-tree".into(),
            stderr: format!("it answered `{}`", written.to_str_lossy().trim()),
            code: Some(0),
        })?;
        self.make_commit(&NewCommit { tree, parents, message, author_of: None, is_signed })
    }

    /// Moves a branch that is not checked out. Returns false if it is not at `old`; `None` stands for no such branch.
    pub(crate) fn move_branch(
        &self,
        branch: &Branch,
        old: Option<ObjectId>,
        new: ObjectId,
    ) -> Result<bool, GitError> {
        let old = old.unwrap_or_else(|| ObjectId::null(new.kind()));
        let args = Args::new(&["update-ref", "--create-reflog", "-m", "wf: land"]);
        let args = args.value(branch.as_str()).values([new.to_string(), old.to_string()]);
        let output = self.output(args)?;
        let stderr = output.stderr.to_str_lossy();
        if output.status.success() {
            return Ok(true);
        }
        if stderr.contains("but expected") || stderr.contains("already exists") {
            return Ok(false);
        }
        Err(GitError::Failed {
            command: "update-ref".into(),
            stderr: stderr.trim().to_owned(),
            code: output.status.code(),
        })
    }
}

/// Names that end in zero bytes.
fn names(listed: &[u8]) -> Vec<String> {
    let parts = listed.split(|byte| *byte == 0).filter(|part| !part.is_empty());
    parts.map(|part| part.to_str_lossy().into_owned()).collect()
}

/// git's complaint on one line.
fn said(stderr: &[u8]) -> String {
    let text = stderr.to_str_lossy();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let plain = lines.map(|line| {
        ["error: ", "fatal: "].iter().fold(line, |line, start| line.strip_prefix(start).unwrap_or(line))
    });
    plain.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        let is_old = |version: &str| numbers(version) < numbers(OLDEST_TO_LAND);
        for (version, expected) in [
            ("2.45.0", true),
            ("2.45.1", false),
            ("2.9.5", true),
            ("2.47.3 (Apple Git-145)", false),
            ("3.0", false),
            ("of an unknown version", true),
        ] {
            assert_eq!(is_old(version), expected, "{version}");
        }
    }
}
