//! Where workplaces are.

use std::fmt::Display;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use super::WorkplaceError;
use super::make::PRIVATE;
use crate::store::Store;

/// The setting that names a directory for all workplaces.
const ROOT: &str = "wf.workplace.root";

/// The directory of a new workplace, which ends in `end`: in `wf.workplace.root`, which is made if it is missing, or else beside the
/// repository.
///
/// # Errors
/// If the root is a link or cannot be made.
pub(crate) fn place(store: &Store, end: impl Display) -> Result<PathBuf, WorkplaceError> {
    let beside = beside(store, end);
    let Some(root) = root(store) else { return Ok(beside) };
    let failed = |source| WorkplaceError::Make { path: root.clone(), source };
    if root.is_symlink() || root.is_relative() {
        return Err(failed(io::Error::other("expected the absolute path of a directory, not of a link")));
    }
    DirBuilder::new().mode(PRIVATE).recursive(true).create(&root).map_err(failed)?;
    Ok(beside.file_name().map_or_else(|| root.clone(), |name| root.join(name)))
}

/// The directory of all workplaces, if one is set.
pub(crate) fn root(store: &Store) -> Option<PathBuf> {
    store.repo().config().path(ROOT)
}

/// A directory beside the repository, with this suffix.
pub(crate) fn beside(store: &Store, end: impl Display) -> PathBuf {
    let common = store.common_dir();
    let common = common.canonicalize().unwrap_or(common);
    let main = match common.file_name() {
        Some(name) if name == ".git" => common.parent().unwrap_or(&common).to_owned(),
        _ => common,
    };
    let name = main.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name.strip_suffix(".git").unwrap_or(&name);
    main.with_file_name(format!("{name}-{end}"))
}
