//! Merges without a work tree, in a git directory of this program.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use bstr::ByteSlice;
use tempfile::TempDir;

use super::process::feed;
use super::{Args, Git, GitError, HashKind, ObjectId, SealedGit};

/// Fewer objects than this are copied as single files.
const FEW: usize = 100;

/// A merge of trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TreeMerge {
    /// The merged tree.
    Clean(ObjectId),
    /// The two sides conflict.
    Conflict(TreeConflict),
}

/// The conflicts of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TreeConflict {
    /// The tree in which the files with conflicts have markers.
    pub(crate) tree: ObjectId,
    /// The files.
    pub(crate) files: Vec<String>,
    /// What git says about each conflict.
    pub(crate) messages: Vec<String>,
}

/// A program that merges files, as git's configuration names it and attributes choose it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MergeDriver {
    /// The name that attributes use.
    pub(crate) name: String,
    /// The command for a shell.
    pub(crate) command: String,
}

/// git in a directory of its own: of the settings of the user's repository it knows only merge drivers, and it writes its
/// objects there.
#[derive(Debug)]
pub(crate) struct MergeGit {
    sealed: SealedGit,
    objects: PathBuf,
    /// The words before those of a git that runs merge drivers; `None` if there are no drivers.
    within: Option<Vec<OsString>>,
    users: Git,
    folder: TempDir,
}

impl MergeGit {
    /// `common` is the git directory whose objects are read and written, `users` is git for it.
    pub(crate) fn new(common: &Path, hash: HashKind, temporary: &Path, users: Git) -> Result<Self, GitError> {
        let folder = tempfile::tempdir_in(temporary).map_err(GitError::io(temporary))?;
        let sealed = SealedGit::create(folder.path(), None, hash, common)?;
        Ok(Self { sealed, objects: common.join("objects"), within: None, users, folder })
    }

    /// Its directory.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Lets merges use drivers. git itself then runs behind the words in `within`, such as those of a sandbox in which only
    /// [`Self::folder`] can be written: its objects are copied from there.
    pub(crate) fn with_drivers(
        mut self,
        drivers: &[MergeDriver],
        within: Vec<OsString>,
    ) -> Result<Self, GitError> {
        if drivers.is_empty() {
            return Ok(self);
        }
        for MergeDriver { name, command } in drivers {
            let key = format!("merge.{name}.driver");
            let args = Args::new(&["config"]).with("--file=", "config").values([key, command.clone()]);
            feed(self.sealed.command(args), &[])?;
        }
        self.within = Some(within);
        Ok(self)
    }

    /// Merges `theirs` into `ours`, whose attributes count. `base` replaces their merge base, as a cherry-pick does; it may be a
    /// tree.
    pub(crate) fn merge(
        &self,
        ours: ObjectId,
        theirs: ObjectId,
        base: Option<ObjectId>,
    ) -> Result<TreeMerge, GitError> {
        let args = Args::new(&["merge-tree", "--write-tree", "-z", "--name-only", "--messages"]);
        let args = match base {
            Some(base) => args.with("--merge-base=", base),
            None => args.options(&["--allow-unrelated-histories"]),
        };
        let args = args.values([ours.to_string(), theirs.to_string()]);
        let output = match &self.within {
            Some(within) => behind(within, &self.sealed_command(args, ours), self.folder()).output(),
            None => self.command(args, ours).output(),
        };
        let output = output.map_err(|source| GitError::Start { command: "merge-tree".into(), source })?;
        let merged = match output.status.code() {
            Some(0 | 1) => answer(&output.stdout, output.status.code() == Some(0)),
            _ => {
                return Err(merge_failed(&output, String::from_utf8_lossy(&output.stderr).trim().to_owned()));
            }
        };
        let merged = merged
            .ok_or_else(|| merge_failed(&output, "its answer is not in the form of git 2.45".to_owned()))?;
        if self.within.is_some() {
            let (TreeMerge::Clean(tree) | TreeMerge::Conflict(TreeConflict { tree, .. })) = &merged;
            self.sealed.give(&[*tree], &[ours, theirs], &self.users, FEW)?;
        }
        Ok(merged)
    }

