//! Whether git's hooks call git-wf here, directly or through another program that manages hooks.

mod manager;
mod route;
pub(crate) mod shim_file;

use std::path::{Path, PathBuf};

pub(crate) use manager::HookManager;
pub(crate) use route::{HookRoute, moved};

use crate::git::{HooksOff, HooksPlace};
use crate::store::Store;

/// The hooks that links depend on, and what happens without them.
pub(crate) const LINKING: [(&str, &str); 4] = [
    ("commit-msg", "commits get no trailers"),
    ("post-commit", "commits are not linked and do not renew the lease"),
    ("post-merge", "merges are not linked"),
    ("post-rewrite", "links do not follow an amend or a rebase"),
];

/// The hook that publishes leases along with a push, and refuses what a role may not push. Only another hook in its place is
/// reported: links do not depend on it.
const PUSHING: (&str, &str) = ("pre-push", "pushes are not checked and publish nothing");

/// A hook that does not call git-wf.
#[derive(Debug)]
pub(crate) struct UncalledHook {
    /// Git's name for it.
    pub(crate) name: &'static str,
    /// What happens without it.
    pub(crate) lost: &'static str,
    /// What is there instead.
    pub(crate) route: HookRoute,
}

/// Whether git would run a `post-commit` that calls us. True if git cannot say where its hooks are.
pub(crate) fn links_commits(store: &Store) -> bool {
    match store.hooks_place() {
        Ok(HooksPlace::Folder(folder)) => route(store, &folder, "post-commit").is_called(),
        Ok(HooksPlace::Off(_)) => false,
        Err(_) => true,
    }
}

/// Whether git would run one of these hooks that is not of this program alone. True if git cannot say where its hooks are.
pub(crate) fn has_others(store: &Store, names: &[&str]) -> bool {
    match store.hooks_place() {
        Ok(HooksPlace::Folder(folder)) => names.iter().any(|name| is_of_others(&folder, name)),
        Ok(HooksPlace::Off(_)) => false,
        Err(_) => true,
    }
}

/// Whether a hook has more than the shim of this program and the line that names its shell.
fn is_of_others(folder: &Path, name: &str) -> bool {
    let hook = folder.join(name);
    if !shim_file::is_executable(&hook) {
        return false;
    }
    let text = shim_file::read(&hook).unwrap_or_default();
    let Some(part) = shim_file::part(&text) else { return true };
    let (first, rest) = (text[..part.start].trim_ascii(), text[part.end..].trim_ascii());
    let is_alone = first.starts_with(b"#!") && !first.contains(&b'\n') && rest.is_empty();
    !is_alone || folder.join("before-git-wf").join(name).exists()
}

/// The setting that turns all hooks off; none in a bare repository.
pub(crate) fn turned_off(store: &Store) -> Option<HooksOff> {
    match (store.hooks_place(), store.work_dir()) {
        (Ok(HooksPlace::Off(off)), Some(_)) => Some(off),
        _ => None,
    }
}

/// The hooks that do not call us, if hooks are on; none in a bare repository, or if git cannot say where its
/// hooks are.
pub(crate) fn uncalled(store: &Store) -> Vec<UncalledHook> {
    let (Some(folder), Some(_)) = (folder(store), store.work_dir()) else { return vec![] };
    let routes = LINKING.iter().chain([&PUSHING]).map(|(name, lost)| {
        let route = route(store, &folder, name);
        UncalledHook { name, lost, route }
    });
    let uncalled = routes.filter(|hook| !hook.route.is_called());
    uncalled.filter(|hook| hook.name != PUSHING.0 || hook.route != HookRoute::Absent).collect()
}

/// Whether there are traces of an install: hooks that call us, or a shim that was moved aside. If hooks are off, git's
/// own directory is searched.
pub(crate) fn was_installed(store: &Store) -> bool {
    let folder = match store.hooks_place() {
        Ok(HooksPlace::Folder(folder)) => folder,
        Ok(HooksPlace::Off(_)) => store.common_dir().join("hooks"),
        Err(_) => return false,
    };
    LINKING.iter().any(|(name, _)| {
        let route = route(store, &folder, name);
        route.is_called() || route == HookRoute::WithoutProgram || !moved(&folder, name).is_empty()
    })
}

/// The managers that are configured here.
pub(crate) fn managers(store: &Store) -> Vec<(HookManager, PathBuf)> {
    match (folder(store), store.work_dir()) {
        (Some(folder), Some(work_dir)) => HookManager::configured(&work_dir, &folder),
        _ => vec![],
    }
}

/// The directory in which git looks for hooks; none if they are off, or if git cannot say.
fn folder(store: &Store) -> Option<PathBuf> {
    match store.hooks_place() {
        Ok(HooksPlace::Folder(folder)) => Some(folder),
        Ok(HooksPlace::Off(_)) | Err(_) => None,
    }
}

fn route(store: &Store, folder: &Path, name: &str) -> HookRoute {
    HookRoute::find(folder, store.work_dir().as_deref(), store.environment().get("PATH"), name)
}
