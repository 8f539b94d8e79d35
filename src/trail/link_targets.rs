//! The executions to which a commit is linked.

use std::collections::BTreeSet;

use super::binding::{self, Binding, BoundExecution, CommittingWorktree};
use super::links::{self, execution_of, solutions};
use super::sources::{SourceWork, Sources};
use super::trailers;
use crate::model::{CommitHash, ExecutionId, LinkedBy, SolutionId, TaskId};
use crate::store::{CodeCommit, ReadState, Store, StoreError, records};

/// The execution to which a commit is linked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LinkTarget {
    /// The execution.
    pub(crate) execution_id: ExecutionId,
    /// Its plan.
    pub(crate) solution_id: SolutionId,
    /// The tasks that the commit implements.
    pub(crate) tasks: Vec<TaskId>,
    /// What links it.
    pub(crate) linked_by: LinkedBy,
    /// The commits of that work that it reverts.
    pub(crate) reverts: Vec<CommitHash>,
    /// Whether the lease is renewed. A commit by its own executor shows that the work continues; a commit that only
    /// names an execution does not.
    pub(crate) renews: bool,
}

/// The targets that do not have this link yet.
pub(crate) fn open_targets(
    store: &Store,
    read: &impl ReadState,
    here: &CommittingWorktree,
    commit: &CodeCommit,
) -> Result<Vec<LinkTarget>, StoreError> {
    not_linked(read, targets(store, read, here, commit)?, commit)
}

/// Those of `targets` that do not have a link to this commit yet, and whose link to it nobody removed by hand.
pub(crate) fn not_linked(
    read: &impl ReadState,
    targets: Vec<LinkTarget>,
    commit: &CodeCommit,
) -> Result<Vec<LinkTarget>, StoreError> {
    let hash = CommitHash::from(commit.id);
    let mut open = Vec::new();
    for target in targets {
        let known = records::execution(read, &target.execution_id, &mut Vec::new())?;
        let is_decided = known.is_some_and(|known| {
            known.has_unlinked(&hash) || known.commits().iter().any(|commit| commit.link.hash == hash)
        });
        if !is_decided {
            open.push(target);
        }
    }
    Ok(open)
}

/// The executions to which a commit is linked, see [`stated_targets`]. A commit that repeats what an earlier commit of
/// the same execution reverted is recorded as reverting that one, however it was made.
pub(crate) fn targets(
    store: &Store,
    read: &impl ReadState,
    here: &CommittingWorktree,
    commit: &CodeCommit,
) -> Result<Vec<LinkTarget>, StoreError> {
    let mut targets = stated_targets(store, read, here, commit)?;
    if targets.is_empty() {
        return Ok(targets);
    }
    let sources = Sources::new(store, read);
    let reverted = sources.taken_back(&commit.message);
    let mut all = if reverted.is_empty() { vec![] } else { sources.restored(commit)? };
    if all.is_empty() && !reverted.is_empty() {
        all = sources.undone_in_parts(commit, &reverted)?;
    }
    if all.len() > reverted.len() && reverted.iter().all(|hash| all.contains(hash)) {
        for SourceWork { execution_id, solution_id, tasks, reverts, .. } in sources.of_taken_back(&all)? {
            match targets.iter_mut().find(|target| target.execution_id == execution_id) {
                Some(target) => {
                    target.reverts = reverts;
                    let more = tasks.into_iter().filter(|task| !target.tasks.contains(task));
                    target.tasks.extend(more.collect::<Vec<_>>());
                }
                None => targets.push(LinkTarget {
                    execution_id,
                    solution_id,
                    tasks,
                    linked_by: LinkedBy::Trailer,
                    reverts,
                    renews: false,
                }),
            }
        }
    }
    for target in targets.iter_mut().filter(|target| target.reverts.is_empty()) {
        target.reverts = sources.reapplied(commit, &target.execution_id)?;
    }
    Ok(targets)
}

