//! Where the tests of a plan run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::agent::check::CodeState;
use crate::model::code::Code;
use crate::model::hash::CommitHash;
use crate::model::id::ExecutionId;
use crate::ops::{Notice, Refusal, Session};
use crate::store::{ObjectId, Store, StoreError};
use crate::trail::active;
use crate::workplace::{PlaceVariables, Workplace};

/// A workplace that was made to run tests in a commit.
pub(crate) struct TestWorkplace<'w> {
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
}

impl TestPlace<'_> {
    pub(super) fn folder(&self) -> &Path {
        match self {
            Self::Worktree(tree) => &tree.folder,
            Self::Fresh(place) => &place.workplace.folder,
        }
    }

    pub(super) fn within(&self) -> &[OsString] {
        match self {
            Self::Worktree(_) => &[],
            Self::Fresh(place) => &place.within,
        }
    }

    /// Whether it has only what git tracks, and what was prepared.
    pub(super) fn is_new(&self) -> bool {
        match self {
            Self::Worktree(tree) => tree.store.worktree_name().is_some(),
            Self::Fresh(_) => true,
        }
    }

    /// What is checked out. With `untracked`, untracked files count as changes.
    pub(super) fn state(&self, store: &Store, untracked: bool) -> Result<CodeState, Refusal> {
        match self {
            Self::Worktree(tree) => tree.state(untracked),
            Self::Fresh(place) => {
                let commit = place.workplace.start;
                let tree = store.code_tree_of(commit)?;
                Ok(CodeState {
                    commit: Some(commit.into()),
                    tree: tree.into(),
                    dirty: self.is_dirty(untracked)?,
                })
            }
        }
    }

    pub(super) fn commit(&self) -> Result<Option<CommitHash>, Refusal> {
        match self {
            Self::Worktree(tree) => tree.commit(),
            Self::Fresh(place) => Ok(Some(place.workplace.start.into())),
        }
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
        }
    }
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

    fn commit(&self) -> Result<Option<CommitHash>, Refusal> {
        Ok(self.store.head()?.map(CommitHash::from))
    }

    /// Whether anything differs from the commit; with `untracked`, untracked files count too.
    fn is_dirty(&self, untracked: bool) -> Result<bool, Refusal> {
        Ok(self.store.git().is_dirty(untracked).map_err(StoreError::Git)?)
    }
}
