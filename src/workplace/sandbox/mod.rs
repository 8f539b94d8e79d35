//! Confines what agents run to their workplace, with bubblewrap. The system is there read-only, secrets are covered, and
//! nothing outlives the program.
//!
//! `mounts.rs` decides what can be seen and written, `settings.rs` reads what the user wants, and `probe.rs` tries from the inside
//! to break out before anybody is told that a sandbox holds.

mod mounts;
mod probe;
mod settings;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

pub(crate) use probe::Probe;
pub(crate) use settings::SandboxError;

use self::mounts::{Mount, Mounts, View};
use self::settings::{SandboxMode, SandboxSettings};
use crate::agent::configured;
use crate::agent::state::ProgramNeeds;
use crate::store::Store;

/// The program that makes a sandbox.
const BUBBLEWRAP: &str = "bwrap";
/// The user and group inside, if this program runs as root.
const NOT_ROOT: u32 = 1000;

/// Whether agents are confined.
#[derive(Debug, Clone)]
pub(crate) enum Confinement {
    /// They are.
    Confined(Sandbox),
    /// They are not, for this reason.
    Open(String),
}

/// A sandbox that was tried.
#[derive(Debug, Clone)]
pub(crate) struct Sandbox {
    /// bubblewrap.
    program: PathBuf,
    /// What can be seen and written, besides the workplace.
    mounts: Mounts,
}

impl Confinement {
    /// The confinement that the settings ask for and the system allows. It has been tried when this returns.
    ///
    /// # Errors
    /// A wrong setting; `no-sandbox` if the settings require one and there is none.
    pub(crate) fn load(store: &Store) -> Result<Self, SandboxError> {
        let settings = SandboxSettings::read(store)?;
        let why = match settings.mode {
            SandboxMode::Off => return Ok(Self::Open("`wf.run.sandbox` is off".into())),
            SandboxMode::Auto | SandboxMode::Require => match Sandbox::tried(store, &settings) {
                Ok(sandbox) => return Ok(Self::Confined(sandbox)),
                Err(why) => why,
            },
        };
        match settings.mode {
            SandboxMode::Require => Err(SandboxError::Required { why }),
            SandboxMode::Auto | SandboxMode::Off => Ok(Self::Open(why)),
        }
    }

    /// Why there is none; empty if there is one.
    pub(crate) fn why_open(&self) -> &str {
        match self {
            Self::Confined(_) => "",
            Self::Open(why) => why,
        }
    }

    /// The words to put before those of a program that works in `folder`.
    pub(crate) fn words(&self, folder: &Path, needs: &ProgramNeeds) -> Vec<OsString> {
        match self {
            Self::Confined(sandbox) => sandbox.words(folder, needs),
            Self::Open(_) => Vec::new(),
        }
    }
}

/// One line that says which holds.
impl std::fmt::Display for Confinement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Confined(_) => {
                f.write_str("agents are confined: they can write only to their workplace and their own state")
            }
            Self::Open(why) => write!(f, "agents are not confined: {why}"),
        }
    }
}

impl Sandbox {
    /// A sandbox that holds, or why there is none.
    fn tried(store: &Store, settings: &SandboxSettings) -> Result<Self, String> {
        let environment = store.environment();
        let program = configured::program(BUBBLEWRAP, Path::new("/"), environment.get("PATH"))
            .ok_or_else(|| "bubblewrap (`bwrap`) is not installed".to_owned())?;
        let sandbox = Self { program, mounts: Mounts::new(store, settings) };
        probe::try_out(store, &sandbox).map(|()| sandbox)
    }

    /// bubblewrap with all that it does, up to the words of the program that it starts.
    fn words(&self, folder: &Path, needs: &ProgramNeeds) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![self.program.clone().into()];
        let mut add = |word: &dyn AsRef<OsStr>| words.push(word.as_ref().to_owned());
        for option in ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--die-with-parent"] {
            add(&option);
        }
        for option in ["--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"] {
            add(&option);
        }
        for path in mounts::of_the_kernel() {
            add(&"--ro-bind");
            add(&path);
            add(&path);
        }
        let (user, group) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
        for (option, id) in [("--uid", user), ("--gid", group)] {
            add(&option);
            add(&if id == 0 { NOT_ROOT } else { id }.to_string());
        }
        for Mount { path, view } in self.mounts.with(folder, needs) {
            match view {
                View::Empty => {
                    add(&"--tmpfs");
                    add(&path);
                }
                View::HiddenFolder => {
                    for option in ["--tmpfs", "--remount-ro"] {
                        add(&option);
                        add(&path);
                    }
                }
                View::HiddenFile => {
                    add(&"--ro-bind");
                    add(&"/dev/null");
                    add(&path);
                }
                View::ReadOnly | View::Writable => {
                    // Another process may remove its workplace before this program starts.
                    add(&if view == View::Writable { "--bind" } else { "--ro-bind-try" });
                    add(&path);
                    add(&path);
                }
            }
        }
        for option in ["--setenv", "TMPDIR", mounts::TEMPORARY, "--unsetenv", "TMP", "--unsetenv", "TEMP"] {
            add(&option);
        }
        add(&"--chdir");
        add(&folder);
        add(&"--");
        words
    }
}
