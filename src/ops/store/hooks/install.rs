//! Writes the shims into the hooks directory of a repository, reports their state, and removes them.
//!
//! An existing hook is renamed to `before-git-wf/<name>` and called by the shim. Renaming keeps its bytes, its mode,
//! its name and, if it is a symbolic link, its target. A hook of a manager that itself runs the hook which it found
//! stays, and the shim is put where the manager looks for that (`<name>.legacy`). Only the marked part of a shim is
//! rewritten; if someone edited that part, the file is renamed to `<name>.edited-git-wf` before it is replaced or
//! removed, and nothing calls it after that.

mod error;
mod place;
mod relocate;
mod shim;
mod slot;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};
use tempfile::TempPath;

pub(crate) use error::InstallError;
pub(crate) use place::HooksAt;
pub(crate) use shim::HookSide;
use shim::SHIMS;
use slot::{MovedHooks, Slot};

use crate::trail::hooked::HookManager;

/// What is installed at the path of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum InstalledHook {
    /// The shim that an install would write.
    Current,
    /// A shim of another version or for another program, or one that git cannot execute.
    Outdated,
    /// Nothing.
    Absent,
    /// A hook that git-wf did not install.
    Foreign,
    /// A hook of another program, whose configuration calls git-wf.
    Configured,
}

/// What a command did with a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum HookChange {
    /// Nothing had to be done.
    None,
    /// A shim was written, for the first time or over an older one.
    Written,
    /// The shim was removed, and there was no earlier hook.
    Removed,
    /// The shim was removed, and the earlier hook was restored.
    GivenBack,
    /// The shim was removed, and the lines that other programs added to the file stay.
    KeptOthers,
    /// The earlier hook, which had been moved aside, was deleted.
    Discarded,
    /// Another hook had replaced the shim: it and the earlier hook were left as they are.
    LeftAlone,
}

/// One hook, as it is after the command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(crate) struct HookState {
    /// Git's name for it.
    pub(crate) name: &'static str,
    /// What is installed.
    pub(crate) installed: InstalledHook,
    /// The program that the shim would run now; absent if there is no shim or no program.
    #[serde(serialize_with = "lossy")]
    pub(crate) calls: Option<PathBuf>,
    /// The program that wrote the hook which git runs, if it is known.
    pub(crate) manager: Option<HookManager>,
    /// The file through which that program calls git-wf: its configuration, or the shim under another name.
    #[serde(serialize_with = "lossy")]
    pub(crate) through: Option<PathBuf>,
    /// Where another program moved the shim; nothing calls it there.
    #[serde(serialize_with = "lossy")]
    pub(crate) replaced: Option<PathBuf>,
    /// An earlier hook that was moved aside. If it is not executable, the shim ignores it, as git did.
    #[serde(serialize_with = "lossy")]
    pub(crate) earlier: Option<PathBuf>,
    /// The program that wrote the earlier hook, if it is known.
    pub(crate) earlier_manager: Option<HookManager>,
    /// Where an edited shim, or lines of others from it, were just moved to; nothing calls it there.
    #[serde(serialize_with = "lossy")]
    pub(crate) edited: Option<PathBuf>,
    /// Where the earlier hook was just moved to, since another program had put its own in the place; nothing calls it
    /// there.
    #[serde(serialize_with = "lossy")]
    pub(crate) displaced: Option<PathBuf>,
    /// What the command did.
    pub(crate) change: HookChange,
}

