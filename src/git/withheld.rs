//! Runs git beside agents: what git starts here, such as a filter or a hook, sees no more of the environment than the agents
//! do, since it works on files that they wrote.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

/// No program watches the files for git: it would only save time.
const UNWATCHED: &[(&str, &str)] =
    &[("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "core.fsmonitor"), ("GIT_CONFIG_VALUE_0", "false")];

/// The variables from which git is not kept.
#[derive(Debug)]
pub(crate) struct Withheld {
    variables: Vec<(OsString, OsString)>,
    program: Option<PathBuf>,
}

impl Withheld {
    /// `variables` are the only ones that git sees.
    pub(crate) fn new(variables: Vec<(OsString, OsString)>) -> Self {
        let program = program(&variables);
        Self { variables, program }
    }

    /// The path of git, if it was found. Without a path, a command with its own environment is searched for in a fork
    /// of this process, which takes longer than most commands of git.
    pub(super) fn program(&self) -> Option<&PathBuf> {
        self.program.as_ref()
    }

    /// Limits a git command that has no arguments yet, unless it needs the user's keys.
    pub(super) fn apply(&self, command: &mut Command, has_keys: bool) {
        if !has_keys {
            command.env_clear().envs(self.variables.iter().map(|(name, value)| (name, value)));
            command.envs(UNWATCHED.iter().copied());
        }
    }
}

/// The first `git` in the absolute directories of the `PATH`.
fn program(variables: &[(OsString, OsString)]) -> Option<PathBuf> {
    let (_, path) = variables.iter().find(|(name, _)| name == "PATH")?;
    std::env::split_paths(path).filter(|folder| folder.is_absolute()).map(|folder| folder.join("git")).find(
        |path| path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0),
    )
}
