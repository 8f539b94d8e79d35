//! Records that git has made a commit: links it to its execution, and renews the lease.

use crate::git;
use crate::model::{Branch, Event, Op, Renew, SolutionId, Task, TaskId};
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::rules::{Ending, audit, lease};
use crate::store::{CodeCommit, ReadState, Store, StoreError, records};
use crate::trail::active::ActiveClaim;
use crate::trail::binding::{self, Binding, CommittingWorktree};
use crate::trail::link_targets::{LinkTarget, not_linked, open_targets, targets};
use crate::trail::links;
use crate::trail::own_branch::Relation;

/// The setting that turns off what is said about files outside the plan.
pub(crate) const NOTICE_OUTSIDE: &str = "wf.noticeOutside";

/// A commit that git has made here.
pub(crate) struct RecordCommit {
    /// The commit.
    pub(crate) commit: CodeCommit,
}

/// A commit that was recorded, if it belongs to a plan.
#[derive(Debug, Default)]
pub(crate) struct RecordedCommit {
    /// What its author may not expect.
    pub(crate) unexpected: Option<UnexpectedLink>,
}

/// What the author of a commit may not expect.
#[derive(Debug)]
pub(crate) enum UnexpectedLink {
    /// It is linked to a plan that does not name all of its files.
    Outside {
        /// The plan.
        plan: SolutionId,
        /// The files that the plan does not name.
        files: Vec<String>,
    },
    /// It is linked to another plan than the one of this worktree, since its message names that; but only the plan of this
    /// worktree names its files.
    NamedElsewhere {
        /// The plan that the message names.
        plan: SolutionId,
        /// The plan of this worktree.
        own: SolutionId,
    },
    /// It is linked to a task that names none of its files, since its message names that; another one names them.
    OtherTask {
        /// The plan.
        plan: SolutionId,
        /// The task that the message names.
        named: TaskId,
        /// The only task that names the files.
        of_files: TaskId,
    },
    /// It is not linked: someone else ended the execution of this worktree, and how.
    Ended(SolutionId, Ending),
    /// It is not linked, since it is not on a branch of the execution of this worktree.
    Elsewhere {
        /// What this worktree executes.
        active: ActiveClaim,
        /// The branch of the commit; `None` on a detached HEAD.
        branch: Option<Branch>,
        /// How that branch relates to the execution's.
        relation: Relation,
    },
}

/// Links a commit. Linking the same commit again changes nothing. This needs no permit of a role: the commit is made,
/// and a role that may not make it was stopped before, or is found by the audit.
///
/// # Errors
/// Any error from reading or writing the store.
pub(crate) fn record_commit(
    session: &Session,
    RecordCommit { commit }: &RecordCommit,
) -> Answer<RecordedCommit> {
    let store = session.store();
    let here = CommittingWorktree::load(store)?;
    // Most commits of a repository may belong to no plan; for those, neither take the lock nor compare files.
    let snapshot = store.snapshot()?;
    let all = targets(store, &snapshot, &here, commit)?;
    if all.is_empty() {
        let unexpected = unlinked(store, &snapshot, here)?;
        return Ok(session.done(RecordedCommit { unexpected }, None));
    }
    let seen = not_linked(&snapshot, all, commit)?;
    if seen.is_empty() {
        return Ok(session.done(RecordedCommit::default(), None));
    }
    let files = links::files(store, commit)?;
    // `next` reports an invalid lease; it must not prevent the link.
    let lease = store.lease().unwrap_or(lease::DEFAULT);
    let committed = store.transact(Op::Link, |tx| {
        // If nobody wrote in between, as is usual, the logs need not be read again.
        let targets = if tx.base().commit() == snapshot.commit() {
            seen.clone()
        } else {
            open_targets(store, tx, &here, commit)?
        };
        let mut plans = Vec::new();
        for target in targets {
            let link = links::link(commit, &files, target.tasks, target.linked_by);
            tx.log(&target.execution_id, Event::Commit(link.taking_back(target.reverts)))?;
            if target.renews {
                let lease_expires_at = tx.stamper().now().plus_millis(lease);
                tx.log(&target.execution_id, Event::Renew(Renew { lease_expires_at }))?;
            }
            plans.push(target.solution_id.to_string());
        }
        let (hash, subject) = (git::short(commit.id), &commit.subject);
        tx.describe(format!("execution: link {hash} \"{subject}\" to {}", plans.join(", ")));
        Ok::<(), Refusal>(())
    })?;
    session.notice_all(committed.far_future.warnings().map(Notice::from));
    let unexpected = match misnamed(store, &snapshot, &here, &seen, commit, &files)? {
        None => outside(store, &snapshot, &seen, commit, &files)?,
        misnamed => misnamed,
    };
    Ok(session.done(RecordedCommit { unexpected }, committed.commit))
}

