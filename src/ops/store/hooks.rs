//! Installing, removing and listing the git hooks.

mod install;
mod lines;

use std::path::{Path, PathBuf};

use crate::model::{Other, RemedyCall};
use crate::ops::{Answer, Done, Notice, Refusal, Session};
pub(crate) use crate::trail::hooked::HookManager;
use install::HooksAt;
pub(crate) use install::{HookChange, HookSide, HookState, InstalledHook};
pub(crate) use lines::{HookLines, hook_lines, missing_hook_lines};

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
/// `hooks-off`, `hooks-outside`, `hooks-tracked`, `hooks-two-earlier`, `hooks-io`.
pub(crate) fn install_hooks(session: &Session, input: &InstallHooks) -> Answer<Vec<HookState>> {
    session.refuse_roles(Other::HooksInstall.as_str())?;
    let InstallHooks { program, side, force } = input;
    let states = install::install(&hooks_at(session)?, program, *side, *force)?;
    if *side == HookSide::Client && session.store().work_dir().is_none() {
        let bare = Notice::note("this repository is bare, so these hooks do nothing here");
        let server = RemedyCall::from(Other::HooksInstall).flag("server");
        session.notice(bare.remedy(server, "installs the one that checks pushes"));
    }
    if *side == HookSide::Client {
        for (manager, file) in lines::overwriting(session) {
            session.notice(
                Notice::warning(format!("{manager} can replace these hooks when it writes its own again"))
                    .remedy(
                        Other::HooksLines,
                        format!("shows what to add to `{file}`, so that it calls git-wf"),
                    ),
            );
        }
    }
    Ok(told(session, states))
}

/// Deletes earlier hooks that were moved aside, for example those of a program that is no longer used.
///
/// # Errors
/// `not-found` if there is no such earlier hook; `hooks-io`.
pub(crate) fn discard_hooks(session: &Session, program: &Path, names: &[String]) -> Answer<Vec<HookState>> {
    session.refuse_roles("hooks discard")?;
    let states = install::discard(&hooks_at(session)?, program, names)?;
    Ok(session.done(states, None))
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
    let at = hooks_at(session)?;
    if let Some(off) = at.off() {
        session.notice(Notice { remedies: off.remedies().into_vec(), ..Notice::warning(off.to_string()) });
    }
    Ok(session.done(install::status(&at, program), None))
}

fn hooks_at(session: &Session) -> Result<HooksAt, Refusal> {
    let store = session.store();
    let search = session.environment().get("PATH");
    Ok(HooksAt::find(&store.git(), store.work_dir().as_deref(), search, store.repo().shared_mode())?)
}

/// Says where edited shims were moved to, and to which hooks another program had added lines.
fn told(session: &Session, states: Vec<HookState>) -> Done<Vec<HookState>> {
    for state in &states {
        let name = state.name;
        if let Some(path) = &state.edited {
            session.notice(Notice::warning(format!(
                "`{name}` had been edited: it is kept as `{}`, which git does not run",
                path.display()
            )));
        }
        if let Some(path) = &state.displaced {
            let by = state.earlier_manager.or(state.manager).map_or("another program", HookManager::as_str);
            session.notice(Notice::warning(format!(
                "{by} had replaced the `{name}` hook that was there before git-wf: it is kept as `{}`, which git does not run",
                path.display()
            )));
        }
        if state.change == HookChange::KeptOthers {
            session
                .notice(Notice::note(format!("`{name}` keeps the lines that another program added to it")));
        }
    }
    session.done(states, None)
}
