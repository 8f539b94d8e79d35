//! Reads what an agent made in its workplace, once its processes are gone. Its objects are copied, packed and checked in
//! directories of this program before anything reads them.

use std::fs;
use std::path::PathBuf;

use super::make::{lender, remove_tree};
use super::objects::{self, HandInLimits};
use super::untrusted::UntrustedDir;
use super::{Workplace, WorkplaceError, refs};
use crate::git::{HashKind, SealedGit, pipes};
use crate::store::{ObjectId, Store};

/// A ref that an agent has moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MovedRef {
    /// Where it was when the agent was asked.
    pub(crate) given: ObjectId,
    /// Where it is now. Nothing is known about this object yet.
    pub(crate) now: ObjectId,
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
            Some(branch) => self.moved(branch.as_str(), self.start),
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
        let head = self.git_dir()?.read("HEAD", 1024)?;
        if head.is_none_or(|head| head.trim_ascii() != self.head().trim_ascii().as_bytes()) {
            changed.insert(0, "HEAD".to_owned());
        }
        Ok(changed)
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
        Ok(())
    }

    fn git_dir(&self) -> Result<UntrustedDir, WorkplaceError> {
        let git_dir = UntrustedDir::open(&self.folder)?.below(".git")?;
        git_dir.ok_or_else(|| WorkplaceError::GoneRef(".git".to_owned()))
    }
}

impl Quarantine {
    /// The store of the user, which also sees what a ref leads to: each object is sound, and all that it names exists. Nothing
    /// may be written through it.
    ///
    /// # Errors
    /// If an object is broken or missing, or if the objects are too large.
    pub(crate) fn seeing(&self, store: &Store, moved: &MovedRef) -> Result<Store, WorkplaceError> {
        let folder = self.folder.join(moved.now.to_string());
        let checked = SealedGit::create(&folder, None, self.hash, &self.lender)?;
        self.copies.hand_over(&[moved.now], &[moved.given], &checked, self.limits.bytes)?;
        Ok(store.also_seeing(&checked.objects())?)
    }
}

impl Drop for Quarantine {
    fn drop(&mut self) {
        // What is left behind goes with the workplace.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
