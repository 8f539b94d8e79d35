//! Tries from inside a sandbox to undo what it promises. Only a sandbox that withstands is said to hold.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Sandbox;
use crate::agent::state::ProgramNeeds;
use crate::process::supervise::{Command, ProcessEnd, supervise};
use crate::process::watch::program;
use crate::store::Store;

/// The hidden command by which this program starts itself inside.
const COMMAND: &str = "probe-sandbox";
/// Longer than this, nothing inside takes.
const LIMIT: Duration = Duration::from_secs(30);
/// Files of the kernel that only a system's root may write.
const KERNEL: [&str; 2] = ["/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger"];

/// The operations to try in the sandbox.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Probe {
    /// A directory that can be written.
    workplace: PathBuf,
    /// Directories and files that must not change.
    kept: Vec<PathBuf>,
    /// Directories and files that must not be read.
    hidden: Vec<PathBuf>,
    /// A process outside.
    outside: u32,
    /// bubblewrap, to try again in a namespace in which this program has every right; none in there.
    bubblewrap: Option<PathBuf>,
}

/// Starts the probe inside; returns why the sandbox cannot be used.
pub(super) fn try_out(store: &Store, sandbox: &Sandbox) -> Result<(), String> {
    let failed = |error: io::Error| format!("bubblewrap cannot be tried: {error}");
    let workplace = tempfile::tempdir_in(store.environment().temporary()).map_err(failed)?;
    let probe = Probe {
        workplace: workplace.path().canonicalize().map_err(failed)?,
        kept: [Path::new("/"), Path::new("/etc")]
            .into_iter()
            .map(Path::to_owned)
            .chain(sandbox.mounts.kept())
            .collect(),
        hidden: sandbox.mounts.hidden(),
        outside: process::id(),
        bubblewrap: Some(sandbox.program.clone()),
    };
    let program = program().map_err(failed)?;
    let asked = serde_json::to_string(&probe).map_err(|error| failed(error.into()))?;
    let mut words = sandbox.words(workplace.path(), &ProgramNeeds::default());
    words.extend([program.into(), COMMAND.into(), OsString::from(asked)]);
    let command =
        Command { words: &words, folder: workplace.path(), environment: None, stdin: None, is_joined: true };
    let mut output = Vec::new();
    let ran = supervise(command, Some(LIMIT), &mut || store.environment().is_stopped(), &mut |_, bytes| {
        output.extend_from_slice(bytes);
    });
    let (ended, _) = ran.map_err(failed)?;
    let said = String::from_utf8_lossy(&output);
    let line = said.lines().next().unwrap_or("it says nothing");
    match ended {
        ProcessEnd::Exited(0) => Ok(()),
        ProcessEnd::TimedOut => Err("bubblewrap does not end".into()),
        _ => Err(format!("bubblewrap does not work here: {line}")),
    }
}

impl Probe {
    /// Tries everything; returns what succeeded and should not, or failed and should not.
    pub(crate) fn breaches(&self) -> Vec<String> {
        let mut found = Vec::new();
        if self.bubblewrap.is_some() {
            if let Err(error) = File::create(self.workplace.join("probe")) {
                found.push(format!("the workplace cannot be written: {error}"));
            }
            self.try_to_act_as_root(&mut found);
        }
        self.try_to_reach(&mut found);
        #[cfg(target_os = "linux")]
        self.try_to_mount(&mut found);
        found.extend(self.bubblewrap.as_ref().and_then(|program| self.with_every_right(program)));
        found
    }

    fn try_to_reach(&self, found: &mut Vec<String>) {
        for path in self.kept.iter().filter(|path| can_write(path)) {
            found.push(format!("`{}` can be written inside", path.display()));
        }
        for path in self.hidden.iter().filter(|path| can_read(path)) {
            found.push(format!("`{}` can be read inside", path.display()));
        }
    }

    fn try_to_act_as_root(&self, found: &mut Vec<String>) {
        if rustix::process::getuid().is_root() || rustix::process::geteuid().is_root() {
            found.push("programs inside are root".into());
        }
        for path in KERNEL.iter().filter(|path| OpenOptions::new().write(true).open(path).is_ok()) {
            found.push(format!("`{path}` can be written inside"));
        }
        let outside = i32::try_from(self.outside).ok().and_then(rustix::process::Pid::from_raw);
        if outside.is_some_and(|process| rustix::process::test_kill_process(process).is_ok()) {
            found.push("processes outside can be seen inside".into());
        }
    }

    #[cfg(target_os = "linux")]
    fn try_to_mount(&self, found: &mut Vec<String>) {
        use rustix::mount::{MountFlags, UnmountFlags, mount_remount, unmount};

        for path in &self.kept {
            let _ = mount_remount(path, MountFlags::BIND, "");
        }
        for path in &self.hidden {
            let _ = unmount(path, UnmountFlags::DETACH);
        }
        self.try_to_reach(found);
    }

    /// Tries again in a namespace of its own, as an agent can, too. If none can be made, that is no breach.
    fn with_every_right(&self, bubblewrap: &Path) -> Option<String> {
        let nested = Self {
            workplace: self.workplace.clone(),
            kept: self.kept.clone(),
            hidden: self.hidden.clone(),
            bubblewrap: None,
            ..*self
        };
        let asked = serde_json::to_string(&nested).ok()?;
        let ran = process::Command::new(bubblewrap)
            .args([
                "--unshare-user",
                "--uid",
                "0",
                "--gid",
                "0",
                "--cap-add",
                "ALL",
                "--dev-bind",
                "/",
                "/",
                "--",
            ])
            .arg(program().ok()?)
            .args([COMMAND, &asked])
            .output()
            .ok()?;
        let said = String::from_utf8_lossy(&ran.stdout);
        if ran.status.success() { None } else { said.lines().next().map(str::to_owned) }
    }
}

/// Whether a file can be made in a directory, or a file be opened for writing.
fn can_write(path: &Path) -> bool {
    if path.is_dir() {
        let new = path.join(format!(".wf-probe-{}", process::id()));
        let is_made = OpenOptions::new().write(true).create_new(true).open(&new).is_ok();
        if is_made {
            let _ = fs::remove_file(&new);
        }
        is_made
    } else {
        OpenOptions::new().append(true).open(path).is_ok()
    }
}

/// Whether a directory has something in it, or a file or socket can be used.
fn can_read(path: &Path) -> bool {
    if path.is_dir() {
        fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some())
    } else {
        File::open(path).is_ok_and(|file| file.metadata().is_ok_and(|metadata| metadata.len() > 0))
            || std::os::unix::net::UnixStream::connect(path).is_ok()
    }
}
