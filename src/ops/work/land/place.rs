//! The work tree in which a merge stands half done, for someone to resolve its conflicts.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::chosen::ChosenIssue;
use super::messages::{resolved_message, with_trailers};
use super::target::LandTarget;
use crate::git::NewCommit;
use crate::model::{Branch, Code, CommitHash, IssueId, Op, RemedyCall, shell};
use crate::ops::{Refusal, Session};
use crate::store::{ObjectId, Store, StoreError};
use crate::workplace::place;

/// The file in the git directory of that work tree.
const NOTE: &str = "wf/landing.json";

/// What is being merged there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct PlaceNote {
    /// The issue.
    issue: IssueId,
    /// The branch on which it lands.
    onto: Branch,
    /// The commit of the branch.
    ours: CommitHash,
    /// The commit of the issue.
    theirs: CommitHash,
}

/// A work tree with a merge that someone resolves, or has resolved.
#[derive(Debug)]
pub(super) struct HalfDonePlace {
    /// Its directory.
    pub(super) folder: PathBuf,
    /// The issue.
    pub(super) issue: IssueId,
    /// The branch on which it lands.
    pub(super) onto: Branch,
    ours: ObjectId,
    theirs: ObjectId,
}

impl HalfDonePlace {
    /// All of this repository.
    fn all(store: &Store) -> Result<Vec<Self>, Refusal> {
        let mut found = Vec::new();
        for linked in store.repo().linked_worktrees().map_err(StoreError::Git)? {
            let (Some(folder), Ok(note)) = (linked.folder(), std::fs::read(linked.git_dir().join(NOTE)))
            else {
                continue;
            };
            let Ok(PlaceNote { issue, onto, ours, theirs }) = serde_json::from_slice(&note) else { continue };
            if let (Some(ours), Some(theirs)) = (store.commit_here(&ours), store.commit_here(&theirs))
                && folder.is_dir()
            {
                found.push(Self { folder, issue, onto, ours, theirs });
            }
        }
        Ok(found)
    }

    /// The issues whose merges stand half done here.
    pub(super) fn issues(store: &Store) -> Result<Vec<IssueId>, Refusal> {
        Ok(Self::all(store)?.into_iter().map(|place| place.issue).collect())
    }

    /// That of an issue, if there is one.
    pub(super) fn of(store: &Store, issue: &IssueId) -> Result<Option<Self>, Refusal> {
        Ok(Self::all(store)?.into_iter().find(|place| place.issue == *issue))
    }

    /// That of the named issue, else this work tree if it is one, else the only one.
    ///
    /// # Errors
    /// Nothing to do if there is none; `ambiguous`.
    pub(super) fn find(store: &Store, issue: Option<&IssueId>) -> Result<Self, Refusal> {
        let mut all = Self::all(store)?;
        let here = store.work_dir();
        let is_here = |place: &Self| here.as_deref().is_some_and(|here| same(here, &place.folder));
        let wanted = match issue {
            Some(issue) => all.iter().position(|place| place.issue == *issue),
            None if all.len() == 1 => Some(0),
            None => all.iter().position(is_here),
        };
        if let Some(wanted) = wanted {
            return Ok(all.swap_remove(wanted));
        }
        let said = match issue {
            Some(issue) => format!("no merge of `{issue}` stands half done here"),
            None if all.is_empty() => "no merge stands half done here".to_owned(),
            None => {
                let ids: Vec<&str> = all.iter().map(|place| place.issue.as_str()).collect();
                return Err(Refusal::new(
                    Code::Ambiguous,
                    format!("several merges stand half done: {}", ids.join(", ")),
                )
                .remedy(RemedyCall::new(Op::Land, ["ISSUE"]).flag("continue"), "continues one of them"));
            }
        };
        Err(Refusal::nothing(said).remedy(RemedyCall::new(Op::Land, ["ISSUE"]), "lands an issue"))
    }

    /// Begins the merge of an issue that conflicts with the branch, in a new work tree; if there is one already, it stays as it
    /// is.
    pub(super) fn begin(
        session: &Session,
        target: &LandTarget,
        issue: &ChosenIssue,
        ours: ObjectId,
        theirs: ObjectId,
    ) -> Result<Self, Refusal> {
        let store = session.store();
        if let Some(place) = Self::of(store, &issue.issue)? {
            return Ok(place);
        }
        let folder = place(store, format!("land-{}", issue.issue))?;
        let git = store.git();
        git.add_detached_worktree(&folder, &ours.to_string()).map_err(StoreError::Git)?;
        let there = Store::open(&folder, session.environment())?;
        let note = PlaceNote {
            issue: issue.issue.clone(),
            onto: target.branch.clone(),
            ours: ours.into(),
            theirs: theirs.into(),
        };
        let path = there.git_dir().join(NOTE);
        let text =
            serde_json::to_string_pretty(&note).map_err(|error| StoreError::io(&path)(error.into()))?;
        let shared = store.repo().shared_mode();
        path.parent().map_or(Ok(()), |folder| shared.create_folder(folder)).map_err(StoreError::io(&path))?;
        shared.write(&path, text).map_err(StoreError::io(&path))?;
        there.git().begin_merge(theirs, &resolved_message(issue)).map_err(StoreError::Git)?;
        Ok(Self { folder, issue: issue.issue.clone(), onto: target.branch.clone(), ours, theirs })
    }

