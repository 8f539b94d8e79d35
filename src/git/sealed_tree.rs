//! The files of an agent's work tree, as git sees them from a git directory of this program.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::process::{feed, joined, succeeded};
use super::{Args, GitError, ObjectId, SealedGit, stoppable, submodules};

/// The index that holds all files while they are committed.
const SNAPSHOT: &str = "snapshot";
/// The paths that are added to an index.
const PATHS: &str = "paths";

/// Lists what changed.
const CHANGED: &[&str] =
    &["status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=all", "--no-renames"];

/// How long git may take for the files of a work tree, in which an agent may have left something that it would wait for.
const LIMIT: Duration = Duration::from_secs(600);

/// Who makes a commit.
#[derive(Debug, Clone)]
pub(crate) struct Committer {
    /// `user.name`
    pub(crate) name: String,
    /// `user.email`
    pub(crate) email: String,
}

impl SealedGit {
    /// What changed in the work tree, each as git lists it, without ignored files. git does not look into submodules.
    pub(crate) fn changed(&self) -> Result<Vec<String>, GitError> {
        Ok(lines(&in_time(self.command(Args::new(CHANGED)), LIMIT)?))
    }

    /// The same without files of which only the mode changed.
    pub(crate) fn changed_content(&self) -> Result<Vec<String>, GitError> {
        let args = Args::new(CHANGED).set("core.fileMode", false);
        Ok(lines(&in_time(self.command(args), LIMIT)?))
    }

    /// What is untracked below these paths, ignored files included, each as git lists it.
    pub(crate) fn untracked_below<'a>(
        &self,
        paths: impl IntoIterator<Item = &'a str>,
    ) -> Result<Vec<String>, GitError> {
        let options = ["status", "--porcelain", "--untracked-files=all", "--ignored=matching"];
        let args = Args::new(&options).options(&["--ignore-submodules=all", "--no-renames"]);
        let args = paths.into_iter().fold(args, Args::path);
        let listed = lines(&in_time(self.command(args), LIMIT)?);
        Ok(listed.into_iter().filter(|line| line.starts_with("??") || line.starts_with("!!")).collect())
    }

    /// The size of all files that are new or changed, in bytes.
    pub(crate) fn changed_size(&self) -> Result<u64, GitError> {
        let args = Args::new(&["ls-files", "-z", "--others", "--modified", "--exclude-standard"]);
        let listed = in_time(self.command(args), LIMIT)?;
        let top = self.git.work_dir.clone().unwrap_or_default();
        let found =
            entries(&listed).filter_map(|path| top.join(OsStr::from_bytes(path)).symlink_metadata().ok());
        Ok(found.filter(fs::Metadata::is_file).map(|file| file.len()).fold(0, u64::saturating_add))
    }

    /// Compares the work tree with the commit `to` from now on, instead of `from`. The work tree does not change.
    pub(crate) fn move_to(&self, from: ObjectId, to: ObjectId) -> Result<(), GitError> {
        let args = Args::new(&["read-tree", "-i", "-m"]).value(from.to_string()).value(to.to_string());
        in_time(self.command(args), LIMIT)?;
        let path = self.folder.join("HEAD");
        fs::write(&path, format!("{to}\n")).map_err(GitError::io(&path))
    }

    /// What differs between a commit and the work tree, as a patch; new files are in it. `index` is a file for the index.
    pub(crate) fn diff_since(&self, commit: ObjectId, index: &Path) -> Result<Vec<u8>, GitError> {
        copy_index(&self.folder.join("index"), index).map_err(GitError::io(index))?;
        self.add_all(index, &["--intent-to-add"])?;
        let options = ["diff", "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];
        self.with_index(index, Args::new(&options).value(commit.to_string()).no_paths())
    }

    /// Adds all files to an index, without submodules and other repositories within: git would run `git status` in a submodule,
    /// with what the agent configured there, and fails at a repository without a commit.
    fn add_all(&self, index: &Path, options: &[&'static str]) -> Result<(), GitError> {
        let listed = self.with_index(index, Args::new(&["ls-files", "-z", "--stage"]))?;
        let mut left_out: Vec<&[u8]> = entries(&listed).filter_map(submodules::link).collect();
        let others =
            self.with_index(index, Args::new(&["ls-files", "-z", "--others", "--exclude-standard"]))?;
        left_out.extend(entries(&others).filter(|path| path.ends_with(b"/")));
        let mut paths = b":(top)\0".to_vec();
        for path in left_out {
            paths.extend([&b":(exclude,top,literal)"[..], path, b"\0"].concat());
        }
        let file = self.folder.join(PATHS);
        fs::write(&file, paths).map_err(GitError::io(&file))?;
        let args = Args::new(&["add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul"]);
        let mut command = self.command(args.options(options));
        command.env("GIT_INDEX_FILE", index).stdin(File::open(&file).map_err(GitError::io(&file))?);
        in_time(command, LIMIT).map(drop)
    }

    fn with_index(&self, index: &Path, args: Args) -> Result<Vec<u8>, GitError> {
        let mut command = self.command(args);
        command.env("GIT_INDEX_FILE", index);
        in_time(command, LIMIT)
    }

    /// Commits all files of the work tree that are not ignored, after `parent`. No ref holds the commit.
    pub(crate) fn commit_files(
        &self,
        parent: ObjectId,
        message: &str,
        by: &Committer,
    ) -> Result<ObjectId, GitError> {
        let index = self.folder.join(SNAPSHOT);
        let committed = self.committed(&index, parent, message, by);
        // What is left is replaced by the next one.
        let _ = fs::remove_file(&index);
        committed
    }

    fn committed(
        &self,
        index: &Path,
        parent: ObjectId,
        message: &str,
        by: &Committer,
    ) -> Result<ObjectId, GitError> {
        copy_index(&self.folder.join("index"), index).map_err(GitError::io(index))?;
        self.add_all(index, &[])?;
        let tree = self.with_index(index, Args::new(&["write-tree"]))?;
        let args = Args::new(&["commit-tree", "-F", "-"]).with("-p", parent);
        let mut command = self.command(args.value(String::from_utf8_lossy(&tree).trim()));
        for (name, value) in [
            ("GIT_AUTHOR_NAME", &by.name),
            ("GIT_AUTHOR_EMAIL", &by.email),
            ("GIT_COMMITTER_NAME", &by.name),
            ("GIT_COMMITTER_EMAIL", &by.email),
        ] {
            command.env(name, value);
        }
        let made = feed(command, message.as_bytes())?;
        let made = String::from_utf8_lossy(&made).trim().to_owned();
        made.parse().map_err(|_| GitError::Failed {
            command: "commit-tree".into(),
            stderr: format!("it answered `{made}`"),
            code: Some(0),
        })
    }
}

/// Copies an index with its time: git reads a file again only if it is not older than the index.
pub(crate) fn copy_index(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to)?;
    let written = from.metadata()?.modified()?;
    File::options().write(true).open(to)?.set_modified(written)
}

