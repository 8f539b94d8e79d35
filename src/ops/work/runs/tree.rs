//! The worktrees of a run. Agents work in them, and can replace them: by a link to another directory, or by a `.git`
//! that names another repository. So each is checked before the run itself does anything there.

use std::fs;
use std::io;
use std::path::Path;

use crate::git::Environment;
use crate::model::code::Code;
use crate::ops::Refusal;
use crate::store::Store;

/// A file in which git names a directory is never longer.
const LONGEST: u64 = 8 * 1024;

/// Opens a worktree of a run. `common` is the git directory that all worktrees share.
///
/// # Errors
/// `worktree-exchanged`; the errors of opening a store.
pub(crate) fn open(common: &Path, tree: &Path, environment: &Environment) -> Result<Store, Refusal> {
    check(common, tree)?;
    if let Some(confined) = environment.confined() {
        // Opening reads the settings.
        confined.settings().put_back();
    }
    Ok(Store::open(tree, environment)?)
}

/// Opens a worktree of a run of the repository of `store`.
///
/// # Errors
/// Those of [`open`].
pub(crate) fn open_of(store: &Store, tree: &Path) -> Result<Store, Refusal> {
    open(&store.common_dir(), tree, store.environment())
}

/// Refuses a worktree that is not what git made.
///
/// # Errors
/// `worktree-exchanged`.
pub(crate) fn check(common: &Path, tree: &Path) -> Result<(), Refusal> {
    if is_intact(common, tree).unwrap_or(false) {
        return Ok(());
    }
    let what = format!("{} is no longer the worktree that the run made", tree.display());
    Err(Refusal::new(Code::WorktreeExchanged, what)
        .hint("something else is in its place, and the run does not touch it"))
}

/// Removes a worktree of a run, or whatever is in its place; if that is a link, only the link.
///
/// # Errors
/// If it cannot be removed.
pub(crate) fn remove(store: &Store, tree: &Path) -> Result<(), Refusal> {
    let cannot = |error: io::Error| {
        Refusal::new(Code::CannotWrite, format!("cannot remove {}: {error}", tree.display()))
            .hint("make sure that the directory is writable and the disk has space")
    };
    if let Some(link) = tree.parent().into_iter().chain([tree]).find(|path| path.is_symlink()) {
        fs::remove_file(link).map_err(cannot)?;
        return Ok(store.prune_worktrees()?);
    }
    store.git().remove_worktree(tree)?;
    if let Some(confined) = store.environment().confined() {
        confined.settings().forget_worktree(tree);
    }
    Ok(())
}

/// Whether `tree` is a worktree of the repository, and its path contains no link that the run did not make.
fn is_intact(common: &Path, tree: &Path) -> io::Result<bool> {
    let is_folder = |path: &Path| Ok::<_, io::Error>(path.symlink_metadata()?.is_dir());
    let Some(above) = tree.parent() else { return Ok(false) };
    if !is_folder(above)? || !is_folder(tree)? {
        return Ok(false);
    }
    let file = tree.join(".git");
    let Some(named) = line(&file)?.strip_prefix("gitdir: ").map(|named| tree.join(named)) else {
        return Ok(false);
    };
    let (common, own) = (common.canonicalize()?, named.canonicalize()?);
    let names = |file: &str| own.join(line(&own.join(file))?).canonicalize();
    Ok(own.parent() == Some(&common.join("worktrees"))
        && names("commondir")? == common
        && names("gitdir")? == tree.canonicalize()?.join(".git"))
}

/// The only line of a file, which must not be a link.
fn line(path: &Path) -> io::Result<String> {
    let found = path.symlink_metadata()?;
    if !found.is_file() || found.len() > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(fs::read_to_string(path)?.trim_end_matches('\n').to_owned())
}
