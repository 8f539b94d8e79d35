//! The files of one hook in the hooks directory.

use std::path::{Path, PathBuf};
use std::{fs, iter};

use bstr::ByteSlice;
use tempfile::TempPath;

use super::shim::{SHELL, Shim};
use super::{HookChange, HookState, HooksAt, InstallError, InstalledHook, lies_at, relocate, stage};
use crate::trail::hooked::shim_file::{self, is_executable};
use crate::trail::hooked::{HookManager, HookRoute, moved};

/// The directory in which earlier hooks are kept under their own names.
const ASIDE: &str = "before-git-wf";
/// What managers that run a hook which they found add to its name.
const LEGACY: &str = ".legacy";
const EDITED: &str = ".edited-git-wf";
/// What is added to the name of an earlier hook whose place another one took.
const DISPLACED: &str = ".earlier-git-wf";

/// What is at the path of the shim.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AtHookPath {
    Nothing,
    Shim(ShimFile),
    Other,
}

/// A hook with a part that git-wf wrote. The other lines belong to other programs.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ShimFile {
    before: Vec<u8>,
    part: Vec<u8>,
    after: Vec<u8>,
}

impl ShimFile {
    /// A link to a shim counts too: kept as an earlier hook, it would call itself.
    fn read(path: &Path) -> Option<Self> {
        let text = shim_file::read(path)?;
        let part = shim_file::part(&text)?;
        let (before, after) = (text[..part.start].to_vec(), text[part.end..].to_vec());
        Some(Self { before, part: text[part].to_vec(), after })
    }

    fn text(&self) -> Vec<u8> {
        [&self.before[..], &self.part, &self.after].concat()
    }

    /// The lines of other programs; none if there are no such lines.
    fn others(&self) -> Option<Vec<u8>> {
        let before = self.before.strip_prefix(SHELL).unwrap_or(&self.before);
        let others = [before, &self.after].concat();
        (!others.trim().is_empty()).then_some(others)
    }
}

/// Where an install moved files of one hook to, from where nothing calls them.
#[derive(Debug)]
pub(super) struct MovedHooks {
    /// An edited shim.
    pub(super) edited: Option<PathBuf>,
    /// An earlier hook, since a later one took its place.
    pub(super) displaced: Option<PathBuf>,
}

/// The paths of one hook, and what was found there.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) shim: &'static Shim,
    /// What git runs.
    named: PathBuf,
    /// Where the shim belongs: at `named`, or where a manager that wrote that hook runs another one.
    pub(super) hook: PathBuf,
    /// Where an earlier hook is moved to.
    aside: PathBuf,
    /// The earlier hook, if there is one.
    pub(super) earlier: Option<PathBuf>,
    pub(super) found: AtHookPath,
    pub(super) route: HookRoute,
}

impl Slot {
    pub(super) fn look(at: &HooksAt, shim: &'static Shim) -> Self {
        let named = at.folder().join(shim.name);
        let is_below = manager_of(&named).is_some_and(HookManager::runs_legacy);
        let hook = if is_below { at.folder().join(format!("{}{LEGACY}", shim.name)) } else { named.clone() };
        let aside = at.folder().join(ASIDE).join(shim.name);
        let earlier = lies_at(&aside).then(|| aside.clone());
        let found = match ShimFile::read(&hook) {
            Some(file) => AtHookPath::Shim(file),
            None if lies_at(&hook) => AtHookPath::Other,
            None => AtHookPath::Nothing,
        };
        let route = HookRoute::find(at.folder(), at.work_dir(), at.search(), shim.name);
        Self { shim, named, hook, aside, earlier, found, route }
    }

    /// Whether an uninstall would have anything to do.
    pub(super) fn is_ours(&self) -> bool {
        self.earlier.is_some() || matches!(self.found, AtHookPath::Shim(_)) || !self.unused(None).is_empty()
    }

    /// Refuses to install over two earlier hooks, since only one of them would be called. A program that manages hooks
    /// runs no other hook beside its own, so that one is called.
    pub(super) fn check(&self) -> Result<(), InstallError> {
        match self.second() {
            Some(earlier) if manager_of(&self.hook).is_none() => {
                let (hook, earlier) = (self.hook.clone(), earlier.to_owned());
                Err(InstallError::TwoEarlier { name: self.shim.name, hook, earlier })
            }
            _ => Ok(()),
        }
    }

    /// The earlier hook, if another one was written over the shim that called it.
    fn second(&self) -> Option<&Path> {
        let earlier = self.earlier.as_deref()?;
        (self.found == AtHookPath::Other && !is_same(&self.hook, earlier)).then_some(earlier)
    }

    /// Moves the earlier hook to a name that git does not run, if another one was written over the shim. Returns where it
    /// is then.
    fn displace(&self) -> Result<Option<PathBuf>, InstallError> {
        let Some(earlier) = self.second() else { return Ok(None) };
        let path = self.free_name(DISPLACED);
        relocate::back(earlier, &path).map_err(InstallError::io("move", earlier))?;
        Ok(Some(path))
    }

