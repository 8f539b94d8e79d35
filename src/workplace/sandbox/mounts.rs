//! What can be seen and written inside a sandbox. The most specific rule holds: mounts are made from the top down.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::settings::SandboxSettings;
use crate::agent::state::ProgramNeeds;
use crate::git::LinkedWorktree;
use crate::process::watch::program;
use crate::store::Store;
use crate::workplace::clone::{beside, folders, noted_places, root};

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

/// What is seen and written besides the workplace. Where links lead and what exists is looked up at each start of a program, since
/// it may change in between.
#[derive(Debug, Clone)]
pub(super) struct Mounts {
    rules: Vec<Rule>,
    /// Where the workplaces of the repository are noted: others are made while an agent works.
    noted: PathBuf,
    /// The directory in which the repository is, and beside it workplaces of other repositories.
    shared: PathBuf,
}

/// How a path is seen. A hidden path is one of a directory until it is looked up.
#[derive(Debug, Clone)]
struct Rule {
    path: PathBuf,
    view: View,
}

impl Mounts {
    /// What the settings hide and open; the repository, the user's files and programs as they are.
    pub(super) fn new(store: &Store, settings: &SandboxSettings) -> Self {
        let shared = beside(store, "").parent().map_or_else(PathBuf::new, Path::to_owned);
        let mut mounts = Self { rules: Vec::new(), noted: noted_places(store), shared };
        OWN.iter().for_each(|path| mounts.rule(Path::new(path), View::Empty));
        let environment = store.environment();
        // These are named even where nothing covers them, so that no wider setting makes them writable.
        users_places(store).iter().for_each(|path| mounts.rule(path, View::ReadOnly));
        let programs = environment.get("PATH").into_iter().flat_map(std::env::split_paths);
        let own = program().ok().and_then(|program| Some(program.parent()?.to_owned()));
        let home = environment.folder("HOME");
        let config = environment.folder("GIT_CONFIG_GLOBAL");
        for path in programs.chain(own).chain(home).chain(config) {
            if is_covered(&path) && !settings.writable.iter().any(|writable| path.starts_with(writable)) {
                mounts.rule(&path, View::ReadOnly);
            }
        }
        settings.writable.iter().for_each(|path| mounts.rule(path, View::Writable));
        settings.hide.iter().for_each(|path| mounts.rule(path, View::HiddenFolder));
        mounts
    }

    fn rule(&mut self, path: &Path, view: View) {
        self.rules.push(Rule { path: path.to_owned(), view });
    }

    /// All mounts, from the top down, with a workplace, and with what else a program reads and writes there.
    pub(super) fn with(&self, folder: &Path, needs: &ProgramNeeds) -> impl Iterator<Item = Mount> + use<> {
        let mut all = self.resolved();
        needs.state.iter().for_each(|path| add(&mut all, path, View::Writable));
        for file in needs.files.iter().filter_map(|file| file.canonicalize().ok()) {
            // A script may need what lies beside it.
            let beside = file.parent().filter(|folder| is_covered(folder));
            if is_covered(&file) {
                add(&mut all, beside.unwrap_or(&file), View::ReadOnly);
            }
        }
        if let Ok(folder) = folder.canonicalize() {
            // The directory of a run has its other workplaces and its worktrees, also those that are made later.
            if let Some(parent) = folder.parent()
                && parent != self.shared
                && parent.starts_with(&self.shared)
            {
                add(&mut all, parent, View::ReadOnly);
            }
            all.insert(folder, View::Writable);
        }
        // A path is sorted before everything below it.
        all.into_iter().map(|(path, view)| Mount { path, view })
    }

    /// The paths that nobody inside may change.
    pub(super) fn kept(&self) -> Vec<PathBuf> {
        self.seen_as(&[View::ReadOnly])
    }

    /// The paths that nobody inside may read.
    pub(super) fn hidden(&self) -> Vec<PathBuf> {
        self.seen_as(&[View::HiddenFolder, View::HiddenFile])
    }

