//! Reads what an agent made in its workplace, once its processes are gone. Its objects are copied, packed and checked in
//! directories of this program before anything reads them.

use std::fs;
use std::path::{Path, PathBuf};

use super::make::{lender, remove_tree};
use super::objects::{self, HandInLimits};
use super::untrusted::UntrustedDir;
use super::{Workplace, WorkplaceError, refs, refuse_pipes};
use crate::git::{Committer, HashKind, SealedGit, pipes};
use crate::store::{ObjectId, Store};

/// With fewer objects, each becomes a file of its own, as `git fetch` does it.
const FEW_OBJECTS: usize = 100;

/// A ref that an agent has moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MovedRef {
    /// Where it was when the agent was asked.
    pub(crate) given: ObjectId,
    /// Where it is now. Nothing is known about this object yet.
    pub(crate) now: ObjectId,
}

/// Objects that were checked, and are not in the user's repository yet.
pub(crate) struct HandedCommits {
    /// The store of the user, which also sees them. Nothing may be written through it.
    pub(crate) seeing: Store,
    checked: SealedGit,
    moved: MovedRef,
    /// Has the directories of the objects.
    _quarantine: Quarantine,
}

/// Copies of the objects in a workplace, which no agent can change.
#[derive(Debug)]
pub(crate) struct Quarantine {
    folder: PathBuf,
    copies: SealedGit,
    hash: HashKind,
    lender: PathBuf,
    limits: HandInLimits,
}

impl Workplace {
    /// What the agent wrote into its store; `None` if nothing.
    ///
    /// # Errors
    /// If the ref is not what git makes.
    pub(crate) fn moved_records(&self, store: &Store) -> Result<Option<MovedRef>, WorkplaceError> {
        self.records.map_or(Ok(None), |given| self.moved(store.reference(), given))
    }

    /// What the agent committed on its branch; `None` if nothing, or if it has none.
    ///
    /// # Errors
    /// If the ref is not what git makes.
    pub(crate) fn moved_branch(&self) -> Result<Option<MovedRef>, WorkplaceError> {
        match &self.branch {
            Some(branch) => self.moved(branch.as_str(), self.tip),
            None => Ok(None),
        }
    }

    fn moved(&self, name: &str, given: ObjectId) -> Result<Option<MovedRef>, WorkplaceError> {
        let now = refs::read(&self.git_dir()?, name)?;
        let now = now.ok_or_else(|| WorkplaceError::GoneRef(name.to_owned()))?;
        Ok((now != given).then_some(MovedRef { given, now }))
    }

    /// Copies the objects of the workplace.
    ///
    /// # Errors
    /// If they are not what git makes, or too many.
    pub(crate) fn quarantine(
        &self,
        store: &Store,
        limits: HandInLimits,
    ) -> Result<Quarantine, WorkplaceError> {
        let folder = self.files.join("quarantine");
        remove_tree(&folder).map_err(|source| WorkplaceError::write(&folder, source))?;
        let (hash, lender) = (store.repo().hash_kind(), lender(store)?);
        let copies = SealedGit::create(&folder.join("copies"), None, hash, &lender)?;
        let quarantine = Quarantine { folder, copies, hash, lender, limits };
        objects::copy(&self.git_dir()?, &quarantine.copies, hash, limits)?;
        Ok(quarantine)
    }

    /// What is changed in its files, each as git lists it. Nothing that the agent configured counts.
    pub(crate) fn changed(&self) -> Result<Vec<String>, WorkplaceError> {
        let pipes = pipes::in_tree(&self.folder);
        if !pipes.is_empty() {
            // git would wait for them.
            return Ok(pipes.iter().map(|path| path.display().to_string()).collect());
        }
        let mut changed = self.private.changed()?;
        if !self.is_on_branch()? {
            changed.insert(0, "HEAD".to_owned());
        }
        Ok(changed)
    }

