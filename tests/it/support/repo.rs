//! One repository, or one of its worktrees, and who works there.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use super::sandbox::World;
use super::template::Begun;
use super::{Ran, Sandbox};

/// A directory in which `git` and `git-wf` are run. A clone of this value is the same directory with another
/// environment.
#[derive(Clone)]
pub(crate) struct Repo {
    world: Arc<World>,
    path: PathBuf,
    env: Vec<(String, Option<String>)>,
    ahead: i64,
}

impl Begun for Repo {
    fn moved(&self, from: &Sandbox, to: &Sandbox) -> Self {
        let mut path = to.root().to_owned();
        // `join` with an empty path would end in a slash.
        path.extend(self.path.strip_prefix(from.root()).unwrap());
        Self { world: Arc::clone(&to.world), path, ..self.clone() }
    }
}

impl AsRef<Path> for Repo {
    fn as_ref(&self) -> &Path {
        &self.path
    }
}

impl Repo {
    pub(super) fn at(world: &Arc<World>, path: &Path) -> Self {
        Self { world: Arc::clone(world), path: path.to_owned(), env: Vec::new(), ahead: 0 }
    }

    /// The path of its worktree, or of the repository itself if it is bare.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The same directory with a variable set: `repo.with_env("WF_ROLE", "planner").wf(…)`.
    pub(crate) fn with_env(&self, name: &str, value: &str) -> Self {
        self.with(name, Some(value))
    }

    /// The same directory without a variable of the sandbox.
    pub(crate) fn without_env(&self, name: &str) -> Self {
        self.with(name, None)
    }

    /// The same directory, used by another person.
    pub(crate) fn as_person(&self, name: &str, email: &str) -> Self {
        self.with_env("GIT_AUTHOR_NAME", name)
            .with_env("GIT_AUTHOR_EMAIL", email)
            .with_env("GIT_COMMITTER_NAME", name)
            .with_env("GIT_COMMITTER_EMAIL", email)
    }

    /// The same directory with a clock this many seconds ahead of the sandbox's.
    pub(crate) fn ahead(&self, seconds: i64) -> Self {
        Self { ahead: seconds, ..self.clone() }
    }

    /// Another worktree beside this one, on `branch`, which is created from HEAD if it does not exist.
    pub(crate) fn worktree(&self, name: &str, branch: &str) -> Self {
        let path = self.path.parent().unwrap().join(name);
        let place = path.to_str().unwrap();
        if self.git(&["rev-parse", "--verify", "--quiet", &format!("refs/heads/{branch}")]).code == 0 {
            self.git(&["worktree", "add", "--quiet", place, branch]).ok();
        } else {
            self.git(&["worktree", "add", "--quiet", "-b", branch, place]).ok();
        }
        Self { path, ..self.clone() }
    }

    pub(crate) fn git(&self, args: &[&str]) -> Ran {
        self.run("git", args, &[])
    }

    pub(crate) fn git_in(&self, stdin: impl AsRef<[u8]>, args: &[&str]) -> Ran {
        self.run("git", args, stdin.as_ref())
    }

    /// Runs the binary directly.
    pub(crate) fn wf(&self, args: &[&str]) -> Ran {
        self.wf_in("", args)
    }

    /// Runs the binary with input on stdin.
    pub(crate) fn wf_in(&self, stdin: impl AsRef<[u8]>, args: &[&str]) -> Ran {
        self.run(env!("CARGO_BIN_EXE_git-wf"), args, stdin.as_ref())
    }

    /// Runs it as users do, through git.
    pub(crate) fn git_wf(&self, args: &[&str]) -> Ran {
        self.git(&[&["wf"], args].concat())
    }

    /// Runs a shell, for limits and identities that apply to one command.
    pub(crate) fn sh(&self, args: &[&str]) -> Ran {
        self.sh_in("", args)
    }

    /// Runs a shell with input on stdin.
    pub(crate) fn sh_in(&self, stdin: impl AsRef<[u8]>, args: &[&str]) -> Ran {
        self.run("sh", args, stdin.as_ref())
    }

    /// Any program in this directory and environment, not started yet: for tests that run several at once.
    pub(crate) fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = self.world.command(program, self.ahead);
        command.current_dir(&self.path).args(args);
        for (name, value) in &self.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }

    /// The commit that the ref points to.
    pub(crate) fn tip(&self) -> Option<String> {
        self.loose("refs/wf/main").or_else(|| {
            let ran = self.git(&["rev-parse", "--verify", "--quiet", "refs/wf/main"]);
            (ran.code == 0).then(|| ran.line().to_owned())
        })
    }

    /// The commit that is checked out.
    #[track_caller]
    fn head(&self) -> String {
        let head = std::fs::read_to_string(self.path.join(".git/HEAD")).unwrap_or_default();
        let branch = head.trim().strip_prefix("ref: ").and_then(|branch| self.loose(branch));
        branch.unwrap_or_else(|| self.git(&["rev-parse", "HEAD"]).ok().line().to_owned())
    }

    /// What a reference points to if it has a file of its own, as after every change. The clock advances as if a command
    /// had been run.
    fn loose(&self, name: &str) -> Option<String> {
        let git_dir = self.path.join(".git");
        let git_dir = if git_dir.is_dir() { &git_dir } else { &self.path };
        let text = std::fs::read_to_string(git_dir.join(name)).ok()?;
        let id = text.trim();
        let is_id = matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_id {
            return None;
        }
        self.world.tick();
        Some(id.to_owned())
    }

    /// Writes a file of the worktree, and creates its directories.
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The texts of the editor that could not be stored, in the order of their times.
    pub(crate) fn kept_texts(&self) -> Vec<String> {
        let files = self.path().join(".git/wf").read_dir().into_iter().flatten();
        let files = files.map(|file| file.unwrap());
        let mut kept: Vec<_> =
            files.filter(|file| file.file_name().to_str().unwrap().starts_with("EDITMSG")).collect();
        kept.sort_by_key(|file| file.metadata().unwrap().modified().unwrap());
        kept.iter().map(|file| std::fs::read_to_string(file.path()).unwrap()).collect()
    }

    #[track_caller]
    pub(crate) fn read(&self, path: &str) -> String {
        let path = self.path.join(path);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Writes a file and commits it, with hooks; returns the commit's full id.
    #[track_caller]
    pub(crate) fn commit(&self, path: &str, text: &str, message: &str) -> String {
        self.write(path, text);
        self.git(&["add", "--", path]).ok();
        self.git(&["commit", "--quiet", "-m", message]).ok();
        self.head()
    }

    fn with(&self, name: &str, value: Option<&str>) -> Self {
        let mut other = self.clone();
        other.env.push((name.to_owned(), value.map(str::to_owned)));
        other
    }

    fn run(&self, program: &str, args: &[&str], stdin: &[u8]) -> Ran {
        let mut child = self
            .command(program, args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let output = std::thread::scope(|scope| {
            // In parallel to reading, since a child that answers early would fill both pipes.
            scope.spawn(move || {
                // The child need not read everything.
                let _ = pipe.write_all(stdin);
            });
            child.wait_with_output().unwrap()
        });
        let name = Path::new(program).file_name().unwrap().to_string_lossy();
        Ran::new(format!("{name} {}", args.join(" ")), &output)
    }
}
