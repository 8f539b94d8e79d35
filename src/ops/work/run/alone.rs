//! A run in a repository in which nobody else works meanwhile: `wf.run.alone` promises that. Then whatever changes on the
//! user's side was an agent's doing, and is put back as it was when the run began: branches and tags, what is checked out,
//! the index, and the files. What they had become is kept on a branch.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::places::copied_index;
use crate::git::Git;
use crate::model::id::RunId;
use crate::ops::Refusal;
use crate::rules::run::is_private_or_remote;
use crate::store::{ObjectId, Store, StoreError};

/// The user's side of the repository when the run began.
pub(super) struct Alone {
    run: RunId,
    refs: BTreeMap<String, ObjectId>,
    trees: Vec<Tree>,
}

/// A worktree of the user.
struct Tree {
    folder: PathBuf,
    git_dir: PathBuf,
    git: Git,
    was: TreeState,
    /// The file of the index. Its bytes change whenever git looks at the files, and mean the same.
    index: Option<Vec<u8>>,
}

/// What can change in a worktree.
#[derive(PartialEq, Eq)]
struct TreeState {
    /// The file HEAD.
    head: Vec<u8>,
    /// What is staged, as git lists it.
    staged: Vec<u8>,
    /// The tree of all files that are not ignored.
    files: String,
}

impl Alone {
    /// Looks at everything; `None` if others may work here.
    pub(super) fn of(
        store: &Store,
        run: &RunId,
        trees: &[(PathBuf, PathBuf)],
    ) -> Result<Option<Self>, Refusal> {
        if !store.config_bool("wf.run.alone") {
            return Ok(None);
        }
        let tree = |(folder, git_dir): &(PathBuf, PathBuf)| -> Result<Tree, Refusal> {
            let git = Git::new(git_dir, Some(folder));
            let (was, copy) = state(git_dir, &git)?;
            let _ = fs::remove_file(copy);
            let index = fs::read(git_dir.join("index")).ok();
            Ok(Tree { folder: folder.clone(), git_dir: git_dir.clone(), git, was, index })
        };
        let trees = trees.iter().map(tree).collect::<Result<_, _>>()?;
        Ok(Some(Self { run: run.clone(), refs: refs(store)?, trees }))
    }

    /// Puts back what is different now; what that was, in words.
    pub(super) fn put_back(&self, store: &Store) -> Result<Vec<String>, Refusal> {
        let mut told = Vec::new();
        let now = refs(store)?;
        for (name, old) in &self.refs {
            let new = now.get(name).copied();
            if new != Some(*old) && store.git().put_back(name, new, Some(*old))? {
                let kept = new.map(|new| self.keep(store, new)).transpose()?.unwrap_or_default();
                told.push(format!("`{}` was moved or deleted{kept}", short(name)));
            }
        }
        for (name, new) in now.iter().filter(|(name, _)| !self.refs.contains_key(*name)) {
            let kept = self.keep(store, *new)?;
            if store.git().put_back(name, Some(*new), None)? {
                told.push(format!("`{}` was created{kept}", short(name)));
            }
        }
        for tree in &self.trees {
            told.extend(tree.put_back(&self.run)?);
        }
        Ok(told)
    }

    /// Keeps a commit on a branch.
    fn keep(&self, store: &Store, commit: ObjectId) -> Result<String, Refusal> {
        if !store.repo().is_commit(commit) {
            return Ok(String::new());
        }
        let branch = format!("wf/kept/{}-{}", self.run, commit.to_hex_with_len(8));
        let kept = store.git().put_back(&format!("refs/heads/{branch}"), None, Some(commit))?;
        Ok(if kept { format!(" (the changed version is on `{branch}`)") } else { String::new() })
    }
}

fn short(name: &str) -> &str {
    name.strip_prefix("refs/heads/").unwrap_or(name)
}

/// The refs of the user: not those of runs, records and remotes.
fn refs(store: &Store) -> Result<BTreeMap<String, ObjectId>, Refusal> {
    let mut refs = store.repo().all_refs().map_err(StoreError::object("cannot read the references"))?;
    refs.retain(|name, _| {
        !is_private_or_remote(name)
            && !name.starts_with("refs/heads/wf/")
            && !name.starts_with("refs/wf/")
            && name != store.reference()
    });
    Ok(refs)
}

/// The state of a worktree, and a copy of its index with all files added.
fn state(git_dir: &Path, git: &Git) -> Result<(TreeState, PathBuf), Refusal> {
    let head = fs::read(git_dir.join("HEAD")).map_err(|error| {
        Refusal::new("cannot-read", format!("cannot read HEAD in {}: {error}", git_dir.display()))
    })?;
    let staged = git.staged()?;
    let copy = copied_index(git_dir);
    let files = git.tree_of_files(&copy)?;
    Ok((TreeState { head, staged, files }, copy))
}

impl Tree {
    fn put_back(&self, run: &RunId) -> Result<Option<String>, Refusal> {
        let (now, copy) = state(&self.git_dir, &self.git)?;
        let told = if now == self.was { None } else { Some(self.turn_back(&now, &copy, run)?) };
        let _ = fs::remove_file(copy);
        Ok(told)
    }

    fn turn_back(&self, now: &TreeState, copy: &Path, run: &RunId) -> Result<String, Refusal> {
        let failed = |error: std::io::Error| {
            Refusal::new("cannot-write", format!("cannot write in {}: {error}", self.git_dir.display()))
        };
        let mut what = vec![];
        if now.head != self.was.head {
            replace(&self.git_dir.join("HEAD"), &self.was.head).map_err(failed)?;
            what.push("what is checked out".to_owned());
        }
        if now.staged != self.was.staged
            && let Some(index) = &self.index
        {
            replace(&self.git_dir.join("index"), index).map_err(failed)?;
            what.push("the index".to_owned());
        }
        if now.files != self.was.files {
            let branch = format!("wf/kept/{run}-{}", &now.files[..now.files.len().min(8)]);
            self.git.keep_tree(&now.files, &branch)?;
            let changed = self.git.turn_files(copy, &now.files, &self.was.files)?;
            what.push(format!("{} (the changed versions are on `{branch}`)", changed.join(", ")));
        }
        Ok(format!("the work tree {} changed: {}", self.folder.display(), what.join(", ")))
    }
}

/// Replaces a file as a whole.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let new = path.with_extension("wf-new");
    fs::write(&new, bytes)?;
    fs::rename(new, path)
}