    /// The commit of the resolved merge.
    ///
    /// # Errors
    /// `unresolved` if files still have conflicts; `no-commit` if the merge was given up there; errors of git.
    pub(super) fn resolved(&self, session: &Session, issue: &ChosenIssue) -> Result<ObjectId, Refusal> {
        let there = Store::open(&self.folder, session.environment())?;
        let head = there.head()?;
        if let Some(head) = head
            && head != self.ours
        {
            if there.is_ancestor(self.theirs, head)? && there.is_ancestor(self.ours, head)? {
                self.refuse_changes(&there)?;
                return self.naming_its_plan(session, &there, head, issue);
            }
            return Err(self.given_up());
        }
        if !there.git_dir().join("MERGE_HEAD").exists() {
            return Err(self.given_up());
        }
        let unresolved = there.git().unresolved().map_err(StoreError::Git)?;
        if !unresolved.is_empty() {
            return Err(self.unresolved(&unresolved));
        }
        let marked = there.git().marked_files().map_err(StoreError::Git)?;
        if !marked.is_empty() {
            return Err(self.unresolved(&marked));
        }
        self.refuse_changes(&there)?;
        let is_signed = session.store().config_bool("commit.gpgSign", false)?;
        let parents = [self.ours, self.theirs];
        let message = resolved_message(issue);
        Ok(there.git().commit_index(&parents, message.as_bytes(), is_signed).map_err(StoreError::Git)?)
    }

    /// The merge that someone committed there, with the trailers of the plan: whoever wrote a message of their own has left them
    /// out, and what the merge changes itself belongs to the plan.
    fn naming_its_plan(
        &self,
        session: &Session,
        there: &Store,
        merge: ObjectId,
        issue: &ChosenIssue,
    ) -> Result<ObjectId, Refusal> {
        let commit = there.code_commit(merge)?;
        let parents = [self.ours, self.theirs];
        if commit.parents != parents {
            return Ok(merge);
        }
        let Some(message) = with_trailers(&commit.message, issue) else { return Ok(merge) };
        let author = there.repo().author_of(merge).map_err(StoreError::object("cannot read a commit"))?;
        let new = NewCommit {
            tree: there.code_tree_of(merge)?,
            parents: &parents,
            message: &message,
            author_of: Some(&author),
            is_signed: session.store().config_bool("commit.gpgSign", false)?,
        };
        Ok(there.git().make_commit(&new).map_err(StoreError::Git)?)
    }

    /// Refuses changes that are not staged: nobody has said whether they belong to the merge.
    fn refuse_changes(&self, there: &Store) -> Result<(), Refusal> {
        let changed = there.git().unstaged().map_err(StoreError::Git)?;
        if changed.is_empty() {
            return Ok(());
        }
        let message =
            format!("files in {} are changed and not staged: {}", self.folder.display(), changed.join(", "));
        Err(Refusal::new(Code::Uncommitted, message).command("git add -u", "stages them, there"))
    }

    fn unresolved(&self, files: &[String]) -> Refusal {
        let message =
            format!("conflicts in {} are not resolved: {}", self.folder.display(), files.join(", "));
        Refusal::new(Code::Unresolved, message)
            .command("git add FILE", "marks a file as resolved, there")
            .remedy(RemedyCall::new(Op::Land, [&self.issue]).flag("continue"), "then lands it")
    }

    fn given_up(&self) -> Refusal {
        let folder = self.folder.display().to_string();
        let message = format!("the merge of `{}` was given up in {folder}", self.issue);
        Refusal::new(Code::NoCommit, message)
            .command(format!("git worktree remove {}", shell::operand(&folder)), "removes that work tree")
            .remedy(RemedyCall::new(Op::Land, [&self.issue]), "then begins it again")
    }

    /// Removes the work tree, now that the merge has landed. If someone stands in it, only a notice could say so.
    pub(super) fn remove(self, session: &Session) -> Result<(), Refusal> {
        Ok(session.store().git().remove_worktree(&self.folder).map_err(StoreError::Git)?)
    }
}

fn same(one: &Path, two: &Path) -> bool {
    match (one.canonicalize(), two.canonicalize()) {
        (Ok(one), Ok(two)) => one == two,
        _ => one == two,
    }
}
