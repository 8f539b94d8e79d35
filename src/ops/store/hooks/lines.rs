//! What the configuration of another program needs, so that it calls git-wf.

mod forms;

use schemars::JsonSchema;
use serde::Serialize;

use crate::ops::{Answer, Refusal, Session};
use crate::trail::hooked::{self, HookManager};

/// Lines for one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct HookLines {
    /// The program that reads the file.
    pub(crate) manager: HookManager,
    /// The file, relative to the top directory of the work tree.
    pub(crate) file: String,
    /// What to add to it.
    pub(crate) lines: Vec<String>,
}

/// What the programs that are configured here need, and those that are named. Without any, nothing is listed.
///
/// # Errors
/// Any error from reading the repository.
pub(crate) fn hook_lines(session: &Session, named: &[HookManager]) -> Answer<Vec<HookLines>> {
    let here = configured(session);
    let managers = if named.is_empty() { here } else { with_files(named, &here) };
    if managers.is_empty() {
        let words = HookManager::words();
        return Err(Refusal::nothing("no program that manages hooks is configured here")
            .hint(format!("name one: {words}")));
    }
    let lines = managers.into_iter().flat_map(|(manager, file)| forms::lines(manager, &file)).collect();
    Ok(session.done(lines, None))
}

/// What the programs that can overwrite the shims need, and do not have yet.
pub(crate) fn missing_hook_lines(session: &Session) -> Vec<HookLines> {
    overwriting(session).into_iter().flat_map(|(manager, file)| forms::lines(manager, &file)).collect()
}

/// The programs that can overwrite the shims and whose configuration does not call git-wf, each with its file.
pub(super) fn overwriting(session: &Session) -> Vec<(HookManager, String)> {
    let Some(top) = session.store().work_dir() else { return vec![] };
    let names: Vec<&str> = hooked::LINKING.iter().map(|(name, _)| *name).collect();
    let mut found = configured(session);
    // Others run the shims that they find.
    found.retain(|(manager, _)| !manager.runs_legacy() && !manager.is_configured_for(&top, &names));
    found
}

fn configured(session: &Session) -> Vec<(HookManager, String)> {
    let top = session.store().work_dir().unwrap_or_default();
    let managers = hooked::managers(session.store()).into_iter();
    managers
        .map(|(manager, file)| {
            (manager, file.strip_prefix(&top).unwrap_or(&file).to_string_lossy().into_owned())
        })
        .collect()
}

/// The named programs, each with its file here, or else with the usual one.
fn with_files(named: &[HookManager], here: &[(HookManager, String)]) -> Vec<(HookManager, String)> {
    named
        .iter()
        .map(|manager| {
            let found = here.iter().find(|(other, _)| other == manager);
            (*manager, found.map_or_else(|| default_file(*manager).to_owned(), |(_, file)| file.clone()))
        })
        .collect()
}

fn default_file(manager: HookManager) -> &'static str {
    match manager {
        HookManager::PreCommit | HookManager::Prek => ".pre-commit-config.yaml",
        HookManager::Lefthook => "lefthook.yml",
        HookManager::Husky => ".husky",
        HookManager::SimpleGitHooks => "package.json",
    }
}