    pub(super) fn installed(&self, program: &Path) -> InstalledHook {
        if let HookRoute::Configured(..) = self.route {
            return InstalledHook::Configured;
        }
        match &self.found {
            AtHookPath::Shim(file) if self.text(program) == file.text() && is_executable(&self.hook) => {
                InstalledHook::Current
            }
            AtHookPath::Shim(_) => InstalledHook::Outdated,
            AtHookPath::Other => InstalledHook::Foreign,
            AtHookPath::Nothing if lies_at(&self.named) => InstalledHook::Foreign,
            AtHookPath::Nothing => InstalledHook::Absent,
        }
    }

    pub(super) fn state(&self, at: &HooksAt, installed: InstalledHook) -> HookState {
        let calls = match &self.found {
            AtHookPath::Shim(file) => shim_file::called(at.search(), &file.part),
            AtHookPath::Nothing | AtHookPath::Other => None,
        };
        let through = match &self.route {
            HookRoute::Configured(_, file) | HookRoute::Moved(_, file) => Some(file.clone()),
            _ => None,
        };
        let replaced = match &self.route {
            HookRoute::Foreign { replaced, .. } => replaced.clone(),
            _ => None,
        };
        HookState {
            name: self.shim.name,
            installed,
            calls,
            manager: manager_of(&self.named),
            through,
            replaced,
            earlier: self.earlier.clone(),
            earlier_manager: self.earlier.as_deref().and_then(manager_of),
            edited: None,
            displaced: None,
            change: HookChange::None,
        }
    }

    /// The text of the hook with the newest shim: the lines of other programs stay.
    pub(super) fn text(&self, program: &Path) -> Vec<u8> {
        let replaced;
        let file = match &self.found {
            AtHookPath::Shim(file) => Some(file),
            _ => {
                replaced = self.unused(None).first().and_then(|file| ShimFile::read(file));
                replaced.as_ref()
            }
        };
        let part = self.shim.part(program);
        match file {
            Some(file) if !file.before.is_empty() => [&file.before[..], &part, &file.after].concat(),
            Some(file) => [SHELL, &part, &file.after].concat(),
            None => [SHELL, &part].concat(),
        }
    }

    /// Shims that another program moved aside and that nothing runs: all but the one in use.
    fn unused(&self, used: Option<&Path>) -> Vec<PathBuf> {
        let folder = self.named.parent().unwrap_or(&self.named);
        let mut files = moved(folder, self.shim.name);
        files.retain(|file| *file != self.hook && Some(file.as_path()) != used);
        files
    }

    /// Where to move an edited shim: a name that is free.
    fn edited(&self) -> Option<PathBuf> {
        let AtHookPath::Shim(file) = &self.found else { return None };
        self.shim.is_edited(&file.part).then(|| self.free_name(EDITED))
    }

    /// A name beside the hook that is free.
    fn free_name(&self, suffix: &str) -> PathBuf {
        let name = format!("{}{suffix}", self.shim.name);
        let path = self.named.with_file_name(&name);
        let numbered = (2..).map(|n| self.named.with_file_name(format!("{name}.{n}")));
        iter::once(path.clone()).chain(numbered).find(|path| !lies_at(path)).unwrap_or(path)
    }

    /// Moves an existing hook or an edited shim aside and puts the new shim in its place; both or neither.
    pub(super) fn install(&self, at: &HooksAt, shim: TempPath) -> Result<MovedHooks, InstallError> {
        let edited = self.edited();
        let displaced = self.displace()?;
        let is_foreign = self.found == AtHookPath::Other;
        if is_foreign {
            let folder = self.aside.parent().unwrap_or(&self.aside);
            at.create_folder(folder).map_err(InstallError::io("create", folder))?;
        }
        if is_foreign {
            relocate::below(&self.hook, &self.aside).map_err(InstallError::io("move aside", &self.hook))?;
        } else if let Some(edited) = &edited {
            fs::rename(&self.hook, edited).map_err(InstallError::io("move aside", &self.hook))?;
        }
        shim.persist(&self.hook).map_err(|error| {
            // The first error is the one to report; the next install copes with either outcome.
            if is_foreign {
                let _ = relocate::back(&self.aside, &self.hook);
                self.tidy();
            } else if let Some(edited) = &edited {
                let _ = fs::rename(edited, &self.hook);
            }
            InstallError::io("write", &self.hook)(error.error)
        })?;
        for file in self.unused(None) {
            fs::remove_file(&file).map_err(InstallError::io("remove", &file))?;
        }
        Ok(MovedHooks { edited, displaced })
    }

