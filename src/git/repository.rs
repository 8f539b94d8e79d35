//! An open repository: its directories and its objects.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;
use gix::objs::Kind;
use gix_pack::cache::lru::MemoryCappedHashmap;

use super::discover::{absolute, discover};
use super::error::LenderGone;
use super::second_look::twice;
use super::trees::Recent;
use super::{Commit, Config, Derived, Environment, Fault, GitError, HashKind, Object, ObjectId};

/// Trees and small records are read again and again within one command.
const OBJECT_CACHE: usize = 16 * 1024 * 1024;
/// Trees in a pack are chains of deltas.
const PACK_CACHE: usize = 16 * 1024 * 1024;

/// An open repository. A clone has its own caches.
pub(crate) struct Repository {
    pub(super) gix: gix::Repository,
    pub(super) environment: Environment,
    pub(super) recent: RefCell<Recent>,
    derived: Derived,
}

impl Clone for Repository {
    fn clone(&self) -> Self {
        Self { derived: self.derived.clone(), ..Self::new(self.gix.clone(), self.environment.clone()) }
    }
}

/// The kind and size of an object, without its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) kind: Kind,
    /// In bytes.
    pub(crate) size: u64,
}

/// Opens a repository again, with its own caches, for another thread.
pub(crate) struct Opener {
    git_dir: PathBuf,
    options: gix::open::Options,
    environment: Environment,
}

impl Opener {
    /// Opens the repository.
    pub(crate) fn open(&self) -> Result<Repository, GitError> {
        let opened = gix::open_opts(&self.git_dir, self.options.clone());
        let gix = opened.map_err(|error| GitError::Open(error.to_string()))?;
        Ok(Repository::new(gix, self.environment.clone()).with_caches())
    }
}

/// A worktree that `git worktree add` made.
pub(crate) struct LinkedWorktree<'repo>(gix::worktree::Proxy<'repo>);

impl LinkedWorktree<'_> {
    /// Its own git directory.
    pub(crate) fn git_dir(&self) -> &Path {
        self.0.git_dir()
    }

    /// The top directory of its files, if known.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        self.0.base().ok()
    }
}

/// git follows repositories that borrow objects from each other no further.
const DEEPEST_ALTERNATE: usize = 5;

impl Repository {
    /// Replacement objects belong to one clone. Whoever wrote the next state on top of one would publish it.
    fn new(mut gix: gix::Repository, environment: Environment) -> Self {
        gix.objects.ignore_replacements = true;
        Self { gix, environment, recent: RefCell::default(), derived: Derived::default() }
    }

    /// Opens the repository of `folder`, or the one that `GIT_DIR` names.
    pub(crate) fn discover(folder: &Path, environment: &Environment) -> Result<Self, GitError> {
        let repo = Self::new(discover(folder, environment)?, environment.clone());
        if repo.config().text("extensions.refStorage").is_some_and(|kind| kind != "files") {
            return Err(GitError::Reftable(repo.git_dir()));
        }
        Ok(repo.with_caches())
    }

    fn with_caches(mut self) -> Self {
        self.gix.object_cache_size_if_unset(OBJECT_CACHE);
        self.gix.objects.set_pack_cache(|| Box::new(MemoryCappedHashmap::new(PACK_CACHE)));
        self
    }

    /// This repository, but new objects stay in memory.
    pub(crate) fn in_memory(&self) -> Self {
        let repo = Self::new(self.gix.clone().with_object_memory(), self.environment.clone());
        Self { derived: self.derived.clone(), ..repo }
    }

    /// What another thread needs to open the repository.
    pub(crate) fn opener(&self) -> Opener {
        let (options, environment) = (self.gix.open_options().clone(), self.environment.clone());
        Opener { git_dir: self.git_dir(), options, environment }
    }

    /// What was derived from trees.
    pub(crate) fn derived(&self) -> &Derived {
        &self.derived
    }

    /// The environment in which it was opened.
    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The number of new objects in memory.
    pub(crate) fn count_in_memory(&self) -> usize {
        self.gix.objects.num_objects_in_memory()
    }

    /// The git directory that all worktrees share.
    pub(crate) fn common_dir(&self) -> PathBuf {
        absolute(self.gix.common_dir())
    }

    /// The git directory of this worktree.
    pub(crate) fn git_dir(&self) -> PathBuf {
        absolute(self.gix.git_dir())
    }

    /// The top directory of the work tree; `None` in a bare repository.
    pub(crate) fn work_dir(&self) -> Option<PathBuf> {
        self.gix.workdir().map(absolute)
    }

    /// The top directory of the main worktree.
    pub(crate) fn main_work_dir(&self) -> Option<PathBuf> {
        self.gix.main_repo().ok().and_then(|main| main.workdir().map(absolute))
    }

