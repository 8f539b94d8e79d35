//! Git beside programs that are not trusted: the agents of a run. They can change the settings of the repository and the
//! files by which git chooses filters, and so make git start a program of theirs. What git starts here sees no more of
//! the environment than they do, and only after the settings are as they were.

use std::ffi::OsString;
use std::process::Command;

use super::kept_settings::KeptSettings;

/// No program watches the files for git: it would only save time.
const UNWATCHED: &[(&str, &str)] =
    &[("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "core.fsmonitor"), ("GIT_CONFIG_VALUE_0", "false")];

/// What git is confined to.
#[derive(Debug)]
pub(crate) struct Confined {
    variables: Vec<(OsString, OsString)>,
    settings: KeptSettings,
}

impl Confined {
    /// `variables` are the only ones that git sees. `settings` are put back whenever git starts.
    pub(crate) fn new(variables: Vec<(OsString, OsString)>, settings: KeptSettings) -> Self {
        Self { variables, settings }
    }

    /// The settings that stay as they were.
    pub(crate) fn settings(&self) -> &KeptSettings {
        &self.settings
    }

    /// Confines a command of git that has no arguments yet. One that needs the user's keys gets the whole environment,
    /// if the settings could be put back.
    pub(super) fn apply(&self, command: &mut Command, has_keys: bool) {
        let is_as_before = self.settings.put_back();
        if !(has_keys && is_as_before) {
            command.env_clear().envs(self.variables.iter().map(|(name, value)| (name, value)));
            command.envs(UNWATCHED.iter().copied());
        }
    }
}
