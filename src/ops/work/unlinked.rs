//! Why commits that were made since a claim are not linked to it.

use crate::git::Revisions;
use crate::model::branch::Branch;
use crate::model::execution::Execution;
use crate::model::hash::CommitHash;
use crate::model::op::Other;
use crate::model::words::count;
use crate::ops::{Notice, Refusal};
use crate::rules::folder::ExecutionFolder;
use crate::store::{Store, StoreError, records};
use crate::trail::own_branch::{Relation, relation};
use crate::trail::sources::Sources;
use crate::trail::{active, hooked};

/// At most this many of the latest commits are checked.
const MOST_COMMITS: usize = 200;

/// At most this many commits of an earlier attempt are named.
const MOST_NAMED: usize = 20;

/// The notice that no hook links commits here, if a plan is being executed.
pub(crate) fn notice_of_hooks(store: &Store) -> Option<Notice> {
    let message = "the hooks are not installed: commits are not linked, and do not renew the lease";
    let is_missing = !hooked::links_commits(store);
    is_missing.then(|| Notice::warning(message).remedy(Other::HooksInstall, "installs them"))
}

/// The notice that commits are not linked because another branch is checked out.
///
/// # Errors
/// Any error from reading the store.
pub(super) fn notice_of_branch(store: &Store, execution: &Execution) -> Result<Option<Notice>, Refusal> {
    let on = other_branch(store, execution)?;
    Ok(on.map(|it| Notice::warning(format!("commits here are not linked: only those on `{}` are", it.own))))
}

/// What is checked out instead of the branch of an execution.
struct OtherBranch {
    /// In words.
    on: String,
    /// The branch of the execution.
    own: Branch,
}

/// What is checked out here, if commits on it are not those of the execution.
fn other_branch(store: &Store, execution: &Execution) -> Result<Option<OtherBranch>, StoreError> {
    let Some(own) = &execution.branch else { return Ok(None) };
    let branch = store.branch()?;
    let is_own = match (&branch, active::read(store)?) {
        (Some(branch), Some(active)) => relation(store, &active, execution, branch)? == Relation::Own,
        (branch, _) => branch.as_ref() == Some(own),
    };
    let on = branch.map_or_else(|| "a detached HEAD".to_owned(), |it| format!("`{it}`"));
    Ok((!is_own).then(|| OtherBranch { on, own: own.clone() }))
}

/// Why there are no linked commits, one line each, and which hooks are missing. `store` is that of the worktree.
pub(super) fn causes(store: &Store, execution: &ExecutionFolder) -> Result<Vec<String>, Refusal> {
    let it = &execution.execution;
    let mut causes = Vec::new();
    if let Some(OtherBranch { on, own }) = other_branch(store, it)? {
        causes.push(format!("{on} is checked out, and commits are linked on `{own}`"));
    }
    let snapshot = store.snapshot()?;
    for earlier in records::executions(&snapshot, &it.issue_id)? {
        let (before, attempt) = (&earlier.execution, earlier.execution.attempt);
        if before.solution_id == it.solution_id && attempt < it.attempt {
            causes.extend(earlier.work().into_iter().take(MOST_NAMED).map(|commit| {
                let (hash, subject) = (commit.link.hash.short(), commit.link.subject);
                format!("{hash} \"{subject}\" is linked to attempt {attempt} of the plan")
            }));
        }
    }
    let Some(base) = it.base_commit.as_ref().and_then(|base| store.commit_here(base)) else {
        return Ok(causes);
    };
    let wanted = Revisions::of("HEAD").without(base).no_merges().at_most(MOST_COMMITS);
    let since = store.git().named_revisions(wanted).map_err(StoreError::Git)?.unwrap_or_default();
    let sources = Sources::of(store, &snapshot);
    let (mut nobodys, mut of_others, mut plans) = (0, 0, Vec::new());
    for hash in since.into_iter().map(CommitHash::from) {
        let known = sources.known(&hash)?;
        match known.is_empty() {
            true => nobodys += 1,
            false => of_others += 1,
        }
        plans.extend(known.iter().map(|id| format!("`{}`", id.short())));
    }
    plans.sort();
    plans.dedup();
    if of_others > 0 {
        let are = if of_others == 1 { "is" } else { "are" };
        let commits = count(of_others, "commit");
        causes.push(format!("{commits} since the claim {are} linked to {}", plans.join(", ")));
    }
    if nobodys > 0 {
        let are = if nobodys == 1 { "is" } else { "are" };
        causes.push(format!("{} since the claim {are} linked to no plan", count(nobodys, "commit")));
    }
    Ok(causes)
}