/// Runs a git that reads the files of an agent, and ends it if it takes longer than `limit`. Returns stdout.
fn in_time(mut command: Command, limit: Duration) -> Result<Vec<u8>, GitError> {
    let args: Vec<OsString> = command.get_args().map(OsStr::to_owned).collect();
    let words = joined(&args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let begun = Instant::now();
    let ended =
        stoppable::output(command, false, Duration::ZERO, &|| begun.elapsed() >= limit, &|_, _, _| {});
    match ended.map_err(|source| GitError::Start { command: words.clone(), source })? {
        Some(output) => Ok(succeeded(&args, output)?.stdout),
        None => Err(GitError::Failed {
            command: words,
            stderr: format!("it did not end within {} s", limit.as_secs()),
            code: None,
        }),
    }
}

/// The entries of a list that a null byte ends.
fn entries(listed: &[u8]) -> impl Iterator<Item = &[u8]> {
    listed.split(|byte| *byte == 0).filter(|entry| !entry.is_empty())
}

fn lines(listed: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(listed).lines().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_git_that_waits_is_ended() {
        let (reader, writer) = io::pipe().unwrap();
        let mut command = Command::new("sh");
        // It would wait for the end of the pipe, which this process holds open.
        command.args(["-c", "cat"]).stdin(reader);
        let error = in_time(command, Duration::ZERO).unwrap_err().to_string();
        assert!(error.contains("it did not end within 0 s"), "{error}");
        drop(writer);
        let mut command = Command::new("echo");
        command.arg("one").stdin(Stdio::null());
        assert_eq!(in_time(command, LIMIT).unwrap(), b"one\n");
    }

    #[test]
    fn no_program_runs_that_a_submodule_configures() {
        let folder = tempfile::tempdir().unwrap();
        let (top, marker) = (folder.path().join("main"), folder.path().join("ran"));
        let git = |place: &Path, words: &[&str]| {
            let mut command = Command::new("git");
            command.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]).args(words);
            let output = command.current_dir(place).output().unwrap();
            assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        let sub = top.join("sub");
        fs::create_dir_all(&sub).unwrap();
        for place in [&top, &sub] {
            git(place, &["init", "-q", "-b", "main"]);
        }
        git(&sub, &["commit", "-q", "--allow-empty", "-m", "Begin"]);
        fs::write(top.join("one"), "1\n").unwrap();
        git(&top, &["-c", "advice.addEmbeddedRepo=false", "add", "--all"]);
        git(&top, &["commit", "-q", "-m", "Begin"]);
        let head: ObjectId = git(&top, &["rev-parse", "HEAD"]).parse().unwrap();
        let private = folder.path().join("private");
        let sealed =
            SealedGit::create(&private, Some((&top, head)), crate::git::HashKind::Sha1, &top.join(".git"))
                .unwrap();
        copy_index(&top.join(".git/index"), &private.join("index")).unwrap();
        git(&sub, &["config", "core.fsmonitor", &format!("touch {}", marker.display())]);
        fs::write(sub.join("new"), "1\n").unwrap();
        // One without a commit, which git cannot add.
        git(&top, &["init", "-q", "inner"]);
        fs::write(top.join("two"), "22\n").unwrap();
        assert_eq!(sealed.changed_size().unwrap(), 3);
        let by = Committer { name: "Ada".into(), email: "ada@example.org".into() };
        let made = sealed.commit_files(head, "Keep", &by).unwrap().to_string();
        let tree =
            String::from_utf8(sealed.git.run(Args::new(&["ls-tree", "--name-only"]).value(&made)).unwrap())
                .unwrap();
        assert_eq!(tree, "one\nsub\ntwo\n");
        let patch = sealed.diff_since(head, &folder.path().join("index")).unwrap();
        assert!(String::from_utf8(patch).unwrap().contains("+22"));
        assert!(!marker.exists());
    }
}
