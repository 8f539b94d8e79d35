//! A temporary directory that is the whole world of the programs that run in it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};

use super::Repo;

/// 2026-11-21T02:00:00Z in seconds since 1970: the time when a sandbox is created.
pub(crate) const START: i64 = 1_795_226_400;

/// git before 2.32 also looks here; it does not know `GIT_CONFIG_GLOBAL`.
pub(crate) const USER_CONFIG: &str = "home/.gitconfig";

/// The identity, and settings so that no program runs on in the background, asks, or gives advice, and that git does not
/// start another program after each commit.
const GIT_CONFIG: &str = "\
[user]
\tname = Ada
\temail = ada@example.org
[init]
\tdefaultBranch = main
[commit]
\tgpgSign = false
[tag]
\tgpgSign = false
[gc]
\tautoDetach = false
[maintenance]
\tauto = false
\tautoDetach = false
[advice]
\tdefaultBranchName = false
\tdetachedHead = false
\tignoredHook = false
\tpushUpdateRejected = false
\tskippedCherryPicks = false
\tstatusHints = false
[wf \"run\"]
\tsandbox = off
";

/// The repositories in it keep it alive; the directory is removed with the last of them. Its clock advances by a
/// second with each command, and otherwise only through [`Sandbox::advance`].
pub(crate) struct Sandbox {
    pub(super) world: Arc<World>,
}

/// What all repositories of a sandbox share.
pub(super) struct World {
    folder: tempfile::TempDir,
    root: PathBuf,
    now: AtomicI64,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        Self::new_in(&std::env::temp_dir())
    }

    /// A sandbox in this directory.
    pub(super) fn new_in(place: &Path) -> Self {
        let folder = tempfile::tempdir_in(place).unwrap();
        // Git prints real paths; on some systems the directory for temporary files is a symbolic link.
        let root = folder.path().canonicalize().unwrap();
        for name in ["home", "tmp"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        std::fs::write(root.join(USER_CONFIG), GIT_CONFIG).unwrap();
        Self { world: Arc::new(World { folder, root, now: AtomicI64::new(START) }) }
    }

    /// The directory in which repositories are created.
    pub(crate) fn root(&self) -> &Path {
        &self.world.root
    }

    /// An empty repository with a worktree, on branch `main`.
    pub(crate) fn repo(&self, name: &str) -> Repo {
        self.made(name, &["init", "--quiet", name])
    }

    /// An empty bare repository, for use as a remote.
    pub(crate) fn bare(&self, name: &str) -> Repo {
        self.made(name, &["init", "--quiet", "--bare", name])
    }

    /// A clone, whose remote is `origin`.
    pub(crate) fn clone(&self, from: impl AsRef<Path>, name: &str) -> Repo {
        let from = from.as_ref().to_str().unwrap();
        self.made(name, &["clone", "--quiet", from, name])
    }

    /// A repository that the test created itself.
    pub(crate) fn at(&self, name: &str) -> Repo {
        Repo::at(&self.world, &self.root().join(name))
    }

    /// The time, in seconds since 1970.
    pub(super) fn now(&self) -> i64 {
        self.world.now.load(Ordering::SeqCst)
    }

    /// Whether nothing was done in it yet.
    pub(super) fn is_new(&self) -> bool {
        self.now() == START
    }

    /// Lets time pass: this is how leases expire, and no test sleeps.
    pub(crate) fn advance(&self, seconds: i64) {
        self.world.now.fetch_add(seconds, Ordering::SeqCst);
    }

    fn made(&self, name: &str, args: &[&str]) -> Repo {
        Repo::at(&self.world, self.root()).git(args).ok();
        Repo::at(&self.world, &self.root().join(name))
    }
}

impl World {
    /// A second later.
    pub(super) fn tick(&self) -> i64 {
        self.now.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// `program` with nothing of the real environment except the PATH, one second after the previous command and
    /// `ahead` seconds ahead of the clock.
    pub(super) fn command(&self, program: &str, ahead: i64) -> Command {
        let now = self.tick() + ahead;
        let date = format!("{now} +0000");
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", search_path())
            .env("HOME", self.root.join("home"))
            .env("TMPDIR", self.root.join("tmp"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", self.root.join(USER_CONFIG))
            .env("GIT_CEILING_DIRECTORIES", &self.root)
            .env("GIT_AUTHOR_DATE", &date)
            .env("GIT_COMMITTER_DATE", &date)
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_EDITOR", "false")
            .env("GIT_PAGER", "cat")
            .env("LC_ALL", "C.UTF-8")
            .env("TERM", "dumb");
        command
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // On request, a failed test leaves its directory for inspection.
        if std::thread::panicking() && std::env::var_os("WF_KEEP_SANDBOX").is_some() {
            self.folder.disable_cleanup(true);
            eprintln!("kept {}", self.root.display());
        }
    }
}

/// The binary under test comes first, so that `git wf` and the hooks find it. Then comes the Python that a version manager
/// chooses, if there is one: its shim takes several times as long to start.
fn search_path() -> &'static OsString {
    static PATH: OnceLock<OsString> = OnceLock::new();
    PATH.get_or_init(|| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let others: Vec<PathBuf> = std::env::split_paths(&path).collect();
        let mut folders = vec![Path::new(env!("CARGO_BIN_EXE_git-wf")).parent().unwrap().to_owned()];
        let place = "import os, sys; print(os.path.dirname(sys.executable), end='')";
        if let Ok(python) = Command::new("python3").args(["-c", place]).output() {
            folders.push(String::from_utf8(python.stdout).unwrap().into());
            folders.retain(|folder| folder.is_absolute() && !others.contains(folder));
        }
        folders.extend(others);
        std::env::join_paths(folders).unwrap()
    })
}