/// Whether the message of a commit names a plan or a task that names none of its files, although the plan of this worktree names
/// them: `git commit -C` takes the trailers of another commit along.
fn misnamed(
    store: &Store,
    read: &impl ReadState,
    here: &CommittingWorktree,
    targets: &[LinkTarget],
    commit: &CodeCommit,
    files: &[String],
) -> Result<Option<UnexpectedLink>, StoreError> {
    let ([target], [_]) = (targets, &commit.parents[..]) else { return Ok(None) };
    if !target.reverts.is_empty() || files.is_empty() {
        return Ok(None);
    }
    let Binding::Bound(bound) = binding::of_worktree(store, read, here)? else { return Ok(None) };
    let Some(plan) = records::solution(read, &target.solution_id)? else { return Ok(None) };
    let plan = plan.typed_plan();
    if target.solution_id != bound.solution_id {
        let Some(own) = records::solution(read, &bound.solution_id)? else { return Ok(None) };
        let (named, of_own) = (audit::named(&plan), audit::named(&own.typed_plan()));
        let is_own = files.iter().all(|file| of_own.holds(file) && !named.holds(file));
        let (plan, own) = (target.solution_id.clone(), bound.solution_id);
        return Ok(is_own.then_some(UnexpectedLink::NamedElsewhere { plan, own }));
    }
    let [named] = &target.tasks[..] else { return Ok(None) };
    let touches = plan.task(named.as_str()).map(Task::touches).unwrap_or_default();
    let is_named =
        touches.is_empty() || touches.iter().any(|place| files.iter().any(|file| place.covers(file)));
    let of_files = plan.only_task_of(files).filter(|_| !is_named && bound.task_id.is_none());
    Ok(of_files.map(|task| UnexpectedLink::OtherTask {
        plan: bound.solution_id,
        named: named.clone(),
        of_files: task.id.clone(),
    }))
}

/// The files of a commit that the plan of this worktree does not name, if there are any. A merge brings files of
/// others.
fn outside(
    store: &Store,
    read: &impl ReadState,
    targets: &[LinkTarget],
    commit: &CodeCommit,
    files: &[String],
) -> Result<Option<UnexpectedLink>, StoreError> {
    let Some(own) = targets.iter().find(|target| target.renews && target.reverts.is_empty()) else {
        return Ok(None);
    };
    if targets.len() > 1 || commit.parents.len() > 1 || !store.config_bool(NOTICE_OUTSIDE, true)? {
        return Ok(None);
    }
    let Some(solution) = records::solution(read, &own.solution_id)? else { return Ok(None) };
    let plan = solution.typed_plan();
    if plan.touches().is_empty() {
        return Ok(None);
    }
    let named = audit::named(&plan);
    let files: Vec<String> = files.iter().filter(|file| !named.holds(file)).cloned().collect();
    let plan = own.solution_id.clone();
    Ok((!files.is_empty()).then_some(UnexpectedLink::Outside { plan, files }))
}

/// Why a commit is not linked although this worktree executes a plan, or did until someone else ended it.
fn unlinked(
    store: &Store,
    read: &impl ReadState,
    here: CommittingWorktree,
) -> Result<Option<UnexpectedLink>, StoreError> {
    let binding = binding::of_worktree(store, read, &here)?;
    let CommittingWorktree { branch, active: Some(active) } = here else { return Ok(None) };
    Ok(match binding {
        Binding::Ended(solution, ending) => Some(UnexpectedLink::Ended(solution, ending)),
        Binding::Elsewhere(relation) => Some(UnexpectedLink::Elsewhere { active, branch, relation }),
        _ => None,
    })
}
