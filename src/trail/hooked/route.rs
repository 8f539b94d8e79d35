//! By which way git reaches git-wf for one hook.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::manager::{HookManager, calls};
use super::shim_file::{self, is_executable};

/// What managers add to the name of a hook that they replace.
pub(crate) const MOVED: [&str; 2] = [".legacy", ".old"];

/// What happens to git-wf when git runs a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HookRoute {
    /// git runs nothing.
    Absent,
    /// The hook calls git-wf.
    Direct,
    /// A manager runs our shim from where it moved it.
    Moved(HookManager, PathBuf),
    /// A manager calls git-wf, since its configuration says so in this file.
    Configured(HookManager, PathBuf),
    /// The hook is a shim, and its program is gone.
    WithoutProgram,
    /// A hook that does not call git-wf.
    Foreign {
        /// What wrote it, if that is known.
        manager: Option<HookManager>,
        /// Where it put our shim, which nothing runs there.
        replaced: Option<PathBuf>,
    },
}

impl HookRoute {
    /// The way for the hook `name` in the directory `hooks`. `search` is the `PATH`.
    pub(crate) fn find(hooks: &Path, work_dir: Option<&Path>, search: Option<&OsStr>, name: &str) -> Self {
        let hook = hooks.join(name);
        if !is_executable(&hook) {
            return Self::Absent;
        }
        let Some(text) = shim_file::read(&hook) else {
            return Self::Foreign { manager: None, replaced: None };
        };
        if shim_file::part(&text).is_some() {
            let is_called = shim_file::called(search, &text).is_some();
            return if is_called { Self::Direct } else { Self::WithoutProgram };
        }
        let manager = HookManager::of_hook(&text);
        let moved = moved(hooks, name);
        if let Some(manager) = manager {
            if let Some(file) = work_dir.and_then(|work_dir| manager.configured_call(work_dir, hooks, name)) {
                return Self::Configured(manager, file);
            }
            if let Some(moved) = moved.iter().find(|file| file.to_string_lossy().ends_with(MOVED[0]))
                && manager.runs_legacy()
                && is_executable(moved)
            {
                return Self::Moved(manager, moved.clone());
            }
        } else if calls(&text, name) {
            return Self::Direct;
        }
        Self::Foreign { manager, replaced: moved.into_iter().next() }
    }

    /// Whether git-wf is called.
    pub(crate) fn is_called(&self) -> bool {
        matches!(self, Self::Direct | Self::Moved(..) | Self::Configured(..))
    }
}

/// Shims that a manager moved aside.
pub(crate) fn moved(hooks: &Path, name: &str) -> Vec<PathBuf> {
    let files = MOVED.iter().map(|suffix| hooks.join(format!("{name}{suffix}")));
    files.filter(|file| shim_file::read(file).is_some_and(|text| shim_file::part(&text).is_some())).collect()
}
