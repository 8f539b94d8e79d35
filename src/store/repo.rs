//! The repository and its ref: opening, configuration.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use super::{Acting, Clock, Snapshot, StoreError};
use crate::git::{
    DetachedSignature, Environment, ForeignSettings, Git, HooksPlace, ObjectId, Opener, Repository,
    SignError, Transport, cores, is_ref_name,
};
use crate::model::{Branch, Time};
use crate::rules::lease;

/// The ref of the store unless `wf.ref` names another.
pub(crate) const DEFAULT_REF: &str = "refs/wf/main";
const DEFAULT_LOCK_TIMEOUT: u64 = 60;
/// With fewer items than this, one thread reads them.
const FEW: usize = 256;
/// An open repository with the name of the ref that holds its store.
pub(crate) struct Store {
    pub(super) repo: Repository,
    reference: String,
    pub(super) in_hook: bool,
    pub(super) acting: Acting,
    /// Whether the objects of a push that is not accepted yet are visible.
    pub(super) sees_incoming: bool,
    /// What git is told if the work tree has files that an agent made.
    foreign: ForeignSettings,
    /// Where git looks for hooks, once it was asked.
    hooks: OnceLock<HooksPlace>,
}

/// Opens a store again for another thread, which reads it.
pub(crate) struct StoreReader {
    repo: Opener,
    reference: String,
}

impl StoreReader {
    /// Opens the store.
    pub(crate) fn open(&self) -> Result<Store, StoreError> {
        Ok(Store::new(self.repo.open()?, self.reference.clone()))
    }
}

impl Store {
    fn new(repo: Repository, reference: String) -> Self {
        Self {
            repo,
            reference,
            in_hook: false,
            acting: Acting::default(),
            sees_incoming: false,
            foreign: ForeignSettings::default(),
            hooks: OnceLock::new(),
        }
    }

    /// Opens the repository that contains `folder`, or the one that `GIT_DIR` names. The store itself may still be
    /// missing.
    pub(crate) fn open(folder: &Path, environment: &Environment) -> Result<Self, StoreError> {
        let repo = Repository::discover(folder, environment)?;
        let reference = match repo.config().text("wf.ref") {
            None => DEFAULT_REF.to_owned(),
            Some(name) => checked_ref(&name)?,
        };
        Ok(Self::new(repo, reference))
    }

    /// The store in another view of its repository.
    pub(super) fn with_repo(&self, repo: Repository) -> Self {
        let (reference, acting) = (self.reference.clone(), self.acting.clone());
        Self {
            repo,
            reference,
            in_hook: self.in_hook,
            acting,
            sees_incoming: self.sees_incoming,
            foreign: self.foreign.clone(),
            hooks: OnceLock::new(),
        }
    }

    /// This store, with the name and role of the actor.
    pub(crate) fn acting(self, acting: Acting) -> Self {
        Self { acting, ..self }
    }

    /// The name and role of the actor.
    pub(crate) fn acting_as(&self) -> &Acting {
        &self.acting
    }

    /// The store as seen from another worktree, with the same actor.
    pub(crate) fn in_worktree(&self, folder: &Path) -> Result<Self, StoreError> {
        Ok(Self::open(folder, self.environment())?.acting(self.acting.clone()))
    }

    /// This store, for a work tree with files that an agent made: git runs no program there that could be one of them.
    pub(crate) fn in_foreign_tree(self) -> Self {
        let foreign = self.foreign_settings();
        Self { foreign, ..self }
    }

    /// The installed git, for files that an agent made.
    pub(crate) fn foreign_git(&self) -> Git {
        self.git().with_settings(&self.foreign_settings())
    }

    /// What git is told so that it runs no program that could be a file of an agent. No hook runs for an agent of a run.
    pub(crate) fn foreign_settings(&self) -> ForeignSettings {
        self.repo.foreign_settings(self.is_in_run())
    }

    /// This store, for use in a git hook. There git has set `GIT_AUTHOR_*` to the author of the commit being made, who
    /// may be someone else (`--author`, `--amend`, `-C`); the actor is the committer.
    pub(crate) fn in_hook(self) -> Self {
        Self { in_hook: true, ..self }
    }

    /// What other threads need to open the store for reading.
    pub(crate) fn reader(&self) -> StoreReader {
        StoreReader { repo: self.repo.opener(), reference: self.reference.clone() }
    }

