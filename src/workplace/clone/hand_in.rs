//! Reads what an agent made in its workplace, once its processes are gone. Its objects are copied, packed and checked in
//! directories of this program before anything reads them.

use std::cell::OnceCell;
use std::fs;
use std::path::PathBuf;
use std::rc::Rc;

use super::make::{given, lender, remove_tree};
use super::objects::{self, HandInLimits};
use super::untrusted::UntrustedDir;
use super::{Workplace, WorkplaceError, open_place, refs};
use crate::git::{Committer, GitError, HashKind, SealedGit, pipes};
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

/// What a ref of a workplace leads to. It was checked, and is not in the user's repository yet.
pub(crate) struct HandedRef {
    /// Where the ref was, and is.
    pub(crate) moved: MovedRef,
    /// The store of the user, which also sees it. Nothing may be written through it.
    pub(crate) seeing: Store,
    objects: Rc<CheckedObjects>,
}

/// What an agent hands in. Its objects are copied once, and checked together.
pub(crate) struct HandIn<'a> {
    place: &'a Workplace,
    store: &'a Store,
    limits: HandInLimits,
    quarantine: OnceCell<Rc<Quarantine>>,
    /// What both refs lead to; `None` if something is wrong with one of them.
    together: OnceCell<Option<Rc<CheckedObjects>>>,
}

/// Objects that were checked.
struct CheckedObjects {
    sealed: SealedGit,
    ids: Vec<ObjectId>,
    /// Has the directories of the objects.
    quarantine: Rc<Quarantine>,
}

/// Copies of the objects in a workplace, which no agent can change.
#[derive(Debug)]
struct Quarantine {
    folder: PathBuf,
    copies: SealedGit,
    hash: HashKind,
    lender: PathBuf,
    limits: HandInLimits,
    /// What the user and the agent both have.
    given: Vec<ObjectId>,
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

    /// What it was given when it was made.
    ///
    /// # Errors
    /// If the refs of the user's repository cannot be read.
    pub(crate) fn given(&self, store: &Store) -> Result<Vec<ObjectId>, WorkplaceError> {
        given(store, &self.name)
    }

    /// What the agent hands in. `store` is that of the user.
    pub(crate) fn hand_in<'a>(&'a self, store: &'a Store, limits: HandInLimits) -> HandIn<'a> {
        HandIn { place: self, store, limits, quarantine: OnceCell::new(), together: OnceCell::new() }
    }

    /// Copies the objects of the workplace.
    fn quarantine(&self, store: &Store, limits: HandInLimits) -> Result<Quarantine, WorkplaceError> {
        let folder = self.files.join("quarantine");
        remove_tree(&folder).map_err(|source| WorkplaceError::write(&folder, source))?;
        let (hash, lender) = (store.repo().hash_kind(), lender(store)?);
        let copies = SealedGit::create(&folder.join("copies"), None, hash, &lender)?;
        let given = self.given(store)?;
        let quarantine = Quarantine { folder, copies, hash, lender, limits, given };
        objects::copy(&self.git_dir()?, &quarantine.copies, hash, limits)?;
        Ok(quarantine)
    }

    /// What is changed in its files, each as git lists it. Nothing that the agent configured counts.
    pub(crate) fn changed(&self) -> Result<Vec<String>, WorkplaceError> {
        self.changed_by(SealedGit::changed)
    }

    /// The same without files of which only the mode changed, as by a command that makes a script executable.
    pub(crate) fn changed_content(&self) -> Result<Vec<String>, WorkplaceError> {
        self.changed_by(SealedGit::changed_content)
    }

    fn changed_by(
        &self,
        list: fn(&SealedGit) -> Result<Vec<String>, GitError>,
    ) -> Result<Vec<String>, WorkplaceError> {
        self.refuse_exchanged()?;
        let pipes = pipes::in_tree(&self.folder);
        if !pipes.is_empty() {
            // git would wait for them.
            return Ok(pipes.iter().map(|path| path.display().to_string()).collect());
        }
        let mut changed = list(&self.private)?;
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
        self.refuse_unreadable()?;
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
        self.refuse_unreadable()?;
        Ok(self.private.untracked_below(paths)?)
    }

