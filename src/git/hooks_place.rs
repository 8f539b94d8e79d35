//! Where git looks for hooks, and the setting that can turn them all off.

use std::path::PathBuf;

use super::{Args, Git, GitError};
use crate::model::{Other, Remedies};

/// The setting that names the hooks directory.
const HOOKS_PATH: &str = "core.hooksPath";

/// Where git looks for hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HooksPlace {
    /// In this directory: absolute, as `core.hooksPath` has it. It may be missing.
    Folder(PathBuf),
    /// Nowhere, since `core.hooksPath` names nothing that could hold a hook.
    Off(HooksOff),
}

/// A `core.hooksPath` that turns all hooks off: empty, or not a directory, such as `/dev/null`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`core.hooksPath` is {}{}, so git runs no hooks", valued(.value), set_by(.scope, .origin))]
pub(crate) struct HooksOff {
    value: String,
    /// `system`, `global`, `local`, `worktree` or `command`.
    scope: String,
    /// `file:.git/config`, `command line:`, …
    origin: String,
}

fn valued(value: &str) -> String {
    if value.is_empty() { "empty".to_owned() } else { format!("`{value}`") }
}

/// Which file sets it, in brackets; empty if that is not known.
fn set_by(scope: &str, origin: &str) -> String {
    match origin.strip_prefix("file:") {
        Some(file) => format!(" (set in `{file}`)"),
        None if scope == "command" => " (set by the environment)".to_owned(),
        None => String::new(),
    }
}

impl HooksOff {
    /// How to turn the hooks on in this repository.
    pub(crate) fn remedies(&self) -> Remedies {
        let on = match self.scope.as_str() {
            "local" | "worktree" => Remedies::command(
                format!("git config --{} --unset-all {HOOKS_PATH}", self.scope),
                "lets git run the hooks of this repository again",
            ),
            "command" => Remedies::from("omit it from the environment of git"),
            // The file may serve other repositories, too.
            _ => Remedies::command(
                format!(
                    "git config {HOOKS_PATH} \"$(git rev-parse --path-format=absolute --git-common-dir)/hooks\""
                ),
                "lets git run the hooks of this repository alone",
            ),
        };
        on.or_call(Other::HooksInstall, "then installs those of git-wf")
    }
}

impl Git {
    /// Where git looks for hooks.
    ///
    /// # Errors
    /// If git cannot say, for any other reason than an empty `core.hooksPath`.
    pub(crate) fn hooks_place(&self) -> Result<HooksPlace, GitError> {
        let git = self.as_anyone();
        let folder = git.absolute_path(&["--git-path", "hooks"]);
        if let Ok(folder) = &folder
            && (folder.is_dir() || folder.symlink_metadata().is_err())
        {
            return Ok(HooksPlace::Folder(folder.clone()));
        }
        let off = git.hooks_setting()?;
        match (off, folder) {
            (Some(off), Ok(_)) => Ok(HooksPlace::Off(off)),
            (Some(off), Err(_)) if off.value.is_empty() => Ok(HooksPlace::Off(off)),
            (_, folder) => folder.map(HooksPlace::Folder),
        }
    }

    /// The last `core.hooksPath`, which counts, and what sets it.
    fn hooks_setting(&self) -> Result<Option<HooksOff>, GitError> {
        let options = ["config", "--null", "--show-scope", "--show-origin", "--get"];
        let output = match self.run(Args::new(&options).value(HOOKS_PATH)) {
            Ok(output) => output,
            // There is no such value.
            Err(GitError::Failed { code: Some(1), .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let text = String::from_utf8_lossy(&output);
        let mut fields = text.split('\0').map(str::to_owned);
        let (scope, origin, value) = (fields.next(), fields.next(), fields.next());
        Ok(scope.zip(origin).zip(value).map(|((scope, origin), value)| HooksOff { value, scope, origin }))
    }
}