    /// The differences of files between two commits or trees, for people; at most `most` bytes.
    pub(crate) fn patch(
        &self,
        from: ObjectId,
        to: ObjectId,
        files: &[String],
        most: usize,
    ) -> Result<String, GitError> {
        let args = Args::new(&["diff-tree", "-r", "-p", "--no-color", "--no-ext-diff", "--no-textconv"]);
        let args = args.values([from.to_string(), to.to_string()]).no_paths();
        let args = files.iter().fold(args, Args::path);
        let bytes = feed(self.command(args, from), &[])?;
        let cut = &bytes[..bytes.len().min(most)];
        Ok(String::from_utf8_lossy(cut).into_owned())
    }

    /// A command with the attributes of a commit, which writes objects into the user's repository.
    fn command(&self, args: Args, attributes: ObjectId) -> Command {
        let mut command = self.sealed_command(args, attributes);
        command.env("GIT_OBJECT_DIRECTORY", &self.objects);
        command
    }

    /// The command, whose new objects stay outside of the repository.
    fn sealed_command(&self, args: Args, attributes: ObjectId) -> Command {
        let mut command = self.sealed.command(args);
        command.env("GIT_ATTR_SOURCE", attributes.to_string());
        command
    }
}

fn merge_failed(output: &Output, stderr: String) -> GitError {
    GitError::Failed { command: "merge-tree".into(), stderr, code: output.status.code() }
}

/// A command behind other words, in a directory.
fn behind(within: &[OsString], command: &Command, folder: &Path) -> Command {
    let mut words = within.iter().cloned();
    let mut outer = match words.next() {
        Some(first) => Command::new(first),
        None => Command::new(command.get_program()),
    };
    if !within.is_empty() {
        outer.args(words).arg(command.get_program());
    }
    outer.args(command.get_args()).stdin(Stdio::null());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => outer.env(name, value),
            None => outer.env_remove(name),
        };
    }
    outer.current_dir(folder);
    outer
}

/// Reads the answer of `merge-tree -z --name-only --messages`: the tree, the files with conflicts and an empty text, then for each
/// message the number of its paths, these, a kind and the text.
fn answer(output: &[u8], is_clean: bool) -> Option<TreeMerge> {
    let mut parts = output.split(|byte| *byte == 0);
    let tree = ObjectId::from_hex(parts.next()?.trim()).ok()?;
    if is_clean {
        return Some(TreeMerge::Clean(tree));
    }
    let files = parts
        .by_ref()
        .take_while(|name| !name.is_empty())
        .map(|part| part.to_str_lossy().into_owned())
        .collect();
    let mut messages = Vec::new();
    while let Some(count) = parts.next().filter(|count| !count.is_empty()) {
        for _ in 0..count.to_str().ok()?.parse::<usize>().ok()? {
            parts.next()?;
        }
        let (kind, words) = (parts.next()?, parts.next()?);
        if kind.starts_with(b"CONFLICT") {
            messages.push(words.trim().to_str_lossy().into_owned());
        }
    }
    Some(TreeMerge::Conflict(TreeConflict { tree, files, messages }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conflicts_are_read_with_what_git_says() {
        let tree = "1".repeat(40);
        let said =
            "1\0f\0Auto-merging\0Auto-merging f\n\x001\0f\0CONFLICT (contents)\0CONFLICT (content): in f\n\0";
        let found = answer(format!("{tree}\0f\0\0{said}").as_bytes(), false).unwrap();
        let TreeMerge::Conflict(conflict) = found else { panic!("{found:?}") };
        assert_eq!(
            (conflict.files, conflict.messages),
            (vec!["f".into()], vec!["CONFLICT (content): in f".into()])
        );
        let clean = answer(format!("{tree}\0").as_bytes(), true);
        assert_eq!(clean, Some(TreeMerge::Clean(ObjectId::from_hex(tree.as_bytes()).unwrap())));
        assert_eq!(answer(b"nothing", false), None);
    }
}