/// The executions to which a commit is linked, by the first of these that applies: the trailers; the plans whose work
/// the message says it reverts, copies, squashes or fixes; the plans whose changes the commit repeats or undoes, if it
/// belongs to this worktree's execution; this worktree's execution; the ids in the message or the branch name.
fn stated_targets(
    store: &Store,
    read: &impl ReadState,
    here: &CommittingWorktree,
    commit: &CodeCommit,
) -> Result<Vec<LinkTarget>, StoreError> {
    let trailers = trailers::parse(&commit.message);
    let named = solutions(read, &trailers)?;
    let files = || links::files(store, commit);
    let sources = Sources::new(store, read);
    let mut found = sources.by_message(&commit.message, commit.parents.first().copied())?;
    let binding = binding::of_worktree(store, read, here)?;
    if named.is_empty()
        && found.is_empty()
        && let Binding::Bound(bound) = &binding
    {
        let alike = sources.by_change(commit, &store.changed_files(commit)?)?;
        found = sources.apart(commit.id, Some(commit), alike, &bound.solution_id)?.taken;
    }
    let reverts = Reverts { all: sources.taken_back(&commit.message), found: &found };
    let active = match &binding {
        Binding::Bound(bound) => Some(bound),
        _ => None,
    };
    let is_active = |plan: &SolutionId| active.filter(|bound| bound.solution_id == *plan).cloned();
    let mut targets = Vec::new();
    if !named.is_empty() {
        // An amended commit of the lost execution is followed by `post-rewrite`; a new one does not belong to the
        // winner.
        if matches!(&binding, Binding::Lost(lost) if named.contains(&lost.solution_id)) {
            return Ok(Vec::new());
        }
        for solution_id in named.clone() {
            let reverts = reverts.of_plan(&solution_id, &named);
            if let Some(bound) = is_active(&solution_id) {
                let known = bound.task_id.iter().cloned().collect();
                targets.push(active_target(read, bound, known, &trailers, reverts, files)?);
            } else if let Some(execution_id) = execution_of(read, &solution_id)? {
                let tasks = links::tasks(read, &solution_id, &trailers, vec![], files)?;
                let linked_by = LinkedBy::Trailer;
                targets.push(LinkTarget {
                    execution_id,
                    solution_id,
                    tasks,
                    linked_by,
                    reverts,
                    renews: false,
                });
            }
        }
        return Ok(targets);
    }
    for SourceWork { execution_id, solution_id, tasks, .. } in &found {
        let reverts = reverts.of_plan(solution_id, &named);
        targets.push(match is_active(solution_id) {
            Some(bound) => {
                let known =
                    if tasks.is_empty() { bound.task_id.iter().cloned().collect() } else { tasks.clone() };
                active_target(read, bound, known, &trailers, reverts, files)?
            }
            None => LinkTarget {
                execution_id: execution_id.clone(),
                solution_id: solution_id.clone(),
                tasks: tasks.clone(),
                linked_by: LinkedBy::Trailer,
                reverts,
                renews: false,
            },
        });
    }
    if found.is_empty() {
        let bound = match binding {
            Binding::Bound(bound) => Some(bound),
            Binding::Nothing | Binding::Ended(..) => {
                binding::by_id(read, here.branch.as_ref(), &commit.message)?
            }
            Binding::Elsewhere(_) | Binding::Lost(_) => None,
        };
        if let Some(bound) = bound {
            let known = bound.task_id.iter().cloned().collect();
            targets.push(active_target(read, bound, known, &trailers, reverts.all.clone(), files)?);
        }
    }
    Ok(targets)
}

/// The commits that a commit reverts.
struct Reverts<'a> {
    /// All that its message names, even commits that are linked to no plan.
    all: Vec<CommitHash>,
    found: &'a [SourceWork],
}

impl Reverts<'_> {
    /// The commits that belong to this plan; if none does, those that belong to no other plan that is `named`.
    fn of_plan(&self, plan: &SolutionId, named: &BTreeSet<SolutionId>) -> Vec<CommitHash> {
        let of_plan = self.found.iter().filter(|source| source.solution_id == *plan);
        let of_plan: Vec<CommitHash> = of_plan.flat_map(|source| source.reverts.clone()).collect();
        if self.found.iter().any(|source| source.solution_id == *plan) {
            return of_plan;
        }
        let of_others = self.found.iter().filter(|source| named.contains(&source.solution_id));
        let of_others: BTreeSet<&CommitHash> = of_others.flat_map(|source| &source.reverts).collect();
        self.all.iter().filter(|hash| !of_others.contains(hash)).cloned().collect()
    }
}

fn active_target(
    read: &impl ReadState,
    bound: BoundExecution,
    known: Vec<TaskId>,
    trailers: &[(String, String)],
    reverts: Vec<CommitHash>,
    files: impl FnOnce() -> Result<Vec<String>, StoreError>,
) -> Result<LinkTarget, StoreError> {
    let BoundExecution { execution_id, solution_id, is_active, .. } = bound;
    let tasks = links::tasks(read, &solution_id, trailers, known, files)?;
    Ok(LinkTarget { execution_id, solution_id, tasks, linked_by: LinkedBy::Hook, reverts, renews: is_active })
}
