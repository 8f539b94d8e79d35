//! Why hooks were not installed or not removed.

use std::path::{Path, PathBuf};

use crate::git::HooksOff;
use crate::model::{Code, Explain, Other, Remedies};

/// Why hooks were not installed or not removed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InstallError {
    /// Git would not run them.
    #[error(transparent)]
    Off(HooksOff),
    /// Other repositories may use the same directory.
    #[error("the hooks directory `{}` is outside this repository", .path.display())]
    Outside {
        /// The hooks directory.
        path: PathBuf,
    },
    /// The next commit would contain the shims.
    #[error("the hooks directory `{}` is tracked by git", .path.display())]
    Tracked {
        /// The hooks directory.
        path: PathBuf,
    },
    /// Another program overwrote the shim after an earlier hook had been moved aside.
    #[error(
        "there are two earlier `{name}` hooks: `{}`, and `{}`, which was moved aside before",
        .hook.display(), .earlier.display()
    )]
    TwoEarlier {
        /// The hook's name.
        name: &'static str,
        /// The one that git runs now.
        hook: PathBuf,
        /// The one that was moved aside.
        earlier: PathBuf,
    },
    /// No hook of this name was moved aside.
    #[error("no earlier `{name}` hook was kept")]
    NoneKept {
        /// What was asked for.
        name: String,
    },
    /// A file could not be read, written or renamed.
    #[error("cannot {what} `{}`: {source}", .path.display())]
    Io {
        /// A verb: write, move aside, remove.
        what: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
}

impl InstallError {
    pub(super) fn io(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { what, path, source }
    }
}

impl Explain for InstallError {
    fn code(&self) -> Code {
        match self {
            Self::Off(_) => Code::HooksOff,
            Self::Outside { .. } => Code::HooksOutside,
            Self::Tracked { .. } => Code::HooksTracked,
            Self::TwoEarlier { .. } => Code::HooksTwoEarlier,
            Self::NoneKept { .. } => Code::NotFound,
            Self::Io { .. } => Code::HooksIo,
        }
    }

    fn remedies(&self) -> Remedies {
        match self {
            Self::Off(off) => off.remedies(),
            Self::Outside { .. } => {
                Remedies::from("every repository with that `core.hooksPath` would run them")
                    .or_command("git config core.hooksPath DIRECTORY", "sets one for this repository alone")
                    .or_call(Other::HooksInstall, "then installs them there")
            }
            Self::Tracked { .. } => {
                Remedies::call(Other::HooksLines, "shows what to add to the existing hooks instead")
            }
            Self::TwoEarlier { hook, earlier, .. } => format!(
                "copy what you still need from `{}` to `{}`, remove the former, and install again",
                earlier.display(),
                hook.display(),
            )
            .into(),
            Self::NoneKept { .. } => Remedies::call(Other::HooksStatus, "lists the hooks that were"),
            Self::Io { path, .. } => format!(
                "make sure that the directory `{}` exists and is writable",
                path.parent().unwrap_or(path).display()
            )
            .into(),
        }
    }
}
