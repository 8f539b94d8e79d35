//! Commits that someone made while a rebase was stopped. `post-commit` skipped them, since the rebase might have been
//! aborted; at its end they are linked as `post-commit` would have done.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::git::Revisions;
use crate::model::branch::Branch;
use crate::model::execution::{Event, Renew};
use crate::model::id::SolutionId;
use crate::rules::lease;
use crate::store::{CodeCommit, ReadState, Store, StoreError, Tx, object_id};
use crate::trail::binding::CommittingWorktree;
use crate::trail::link_targets::open_targets;
use crate::trail::links::{files, link};

/// The commits that a rebase leaves and that did not replace others.
#[derive(Debug)]
pub(super) struct RebaseCommits {
    here: CommittingWorktree,
    /// Oldest first, with the paths that each changed.
    commits: Vec<(CodeCommit, Vec<String>)>,
}

/// The state of a rebase, from its directory.
struct Rebase {
    branch: Branch,
    onto: String,
    before: String,
}

impl Rebase {
    /// The rebase that is in progress or just ending.
    fn of(store: &Store) -> Option<Self> {
        let read = |folder: &str, name: &str| {
            let text = fs::read_to_string(store.git_dir().join(folder).join(name)).ok()?;
            Some(text.trim_end().to_owned())
        };
        let id = |folder: &str, name: &str| Some(object_id(&read(folder, name)?)?.to_string());
        ["rebase-merge", "rebase-apply"].into_iter().find_map(|folder| {
            let branch = Branch::parse(&read(folder, "head-name")?)?;
            // `ORIG_HEAD` would be simpler, but a `git reset` during the rebase changes it.
            Some(Self { branch, onto: id(folder, "onto")?, before: id(folder, "orig-head")? })
        })
    }

    /// The commits made during the rebase, oldest first. A commit that is also on another branch, a tag or a remote
    /// came from there, for example by a merge or a fast-forward.
    fn made(&self, store: &Store) -> Vec<String> {
        let wanted = Revisions::none().oldest_first().on_no_other_branch(&self.branch);
        let wanted = wanted.and("HEAD").without(&self.onto).without(&self.before);
        // If this fails, the links of the rewritten commits must still be recorded.
        let made = store.git().revisions(wanted).unwrap_or_default();
        made.into_iter().map(|id| id.to_string()).collect()
    }
}

impl RebaseCommits {
    /// The commits of the ending rebase that belong to an execution. `replaced` are the commits that replaced others.
    pub(super) fn find(
        store: &Store,
        read: &impl ReadState,
        replaced: &BTreeSet<&str>,
    ) -> Result<Self, StoreError> {
        let here = CommittingWorktree::of(store)?;
        let mut commits = Vec::new();
        let rebase = Rebase::of(store).filter(|rebase| here.branch.as_ref() == Some(&rebase.branch));
        for hash in rebase.map(|rebase| rebase.made(store)).unwrap_or_default() {
            let Some(id) = object_id(&hash).filter(|_| !replaced.contains(&*hash)) else { continue };
            let commit = store.code_commit(id)?;
            if !open_targets(store, read, &here, &commit)?.is_empty() {
                let files = files(store, &commit)?;
                commits.push((commit, files));
            }
        }
        Ok(Self { here, commits })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.commits.is_empty()
    }

    /// Links those that are not linked yet, and renews the leases of their executions. Returns how many were linked,
    /// and to which plans.
    pub(super) fn link(
        &self,
        tx: &mut Tx<'_>,
        store: &Store,
    ) -> Result<(usize, BTreeSet<SolutionId>), StoreError> {
        let mut count = 0;
        let mut solutions = BTreeSet::new();
        let mut executions = BTreeMap::new();
        for (commit, files) in &self.commits {
            let targets = open_targets(store, tx, &self.here, commit)?;
            count += usize::from(!targets.is_empty());
            for target in targets {
                let link = link(commit, files, target.task_id, target.linked_by).taking_back(target.reverts);
                tx.log(&target.execution_id, Event::Commit(link))?;
                solutions.insert(target.solution_id);
                executions.insert(target.execution_id, target.renews);
            }
        }
        let lease = store.lease().unwrap_or(lease::DEFAULT);
        for execution in executions.into_iter().filter_map(|(id, renews)| renews.then_some(id)) {
            let lease_expires_at = tx.stamper().now().plus_millis(lease);
            tx.log(&execution, Event::Renew(Renew { lease_expires_at }))?;
        }
        Ok((count, solutions))
    }
}
