//! What the user wants of a sandbox. All of it comes from git config, never from a file that agents can change.

use std::path::PathBuf;

use crate::git::Environment;
use crate::model::{Code, Explain, Remedies};
use crate::store::Store;

const MODE: &str = "wf.run.sandbox";
const HIDE: &str = "wf.run.hide";
const WRITABLE: &str = "wf.run.writable";

/// What is hidden below the home directory: keys, passwords and tokens, but not those of package managers, with which setup commands
/// install.
const HIDDEN_AT_HOME: [&str; 24] = [
    ".ssh",
    ".gnupg",
    ".netrc",
    ".git-credentials",
    ".config/git/credentials",
    ".config/gh",
    ".config/glab-cli",
    ".config/rclone",
    ".config/gcloud",
    ".aws",
    ".azure",
    ".kube",
    ".docker/config.json",
    ".docker/desktop",
    ".docker/run",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".pypirc",
    ".password-store",
    ".local/share/keyrings",
    ".mozilla",
    ".config/BraveSoftware",
    ".config/chromium",
    ".config/google-chrome",
];
/// Sockets of services that would do for an agent what it cannot do itself. A read-only directory does not keep anybody
/// from using them.
const HIDDEN_SOCKETS: [&str; 13] = [
    "/run/buildkit",
    "/run/containerd",
    "/run/crio",
    "/run/dbus",
    "/run/docker",
    "/run/docker.sock",
    "/run/libvirt",
    "/run/podman",
    "/run/snapd.socket",
    "/run/systemd/private",
    "/var/lib/incus/unix.socket",
    "/var/lib/lxd/unix.socket",
    "/var/snap/lxd/common/lxd/unix.socket",
];

/// Variables that name the sockets of such services.
const ADDRESSES: [&str; 3] = ["CONTAINER_HOST", "DBUS_SESSION_BUS_ADDRESS", "DOCKER_HOST"];

/// `wf.run.sandbox`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SandboxMode {
    /// A sandbox if there can be one.
    Auto,
    /// No agent without a sandbox.
    Require,
    /// No sandbox.
    Off,
}

/// What the user wants.
#[derive(Debug)]
pub(super) struct SandboxSettings {
    /// Whether there is one.
    pub(super) mode: SandboxMode,
    /// What nobody inside can read, whether or not it is there.
    pub(super) hide: Vec<PathBuf>,
    /// What can be written besides the workplace.
    pub(super) writable: Vec<PathBuf>,
}

/// Why agents cannot be started.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SandboxError {
    /// A setting has a value that it does not take.
    #[error("`{value}` is not a value for `{key}`: it takes {takes}")]
    Setting {
        /// Its name.
        key: &'static str,
        /// Its value.
        value: String,
        /// What it takes.
        takes: &'static str,
    },
    /// The settings require a sandbox, and there is none.
    #[error("`wf.run.sandbox` is `require`, but agents cannot be confined: {why}")]
    Required {
        /// Why not.
        why: String,
    },
}

impl Explain for SandboxError {
    fn code(&self) -> Code {
        match self {
            Self::Setting { .. } => Code::Config,
            Self::Required { .. } => Code::NoSandbox,
        }
    }

    fn remedies(&self) -> Remedies {
        match self {
            Self::Setting { key, .. } => Remedies::command(format!("git config --get-all {key}"), "shows it"),
            Self::Required { .. } => Remedies::command(
                "git config wf.run.sandbox auto",
                "runs them without; on Debian, `apt install bubblewrap` installs what makes a sandbox",
            ),
        }
    }
}

impl SandboxSettings {
    /// Reads them.
    pub(super) fn read(store: &Store) -> Result<Self, SandboxError> {
        let mode = match store.config(MODE).as_deref() {
            None | Some("auto") => SandboxMode::Auto,
            Some("require") => SandboxMode::Require,
            Some("off") => SandboxMode::Off,
            Some(other) => {
                let (value, takes) = (other.to_owned(), "auto, require or off");
                return Err(SandboxError::Setting { key: MODE, value, takes });
            }
        };
        let mut hide = hidden_by_default(store.environment());
        hide.extend(paths(store, HIDE)?);
        Ok(Self { mode, hide, writable: paths(store, WRITABLE)? })
    }
}

fn hidden_by_default(environment: &Environment) -> Vec<PathBuf> {
    let home = environment.folder("HOME");
    let at_home = home.iter().flat_map(|home| HIDDEN_AT_HOME.iter().map(|name| home.join(name)));
    let sockets = HIDDEN_SOCKETS.iter().map(PathBuf::from);
    let named = ["XDG_RUNTIME_DIR", "SSH_AUTH_SOCK"].into_iter().filter_map(|name| environment.folder(name));
    // A job of cron has no variable for it, and it is there anyway.
    let of_user = PathBuf::from(format!("/run/user/{}", rustix::process::getuid().as_raw()));
    let addressed = ADDRESSES.iter().filter_map(|name| environment.get(name));
    let addressed = addressed.flat_map(|value| socket_paths(&value.to_string_lossy()));
    at_home.chain(sockets).chain(named).chain([of_user]).chain(addressed).collect()
}

/// The paths of sockets in an address such as `unix:///run/docker.sock`, or in several such as `unix:path=/run/bus,guid=1;tcp:port=1`.
/// Other addresses have none.
fn socket_paths(addresses: &str) -> Vec<PathBuf> {
    let parts = addresses.split([';', ',']);
    let paths = parts.filter_map(|part| {
        let part = part.strip_prefix("unix:").unwrap_or(part);
        part.strip_prefix("path=").or_else(|| part.strip_prefix("//"))
    });
    paths.filter(|path| path.starts_with('/')).map(PathBuf::from).collect()
}

/// The absolute paths that a setting lists. `~/` is the home directory.
fn paths(store: &Store, key: &'static str) -> Result<Vec<PathBuf>, SandboxError> {
    let home = store.environment().folder("HOME");
    store
        .config_all(key)
        .into_iter()
        .map(|value| {
            let path = match (value.strip_prefix("~/"), &home) {
                (Some(below), Some(home)) => home.join(below),
                _ => PathBuf::from(&value),
            };
            if path.is_absolute() {
                Ok(path)
            } else {
                let takes = "an absolute path, or one that begins with `~/`";
                Err(SandboxError::Setting { key, value, takes })
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sockets_that_variables_name_are_hidden() {
        for (addresses, paths) in [
            ("unix:///run/user/7/docker.sock", &["/run/user/7/docker.sock"][..]),
            ("unix:path=/tmp/a,guid=1;unix:guid=2,path=/tmp/b", &["/tmp/a", "/tmp/b"]),
            ("unix:abstract=/tmp/c", &[]),
            ("tcp://127.0.0.1:2375", &[]),
            ("ssh://host/run/docker.sock", &[]),
            ("", &[]),
        ] {
            assert_eq!(socket_paths(addresses), paths.iter().map(PathBuf::from).collect::<Vec<_>>());
        }
        let hidden = hidden_by_default(&Environment::default());
        let own = format!("/run/user/{}", rustix::process::getuid().as_raw());
        assert!(hidden.contains(&PathBuf::from(own)));
    }
}
