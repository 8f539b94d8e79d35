//! Makes and removes workplaces.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::register::{Registered, WorkplaceNote, register};
use super::untrusted::UntrustedDir;
use super::{Workplace, WorkplaceError, config, head, place};
use crate::git::{Git, SealedGit, copy_index};
use crate::model::Branch;
use crate::store::{ObjectId, Store, StoreError, random_uid};

/// The refs of the user's repository that keep what workplaces were given.
const KEPT: &str = "refs/wf-kept";
/// Refs that tools ask for, besides that of the store.
const GIVEN: [&str; 2] = ["refs/tags/", "refs/remotes/"];
/// Files that a repository may have for all its clones, and that git does not copy.
const COPIED: [&str; 3] = ["info/attributes", "info/exclude", "shallow"];
pub(super) const PRIVATE: u32 = 0o700;

/// What a new workplace is for.
#[derive(Debug)]
pub(crate) struct NewWorkplace<'a> {
    /// Its directory, which must not exist.
    pub(crate) folder: &'a Path,
    /// A name that no other workplace of the repository has at the moment.
    pub(crate) name: &'a str,
    /// The commit that is checked out.
    pub(crate) start: ObjectId,
    /// The branch on which the agent commits; none if it only reads.
    pub(crate) branch: Option<&'a Branch>,
    /// Whether it stays if this process is killed, until it is opened again. Otherwise the next workplace removes it.
    pub(crate) outlives: bool,
}

impl Workplace {
    /// Makes a workplace: a clone that borrows the objects of the repository, and has no remotes.
    ///
    /// # Errors
    /// A partial clone; a directory that is there already or cannot be written.
    pub(crate) fn make(store: &Store, new: &NewWorkplace<'_>) -> Result<Self, WorkplaceError> {
        refuse_partial(store)?;
        let records = store.tip()?;
        let mut note = WorkplaceNote {
            folder: new.folder.to_owned(),
            start: new.start.to_string(),
            tip: new.start.to_string(),
            branch: new.branch.map(|branch| branch.as_str().to_owned()),
            records: records.map(|tip| tip.to_string()),
            number: 0,
            outlives: new.outlives,
            is_needed: false,
            setup: None,
            prepared: Vec::new(),
            ignored: BTreeMap::new(),
        };
        let Registered { files, lock } = register(store, new.name, &note)?;
        let mut refs = store.repo().all_refs().map_err(StoreError::object("cannot read the references"))?;
        refs.retain(|name, _| GIVEN.iter().any(|prefix| name.starts_with(prefix)));
        refs.extend(records.map(|tip| (store.reference().to_owned(), tip)));
        refs.extend(new.branch.map(|branch| (branch.as_str().to_owned(), new.start)));
        let given: BTreeSet<ObjectId> = refs.values().copied().chain([new.start]).collect();
        store.repo().keep_objects(&kept(new.name), given)?;
        match fill(store, new, &refs, &files, &mut note) {
            Ok(private) => Ok(Self {
                folder: new.folder.to_owned(),
                start: new.start,
                tip: new.start,
                branch: new.branch.cloned(),
                records,
                files,
                name: new.name.to_owned(),
                private,
                converts: config::converts(store),
                number: note.number,
                judged: Cell::new(None),
                _lock: lock,
            }),
            Err(error) => {
                // The first error says why; a directory that was not made here stays.
                if !matches!(error, WorkplaceError::Make { .. }) {
                    let _ = remove_tree(new.folder);
                }
                let _ = remove_tree(&files);
                let _ = release(store, new.name);
                Err(error)
            }
        }
    }

    /// Makes a workplace in which tests run on a commit. Its name begins with `what`.
    ///
    /// # Errors
    /// The errors of [`Self::make`].
    pub(crate) fn make_for_tests(store: &Store, what: &str, start: ObjectId) -> Result<Self, WorkplaceError> {
        let name = format!("{what}-{}", random_uid()?);
        let folder = place(store, &name)?;
        Self::make(
            store,
            &NewWorkplace { folder: &folder, name: &name, start, branch: None, outlives: false },
        )
    }

