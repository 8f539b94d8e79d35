//! `post-commit`: records the link from the execution to the commit that was just made, and renews the lease.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::HookError;
use super::binding::{self, Binding, Bound, Here};
use super::progress;
use crate::model::execution::{CommitLink, Event, LinkedBy, Renew};
use crate::model::id::{ExecutionId, SolutionId};
use crate::model::status::ExecutionStatus;
use crate::rules::folder::ExecutionFolder;
use crate::rules::holds::who_holds;
use crate::rules::lease;
use crate::store::{CodeCommit, Read, Store, StoreError, layout, records};
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
pub(crate) fn run(store: &Store) -> Result<(), HookError> {
    match made_here(store)? {
        Some(commit) => link_commit(store, &commit),
        None => Ok(()),
    }
}

/// `post-merge`, which git runs instead where a merge did not stop: links the merge that `commit-msg` bound. After a
/// fast-forward HEAD is a commit that somebody made elsewhere.
pub(crate) fn run_after_merge(store: &Store) -> Result<(), HookError> {
    let Some(commit) = made_here(store)? else { return Ok(()) };
    let is_new =
        commit.parents.len() > 1 && commit.parents.first().copied() == store.read_ref("ORIG_HEAD")?;
    if is_new && !trailers::parse(&commit.message).is_empty() {
        return link_commit(store, &commit);
    }
    Ok(())
}

/// HEAD, where there is a store and no rebase that replays commits.
fn made_here(store: &Store) -> Result<Option<CodeCommit>, StoreError> {
    if store.tip()?.is_none() || progress::is_rebasing(&store.git_dir()) {
        return Ok(None);
    }
    store.head()?.map(|head| store.code_commit(head)).transpose()
}

fn link_commit(store: &Store, commit: &CodeCommit) -> Result<(), HookError> {
    let here = Here::of(store)?;
    // Most commits of a repository may be nobody's: they cost neither the lock nor a look at their files.
    let snapshot = store.snapshot()?;
    let seen = open_targets(&snapshot, &here, commit)?;
    if seen.is_empty() {
        return Ok(());
    }
    let files = store.changed_files(commit)?;
    // `next` says what is wrong with a lease that cannot be read; the link must not be lost over it.
    let lease = store.lease().unwrap_or(lease::DEFAULT);
    store.transact(|tx| {
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
    Ok(())
}

fn short(commit: &CodeCommit) -> String {
    commit.id.to_hex_with_len(SHORT).to_string()
}

/// What an execution's log says of a commit.
pub(super) fn link(
    commit: &CodeCommit,
    files: &[String],
    task_id: Option<String>,
    linked_by: LinkedBy,
) -> CommitLink {
    CommitLink {
        hash: commit.id.to_string(),
        task_id,
        subject: commit.subject.clone(),
        author: commit.author.clone(),
        authored_at: commit.authored_at,
        files: files.to_vec(),
        linked_by,
    }
}

/// The targets that do not have the link yet.
pub(super) fn open_targets(
    read: &impl Read,
    here: &Here,
    commit: &CodeCommit,
) -> Result<Vec<Target>, StoreError> {
    let hash = commit.id.to_string();
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

/// The plans that trailers name and that exist here; a squash may name several.
fn solutions(read: &impl Read, trailers: &[(String, String)]) -> Result<BTreeSet<SolutionId>, StoreError> {
    let mut found = BTreeSet::new();
    for (_, value) in trailers.iter().filter(|(key, _)| key == trailers::SOLUTION) {
        let Ok(id) = SolutionId::parse(value) else { continue };
        if read.file(&layout::solution(&id))?.is_some() {
            found.insert(id);
        }
    }
    Ok(found)
}

/// The execution of that plan which holds and goes on, else its latest attempt.
fn execution_of(read: &impl Read, solution: &SolutionId) -> Result<Option<ExecutionId>, StoreError> {
    let executions = records::executions(read, &solution.issue())?;
    let holder = who_holds(&executions).holder.map(|n| &executions[n]);
    let mut of_plan: Vec<_> = executions.iter().filter(|it| it.execution.solution_id == *solution).collect();
    of_plan.sort_by_key(|it| {
        let goes_on = it.outcome() == ExecutionStatus::Executing
            && holder.is_some_and(|holder| holder.execution.id == it.execution.id);
        (!goes_on, Reverse(it.execution.attempt), Reverse(it.execution.started_at), &it.execution.id)
    });
    Ok(of_plan.first().map(|it| it.execution.id.clone()))
}

/// The one task that the trailers name, else the one that is being worked on, else the only one there is.
pub(super) fn task(
    read: &impl Read,
    solution: &SolutionId,
    trailers: &[(String, String)],
    active: Option<String>,
) -> Result<Option<String>, StoreError> {
    let Some(record) = records::solution(read, solution)? else { return Ok(active) };
    let plan = record.typed_plan();
    let tasks: Vec<&str> = plan.tasks.iter().map(|task| task.id.as_str()).collect();
    let named: BTreeSet<&str> =
        trailers.iter().filter(|(key, _)| key == trailers::TASK).map(|(_, value)| value.as_str()).collect();
    let named: Vec<&str> = named.into_iter().filter(|task| tasks.contains(task)).collect();
    Ok(match (&named[..], active, &tasks[..]) {
        ([task], _, _) => Some((*task).to_owned()),
        ([_, ..], _, _) => None,
        ([], Some(task), _) => Some(task),
        ([], None, [task]) => Some((*task).to_owned()),
        ([], None, _) => None,
    })
}