    /// Commits all of its files after the last commit that was taken. Only [`Self::give`] copies that commit into the user's
    /// repository.
    ///
    /// # Errors
    /// If its files cannot be read, or if they are too large.
    pub(crate) fn commit_files(
        &self,
        store: &Store,
        message: &str,
        limits: HandInLimits,
    ) -> Result<ObjectId, WorkplaceError> {
        self.refuse_unreadable()?;
        if self.private.changed_size()? > limits.bytes {
            return Err(WorkplaceError::TooMuch(limits));
        }
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
    /// If its git directory is not what git makes, or if the agent wrote records that nobody has judged.
    pub(crate) fn refresh(&mut self, store: &Store) -> Result<(), WorkplaceError> {
        if let Ok(Some(MovedRef { now, .. })) = self.moved_records(store)
            && self.judged.get() != Some(now)
        {
            return Err(WorkplaceError::NotJudged(now));
        }
        let records = store.tip()?;
        if let Some(tip) = records {
            refs::write(&self.git_dir()?, store.reference(), tip)?;
        }
        self.records = records;
        self.note(self.tip, records)
    }

    pub(super) fn git_dir(&self) -> Result<UntrustedDir, WorkplaceError> {
        let git_dir = open_place(&self.folder, self.number)?.below(".git")?;
        git_dir.ok_or_else(|| WorkplaceError::GoneRef(".git".to_owned()))
    }
}

impl HandIn<'_> {
    /// What the agent wrote into its store; `None` if nothing.
    ///
    /// # Errors
    /// If an object is broken or missing, or if the objects are too large.
    pub(crate) fn records(&self) -> Result<Option<HandedRef>, WorkplaceError> {
        let moved = self.place.moved_records(self.store)?;
        self.place.judged.set(moved.map(|moved| moved.now));
        moved.map(|moved| self.handed(moved)).transpose()
    }

    /// What the agent committed on its branch; `None` if nothing, or if it has none.
    ///
    /// # Errors
    /// If an object is broken or missing, or if the objects are too large.
    pub(crate) fn commits(&self) -> Result<Option<HandedRef>, WorkplaceError> {
        self.place.moved_branch()?.map(|moved| self.handed(moved)).transpose()
    }

    fn handed(&self, moved: MovedRef) -> Result<HandedRef, WorkplaceError> {
        let quarantine = self.quarantine()?;
        let objects = match self.together.get_or_init(|| self.check_both(&quarantine)) {
            Some(together) => Rc::clone(together),
            None => Rc::new(Quarantine::check(&quarantine, self.store, &[moved])?),
        };
        let seeing = self.store.also_seeing(&objects.sealed.objects())?;
        Ok(HandedRef { moved, seeing, objects })
    }

    fn quarantine(&self) -> Result<Rc<Quarantine>, WorkplaceError> {
        if let Some(quarantine) = self.quarantine.get() {
            return Ok(Rc::clone(quarantine));
        }
        let quarantine = Rc::new(self.place.quarantine(self.store, self.limits)?);
        Ok(Rc::clone(self.quarantine.get_or_init(|| quarantine)))
    }

    /// What is wrong is found again by whoever asks for one of them.
    fn check_both(&self, quarantine: &Rc<Quarantine>) -> Option<Rc<CheckedObjects>> {
        let both = [self.place.moved_records(self.store), self.place.moved_branch()];
        let both: Vec<MovedRef> = both.into_iter().filter_map(|moved| moved.ok().flatten()).collect();
        Quarantine::check(quarantine, self.store, &both).ok().map(Rc::new)
    }
}

impl Quarantine {
    /// Checks what refs lead to: each object is sound, and all that it names exists.
    fn check(this: &Rc<Self>, store: &Store, refs: &[MovedRef]) -> Result<CheckedObjects, WorkplaceError> {
        let name = refs.iter().map(|moved| moved.now.to_string()).collect::<Vec<_>>().join("-");
        let sealed = SealedGit::create(&this.folder.join(name), None, this.hash, &this.lender)?;
        let now: Vec<_> = refs.iter().map(|moved| moved.now).collect();
        let known: Vec<_> = refs.iter().map(|moved| moved.given).chain(this.given.iter().copied()).collect();
        this.copies.hand_over(&now, &known, &sealed, this.limits.bytes)?;
        let ids = store.repo().packed_in(&sealed.objects())?;
        // A large file of equal bytes is small in a pack.
        if store.also_seeing(&sealed.objects())?.repo().unpacked_size(&ids)? > this.limits.bytes {
            return Err(WorkplaceError::TooMuch(this.limits));
        }
        Ok(CheckedObjects { sealed, ids, quarantine: Rc::clone(this) })
    }
}

impl HandedRef {
    /// Copies it into the user's repository. No ref holds it yet.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn take(&self, store: &Store) -> Result<(), WorkplaceError> {
        let CheckedObjects { sealed, ids, quarantine } = &*self.objects;
        let MovedRef { given, now } = self.moved;
        if ids.len() < FEW_OBJECTS {
            let own = self.seeing.repo().reachable(now, ids)?;
            return Ok(store.repo().take_objects(self.seeing.repo(), &own)?);
        }
        let known: Vec<_> = quarantine.given.iter().copied().chain([given]).collect();
        Ok(sealed.give(&[now], &known, &store.git(), FEW_OBJECTS)?)
    }
}

impl Drop for Quarantine {
    fn drop(&mut self) {
        // What is left behind goes with the workplace.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
