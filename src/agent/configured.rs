//! The agents in git config and the presets, and the paths of their programs.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::definition::{AgentSetting, ValueOrigin};
use crate::git::GitError;
use crate::store::Store;

/// The settings of agents in git config.
pub(crate) fn settings(store: &Store) -> Result<Vec<AgentSetting>, GitError> {
    let values = store.git().config_below("wf.agent.")?.into_iter();
    Ok(values
        .map(|value| AgentSetting {
            name: value.subsection,
            key: value.name,
            value: value.value,
            origin: ValueOrigin::Config { scope: value.scope, file: value.origin },
        })
        .collect())
}

/// The path of the program that `name` would start in `folder` with this `PATH`; `None` if it does not exist or is
/// not executable.
pub(crate) fn program(name: &str, folder: &Path, path: Option<&OsStr>) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(folder.join(name)).filter(|file| is_program(file));
    }
    std::env::split_paths(path?).map(|entry| folder.join(entry).join(name)).find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    std::fs::metadata(file).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_a_file_that_can_be_run() {
        let folder = tempfile::tempdir().unwrap();
        let (bin, data) = (folder.path().join("bin"), folder.path().join("data"));
        std::fs::create_dir_all(bin.join("sub")).unwrap();
        std::fs::write(&data, "").unwrap();
        std::fs::write(bin.join("tool"), "").unwrap();
        std::fs::set_permissions(bin.join("tool"), std::fs::Permissions::from_mode(0o755)).unwrap();
        let found = |name: &str| program(name, folder.path(), Some(bin.as_os_str()));
        assert_eq!(found("tool"), Some(bin.join("tool")));
        assert_eq!(found("bin/tool"), Some(bin.join("tool")));
        assert_eq!((found("sub"), found("missing"), found("./data")), (None, None, None));
        assert_eq!(program("tool", folder.path(), Some(OsStr::new("bin"))), Some(bin.join("tool")));
        assert_eq!(program("tool", folder.path(), None), None);
    }
}
