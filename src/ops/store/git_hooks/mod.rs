//! The git hooks of a repository: installing and removing them, and their state.

mod install;

use std::path::{Path, PathBuf};

use self::install::HooksAt;
pub(crate) use self::install::{Change, HookState, Installed, Side};
use crate::ops::{Answer, Refusal, Session};
use crate::store::StoreError;

/// Which hooks to install.
#[derive(Debug)]
pub(crate) struct InstallHooks {
    /// What the hooks run if `git-wf` is not on the `PATH`.
    pub(crate) program: PathBuf,
    /// For people who commit here, or for those who push to here.
    pub(crate) side: Side,
    /// Also into a directory that is outside of the repository or tracked by git.
    pub(crate) force: bool,
}

/// Installs the git hooks of a repository. Existing hooks keep working.
///
/// # Errors
/// `hooks-outside`, `hooks-tracked`, `hooks-two-earlier`, `hooks-io`.
pub(crate) fn install_hooks(session: &Session, input: &InstallHooks) -> Answer<Vec<HookState>> {
    let states = installed(session, input)?;
    Ok(session.done(states, None))
}

/// Removes the git hooks, and restores those that they replaced.
///
/// # Errors
/// `hooks-io`.
pub(crate) fn uninstall_hooks(session: &Session) -> Answer<Vec<HookState>> {
    let states = install::uninstall(&hooks_at(session)?)?;
    Ok(session.done(states, None))
}

/// The state of each git hook, compared with hooks that run `program`.
///
/// # Errors
/// Any error from git.
pub(crate) fn hooks_status(session: &Session, program: &Path) -> Answer<Vec<HookState>> {
    let states = install::status(&hooks_at(session)?, program);
    Ok(session.done(states, None))
}

pub(super) fn installed(session: &Session, input: &InstallHooks) -> Result<Vec<HookState>, Refusal> {
    Ok(install::install(&hooks_at(session)?, &input.program, input.side, input.force)?)
}

fn hooks_at(session: &Session) -> Result<HooksAt, Refusal> {
    let (store, path) = (session.store(), session.environment().get("PATH"));
    let at = HooksAt::find(&store.git(), store.work_dir().as_deref(), path).map_err(StoreError::from)?;
    Ok(at)
}