    /// Whether its `HEAD` is still where it was when the agent was asked.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn is_on_branch(&self) -> Result<bool, WorkplaceError> {
        let head = self.git_dir()?.read("HEAD", 1024)?;
        Ok(head.is_some_and(|head| head.trim_ascii() == self.head().trim_ascii().as_bytes()))
    }

    /// What is changed in its files and not in the last commit that was taken, each as git lists it.
    ///
    /// # Errors
    /// A pipe in place of a file that git reads.
    pub(crate) fn uncommitted(&self) -> Result<Vec<String>, WorkplaceError> {
        refuse_pipes(&self.folder)?;
        Ok(self.private.changed()?)
    }

    /// What is untracked at or below these paths, ignored files included, each as git lists it.
    ///
    /// # Errors
    /// A pipe in place of a file that git reads.
    pub(crate) fn untracked_below<'a>(
        &self,
        paths: impl IntoIterator<Item = &'a str>,
    ) -> Result<Vec<String>, WorkplaceError> {
        refuse_pipes(&self.folder)?;
        Ok(self.private.untracked_below(paths)?)
    }

    /// Commits all of its files after the last commit that was taken. Only [`Self::give`] copies that commit into the user's
    /// repository.
    ///
    /// # Errors
    /// If its files cannot be read.
    pub(crate) fn commit_files(&self, store: &Store, message: &str) -> Result<ObjectId, WorkplaceError> {
        refuse_pipes(&self.folder)?;
        let identity = store.identity()?;
        let by = Committer { name: identity.name, email: identity.email };
        Ok(self.private.commit_files(self.tip, message, &by)?)
    }

    /// The store of the user, which also sees commits of its files. Nothing may be written through it.
    ///
    /// # Errors
    /// If the objects cannot be read.
    pub(crate) fn seeing_files(&self, store: &Store) -> Result<Store, WorkplaceError> {
        Ok(store.also_seeing(&self.private.objects())?)
    }

    /// Copies a commit of its files into the user's repository. No ref holds it yet.
    ///
    /// # Errors
    /// If git cannot write it.
    pub(crate) fn give(&self, store: &Store, commit: ObjectId) -> Result<(), WorkplaceError> {
        Ok(self.private.give(&[commit], &[self.tip], &store.git(), FEW_OBJECTS)?)
    }

    /// Goes on from a commit of its branch that the user's repository has.
    ///
    /// # Errors
    /// If that cannot be noted.
    pub(crate) fn advance(&mut self, tip: ObjectId) -> Result<(), WorkplaceError> {
        if tip != self.tip {
            self.private.move_to(self.tip, tip)?;
            self.tip = tip;
            self.note(tip, self.records)?;
        }
        Ok(())
    }

    /// Gives it the records as they are in the user's repository now. The agent must not be at work.
    ///
    /// # Errors
    /// If its git directory is not what git makes.
    pub(crate) fn refresh(&mut self, store: &Store) -> Result<(), WorkplaceError> {
        let records = store.tip()?;
        if let Some(tip) = records {
            refs::write(&self.git_dir()?, store.reference(), tip)?;
        }
        self.records = records;
        self.note(self.tip, records)
    }

    pub(super) fn git_dir(&self) -> Result<UntrustedDir, WorkplaceError> {
        git_dir(&self.folder)
    }
}

/// The git directory of the workplace in a directory.
pub(super) fn git_dir(workplace: &Path) -> Result<UntrustedDir, WorkplaceError> {
    let git_dir = UntrustedDir::open(workplace)?.below(".git")?;
    git_dir.ok_or_else(|| WorkplaceError::GoneRef(".git".to_owned()))
}

impl Quarantine {
    /// The store of the user, which also sees what a ref leads to: each object is sound, and all that it names exists. Nothing
    /// may be written through it.
    ///
    /// # Errors
    /// If an object is broken or missing, or if the objects are too large.
    pub(crate) fn seeing(&self, store: &Store, moved: &MovedRef) -> Result<Store, WorkplaceError> {
        Ok(self.checked(store, moved)?.1)
    }

    /// Checks what a ref leads to: each object is sound, and all that it names exists.
    ///
    /// # Errors
    /// If an object is broken or missing, or if the objects are too large.
    pub(crate) fn check(self, store: &Store, moved: &MovedRef) -> Result<HandedCommits, WorkplaceError> {
        let (checked, seeing) = self.checked(store, moved)?;
        Ok(HandedCommits { seeing, checked, moved: *moved, _quarantine: self })
    }

    fn checked(&self, store: &Store, moved: &MovedRef) -> Result<(SealedGit, Store), WorkplaceError> {
        let folder = self.folder.join(moved.now.to_string());
        let checked = SealedGit::create(&folder, None, self.hash, &self.lender)?;
        self.copies.hand_over(&[moved.now], &[moved.given], &checked, self.limits.bytes)?;
        // A large file of equal bytes is small in a pack.
        if checked.unpacked_size(&[moved.now], &[moved.given])? > self.limits.bytes {
            return Err(WorkplaceError::TooMuch(self.limits));
        }
        let seeing = store.also_seeing(&checked.objects())?;
        Ok((checked, seeing))
    }
}

impl HandedCommits {
    /// Copies them into the user's repository. No ref holds them yet.
    ///
    /// # Errors
    /// If git cannot write them.
    pub(crate) fn take(&self, store: &Store) -> Result<(), WorkplaceError> {
        Ok(self.checked.give(&[self.moved.now], &[self.moved.given], &store.git(), FEW_OBJECTS)?)
    }
}

impl Drop for Quarantine {
    fn drop(&mut self) {
        // What is left behind goes with the workplace.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