    /// The results of `read` for parts of the items, in their order, on all cores if there are many items.
    pub(crate) fn read_in_parts<T: Send, R: Send>(
        &self,
        mut items: Vec<T>,
        read: impl Fn(&Self, Vec<T>) -> Result<Vec<R>, StoreError> + Sync,
    ) -> Result<Vec<R>, StoreError> {
        if items.len() < FEW {
            return read(self, items);
        }
        let size = items.len().div_ceil(cores::count());
        let mut parts = Vec::new();
        while items.len() > size {
            let rest = items.split_off(size);
            parts.push(std::mem::replace(&mut items, rest));
        }
        parts.push(items);
        let reader = self.reader();
        let found = cores::map(parts, || (), |(), part| read(&reader.open()?, part));
        let found: Vec<Vec<R>> = found.into_iter().collect::<Result<_, _>>()?;
        Ok(found.into_iter().flatten().collect())
    }

    /// The environment of the program that opened it.
    pub(crate) fn environment(&self) -> &Environment {
        self.repo.environment()
    }

    /// The repository itself, for modules that read the project's own history.
    pub(crate) fn repo(&self) -> &Repository {
        &self.repo
    }

    /// The full name of the ref.
    pub(crate) fn reference(&self) -> &str {
        &self.reference
    }

    /// The installed git, for this repository and worktree.
    pub(crate) fn git(&self) -> Git {
        let git = self.git_of(self.git_dir(), self.work_dir().as_deref()).with_settings(&self.foreign);
        if self.sees_incoming { git.seeing_incoming(self.environment()) } else { git }
    }

    /// The installed git, for another worktree of the repository.
    pub(crate) fn git_of(&self, git_dir: impl Into<PathBuf>, work_dir: Option<&Path>) -> Git {
        let git = Git::new(git_dir, work_dir).within(self.environment());
        if self.is_in_run() { git.for_agent() } else { git }
    }

    /// The installed git, for what asks a remote.
    pub(crate) fn transport(&self) -> Transport {
        let (git_dir, common_dir) = (self.git_dir(), self.common_dir());
        let main = if git_dir == common_dir { self.work_dir() } else { self.repo.main_work_dir() };
        let main = main.filter(|main| main.is_dir()).unwrap_or(common_dir);
        Transport::new(&self.git_of(git_dir, Some(&main)))
    }

    /// The git directory that all worktrees share.
    pub(crate) fn common_dir(&self) -> PathBuf {
        self.repo.common_dir()
    }

    /// The git directory of this worktree.
    pub(crate) fn git_dir(&self) -> PathBuf {
        self.repo.git_dir()
    }

    /// The top directory of the work tree; `None` in a bare repository.
    pub(crate) fn work_dir(&self) -> Option<PathBuf> {
        self.repo.work_dir()
    }

    /// Where git looks for hooks.
    pub(crate) fn hooks_place(&self) -> Result<HooksPlace, StoreError> {
        match self.config("core.hooksPath") {
            None => Ok(HooksPlace::Folder(self.common_dir().join("hooks"))),
            // git knows what it is relative to.
            Some(_) => match self.hooks.get() {
                Some(known) => Ok(known.clone()),
                None => {
                    let asked = self.git().hooks_place()?;
                    Ok(self.hooks.get_or_init(|| asked).clone())
                }
            },
        }
    }

    /// Lets git forget worktrees whose directories are gone.
    pub(crate) fn prune_worktrees(&self) -> Result<(), StoreError> {
        if self.repo.linked_worktrees()?.iter().any(|linked| is_gone(linked.folder())) {
            self.git().prune_worktrees()?;
        }
        Ok(())
    }

    /// The name of a linked worktree; `None` for the main one.
    pub(crate) fn worktree_name(&self) -> Option<String> {
        let git_dir = self.git_dir();
        let linked = git_dir != self.common_dir();
        linked.then(|| git_dir.file_name().map(|name| name.to_string_lossy().into_owned())).flatten()
    }

    /// The full name of the branch that is checked out here; `None` if HEAD is detached.
    pub(crate) fn branch(&self) -> Result<Option<Branch>, StoreError> {
        Ok(self.repo.branch()?)
    }

    /// The commit that is checked out here; `None` on a branch without commits.
    pub(crate) fn head(&self) -> Result<Option<ObjectId>, StoreError> {
        Ok(self.repo.head()?)
    }

    /// Signs a document as git signs commits in this repository. Without a configured key, gpg uses that of `person`.
    pub(crate) fn sign(&self, document: &[u8], person: &str) -> Result<DetachedSignature, SignError> {
        self.repo.sign(document, person)
    }

    /// A configured text.
    pub(crate) fn config(&self, key: &str) -> Option<String> {
        self.repo.config().text(key)
    }

    /// All values of a key that can be set several times.
    pub(crate) fn config_all(&self, key: &str) -> Vec<String> {
        self.repo.config().all(key)
    }

