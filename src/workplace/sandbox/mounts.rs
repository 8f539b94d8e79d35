//! What can be seen and written inside a sandbox. The most specific rule holds: mounts are made from the top down.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::settings::SandboxSettings;
use crate::agent::state::ProgramNeeds;
use crate::process::watch::program;
use crate::store::Store;

/// The directory for temporary files inside.
pub(super) const TEMPORARY: &str = "/tmp";
/// Directories that are empty inside at first, and that each program has for itself.
const OWN: [&str; 2] = [TEMPORARY, "/var/tmp"];
/// Directories whose content cannot be seen inside, unless a mount shows it.
const COVERED: [&str; 3] = [TEMPORARY, "/var/tmp", "/dev"];

/// How something is seen inside. Of two views of the same path, the greater one holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum View {
    /// As an empty directory that can be written, and that is gone afterwards.
    Empty,
    /// As it is.
    ReadOnly,
    /// As it is, and it can be changed.
    Writable,
    /// As an empty directory.
    HiddenFolder,
    /// As nothing that could be read.
    HiddenFile,
}

/// One path, without links, and how it is seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mount {
    pub(super) path: PathBuf,
    pub(super) view: View,
}

/// All mounts but that of the workplace.
#[derive(Debug, Clone)]
pub(super) struct Mounts(BTreeMap<PathBuf, View>);

impl Mounts {
    /// What the settings hide and open; the repository, the user's files and programs as they are.
    pub(super) fn new(store: &Store, settings: &SandboxSettings) -> Self {
        let mut mounts = Self(BTreeMap::new());
        OWN.iter().for_each(|path| mounts.add(Path::new(path), View::Empty));
        let environment = store.environment();
        let repository = [Some(store.common_dir()), store.work_dir()];
        // The repository is named even where nothing covers it, so that no wider setting makes it writable.
        repository.into_iter().flatten().for_each(|path| mounts.add(&path, View::ReadOnly));
        let programs = environment.get("PATH").into_iter().flat_map(std::env::split_paths);
        let own = program().ok().and_then(|program| Some(program.parent()?.to_owned()));
        let home = environment.folder("HOME");
        let config = environment.folder("GIT_CONFIG_GLOBAL");
        for path in programs.chain(own).chain(home).chain(config) {
            if is_covered(&path) && !settings.writable.iter().any(|writable| path.starts_with(writable)) {
                mounts.add(&path, View::ReadOnly);
            }
        }
        settings.writable.iter().for_each(|path| mounts.add(path, View::Writable));
        settings.hide.iter().for_each(|path| mounts.hide(path));
        mounts
    }

    /// All mounts, from the top down, with a workplace, and with what else a program reads and writes there.
    pub(super) fn with(&self, folder: &Path, needs: &ProgramNeeds) -> impl Iterator<Item = Mount> + use<> {
        let mut all = self.clone();
        needs.state.iter().for_each(|path| all.add(path, View::Writable));
        for file in needs.files.iter().filter_map(|file| file.canonicalize().ok()) {
            // A script may need what lies beside it.
            let beside = file.parent().filter(|folder| is_covered(folder));
            if is_covered(&file) {
                all.add(beside.unwrap_or(&file), View::ReadOnly);
            }
        }
        if let Ok(folder) = folder.canonicalize() {
            all.0.insert(folder, View::Writable);
        }
        // A path is sorted before everything below it.
        all.0.into_iter().map(|(path, view)| Mount { path, view })
    }

    /// The paths that nobody inside may change.
    pub(super) fn kept(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().filter(|(_, view)| **view == View::ReadOnly).map(|(path, _)| path.as_path())
    }

    /// The paths that nobody inside may read.
    pub(super) fn hidden(&self) -> impl Iterator<Item = &Path> {
        self.0
            .iter()
            .filter(move |(_, view)| matches!(view, View::HiddenFolder | View::HiddenFile))
            .map(|(path, _)| path.as_path())
    }

    /// Adds a path that exists. Links are followed, since it is their target that is seen or covered.
    fn add(&mut self, path: &Path, view: View) {
        if let Ok(path) = path.canonicalize()
            && path != Path::new("/")
        {
            let known = self.0.entry(path).or_insert(view);
            *known = view.max(*known);
        }
    }

    fn hide(&mut self, path: &Path) {
        let view = if path.is_dir() { View::HiddenFolder } else { View::HiddenFile };
        self.add(path, view);
    }
}

/// What in `/proc` is about the whole system and could be written by root, which this program may be. bubblewrap itself
/// covers only some of it.
pub(super) fn of_the_kernel() -> Vec<PathBuf> {
    let entries = fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let mut found: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| is_of_the_kernel(path)).collect();
    found.sort();
    found
}

fn is_of_the_kernel(path: &Path) -> bool {
    let is_process = path.file_name().is_none_or(|name| name.as_encoded_bytes()[0].is_ascii_digit());
    let Ok(metadata) = path.symlink_metadata() else { return false };
    let is_writable_file = metadata.is_file() && metadata.permissions().mode() & 0o222 != 0;
    !is_process && (metadata.is_dir() || is_writable_file)
}

fn is_covered(path: &Path) -> bool {
    COVERED.iter().any(|covered| path.starts_with(covered) && path != Path::new(covered))
}
