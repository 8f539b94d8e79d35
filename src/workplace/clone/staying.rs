//! Workplaces that stay when their agent is gone, for people to look at.

use std::fs::{self, DirEntry};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::make::{PRIVATE, lender, remove_tree};
use super::objects::{self, HandInLimits};
use super::{Workplace, WorkplaceError};
use crate::git::{SealedGit, copy_index};
use crate::store::Store;

/// The new git directory, until it is complete.
const NEW: &str = ".git.wf";
/// The name of the git directory of a repository that the agent made inside: git finds none of this name.
const ASIDE: &str = ".git.agent";
/// Deeper directories are moved to the top of the workplace.
const LONGEST: usize = 3000;
/// The files by which a directory that git takes for a bare repository says what runs there.
const SETTINGS: [&str; 2] = ["config", "commondir"];

impl Workplace {
    /// Replaces its git directory, which the agent could write, by one of this program, so that nothing that the agent configured
    /// runs when someone uses git there. If that cannot be made, there is none. Those of repositories inside get another name.
    ///
    /// # Errors
    /// If a directory of the agent cannot be removed or renamed.
    pub(crate) fn replace_git_dir(&self, store: &Store) -> Result<(), WorkplaceError> {
        self.refuse_exchanged()?;
        let (old, new) = (self.folder.join(".git"), self.folder.join(NEW));
        let made = self.make_git_dir(store, &new);
        remove_tree(&old).map_err(|source| WorkplaceError::write(&old, source))?;
        set_aside_inner(&self.folder, &new)?;
        if made.is_ok() {
            return fs::rename(&new, &old).map_err(|source| WorkplaceError::write(&old, source));
        }
        remove_tree(&new).map_err(|source| WorkplaceError::write(&new, source))
    }

    /// Makes a git directory in which the last commit that was taken is checked out. The objects of the agent are in it, and its
    /// branch if it can be read.
    fn make_git_dir(&self, store: &Store, new: &Path) -> Result<(), WorkplaceError> {
        remove_tree(new).map_err(|source| WorkplaceError::write(new, source))?;
        let hash = store.repo().hash_kind();
        let ours = SealedGit::create(new, Some((&self.folder, self.tip)), hash, &lender(store)?)?;
        ours.ignore_submodules()?;
        let index = new.join("index");
        copy_index(&self.private.folder().join("index"), &index)
            .map_err(|source| WorkplaceError::write(&index, source))?;
        // What the agent committed is more than its files; without it, the files are there anyway.
        let copied = objects::copy(&self.git_dir()?, &ours, hash, HandInLimits::DEFAULT);
        if let (Ok(()), Some(branch), Ok(Some(moved))) = (copied, &self.branch, self.moved_branch()) {
            let path = new.join(branch.as_str());
            let parent = path.parent().unwrap_or(new);
            fs::create_dir_all(parent)
                .and_then(|()| fs::write(&path, format!("{}\n", moved.now)))
                .map_err(|source| WorkplaceError::write(&path, source))?;
        }
        Ok(())
    }
}

/// Renames what makes a directory below `folder` a repository, except `own`, and the settings of one that needs no `.git`.
fn set_aside_inner(top: &Path, own: &Path) -> Result<(), WorkplaceError> {
    let mut open = vec![top.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in entries(&folder)? {
            let path = entry.path();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if entry.file_name().eq_ignore_ascii_case(".git") {
                let aside = folder.join(ASIDE);
                set_aside(&path, &aside)?;
                if is_folder {
                    open.push(aside);
                }
            } else if is_folder && path != own {
                open.push(within_reach(top, path)?);
            }
        }
        if has(&folder, "HEAD") || has(&folder, "objects") && has(&folder, "refs") {
            for name in SETTINGS.iter().filter(|name| has(&folder, name)) {
                set_aside(&folder.join(name), &folder.join(format!("{name}.agent")))?;
            }
        }
    }
    Ok(())
}

/// What is in a directory.
fn entries(folder: &Path) -> Result<Vec<DirEntry>, WorkplaceError> {
    // A directory that cannot be listed may be one that can be entered.
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            fs::set_permissions(folder, fs::Permissions::from_mode(PRIVATE))
                .and_then(|()| fs::read_dir(folder))
        }
        entries => entries,
    };
    entries.and_then(Iterator::collect).map_err(|source| WorkplaceError::write(folder, source))
}

/// Moves a directory to the top if its path is about to become longer than the system can follow.
fn within_reach(top: &Path, path: PathBuf) -> Result<PathBuf, WorkplaceError> {
    if path.as_os_str().len() < LONGEST {
        return Ok(path);
    }
    let mut names = (1u32..).map(|n| top.join(format!("deep-{n}")));
    let free = names.find(|name| name.symlink_metadata().is_err()).unwrap_or_else(|| path.clone());
    let moved = fs::set_permissions(&path, fs::Permissions::from_mode(PRIVATE))
        .and_then(|()| fs::rename(&path, &free));
    moved.map_err(|source| WorkplaceError::write(&path, source))?;
    Ok(free)
}

fn has(folder: &Path, name: &str) -> bool {
    folder.join(name).symlink_metadata().is_ok()
}

fn set_aside(path: &Path, aside: &Path) -> Result<(), WorkplaceError> {
    remove_tree(aside)
        .and_then(|()| fs::rename(path, aside))
        .map_err(|source| WorkplaceError::write(path, source))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_repository_however_deep_is_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let made = std::process::Command::new("sh")
            .args(["-c", "for n in $(seq 3000); do mkdir d; cd d; done; mkdir .git"])
            .current_dir(folder.path())
            .status();
        assert!(made.unwrap().success());
        set_aside_inner(folder.path(), &folder.path().join("none")).unwrap();
        let found =
            std::process::Command::new("find").arg(folder.path()).args(["-name", ".git*"]).output().unwrap();
        let found = String::from_utf8(found.stdout).unwrap();
        assert!(found.trim_end().ends_with(".git.agent") && found.lines().count() == 1, "{found}");
        remove_tree(folder.path()).unwrap();
    }

    #[test]
    fn what_git_takes_for_a_repository_has_no_settings() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let write = |path: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        };
        for place in ["sub/.git", "bare", ".git.wf"] {
            for name in ["HEAD", "objects/a", "refs/a", "config"] {
                write(&format!("{place}/{name}"));
            }
        }
        for path in ["led/HEAD", "led/commondir", "src/config", "file/.git"] {
            write(path);
        }
        let locked = root.join("locked");
        write("locked/.git/config");
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o111)).unwrap();
        set_aside_inner(root, &root.join(NEW)).unwrap();
        for gone in
            ["sub/.git", "sub/.git.agent/config", "bare/config", "led/commondir", "file/.git", "locked/.git"]
        {
            assert!(!has(root, gone), "{gone}");
        }
        for there in
            ["sub/.git.agent/HEAD", "bare/config.agent", "src/config", ".git.wf/config", "file/.git.agent"]
        {
            assert!(has(root, there), "{there}");
        }
    }
}
