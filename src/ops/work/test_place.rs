//! Where the tests of a plan run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::place_watch::PlaceWatch;
use super::preparing::FreshPlace;
use crate::agent::check::CodeState;
use crate::model::{Code, CommitHash, ExecutionId};
use crate::ops::{Notice, Refusal, Session};
use crate::rules::{CommandLine, ExecutionFolder};
use crate::store::{ObjectId, ReadState, Store, StoreError};
use crate::trail::active;
use crate::trail::work::CommittedWork;
use crate::workplace::{Confinement, PlaceVariables, Workplace};

/// A workplace that was made to run tests in a commit.
pub(crate) struct TestWorkplace<'w> {
    /// A session in the repository from which it, and others, are made.
    pub(crate) made_by: &'w Session,
    /// How what runs there is confined.
    pub(crate) confinement: &'w Confinement,
    /// It. Its branch is none, and it begins at the commit.
    pub(crate) workplace: &'w Workplace,
    /// Its variables, if it has some.
    pub(crate) variables: Option<PlaceVariables>,
    /// The words before those of a command: a sandbox, if there is one.
    pub(crate) within: Vec<OsString>,
    /// What differed from the commit once it was prepared.
    pub(crate) prepared: Vec<String>,
}

/// Where the commands run.
pub(super) enum TestPlace<'w> {
    /// In the work tree of the execution, or in this one.
    Worktree(Box<TestTree>),
    /// In a workplace that was made for them.
    Fresh(TestWorkplace<'w>),
    /// In a workplace that is still to be made, on this commit.
    ToMake(ObjectId),
}

impl<'w> TestWorkplace<'w> {
    /// A workplace that was made for tests.
    ///
    /// # Errors
    /// If what is in it cannot be read.
    pub(super) fn new(
        session: &'w Session,
        FreshPlace { workplace, prepared, within }: FreshPlace<'w>,
        confinement: &'w Confinement,
    ) -> Result<Self, Refusal> {
        Ok(Self {
            made_by: session,
            confinement,
            workplace,
            variables: prepared.and_then(|prepared| prepared.variables),
            within,
            prepared: workplace.changed()?,
        })
    }
}

impl<'w> TestPlace<'w> {
    pub(super) fn folder(&self) -> &Path {
        match self {
            Self::Worktree(tree) => &tree.folder,
            Self::Fresh(place) => &place.workplace.folder,
            // The directory that it will be beside.
            Self::ToMake(_) => Path::new("a fresh workplace"),
        }
    }

    pub(super) fn within(&self) -> &[OsString] {
        match self {
            Self::Worktree(_) | Self::ToMake(_) => &[],
            Self::Fresh(place) => &place.within,
        }
    }

    /// Whether it has only what git tracks, and what was prepared.
    pub(super) fn is_new(&self) -> bool {
        match self {
            Self::Worktree(tree) => tree.store.worktree_name().is_some(),
            Self::Fresh(_) | Self::ToMake(_) => true,
        }
    }

    /// What is checked out. With `untracked`, untracked files count as changes.
    pub(super) fn state(&self, store: &Store, untracked: bool) -> Result<CodeState, Refusal> {
        let commit = match self {
            Self::Worktree(tree) => return tree.state(untracked),
            Self::Fresh(place) => place.workplace.start,
            Self::ToMake(commit) => *commit,
        };
        let tree = store.code_tree_of(commit)?;
        Ok(CodeState { commit: Some(commit.into()), tree: tree.into(), dirty: self.is_dirty(untracked)? })
    }

    /// How often the HEAD of the work tree has moved, as far as its reflog shows.
    pub(super) fn head_moves(&self) -> u64 {
        match self {
            Self::Worktree(tree) => tree.head_moves(),
            Self::Fresh(_) | Self::ToMake(_) => 0,
        }
    }

