//! Runs git beside programs that are not trusted: the agents of a run. They can change the settings of the repository
//! and the files by which git chooses filters, and so make git start a program of theirs. What git starts here sees no
//! more of the environment than the agents do, and git runs only after the settings were restored.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use super::kept_settings::KeptSettings;

/// No program watches the files for git: it would only save time.
const UNWATCHED: &[(&str, &str)] =
    &[("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "core.fsmonitor"), ("GIT_CONFIG_VALUE_0", "false")];

/// The environment and the settings that git is confined to.
#[derive(Debug)]
pub(crate) struct Confined {
    variables: Vec<(OsString, OsString)>,
    settings: KeptSettings,
    program: Option<PathBuf>,
}

impl Confined {
    /// `variables` are the only ones that git sees. `settings` are put back whenever git starts.
    pub(crate) fn new(variables: Vec<(OsString, OsString)>, settings: KeptSettings) -> Self {
        let program = program(&variables);
        Self { variables, settings, program }
    }

    /// The settings that stay as they were.
    pub(crate) fn settings(&self) -> &KeptSettings {
        &self.settings
    }

    /// The path of git, if it was found. Without a path, a command with its own environment is searched for in a fork
    /// of this process, which takes longer than most commands of git.
    pub(super) fn program(&self) -> Option<&PathBuf> {
        self.program.as_ref()
    }

    /// Confines a git command that has no arguments yet. A command that needs the user's keys gets the whole
    /// environment if the settings could be restored.
    pub(super) fn apply(&self, command: &mut Command, has_keys: bool) {
        let is_as_before = self.settings.put_back();
        if !(has_keys && is_as_before) {
            command.env_clear().envs(self.variables.iter().map(|(name, value)| (name, value)));
            command.envs(UNWATCHED.iter().copied());
        }
    }
}

/// The first `git` in the absolute directories of the `PATH`.
fn program(variables: &[(OsString, OsString)]) -> Option<PathBuf> {
    let (_, path) = variables.iter().find(|(name, _)| name == "PATH")?;
    let is_program = |path: &PathBuf| {
        path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|it| it.join("git"))
        .find(is_program)
}