    /// A configured boolean, in any of git's spellings; `default` if it is not set.
    pub(crate) fn config_bool(&self, key: &str, default: bool) -> Result<bool, StoreError> {
        self.repo.config().try_boolean(key).map(|value| value.unwrap_or(default)).map_err(|_| {
            let value = self.config(key).unwrap_or_default();
            StoreError::Config { key: key.to_owned(), value, why: "expected true or false" }
        })
    }

    pub(super) fn lock_timeout(&self) -> Result<Duration, StoreError> {
        let Some(text) = self.config("wf.lockTimeout") else {
            return Ok(Duration::from_secs(DEFAULT_LOCK_TIMEOUT));
        };
        let seconds = text.parse().map_err(|_| StoreError::Config {
            key: "wf.lockTimeout".into(),
            value: text.clone(),
            why: "expected a number of seconds",
        })?;
        Ok(Duration::from_secs(seconds))
    }

    /// How long a claim lasts without being renewed, in milliseconds: `wf.lease`, or four hours.
    pub(crate) fn lease(&self) -> Result<i64, StoreError> {
        let Some(value) = self.config("wf.lease") else { return Ok(lease::DEFAULT) };
        let why = "expected a number with a unit, such as 90s, 30m, 4h or 1d, and at most 90d";
        lease::parse(&value).ok_or(StoreError::Config { key: "wf.lease".into(), value, why })
    }

    /// How long to collect ends and renewals before a push: `wf.pushInterval`. Zero if unset.
    pub(crate) fn push_interval(&self) -> Result<Duration, StoreError> {
        let Some(value) = self.config("wf.pushInterval") else { return Ok(Duration::ZERO) };
        let seconds = value.trim().parse().ok().map(Duration::from_secs);
        let why = "expected a number of seconds, or one with a unit, such as 90s or 5m";
        seconds.or_else(|| millis(&value).map(Duration::from_millis)).ok_or(StoreError::Config {
            key: "wf.pushInterval".into(),
            value,
            why,
        })
    }

    /// The commit that the ref points to; `None` before `init`.
    pub(crate) fn tip(&self) -> Result<Option<ObjectId>, StoreError> {
        if let Some(tip) = self.read_ref(&self.reference)? {
            return Ok(Some(tip));
        }
        match self.repo.symbolic_target(&self.reference)? {
            Some(target) => Err(StoreError::Symbolic { reference: self.reference.clone(), target }),
            None => Ok(None),
        }
    }

    /// The commit that any ref points to.
    pub(crate) fn read_ref(&self, name: &str) -> Result<Option<ObjectId>, StoreError> {
        Ok(self.repo.read_ref(name)?)
    }

    /// The state as it is now.
    pub(crate) fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        self.snapshot_at(self.existing_tip()?)
    }

    /// Like [`Store::tip`], but an error if the ref does not exist.
    pub(crate) fn existing_tip(&self) -> Result<ObjectId, StoreError> {
        self.tip()?.ok_or_else(|| StoreError::NotInitialised(self.reference.clone()))
    }

    /// The state at a commit of the ref, or of a remote's ref.
    pub(crate) fn snapshot_at(&self, commit: ObjectId) -> Result<Snapshot<'_>, StoreError> {
        Snapshot::open(&self.repo, &self.reference, commit)
    }

    /// Like [`Store::snapshot_at`], even if `wf.json` was missing or broken in that state.
    pub(crate) fn state_at(&self, commit: ObjectId) -> Result<Option<Snapshot<'_>>, StoreError> {
        Snapshot::of_commit(&self.repo, commit)
    }

    /// The current time, by the store's clock.
    pub(crate) fn now(&self) -> Result<Time, StoreError> {
        self.acting.clock.now()
    }

    /// The store's clock.
    pub(crate) fn clock(&self) -> &Clock {
        &self.acting.clock
    }
}

fn millis(value: &str) -> Option<u64> {
    u64::try_from(lease::parse_duration(value)?).ok()
}

fn is_gone(folder: Option<PathBuf>) -> bool {
    folder.is_none_or(|folder| !folder.exists())
}

/// Parses a full object id in hex.
pub(crate) fn object_id(hex: &str) -> Option<ObjectId> {
    ObjectId::from_hex(hex.as_bytes()).ok()
}

fn checked_ref(name: &str) -> Result<String, StoreError> {
    let sound = name.starts_with("refs/") && is_ref_name(name);
    if !sound {
        let why = "expected a full name such as refs/wf/main or refs/heads/wf/main";
        return Err(StoreError::Config { key: "wf.ref".into(), value: name.to_owned(), why });
    }
    Ok(name.to_owned())
}

/// Puts a text on one line, for use in a line such as a trailer.
pub(crate) fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_control())
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forged_trailer_becomes_part_of_the_line() {
        assert_eq!(one_line("because\r\nWf-Role: owner\n"), "because Wf-Role: owner");
    }
}
