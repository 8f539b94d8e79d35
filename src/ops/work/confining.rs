//! Confines git while agents are at work, whichever command started them.

use std::path::Path;

use crate::agent::environment::beside_agents;
use crate::git::{Confined, KeptSettings, PutBack};
use crate::ops::Session;
use crate::store::Store;

/// From now on, git gets nothing that is withheld from agents, and the settings and hooks of the repository must not
/// change: copies of changed files are kept in `changed`.
pub(crate) fn confine(session: &Session, changed: &Path) {
    let settings = KeptSettings::of(&session.store().common_dir(), changed);
    let environment = session.environment();
    environment.confine(Confined::new(beside_agents(environment.iter().cloned()), settings));
}

/// Also keeps the settings of a worktree that was just made.
pub(crate) fn keep_settings_of(there: &Store) {
    if let (Some(confined), Some(folder)) = (there.environment().confined(), there.work_dir()) {
        confined.settings().keep_worktree(&there.git_dir(), &folder);
    }
}

/// The settings restored since the last call.
pub(crate) fn take_put_back(session: &Session) -> Vec<PutBack> {
    session.environment().confined().map(|confined| confined.settings().take_restored()).unwrap_or_default()
}
