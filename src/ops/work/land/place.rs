//! The work tree in which a merge stands half done, for someone to resolve its conflicts.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::chosen::ChosenIssue;
use super::messages::{resolved_message, with_trailers};
use super::target::{LandTarget, TargetTips};
use crate::git::{NewCommit, is_same_place};
use crate::model::{Branch, Code, CommitHash, IssueId, Op, RemedyCall, json_text, shell};
use crate::ops::{Refusal, Session};
use crate::store::{ObjectId, Store, StoreError, object_id};
use crate::workplace::place;

/// The file in the git directory of that work tree.
const NOTE: &str = "wf/landing.json";
/// The file in which git notes the other side of a merge in progress.
const MERGE_HEAD: &str = "MERGE_HEAD";

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
    /// Whether the branch had its commit, which is not so if that is of a run.
    #[serde(default)]
    is_of_branch: bool,
}

/// The two sides of a merge.
#[derive(Debug, Clone, Copy)]
pub(super) struct MergeSides {
    /// The commit into which the work is merged.
    pub(super) ours: ObjectId,
    /// The commit of the issue.
    pub(super) theirs: ObjectId,
    /// Whether the branch on which it lands has `ours`.
    pub(super) is_of_branch: bool,
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
    sides: MergeSides,
    /// Whether no merge is in progress there, and none was committed.
    is_given_up: bool,
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
            let Ok(PlaceNote { issue, onto, ours, theirs, is_of_branch }) = serde_json::from_slice(&note)
            else {
                continue;
            };
            if let (Some(ours), Some(theirs)) = (store.commit_here(&ours), store.commit_here(&theirs))
                && folder.join(".git").is_file()
            {
                let git_dir = linked.git_dir();
                let head = std::fs::read_to_string(git_dir.join("HEAD")).unwrap_or_default();
                let is_given_up = !git_dir.join(MERGE_HEAD).exists() && object_id(head.trim()) == Some(ours);
                let sides = MergeSides { ours, theirs, is_of_branch };
                found.push(Self { folder, issue, onto, sides, is_given_up });
            }
        }
        found.sort_by_key(|place| place.is_given_up);
        Ok(found)
    }

    /// The issues whose merges stand half done here.
    pub(super) fn issues(store: &Store) -> Result<Vec<IssueId>, Refusal> {
        let begun = Self::all(store)?.into_iter().filter(|place| !place.is_given_up);
        Ok(begun.map(|place| place.issue).collect())
    }

    /// That of an issue, if there is one that was not given up.
    pub(super) fn of(store: &Store, issue: &IssueId) -> Result<Option<Self>, Refusal> {
        Ok(Self::all(store)?.into_iter().find(|place| place.issue == *issue && !place.is_given_up))
    }

    /// That of the named issue, else this work tree if it is one, else the only one.
    ///
    /// # Errors
    /// Nothing to do if there is none; `ambiguous`.
    pub(super) fn find(store: &Store, issue: Option<&IssueId>) -> Result<Self, Refusal> {
        let mut all = Self::all(store)?;
        let here = store.work_dir();
        let is_here = |place: &Self| here.as_deref().is_some_and(|here| is_same_place(here, &place.folder));
        let wanted = match issue {
            Some(issue) => all.iter().position(|place| place.issue == *issue),
            None if all.len() == 1 => Some(0),
            None => all.iter().position(is_here),
        };
        if let Some(wanted) = wanted {
            return Ok(all.swap_remove(wanted));
        }
        let said = match issue {
            Some(issue) => format!("there is no unfinished merge of `{issue}` here"),
            None if all.is_empty() => "there is no unfinished merge here".to_owned(),
            None => {
                let ids: Vec<&str> = all.iter().map(|place| place.issue.as_str()).collect();
                return Err(Refusal::new(
                    Code::Ambiguous,
                    format!("there are several unfinished merges: {}", ids.join(", ")),
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
        sides: MergeSides,
    ) -> Result<Self, Refusal> {
        let store = session.store();
        if let Some(place) = Self::of(store, &issue.issue)? {
            return Ok(place);
        }
        let git = store.git();
        for given_up in Self::all(store)?.into_iter().filter(|place| place.issue == issue.issue) {
            git.remove_unchanged_worktree(&given_up.folder).map_err(StoreError::Git)?;
        }
        git.prune_worktrees().map_err(StoreError::Git)?;
        let folder = free_folder(store, &issue.issue)?;
        store
            .foreign_git()
            .add_detached_worktree(&folder, &sides.ours.to_string())
            .map_err(StoreError::Git)?;
        let (id, onto) = (issue.issue.clone(), target.branch.clone());
        let begun = Self { folder, issue: id, onto, sides, is_given_up: false };
        begun.merge(session, issue)?;
        Ok(begun)
    }

    /// The branch has moved on, and the resolved merge conflicts with that: begins the merge of the two in the same place.
    pub(super) fn go_on(
        self,
        session: &Session,
        issue: &ChosenIssue,
        tip: ObjectId,
        resolved: ObjectId,
    ) -> Result<(), Refusal> {
        let there = Store::open(&self.folder, session.environment())?;
        // The log of HEAD keeps the resolved merge.
        let git = there.foreign_git();
        git.reset_to(resolved).map_err(StoreError::Git)?;
        git.reset_to(tip).map_err(StoreError::Git)?;
        let sides = MergeSides { ours: tip, theirs: resolved, is_of_branch: true };
        Self { sides, ..self }.merge(session, issue)
    }

    /// Notes what is merged, and begins to merge it.
    fn merge(&self, session: &Session, issue: &ChosenIssue) -> Result<(), Refusal> {
        let there = Store::open(&self.folder, session.environment())?;
        let note = PlaceNote {
            issue: self.issue.clone(),
            onto: self.onto.clone(),
            ours: self.sides.ours.into(),
            theirs: self.sides.theirs.into(),
            is_of_branch: self.sides.is_of_branch,
        };
        let path = there.git_dir().join(NOTE);
        let text = json_text::pretty(&note).map_err(|error| StoreError::io(&path)(error.into()))?;
        let shared = there.repo().shared_mode();
        path.parent().map_or(Ok(()), |folder| shared.create_folder(folder)).map_err(StoreError::io(&path))?;
        shared.write(&path, text).map_err(StoreError::io(&path))?;
        Ok(there
            .foreign_git()
            .begin_merge(self.sides.theirs, &resolved_message(issue))
            .map_err(StoreError::Git)?)
    }

    /// Refuses to land a merge with commits that were taken off the branch since it began: it would bring them back.
    pub(super) fn refuse_rewritten(&self, store: &Store, tips: &TargetTips) -> Result<(), Refusal> {
        if !self.sides.is_of_branch || store.is_ancestor(self.sides.ours, tips.tip)? {
            return Ok(());
        }
        let message =
            format!("`{}` was rewritten since the merge of `{}` began", self.onto.short(), self.issue);
        Err(self.begin_anew(Code::ChangedMeanwhile, message))
    }

    /// The commit of the resolved merge.
    ///
    /// # Errors
    /// `unresolved` if files still have conflicts; `no-commit` if the merge was given up there; errors of git.
    pub(super) fn resolved(&self, session: &Session, issue: &ChosenIssue) -> Result<ObjectId, Refusal> {
        let there = Store::open(&self.folder, session.environment())?;
        let head = there.head()?.unwrap_or(self.sides.ours);
        let is_merging = there.git_dir().join(MERGE_HEAD).exists();
        if is_merging {
            for files in [there.git().unresolved(), there.git().marked_files()] {
                let files = files.map_err(StoreError::Git)?;
                if !files.is_empty() {
                    return Err(self.unresolved(&files));
                }
            }
        }
        if head != self.sides.ours {
            if !there.is_ancestor(self.sides.theirs, head)? || !there.is_ancestor(self.sides.ours, head)? {
                return Err(self.given_up());
            }
            if is_merging {
                let message = format!("another merge is not committed in {}", self.folder.display());
                return Err(
                    Refusal::new(Code::Uncommitted, message).command("git commit", "commits it, there")
                );
            }
            self.refuse_changes(&there)?;
            return self.naming_its_plan(session, &there, head, issue);
        }
        if !is_merging {
            return Err(self.given_up());
        }
        self.refuse_changes(&there)?;
        let is_signed = session.store().config_bool("commit.gpgSign", false)?;
        let parents = [self.sides.ours, self.sides.theirs];
        let message = resolved_message(issue);
        Ok(there.git().commit_index(&parents, message.as_bytes(), is_signed).map_err(StoreError::Git)?)
    }

    /// The merge that someone committed there, with the trailers of the plan, which a message of their own may lack: the
    /// changes of the merge itself belong to the plan.
    fn naming_its_plan(
        &self,
        session: &Session,
        there: &Store,
        merge: ObjectId,
        issue: &ChosenIssue,
    ) -> Result<ObjectId, Refusal> {
        let commit = there.code_commit(merge)?;
        let parents = [self.sides.ours, self.sides.theirs];
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
        let message = format!("the merge of `{}` was given up in {}", self.issue, self.folder.display());
        self.begin_anew(Code::NoCommit, message)
    }

    /// A refusal that says how to begin the merge again.
    fn begin_anew(&self, code: Code, message: String) -> Refusal {
        let folder = self.folder.display().to_string();
        Refusal::new(code, message)
            .command(format!("git worktree remove {}", shell::operand(&folder)), "removes that work tree")
            .remedy(RemedyCall::new(Op::Land, [&self.issue]), "then begins it again")
    }

    /// Removes the work tree, now that the merge has landed. If someone stands in it, only a notice could say so.
    pub(super) fn remove(self, session: &Session) -> Result<(), Refusal> {
        Ok(session.store().git().remove_worktree(&self.folder).map_err(StoreError::Git)?)
    }
}

/// A directory for the merge of an issue that nothing else has.
fn free_folder(store: &Store, issue: &IssueId) -> Result<PathBuf, Refusal> {
    let mut folder = place(store, format!("land-{issue}"))?;
    let mut n = 1;
    while folder.symlink_metadata().is_ok() {
        n += 1;
        folder = place(store, format!("land-{issue}-{n}"))?;
    }
    Ok(folder)
}
