//! Judges the commits that an agent hands in on its branch.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::git::{Difference, EntryKind, ObjectId};
use crate::model::{CommitHash, FoldedPaths};
use crate::rules::run::unplanned_words;
use crate::store::{Store, StoreError};

/// More commits than an agent makes for one plan.
const MOST_COMMITS: usize = 1_000;
/// More files than a plan changes.
const MOST_FILES: usize = 200_000;
/// How many reasons are given.
const MOST_REASONS: usize = 20;

/// The limits for the commits of an agent.
#[derive(Debug)]
pub(crate) struct BranchBounds<'a> {
    /// The paths that its plan names: it deletes no other file.
    pub(crate) named: &'a FoldedPaths,
    /// Content of ignored files that were brought into its workplace, with their paths.
    pub(crate) ignored: &'a BTreeMap<ObjectId, PathBuf>,
    /// What its workplace was given.
    pub(crate) given: &'a [ObjectId],
}

/// Why commits are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BranchFault {
    /// The work does not continue what it began with.
    Rewritten,
    /// Files are gone that the plan does not name.
    UnplannedDeletion,
    /// Something else than the branch is checked out.
    OtherBranch,
    /// They have content that must not get into any branch.
    Content,
    /// They are not what a plan makes.
    Other,
}

impl BranchFault {
    /// The word for the type of a failure.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Rewritten => "rewritten-branch",
            Self::UnplannedDeletion => "unplanned-deletion",
            Self::OtherBranch => "other-branch",
            Self::Content | Self::Other => "refused-work",
        }
    }
}

/// Why a branch must not move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RefusedBranch {
    /// The kind of the reason.
    pub(crate) fault: BranchFault,
    /// The reason.
    pub(crate) why: String,
}

/// The commits that an agent made, and what speaks against them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct JudgedBranch {
    /// Commits that the workplace was not given, parents first.
    pub(crate) commits: Vec<ObjectId>,
    /// Why the branch must not move; empty if it may.
    pub(crate) refused: Vec<RefusedBranch>,
}

impl JudgedBranch {
    fn refused(fault: BranchFault, why: impl Into<String>) -> Self {
        Self { commits: vec![], refused: vec![RefusedBranch { fault, why: why.into() }] }
    }
}

/// Judges the move of a branch from `given` to `new`. `users` is the store of the user, `seeing` also sees what is handed in.
pub(crate) fn judge_branch(
    users: &Store,
    seeing: &Store,
    given: ObjectId,
    new: ObjectId,
    bounds: &BranchBounds<'_>,
) -> Result<JudgedBranch, StoreError> {
    let repo = seeing.repo();
    if !repo.is_commit(new) {
        return Ok(JudgedBranch::refused(BranchFault::Other, "it does not point to a commit"));
    }
    if !seeing.is_ancestor(given, new)? {
        let given = CommitHash::from(given);
        let why = format!("it does not descend from {}, where the work began", given.short());
        return Ok(JudgedBranch::refused(BranchFault::Rewritten, why));
    }
    let mut judged = JudgedBranch::default();
    let mut made = seeing.parents_first(&[new], Some(given))?;
    if made.iter().any(|(commit, _)| users.repo().has_object(*commit)) {
        // It may have merged what it was given. What the user merely has, such as a stash, is judged like its own work.
        let mut known = users.repo().commits_named_by(bounds.given);
        known.push(given);
        let unreadable = StoreError::object("cannot read the history of the branch");
        made = seeing.repo().parents_first(&[new], &known).map_err(unreadable)?;
    }
    for (commit, parents) in made {
        if judged.commits.len() == MOST_COMMITS {
            let why = format!("it has more than {MOST_COMMITS} new commits");
            return Ok(JudgedBranch::refused(BranchFault::Other, why));
        }
        judged.commits.push(commit);
        let Some(changed) = changed(seeing, parents.first().copied(), commit)? else {
            return Ok(JudgedBranch::refused(BranchFault::Other, too_many(commit)));
        };
        for file in &changed {
            let why = refuse_content(users, given, commit, file, bounds)?;
            judged.refused.extend(why.map(|why| RefusedBranch { fault: BranchFault::Content, why }));
            if judged.refused.len() == MOST_REASONS {
                return Ok(judged);
            }
        }
    }
    let Some(changed) = changed(seeing, Some(given), new)? else {
        return Ok(JudgedBranch::refused(BranchFault::Other, too_many(new)));
    };
    let deleted = changed.iter().filter(|file| file.old.is_some() && file.new.is_none());
    let unplanned: Vec<&str> =
        deleted.map(|file| file.path.as_str()).filter(|path| !bounds.named.holds(path)).collect();
    if !unplanned.is_empty() {
        let (fault, why) = (BranchFault::UnplannedDeletion, unplanned_words(&unplanned));
        judged.refused.push(RefusedBranch { fault, why });
    }
    Ok(judged)
}

fn too_many(commit: ObjectId) -> String {
    format!("commit {} changes more than {MOST_FILES} files", CommitHash::from(commit).short())
}

/// The files in which a commit differs from an earlier one; `None` if they are too many.
fn changed(
    store: &Store,
    before: Option<ObjectId>,
    commit: ObjectId,
) -> Result<Option<Vec<Difference>>, StoreError> {
    let repo = store.repo();
    let unreadable = StoreError::object("cannot read a commit");
    let before = before.map(|before| repo.tree_of(before)).transpose().map_err(&unreadable)?;
    let tree = repo.tree_of(commit).map_err(&unreadable)?;
    let changed = repo.first_differences(before, tree, MOST_FILES)?;
    Ok(changed.filter(|changed| changed.len() < MOST_FILES))
}

/// Why a commit must not contain what it brings at a path; `None` if it may.
fn refuse_content(
    users: &Store,
    given: ObjectId,
    commit: ObjectId,
    file: &Difference,
    bounds: &BranchBounds<'_>,
) -> Result<Option<String>, StoreError> {
    let (short, path) = (CommitHash::from(commit).short().to_owned(), &file.path);
    match file.new {
        Some((EntryKind::Commit, inner)) => {
            let modules = [users.common_dir(), users.git_dir()].map(|dir| dir.join("modules"));
            if users.git().submodule_has(&modules, path, inner, users.environment())? {
                return Ok(None);
            }
            let inner = CommitHash::from(inner);
            Ok(Some(format!(
                "commit {short} sets submodule `{path}` to {}, a commit that its repository here does not have",
                inner.short()
            )))
        }
        Some((_, id)) => match bounds.ignored.get(&id) {
            // A blob that the branch already had is not a secret.
            Some(ignored) if !has_blob(users, given, id)? => Ok(Some(format!(
                "commit {short} has in `{path}` the content of `{}`, which git ignores",
                ignored.display()
            ))),
            _ => Ok(None),
        },
        None => Ok(None),
    }
}

/// Whether a file of a commit has this content.
fn has_blob(store: &Store, commit: ObjectId, id: ObjectId) -> Result<bool, StoreError> {
    let files = changed(store, None, commit)?;
    Ok(files.is_some_and(|files| files.iter().any(|file| file.new.is_some_and(|(_, known)| known == id))))
}
