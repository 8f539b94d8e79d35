//! Installing, removing and listing the git hooks.

mod install;

use std::path::{Path, PathBuf};

use crate::model::op::Other;
use crate::model::remedy::RemedyCall;
use crate::ops::{Answer, Done, Notice, Refusal, Session};
use install::HooksAt;
pub(crate) use install::{HookChange, HookSide, HookState, InstalledHook};

/// Which hooks to install, and how.
#[derive(Debug)]
pub(crate) struct InstallHooks {
    /// What the hooks run if `git-wf` is not on the `PATH`; an absolute path.
    pub(crate) program: PathBuf,
    /// The repository's side.
    pub(crate) side: HookSide,
    /// Whether to install them even into a directory that is outside the repository or tracked by git.
    pub(crate) force: bool,
}

/// Installs the hooks. Existing hooks are called by them.
///
/// # Errors
/// `hooks-outside`, `hooks-tracked`, `hooks-two-earlier`, `hooks-io`.
pub(crate) fn install_hooks(session: &Session, input: &InstallHooks) -> Answer<Vec<HookState>> {
    session.refuse_roles(Other::HooksInstall.as_str())?;
    let InstallHooks { program, side, force } = input;
    let states = install::install(&hooks_at(session)?, program, *side, *force)?;
    if *side == HookSide::Client && session.store().work_dir().is_none() {
        let bare = Notice::note("this repository is bare, so these hooks do nothing here");
        let server = RemedyCall::from(Other::HooksInstall).flag("server");
        session.notice(bare.remedy(server, "installs the one that checks pushes"));
    }
    Ok(told(session, states))
}

/// Removes the hooks and restores the earlier ones.
///
/// # Errors
/// `hooks-io`.
pub(crate) fn uninstall_hooks(session: &Session) -> Answer<Vec<HookState>> {
    session.refuse_roles("hooks uninstall")?;
    let states = install::uninstall(&hooks_at(session)?)?;
    Ok(told(session, states))
}

/// The state of each hook. A hook is current if it would run that `program`.
pub(crate) fn hooks(session: &Session, program: &Path) -> Answer<Vec<HookState>> {
    let states = install::status(&hooks_at(session)?, program);
    Ok(session.done(states, None))
}

fn hooks_at(session: &Session) -> Result<HooksAt, Refusal> {
    let store = session.store();
    let search = session.environment().get("PATH");
    Ok(HooksAt::find(&store.git(), store.work_dir().as_deref(), search)?)
}

/// Says where edited shims were moved to.
fn told(session: &Session, states: Vec<HookState>) -> Done<Vec<HookState>> {
    for (name, path) in states.iter().filter_map(|it| Some((it.name, it.edited.as_deref()?))) {
        session.notice(Notice::warning(format!(
            "`{name}` had been edited: it is kept as `{}`, which git does not run",
            path.display()
        )));
    }
    session.done(states, None)
}