/// Writes every shim of that side that is not current. `program` is what the shims run if `git-wf` is not on the
/// `PATH`; an absolute path.
///
/// Every check is made before anything is changed. If the file system fails halfway, each hook is either unchanged or
/// completely installed, and another install finishes the rest.
pub(crate) fn install(
    at: &HooksAt,
    program: &Path,
    side: HookSide,
    force: bool,
) -> Result<Vec<HookState>, InstallError> {
    if let Some(off) = at.off() {
        return Err(InstallError::Off(off.clone()));
    }
    if !force {
        at.check()?;
    }
    let slots: Vec<Slot> =
        SHIMS.iter().filter(|shim| shim.side == side).map(|shim| Slot::look(at, shim)).collect();
    for slot in &slots {
        slot.check()?;
    }
    at.create_folder(at.folder()).map_err(InstallError::io("create", at.folder()))?;
    let staged = slots
        .iter()
        .filter(|slot| !matches!(slot.installed(program), InstalledHook::Current | InstalledHook::Configured))
        .map(|slot| Ok((slot, stage(at, &slot.text(program))?)))
        .collect::<Result<Vec<_>, InstallError>>()?;
    let mut written = BTreeMap::new();
    for (slot, file) in staged {
        written.insert(slot.shim.name, slot.install(at, file)?);
    }
    let mut states = status(at, program);
    states.retain(|state| slots.iter().any(|slot| slot.shim.name == state.name));
    Ok(states
        .into_iter()
        .map(|state| match written.remove(state.name) {
            Some(MovedHooks { edited, displaced }) => {
                HookState { change: HookChange::Written, edited, displaced, ..state }
            }
            None => state,
        })
        .collect())
}

/// Removes every shim and restores the earlier hooks. Foreign hooks stay, and edited shims are moved aside.
pub(crate) fn uninstall(at: &HooksAt) -> Result<Vec<HookState>, InstallError> {
    let slots: Vec<Slot> = listed(at).collect();
    slots.iter().map(|slot| slot.remove(at)).collect()
}

/// Deletes the earlier hooks with these names, which were moved aside. Nothing is deleted if one of them is not there.
pub(crate) fn discard(
    at: &HooksAt,
    program: &Path,
    names: &[String],
) -> Result<Vec<HookState>, InstallError> {
    let slots: Vec<Slot> = SHIMS.iter().map(|shim| Slot::look(at, shim)).collect();
    let mut found = Vec::new();
    for name in names {
        let slot = slots.iter().find(|slot| slot.shim.name == name && slot.earlier.is_some());
        found.push(slot.ok_or_else(|| InstallError::NoneKept { name: name.clone() })?);
    }
    found.into_iter().map(|slot| slot.discard(at, program)).collect()
}

/// The state of each hook, compared with an install with that `program`.
pub(crate) fn status(at: &HooksAt, program: &Path) -> Vec<HookState> {
    listed(at)
        .map(|slot| {
            let state = slot.state(at, slot.installed(program));
            // Git runs none of what is there.
            if at.off().is_some() {
                HookState { installed: InstalledHook::Absent, calls: None, ..state }
            } else {
                state
            }
        })
        .collect()
}

/// The hooks that are useful in this repository, and any other shims that are installed.
fn listed(at: &HooksAt) -> impl Iterator<Item = Slot> {
    let side = if at.is_bare() { HookSide::Server } else { HookSide::Client };
    SHIMS.iter().map(|shim| Slot::look(at, shim)).filter(move |slot| slot.shim.side == side || slot.is_ours())
}

/// Whether the path exists, even as a dangling link.
fn lies_at(path: &Path) -> bool {
    !path
        .symlink_metadata()
        .as_ref()
        .is_err_and(|error| matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory))
}

/// Writes a temporary file in the hooks directory, so that only a rename is left to do. Whoever may read it may run it.
fn stage(at: &HooksAt, text: &[u8]) -> Result<TempPath, InstallError> {
    let executable = fs::Permissions::from_mode(0o777);
    let write = || {
        let mut file = tempfile::Builder::new()
            .prefix(".git-wf-hook-")
            .permissions(executable)
            .tempfile_in(at.folder())?;
        file.write_all(text)?;
        at.share(file.path())?;
        file.as_file().sync_all()?;
        Ok(file.into_temp_path())
    };
    write().map_err(InstallError::io("write to", at.folder()))
}

/// Paths can have any bytes, which JSON cannot represent.
fn lossy<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| path.to_string_lossy()).serialize(serializer)
}