    /// Puts a file of this program into its git directory, before the agent works there.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn put(&self, name: &str, content: &[u8]) -> Result<(), WorkplaceError> {
        let path = self.folder.join(".git").join(name);
        let parent = path.parent().unwrap_or(&path);
        fs::create_dir_all(parent).map_err(|source| WorkplaceError::write(parent, source))?;
        write(&path, content)
    }

    /// Removes it, with whatever an agent put there.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub(crate) fn remove(self, store: &Store) -> Result<(), WorkplaceError> {
        forget(store, &self.name, &self.files, remove_place(&self.folder, self.number))
    }
}

/// Makes the directory and all that is in it.
fn fill(
    store: &Store,
    new: &NewWorkplace<'_>,
    refs: &BTreeMap<String, ObjectId>,
    files: &Path,
    note: &mut WorkplaceNote,
) -> Result<SealedGit, WorkplaceError> {
    let folder = new.folder;
    // Nothing that is there already is taken for the new directory, not even a link to one.
    DirBuilder::new()
        .mode(PRIVATE)
        .create(folder)
        .map_err(|source| WorkplaceError::Make { path: folder.to_owned(), source })?;
    note.number = UntrustedDir::open(folder)?.number()?;
    note.write(files)?;
    let lender = lender(store)?;
    let hash = store.repo().hash_kind();
    let git = Git::init_borrowing(folder, hash, &lender.join("objects"), store.environment())?;
    let git_dir = folder.join(".git");
    for name in COPIED {
        let from = lender.join(name);
        if from.is_file() {
            let to = git_dir.join(name);
            fs::copy(&from, &to).map_err(|source| WorkplaceError::write(&to, source))?;
        }
    }
    append(&git_dir.join("config"), config::text(store)?.as_bytes())?;
    let packed: String = refs.iter().map(|(name, id)| format!("{id} {name}\n")).collect();
    write(&git_dir.join("packed-refs"), packed.as_bytes())?;
    for (name, target) in store.repo().symbolic_targets_under("refs/remotes/")? {
        let path = git_dir.join(&name);
        let parent = path.parent().unwrap_or(&git_dir);
        fs::create_dir_all(parent).map_err(|source| WorkplaceError::write(parent, source))?;
        write(&path, format!("ref: {target}\n").as_bytes())?;
    }
    write(&git_dir.join("HEAD"), head(new.branch, new.start).as_bytes())?;
    // Other commits may be the work of agents, with files that the user's filters name.
    let is_users = store.head()? == Some(new.start);
    let filling = if is_users { git } else { git.with_settings(&store.foreign_settings()) };
    filling.fill_work_tree(&lender.join("lfs"), is_users)?;
    let private = files.join("private");
    let sealed = SealedGit::create(&private, Some((folder, new.start)), hash, &lender)?;
    let (from, to) = (git_dir.join("index"), private.join("index"));
    copy_index(&from, &to).map_err(|source| WorkplaceError::write(&to, source))?;
    Ok(sealed)
}

/// The git directory that lends its objects, without links.
pub(super) fn lender(store: &Store) -> Result<PathBuf, WorkplaceError> {
    let common = store.common_dir();
    common.canonicalize().map_err(|source| WorkplaceError::write(&common, source))
}

fn refuse_partial(store: &Store) -> Result<(), WorkplaceError> {
    let config = store.repo().config();
    let mut remotes = config.subsections("remote").into_iter();
    if config.text("extensions.partialClone").is_some()
        || remotes.any(|(_, name, value)| name.eq_ignore_ascii_case("promisor") && value != "false")
    {
        return Err(WorkplaceError::Partial);
    }
    Ok(())
}

fn write(path: &Path, content: &[u8]) -> Result<(), WorkplaceError> {
    fs::write(path, content).map_err(|source| WorkplaceError::write(path, source))
}