    /// Removes the part of git-wf and restores the earlier hook. Lines of other programs stay in the hook, at its end.
    pub(super) fn remove(&self, at: &HooksAt) -> Result<HookState, InstallError> {
        let mut edited = self.edited();
        let displaced = self.displace()?;
        if let Some(aside) = &edited {
            fs::rename(&self.hook, aside).map_err(InstallError::io("move aside", &self.hook))?;
        }
        let others = match &self.found {
            AtHookPath::Shim(file) if edited.is_none() => file.others(),
            _ => None,
        };
        let change = match (&self.found, &self.earlier) {
            (AtHookPath::Other, earlier) => {
                if displaced.is_none()
                    && let Some(copy) = earlier.as_ref()
                {
                    fs::remove_file(copy).map_err(InstallError::io("remove", copy))?;
                }
                HookChange::LeftAlone
            }
            (AtHookPath::Nothing, None) if self.named != self.hook && lies_at(&self.named) => {
                HookChange::LeftAlone
            }
            (AtHookPath::Nothing, None) => HookChange::None,
            (AtHookPath::Shim(_), None) if edited.is_some() => HookChange::Removed,
            (AtHookPath::Shim(_), None) => match others {
                Some(others) => {
                    self.write(at, &[SHELL, &others].concat())?;
                    HookChange::KeptOthers
                }
                None => {
                    fs::remove_file(&self.hook).map_err(InstallError::io("remove", &self.hook))?;
                    HookChange::Removed
                }
            },
            (AtHookPath::Shim(_) | AtHookPath::Nothing, Some(earlier)) => {
                edited = self.give_back(at, earlier, others)?.or(edited);
                HookChange::GivenBack
            }
        };
        for file in self.unused(None) {
            // A program that moved it aside may have given it a section of its own.
            if ShimFile::read(&file).is_some_and(|shim| shim.others().is_none()) {
                fs::remove_file(&file).map_err(InstallError::io("remove", &file))?;
            }
        }
        self.tidy();
        let left = Self::look(at, self.shim);
        let is_gone = left.found == AtHookPath::Nothing && !lies_at(&left.named);
        let installed = match left.route {
            HookRoute::Configured(..) => InstalledHook::Configured,
            _ if is_gone => InstalledHook::Absent,
            _ => InstalledHook::Foreign,
        };
        Ok(HookState { change, edited, displaced, ..left.state(at, installed) })
    }

    /// Restores the earlier hook, with the lines of other programs at its end. Returns the file that has these lines if the
    /// hook cannot take them.
    fn give_back(
        &self,
        at: &HooksAt,
        earlier: &Path,
        others: Option<Vec<u8>>,
    ) -> Result<Option<PathBuf>, InstallError> {
        let mut beside = None;
        if let Some(others) = others {
            if let Some(script) = shell_script(earlier) {
                self.write(at, &[&script[..], &others].concat())?;
                fs::remove_file(earlier).map_err(InstallError::io("remove", earlier))?;
                return Ok(None);
            }
            let path = self.free_name(EDITED);
            fs::write(&path, others)
                .and_then(|()| at.share(&path))
                .map_err(InstallError::io("write", &path))?;
            beside = Some(path);
        }
        relocate::back(earlier, &self.hook).map_err(InstallError::io("restore", &self.hook))?;
        Ok(beside)
    }

    /// Deletes the earlier hook, which was moved aside.
    pub(super) fn discard(&self, at: &HooksAt, program: &Path) -> Result<HookState, InstallError> {
        if let Some(earlier) = &self.earlier {
            fs::remove_file(earlier).map_err(InstallError::io("remove", earlier))?;
        }
        self.tidy();
        let left = Self::look(at, self.shim);
        Ok(HookState { change: HookChange::Discarded, ..left.state(at, left.installed(program)) })
    }

    fn write(&self, at: &HooksAt, text: &[u8]) -> Result<(), InstallError> {
        let file = stage(at, text)?;
        file.persist(&self.hook).map_err(|error| InstallError::io("write", &self.hook)(error.error))
    }

    /// Removes the directory of earlier hooks if it is empty.
    fn tidy(&self) {
        if let Some(folder) = self.aside.parent() {
            // This fails if another hook is still in it.
            let _ = fs::remove_dir(folder);
        }
    }
}

fn manager_of(hook: &Path) -> Option<HookManager> {
    HookManager::of_hook(&shim_file::read(hook)?)
}

/// The text of a script for a shell to which lines can be appended, with a line break at its end.
fn shell_script(path: &Path) -> Option<Vec<u8>> {
    if !path.symlink_metadata().is_ok_and(|found| found.is_file()) {
        return None;
    }
    let mut text = shim_file::read(path)?;
    let first = text.lines().next()?.strip_prefix(b"#!")?;
    let program = first.fields().map(|word| word.rsplit_once_str("/").map_or(word, |(_, name)| name));
    let shell = program.into_iter().find(|name| *name != b"env")?;
    if ![&b"sh"[..], b"bash", b"dash"].contains(&shell) {
        return None;
    }
    if !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    Some(text)
}

/// Whether two files are the same hook: another program wrote the same file again, or a newer one in its place.
fn is_same(one: &Path, two: &Path) -> bool {
    let are_plain = [one, two].iter().all(|path| path.symlink_metadata().is_ok_and(|found| found.is_file()));
    if !are_plain || is_executable(one) != is_executable(two) {
        return false;
    }
    match (fs::read(one), fs::read(two)) {
        (Ok(one), Ok(two)) => one == two || HookManager::wrote_both(&one, &two),
        _ => false,
    }
}