    /// Looks at what the commands change in a workplace that was made for them. `None` for a work tree, in which others work.
    pub(super) fn watch(
        &self,
        store: &Store,
        commands: &[&CommandLine],
    ) -> Result<Option<PlaceWatch<'w>>, Refusal> {
        match self {
            Self::Fresh(place) => Ok(Some(PlaceWatch::new(store, place.workplace, commands)?)),
            Self::Worktree(_) | Self::ToMake(_) => Ok(None),
        }
    }

    /// Whether the tracked files or the commit of the work tree changed since `before`, or HEAD has moved since it had done so
    /// `moves` times.
    pub(super) fn has_changed(&self, before: &CodeState, moves: u64) -> Result<bool, Refusal> {
        let Self::Worktree(tree) = self else { return Ok(false) };
        let now = tree.state(false)?;
        Ok(now.commit != before.commit || now.dirty || tree.head_moves() != moves)
    }

    /// Whether anything differs from the commit; with `untracked`, untracked files count too.
    pub(super) fn is_dirty(&self, untracked: bool) -> Result<bool, Refusal> {
        match self {
            Self::Worktree(tree) => tree.is_dirty(untracked),
            Self::Fresh(place) => {
                let mut changed = place.workplace.uncommitted()?;
                changed.retain(|line| !place.prepared.contains(line));
                Ok(changed.iter().any(|line| untracked || !line.starts_with("??")))
            }
            Self::ToMake(_) => Ok(false),
        }
    }
}

/// The commit to test in a fresh workplace: what is checked out where the execution is, or else its last commit that is here.
///
/// # Errors
/// `not-found` if there is no commit.
pub(super) fn fresh_start(
    session: &Session,
    read: &impl ReadState,
    execution: &ExecutionFolder,
) -> Result<ObjectId, Refusal> {
    let store = session.store();
    let id = &execution.execution.id;
    if let Some(folder) = active::work_dir_of(store, id)? {
        let there = Store::open(&folder, session.environment())?;
        if there.foreign_git().is_dirty(true).map_err(StoreError::Git)? {
            session.notice(Notice::note("what is not committed is not tested"));
        }
        if let Some(head) = there.head()? {
            return Ok(head);
        }
    }
    last_linked(store, read, execution)
}

/// The last commit of an execution that is here.
///
/// # Errors
/// `not-found` if there is none.
pub(super) fn last_linked(
    store: &Store,
    read: &impl ReadState,
    execution: &ExecutionFolder,
) -> Result<ObjectId, Refusal> {
    let id = &execution.execution.id;
    let work = CommittedWork::examine(store, read, execution)?;
    let last = work.present.iter().rev().find_map(|present| store.commit_here(&present.link.hash));
    last.ok_or_else(|| {
        Refusal::new(Code::NotFound, format!("no commit of `{}` is here", id.short()))
            .command("git fetch", "brings what others pushed; then try again")
    })
}

/// The work tree of the execution, if it is in this repository.
pub(super) struct TestTree {
    pub(super) store: Store,
    folder: PathBuf,
}

/// The work tree of an execution, if it is in this repository, or else this one.
pub(super) fn test_tree(session: &Session, id: &ExecutionId) -> Result<TestTree, Refusal> {
    let store = session.store();
    let folder = match active::work_dir_of(store, id)? {
        Some(folder) => folder,
        None => {
            let here = store.work_dir().ok_or_else(|| {
                Refusal::new(Code::Bare, "a bare repository has no work tree to run tests in").command(
                    "git worktree add DIRECTORY",
                    "creates one; run the tests there, or in another clone",
                )
            })?;
            session.notice(Notice::warning(format!(
                "no work tree here executes `{id}`; its tests run in this one"
            )));
            here
        }
    };
    Ok(TestTree { store: Store::open(&folder, session.environment())?, folder })
}

impl TestTree {
    /// Gives it its files, if it was made without, for a run that tests elsewhere.
    pub(super) fn fill(&self) -> Result<(), Refusal> {
        Ok(self.store.foreign_git().fill_fileless(self.store.repo()).map_err(StoreError::Git)?)
    }

    /// What is checked out. With `untracked`, untracked files count as changes.
    fn state(&self, untracked: bool) -> Result<CodeState, Refusal> {
        // The commit comes first: if HEAD moves meanwhile, the work tree differs from it.
        let commit = self.store.head()?;
        let tree = match commit {
            Some(commit) => self.store.code_tree_of(commit)?,
            None => ObjectId::empty_tree(self.store.repo().hash_kind()),
        };
        let dirty = self.is_dirty(untracked)?;
        Ok(CodeState { commit: commit.map(CommitHash::from), tree: tree.into(), dirty })
    }

    /// The size of HEAD's reflog, to which each move adds.
    fn head_moves(&self) -> u64 {
        let log = self.store.git_dir().join("logs/HEAD");
        log.metadata().map_or(0, |log| log.len())
    }

    /// Whether anything differs from the commit; with `untracked`, untracked files count too.
    fn is_dirty(&self, untracked: bool) -> Result<bool, Refusal> {
        Ok(self.store.git().is_dirty(untracked).map_err(StoreError::Git)?)
    }
}