fn append(path: &Path, content: &[u8]) -> Result<(), WorkplaceError> {
    let appended = File::options().append(true).open(path).and_then(|mut file| file.write_all(content));
    appended.map_err(|source| WorkplaceError::write(path, source))
}

/// The prefix of the refs that keep what a workplace was given.
fn kept(name: &str) -> String {
    format!("{KEPT}/{name}/")
}

/// What a workplace was given.
pub(super) fn given(store: &Store, name: &str) -> Result<Vec<ObjectId>, WorkplaceError> {
    let refs = store.repo().refs_under(&kept(name))?;
    Ok(refs.into_iter().map(|(_, id)| id).collect())
}

/// Deletes these refs.
fn release(store: &Store, name: &str) -> Result<(), WorkplaceError> {
    Ok(store.repo().delete_refs_under(&kept(name))?)
}

/// Removes the directory of a workplace, or the link or file in its place. Another directory stays: it may be the user's.
pub(super) fn remove_place(folder: &Path, number: u64) -> Result<(), WorkplaceError> {
    let is_other = folder.symlink_metadata().is_ok_and(|found| found.is_dir() && found.ino() != number);
    // Without a number, a process was killed before it noted that of the directory that it had made.
    if is_other && number != 0 {
        return Err(WorkplaceError::Exchanged(folder.to_owned()));
    }
    remove_tree(folder).map_err(|source| WorkplaceError::write(folder, source))
}

/// Removes what this program keeps about a workplace whose directory was `removed`, or has something else in its place.
pub(super) fn forget(
    store: &Store,
    name: &str,
    files: &Path,
    removed: Result<(), WorkplaceError>,
) -> Result<(), WorkplaceError> {
    if matches!(removed, Ok(()) | Err(WorkplaceError::Exchanged(_))) {
        remove_tree(files).map_err(|source| WorkplaceError::write(files, source))?;
        release(store, name)?;
    }
    removed
}

/// Removes a directory, or the link or file in its place. Directories that an agent has locked are unlocked.
pub(super) fn remove_tree(path: &Path) -> io::Result<()> {
    let found = match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    if !found.is_dir() {
        return fs::remove_file(path);
    }
    // It fails at a locked directory, and at one that is so deep that it runs out of file descriptors.
    fs::remove_dir_all(path).or_else(|_| remove_flat(path))
}

/// Removes a directory of whatever depth: the directories in it are unlocked and moved to its top, one after another, before they
/// are emptied.
fn remove_flat(top: &Path) -> io::Result<()> {
    let mut open = vec![top.to_owned()];
    let mut names = (0u64..).map(|n| top.join(format!("removed-{n}")));
    while let Some(folder) = open.pop() {
        fs::set_permissions(&folder, fs::Permissions::from_mode(PRIVATE))?;
        for entry in fs::read_dir(&folder)?.collect::<Result<Vec<_>, _>>()? {
            let path = entry.path();
            if !entry.file_type()?.is_dir() {
                fs::remove_file(path)?;
            } else if folder == top {
                open.push(path);
            } else if let Some(free) = names.find(|name| name.symlink_metadata().is_err()) {
                // A directory that cannot be written cannot be moved either.
                fs::set_permissions(&path, fs::Permissions::from_mode(PRIVATE))?;
                fs::rename(path, &free)?;
                open.push(free);
            }
        }
        if folder != top {
            fs::remove_dir(folder)?;
        }
    }
    fs::remove_dir(top)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_and_locked_directories_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let (top, outside) = (folder.path().join("top"), folder.path().join("outside"));
        fs::write(&outside, "text").unwrap();
        let made = std::process::Command::new("sh")
            .args(["-c", "ulimit -n 1024; mkdir $0; cd $0; touch removed-0; ln -s ../outside link; mkdir -p a/b/c; chmod 0 a/b/c a/b a; for n in $(seq 3000); do mkdir d; cd d; done; true"])
            .arg(&top)
            .status();
        assert!(made.unwrap().success());
        remove_flat(&top).unwrap();
        assert!(!top.exists() && outside.exists());
    }
}