    /// The worktrees other than the main one.
    pub(crate) fn linked_worktrees(&self) -> Result<Vec<LinkedWorktree<'_>>, GitError> {
        let linked = self.gix.worktrees().map_err(GitError::object("cannot list the worktrees"))?;
        Ok(linked.into_iter().map(LinkedWorktree).collect())
    }

    /// A directory of objects that does not exist, and from which this repository borrows, or one from which it borrows.
    pub(crate) fn missing_alternate(&self) -> Option<PathBuf> {
        let mut lenders = vec![(self.objects_dir().to_owned(), 0)];
        while let Some((objects, depth)) = lenders.pop() {
            let Ok(list) = std::fs::read(objects.join("info/alternates")) else { continue };
            for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with(b"#")) {
                // An absolute path replaces the directory that it is joined to.
                let Ok(path) = line.to_path() else { continue };
                let folder = objects.join(path);
                if !folder.is_dir() {
                    return Some(folder);
                }
                if depth < DEEPEST_ALTERNATE {
                    lenders.push((folder, depth + 1));
                }
            }
        }
        None
    }

    /// What `find` answers when it is asked twice. If it fails and a repository from which this one borrows objects is gone,
    /// that is the error.
    fn found<T, E: Into<Fault>>(&self, find: impl Fn() -> Result<T, E>) -> Result<T, Fault> {
        twice(find).map_err(|error| match self.missing_alternate() {
            Some(gone) => Fault::from_error(LenderGone(gone)),
            None => error.into(),
        })
    }

    /// The directory of its objects.
    pub(crate) fn objects_dir(&self) -> &Path {
        self.gix.objects.store_ref().path()
    }

    /// Whether the repository is a shallow clone.
    pub(crate) fn is_shallow(&self) -> Result<bool, Fault> {
        self.gix.is_shallow()
    }

    /// Its configuration.
    pub(crate) fn config(&self) -> Config<'_> {
        Config(self.gix.config_snapshot())
    }

    /// The hash function of its object ids.
    pub(crate) fn hash_kind(&self) -> HashKind {
        self.gix.object_hash()
    }

    /// Whether the object is here; false if that cannot be determined.
    pub(crate) fn has_object(&self, id: ObjectId) -> bool {
        self.gix.has_object(id)
    }

    /// Whether the object is here.
    pub(crate) fn try_has_object(&self, id: ObjectId) -> Result<bool, Fault> {
        Ok(self.try_header(id)?.is_some())
    }

    /// The kind and size of an object; `None` if it is not here.
    pub(crate) fn try_header(&self, id: ObjectId) -> Result<Option<Header>, Fault> {
        let found = match self.gix.try_find_header(id)? {
            Some(found) => Some(found),
            // See `second_look`.
            None => self.gix.try_find_header(id)?,
        };
        Ok(found.map(|found| Header { kind: found.kind(), size: found.size() }))
    }

    /// The kind and size of an object.
    pub(crate) fn header(&self, id: ObjectId) -> Result<Header, Fault> {
        let found = self.found(|| self.gix.find_header(id))?;
        Ok(Header { kind: found.kind(), size: found.size() })
    }

    /// Whether an object is here and is a commit.
    pub(crate) fn is_commit(&self, id: ObjectId) -> bool {
        self.header(id).is_ok_and(|header| header.kind == Kind::Commit)
    }

    /// An object of any kind and size.
    pub(crate) fn object(&self, id: ObjectId) -> Result<Object<'_>, Fault> {
        self.found(|| self.gix.find_object(id))
    }

    /// A commit.
    pub(crate) fn commit(&self, id: ObjectId) -> Result<Commit<'_>, Fault> {
        self.found(|| self.gix.find_commit(id)).map(Commit)
    }

    /// The tree of a commit.
    pub(crate) fn tree_of(&self, commit: ObjectId) -> Result<ObjectId, Fault> {
        self.commit(commit)?.tree()
    }

    /// The id of the empty tree.
    pub(crate) fn empty_tree(&self) -> ObjectId {
        ObjectId::empty_tree(self.hash_kind())
    }

    /// The object that a revision such as `HEAD~2` or `abc123^{commit}` names; `None` if there is none, or more than
    /// one.
    pub(crate) fn resolve(&self, revision: &str) -> Option<ObjectId> {
        Some(self.parsed(revision)?.detach())
    }

    /// The commit that a revision names; tags are followed.
    pub(crate) fn resolve_commit(&self, revision: &str) -> Option<ObjectId> {
        Some(self.parsed(revision)?.object().ok()?.peel_to_commit().ok()?.id)
    }

    fn parsed(&self, revision: &str) -> Option<gix::Id<'_>> {
        // gix panics if it compares more digits than ids have here, as those of a SHA-256 hash in a text.
        let most = self.hash_kind().len_in_hex();
        // What follows a colon is a path.
        let mut runs =
            revision.split(':').take(1).flat_map(|part| part.split(|c: char| !c.is_ascii_hexdigit()));
        if runs.any(|digits| digits.len() > most) {
            return None;
        }
        self.gix.rev_parse_single(revision).ok()
    }
}

#[cfg(test)]
impl Repository {
    /// A new bare repository.
    pub(crate) fn init_bare(folder: &Path) -> Self {
        Self::new(gix::init_bare(folder).unwrap(), Environment::default())
    }

    /// Opens the repository at `folder`, whatever the environment says.
    pub(crate) fn open_isolated(folder: &Path) -> Self {
        Self::new(gix::open_opts(folder, gix::open::Options::isolated()).unwrap(), Environment::default())
    }

    /// Moves a ref, wherever it points.
    pub(crate) fn set_ref(&self, name: &str, id: ObjectId) {
        let any = gix::refs::transaction::PreviousValue::Any;
        self.gix.reference(name, id, any, "test").unwrap();
    }

    /// The gix repository, for tests only.
    pub(crate) fn raw(&self) -> &gix::Repository {
        &self.gix
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_that_is_too_long_names_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repository::init_bare(folder.path());
        let hash = "0123456789abcdef".repeat(4);
        for form in ["H", "H-dirty", "v1-2-gH", "v1-2-gH-dirty", "^H", "H~2", "H^{commit}", "H:a.txt", "g-H"]
        {
            assert_eq!(repo.resolve(&form.replace('H', &hash)), None, "{form}");
        }
    }
}
