//! `post-commit`: records the link from the execution to the commit that was just made, and renews the lease.

use super::HookError;
use super::binding::{self, Binding, Bound, Here};
use super::{Verdict, progress};
use crate::model::execution::{Event, LinkedBy, Renew};
use crate::model::hash::CommitHash;
use crate::model::id::{ExecutionId, SolutionId};
use crate::rules::folder::ExecutionFolder;
use crate::rules::lease;
use crate::store::{CodeCommit, Read, Store, StoreError, records};
use crate::trail::links::{execution_of, link, solutions, task};
use crate::trail::trailers;

/// How many hex digits of a commit a subject in the log shows.
const SHORT: usize = 7;

/// Where a commit is linked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) execution_id: ExecutionId,
    pub(super) solution_id: SolutionId,
    pub(super) task_id: Option<String>,
    pub(super) linked_by: LinkedBy,
    /// A commit shows that its own executor goes on; a mention of an execution says nothing of that.
    pub(super) renews: bool,
}

/// Links HEAD. The same commit again changes nothing.
pub(crate) fn run(store: &Store) -> Result<Verdict, HookError> {
    match made_here(store)? {
        Some(commit) => link_commit(store, &commit),
        None => Ok(Verdict::Go),
    }
}

/// `post-merge`, which git runs instead where a merge did not stop: links the merge that `commit-msg` bound. After a
/// fast-forward HEAD is a commit that somebody made elsewhere.
pub(crate) fn run_after_merge(store: &Store) -> Result<Verdict, HookError> {
    let Some(commit) = made_here(store)? else { return Ok(Verdict::Go) };
    let is_new =
        commit.parents.len() > 1 && commit.parents.first().copied() == store.read_ref("ORIG_HEAD")?;
    if is_new && !trailers::parse(&commit.message).is_empty() {
        return link_commit(store, &commit);
    }
    Ok(Verdict::Go)
}

/// HEAD, where there is a store and no rebase that replays commits.
fn made_here(store: &Store) -> Result<Option<CodeCommit>, StoreError> {
    if store.tip()?.is_none() || progress::is_rebasing(&store.git_dir()) {
        return Ok(None);
    }
    store.head()?.map(|head| store.code_commit(head)).transpose()
}

fn link_commit(store: &Store, commit: &CodeCommit) -> Result<Verdict, HookError> {
    let here = Here::of(store)?;
    // Most commits of a repository may be nobody's: they cost neither the lock nor a look at their files.
    let snapshot = store.snapshot()?;
    let seen = open_targets(&snapshot, &here, commit)?;
    if seen.is_empty() {
        return Ok(Verdict::Go);
    }
    let files = store.changed_files(commit)?;
    // `next` says what is wrong with a lease that cannot be read; the link must not be lost over it.
    let lease = store.lease().unwrap_or(lease::DEFAULT);
    let committed = store.transact(|tx| {
        // Where nobody wrote in between, which is nearly always, the logs need not be read again.
        let targets = match tx.base().commit() == snapshot.commit() {
            true => seen.clone(),
            false => open_targets(tx, &here, commit)?,
        };
        let mut linked = Vec::new();
        for target in &targets {
            let link = link(commit, &files, target.task_id.clone(), target.linked_by);
            tx.log(&target.execution_id, Event::Commit(link))?;
            if target.renews {
                let lease_expires_at = tx.stamper().now().plus_millis(lease);
                tx.log(&target.execution_id, Event::Renew(Renew { lease_expires_at }))?;
            }
            linked.push(target.solution_id.as_str());
        }
        let subject = &commit.subject;
        let hash = short(commit);
        tx.describe("link", format!("execution: link {hash} \"{subject}\" to {}", linked.join(", ")));
        Ok::<(), HookError>(())
    })?;
    Ok(Verdict::about(&committed.far_future))
}

fn short(commit: &CodeCommit) -> String {
    commit.id.to_hex_with_len(SHORT).to_string()
}

/// The targets that do not have the link yet.
pub(super) fn open_targets(
    read: &impl Read,
    here: &Here,
    commit: &CodeCommit,
) -> Result<Vec<Target>, StoreError> {
    let hash = CommitHash::from(commit.id);
    let mut open = Vec::new();
    for target in targets(read, here, commit)? {
        let known = records::execution(read, &target.execution_id, &mut Vec::new())?;
        if !known.iter().flat_map(ExecutionFolder::commits).any(|it| it.link.hash == hash) {
            open.push(target);
        }
    }
    Ok(open)
}

/// What is carried out here, where the commit's trailers agree or there are none; else what the trailers name; else what
/// the message or the branch names.
fn targets(read: &impl Read, here: &Here, commit: &CodeCommit) -> Result<Vec<Target>, StoreError> {
    let trailers = trailers::parse(&commit.message);
    let named = solutions(read, &trailers)?;
    let agrees = |solution: &SolutionId| named.is_empty() || named.contains(solution);
    match binding::of_worktree(read, here)? {
        Binding::Bound(bound) if agrees(&bound.solution_id) => {
            return Ok(vec![active_target(read, bound, &trailers)?]);
        }
        // `post-rewrite` follows an amended commit of the lost execution; a new one is not the winner's.
        Binding::Lost(lost) if named.contains(&lost.solution_id) => return Ok(Vec::new()),
        Binding::Nothing if named.is_empty() => {
            let found = binding::by_id(read, here.branch.as_deref(), &commit.message)?;
            return found.into_iter().map(|bound| active_target(read, bound, &trailers)).collect();
        }
        _ => {}
    }
    let mut targets = Vec::new();
    for solution in named {
        let Some(execution_id) = execution_of(read, &solution)? else { continue };
        let task_id = task(read, &solution, &trailers, None)?;
        let linked_by = LinkedBy::Trailer;
        targets.push(Target { execution_id, solution_id: solution, task_id, linked_by, renews: false });
    }
    Ok(targets)
}

fn active_target(
    read: &impl Read,
    bound: Bound,
    trailers: &[(String, String)],
) -> Result<Target, StoreError> {
    let Bound { execution_id, solution_id, task_id, is_active } = bound;
    let task_id = task(read, &solution_id, trailers, task_id)?;
    Ok(Target { execution_id, solution_id, task_id, linked_by: LinkedBy::Hook, renews: is_active })
}