    fn seen_as(&self, views: &[View]) -> Vec<PathBuf> {
        self.resolved().into_iter().filter(|(_, view)| views.contains(view)).map(|(path, _)| path).collect()
    }

    /// The paths that exist now.
    fn resolved(&self) -> BTreeMap<PathBuf, View> {
        let mut all = BTreeMap::new();
        for Rule { path, view } in &self.rules {
            let is_hidden_file = *view == View::HiddenFolder && !path.is_dir();
            add(&mut all, path, if is_hidden_file { View::HiddenFile } else { *view });
        }
        folders(&self.noted).iter().for_each(|folder| add(&mut all, folder, View::ReadOnly));
        all
    }
}

/// The directories of the user's repository, of its worktrees, and that of all workplaces.
fn users_places(store: &Store) -> Vec<PathBuf> {
    let mut places = vec![store.common_dir()];
    places.extend(store.work_dir());
    places.extend(store.repo().main_work_dir());
    // What cannot be read was not made by git.
    let linked = store.repo().linked_worktrees().unwrap_or_default();
    places.extend(linked.iter().filter_map(LinkedWorktree::folder));
    places.extend(root(store));
    places
}

/// Adds a path that exists. Links are followed, since it is their target that is seen or covered.
fn add(all: &mut BTreeMap<PathBuf, View>, path: &Path, view: View) {
    if let Ok(path) = path.canonicalize()
        && path != Path::new("/")
    {
        let known = all.entry(path).or_insert(view);
        *known = view.max(*known);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a test command are made once for all commands, and another landing may end meanwhile.
    #[test]
    fn a_workplace_that_goes_keeps_no_program_from_starting() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let other = top.join("other");
        fs::create_dir(&other).unwrap();
        let rules = vec![Rule { path: other.clone(), view: View::ReadOnly }];
        let mounts = Mounts { rules, noted: top.join("noted"), shared: top.join("code") };
        let sandbox = crate::workplace::sandbox::Sandbox { program: "bwrap".into(), mounts };
        let words = sandbox.words(&top, &ProgramNeeds::default());
        let place = words.iter().position(|word| *word == other).unwrap();
        assert_eq!(words[place - 1], "--ro-bind-try");
    }

    #[test]
    fn what_exists_is_looked_up_at_each_start() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let rule = |name: &str, view| Rule { path: top.join(name), view };
        let rules = vec![rule("secret", View::HiddenFolder), rule("", View::Writable)];
        let mounts = Mounts { rules, noted: top.join("noted"), shared: top.join("code") };
        assert_eq!(mounts.hidden(), Vec::<PathBuf>::new());
        fs::write(top.join("secret"), "").unwrap();
        assert_eq!(mounts.hidden(), [top.join("secret")]);
        fs::create_dir_all(top.join("code/run/one")).unwrap();
        fs::create_dir(top.join("code/alone")).unwrap();
        let view = |place: &str, path: &str| {
            let all: BTreeMap<_, _> = mounts
                .with(&top.join(place), &ProgramNeeds::default())
                .map(|mount| (mount.path, mount.view))
                .collect();
            all.get(&top.join(path)).copied()
        };
        assert_eq!(view("code/run/one", "secret"), Some(View::HiddenFile));
        assert_eq!(view("code/run/one", "code/run"), Some(View::ReadOnly));
        assert_eq!(view("code/run/one", "code/run/one"), Some(View::Writable));
        assert_eq!(view("code/alone", "code"), None);
        // The workplace of a run that began since.
        fs::create_dir_all(top.join("noted/RUN-2")).unwrap();
        fs::create_dir_all(top.join("code/later")).unwrap();
        let folder = top.join("code/later");
        let note = serde_json::json!({
            "folder": folder, "start": "", "tip": "", "branch": null, "records": null, "outlives": true,
        });
        fs::write(top.join("noted/RUN-2/workplace.json"), note.to_string()).unwrap();
        assert_eq!(view("code/run/one", "code/later"), Some(View::ReadOnly));
        assert_eq!(view("code/later", "code/later"), Some(View::Writable));
    }
}
