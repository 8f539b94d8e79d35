//! `post-commit`: records the link from the execution to the new commit, and renews the lease. This needs no permit of
//! a role: the commit is made, and a role that may not make it was stopped before, or is found by the audit.

use super::HookError;
use super::HookVerdict;
use super::binding::{self, Binding, BoundExecution, HookWorktree};
use crate::git;
use crate::model::execution::{Event, LinkedBy, Renew};
use crate::model::hash::CommitHash;
use crate::model::id::{ExecutionId, SolutionId};
use crate::model::op::Op;
use crate::model::task_id::TaskId;
use crate::rules::audit;
use crate::rules::folder::ExecutionFolder;
use crate::rules::lease;
use crate::store::{CodeCommit, ReadState, Store, StoreError, records};
use crate::trail::links::{self, execution_of, link, solutions, task};
use crate::trail::own_branch::Relation;
use crate::trail::progress;
use crate::trail::sources::{SourceWork, Sources};
use crate::trail::trailers;

/// The execution to which a commit is linked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LinkTarget {
    pub(super) execution_id: ExecutionId,
    pub(super) solution_id: SolutionId,
    pub(super) task_id: Option<TaskId>,
    pub(super) linked_by: LinkedBy,
    /// The commits of that work that it reverts.
    pub(super) reverts: Vec<CommitHash>,
    /// Whether the lease is renewed. A commit by its own executor shows that the work continues; a commit that only
    /// names an execution does not.
    pub(super) renews: bool,
}

/// Links HEAD. Linking the same commit again changes nothing.
pub(crate) fn run(store: &Store) -> Result<HookVerdict, HookError> {
    match made_here(store)? {
        Some(commit) => link_commit(store, &commit),
        None => Ok(HookVerdict::Go),
    }
}

/// `post-merge`, which git runs instead of `post-commit` if a merge did not stop: links the merge that `commit-msg`
/// bound. After a fast-forward, HEAD is a commit that was made elsewhere.
pub(crate) fn run_after_merge(store: &Store) -> Result<HookVerdict, HookError> {
    let Some(commit) = made_here(store)? else { return Ok(HookVerdict::Go) };
    let is_new =
        commit.parents.len() > 1 && commit.parents.first().copied() == store.read_ref("ORIG_HEAD")?;
    if is_new && !trailers::parse(&commit.message).is_empty() {
        return link_commit(store, &commit);
    }
    Ok(HookVerdict::Go)
}

/// HEAD, if there is a store and no rebase is in progress.
fn made_here(store: &Store) -> Result<Option<CodeCommit>, StoreError> {
    if store.tip()?.is_none() || progress::is_rebasing(&store.git_dir()) {
        return Ok(None);
    }
    store.head()?.map(|head| store.code_commit(head)).transpose()
}

fn link_commit(store: &Store, commit: &CodeCommit) -> Result<HookVerdict, HookError> {
    let here = HookWorktree::of(store)?;
    // Most commits of a repository may belong to no plan; for those, neither take the lock nor compare files.
    let snapshot = store.snapshot()?;
    let all = targets(store, &snapshot, &here, commit)?;
    if all.is_empty() {
        return Ok(unlinked(store, &snapshot, &here, commit)?
            .map_or(HookVerdict::Go, |text| HookVerdict::Note(text.into())));
    }
    let seen = not_linked(&snapshot, all, commit)?;
    if seen.is_empty() {
        return Ok(HookVerdict::Go);
    }
    let files = links::files(store, commit)?;
    // `next` reports an invalid lease; it must not prevent the link.
    let lease = store.lease().unwrap_or(lease::DEFAULT);
    let committed = store.transact(Op::Link, |tx| {
        // If nobody wrote in between, as is usual, the logs need not be read again.
        let targets = match tx.base().commit() == snapshot.commit() {
            true => seen.clone(),
            false => open_targets(store, tx, &here, commit)?,
        };
        let mut linked = Vec::new();
        for target in &targets {
            let link = link(commit, &files, target.task_id.clone(), target.linked_by);
            let link = link.taking_back(target.reverts.clone());
            tx.log(&target.execution_id, Event::Commit(link))?;
            if target.renews {
                let lease_expires_at = tx.stamper().now().plus_millis(lease);
                tx.log(&target.execution_id, Event::Renew(Renew { lease_expires_at }))?;
            }
            linked.push(target.solution_id.as_str());
        }
        let subject = &commit.subject;
        let hash = git::short(commit.id);
        tx.describe(format!("execution: link {hash} \"{subject}\" to {}", linked.join(", ")));
        Ok::<(), HookError>(())
    })?;
    let notice = outside(store, &snapshot, &seen, commit, &files)?;
    Ok(notice
        .map_or_else(|| HookVerdict::about(&committed.far_future), |text| HookVerdict::Note(text.into())))
}

/// The setting that turns off the notice about files outside the plan.
const NOTICE: &str = "wf.noticeOutside";
/// At most this many files are named.
const NAMED: usize = 3;

/// Which files of a commit the plan that this worktree executes does not name. It may be intended, so it is only
/// said. A merge brings files of others.
fn outside(
    store: &Store,
    read: &impl ReadState,
    targets: &[LinkTarget],
    commit: &CodeCommit,
    files: &[String],
) -> Result<Option<String>, StoreError> {
    let Some(own) = targets.iter().find(|it| it.renews && it.reverts.is_empty()) else { return Ok(None) };
    if targets.len() > 1 || commit.parents.len() > 1 || !store.config_bool(NOTICE, true)? {
        return Ok(None);
    }
    let Some(solution) = records::solution(read, &own.solution_id)? else { return Ok(None) };
    let plan = solution.typed_plan();
    if plan.touches().is_empty() {
        return Ok(None);
    }
    let outside: Vec<&String> = files.iter().filter(|file| !audit::names(&plan, file)).collect();
    let named: Vec<String> = outside.iter().take(NAMED).map(|file| format!("`{file}`")).collect();
    let (hash, plan) = (git::short(commit.id), &own.solution_id);
    let off = format!("; `git config {NOTICE} false` turns this off");
    Ok(match (outside.len(), named.join(", ")) {
        (0, _) => None,
        (1, file) => Some(format!("{hash} changes {file}, which `{plan}` does not name{off}")),
        (n, files) if n <= NAMED => {
            Some(format!("{hash} changes {files}, which `{plan}` does not name{off}"))
        }
        (n, files) => Some(format!(
            "{hash} changes {files} and {} more files that `{plan}` does not name{off}",
            n - NAMED
        )),
    })
}

/// Why a commit is not linked although this worktree executes a plan, or did until someone else ended it: its author
/// may not expect that. On a branch that existed before the claim, they do.
fn unlinked(
    store: &Store,
    read: &impl ReadState,
    here: &HookWorktree,
    commit: &CodeCommit,
) -> Result<Option<String>, StoreError> {
    let Some(active) = &here.active else { return Ok(None) };
    let hash = git::short(commit.id);
    let on = here.branch.as_ref().map_or("a detached HEAD".to_owned(), |it| format!("`{it}`"));
    let why = match binding::of_worktree(store, read, here)? {
        Binding::Ended(solution, how) => {
            return Ok(Some(format!("{hash} is not linked: `{solution}` was {how}")));
        }
        Binding::Elsewhere(_) if here.branch.is_none() => String::new(),
        Binding::Elsewhere(Relation::NewElsewhere) => {
            ", which does not contain the claim's first commit".into()
        }
        Binding::Elsewhere(Relation::NewOfAnother) => {
            ", and was made by someone who did not claim the plan".into()
        }
        _ => return Ok(None),
    };
    let (branch, issue) = (&active.branch, &active.issue_id);
    Ok(Some(format!(
        "{hash} is on {on}{why}, so it is not linked to `{}`, which is executed on `{branch}`; `git wf link {hash} \
         {issue}` links it",
        active.solution_id,
    )))
}

/// The targets that do not have this link yet.
pub(super) fn open_targets(
    store: &Store,
    read: &impl ReadState,
    here: &HookWorktree,
    commit: &CodeCommit,
) -> Result<Vec<LinkTarget>, StoreError> {
    not_linked(read, targets(store, read, here, commit)?, commit)
}

fn not_linked(
    read: &impl ReadState,
    targets: Vec<LinkTarget>,
    commit: &CodeCommit,
) -> Result<Vec<LinkTarget>, StoreError> {
    let hash = CommitHash::from(commit.id);
    let mut open = Vec::new();
    for target in targets {
        let known = records::execution(read, &target.execution_id, &mut Vec::new())?;
        if !known.iter().flat_map(ExecutionFolder::commits).any(|it| it.link.hash == hash) {
            open.push(target);
        }
    }
    Ok(open)
}

/// The executions to which a commit is linked, see [`stated_targets`]. A commit that repeats what an earlier commit of
/// the same execution reverted is recorded as reverting that one, however it was made.
fn targets(
    store: &Store,
    read: &impl ReadState,
    here: &HookWorktree,
    commit: &CodeCommit,
) -> Result<Vec<LinkTarget>, StoreError> {
    let mut targets = stated_targets(store, read, here, commit)?;
    if targets.is_empty() {
        return Ok(targets);
    }
    let sources = Sources::of(store, read);
    let reverted = sources.taken_back(&commit.message);
    let mut all = if reverted.is_empty() { vec![] } else { sources.restored(commit)? };
    if all.is_empty() && !reverted.is_empty() {
        all = sources.undone_in_parts(commit, &reverted)?;
    }
    if all.len() > reverted.len() && reverted.iter().all(|it| all.contains(it)) {
        for SourceWork { execution_id, solution_id, task_id, reverts, .. } in sources.of_taken_back(&all)? {
            match targets.iter_mut().find(|it| it.execution_id == execution_id) {
                Some(target) => target.reverts = reverts,
                None => targets.push(LinkTarget {
                    execution_id,
                    solution_id,
                    task_id,
                    linked_by: LinkedBy::Trailer,
                    reverts,
                    renews: false,
                }),
            }
        }
    }
    for target in targets.iter_mut().filter(|it| it.reverts.is_empty()) {
        target.reverts = sources.reapplied(commit, &target.execution_id)?;
    }
    Ok(targets)
}

/// The executions to which a commit is linked, by the first of these that applies: the trailers; the plans whose work
/// the message says it reverts, copies or squashes; the plans whose changes the commit repeats or undoes, if it
/// belongs to this worktree's execution; this worktree's execution; the ids in the message or the branch name.
fn stated_targets(
    store: &Store,
    read: &impl ReadState,
    here: &HookWorktree,
    commit: &CodeCommit,
) -> Result<Vec<LinkTarget>, StoreError> {
    let trailers = trailers::parse(&commit.message);
    let named = solutions(read, &trailers)?;
    let files = || links::files(store, commit);
    let sources = Sources::of(store, read);
    let mut found = sources.by_message(&commit.message)?;
    let binding = binding::of_worktree(store, read, here)?;
    if named.is_empty() && found.is_empty() && matches!(binding, Binding::Bound(_)) {
        found = sources.by_change(commit, &store.changed_files(commit)?)?;
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
        for solution_id in named {
            let reverts = reverts.of(&solution_id);
            if let Some(bound) = is_active(&solution_id) {
                targets.push(active_target(read, bound, &trailers, reverts, files)?);
            } else if let Some(execution_id) = execution_of(read, &solution_id)? {
                let task_id = task(read, &solution_id, &trailers, None, files)?;
                let linked_by = LinkedBy::Trailer;
                targets.push(LinkTarget {
                    execution_id,
                    solution_id,
                    task_id,
                    linked_by,
                    reverts,
                    renews: false,
                });
            }
        }
        return Ok(targets);
    }
    for SourceWork { execution_id, solution_id, task_id, .. } in &found {
        let reverts = reverts.of(solution_id);
        targets.push(match is_active(solution_id) {
            Some(bound) => {
                let task_id = task_id.clone().or(bound.task_id);
                active_target(read, BoundExecution { task_id, ..bound }, &trailers, reverts, files)?
            }
            None => LinkTarget {
                execution_id: execution_id.clone(),
                solution_id: solution_id.clone(),
                task_id: task_id.clone(),
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
            targets.push(active_target(read, bound, &trailers, reverts.all.clone(), files)?);
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
    /// The commits that belong to this plan, or all if none does.
    fn of(&self, plan: &SolutionId) -> Vec<CommitHash> {
        let mut of_plan = self.found.iter().filter(|it| it.solution_id == *plan).peekable();
        match of_plan.peek() {
            Some(_) => of_plan.flat_map(|it| it.reverts.clone()).collect(),
            None => self.all.clone(),
        }
    }
}

fn active_target(
    read: &impl ReadState,
    bound: BoundExecution,
    trailers: &[(String, String)],
    reverts: Vec<CommitHash>,
    files: impl FnOnce() -> Result<Vec<String>, StoreError>,
) -> Result<LinkTarget, StoreError> {
    let BoundExecution { execution_id, solution_id, task_id, is_active } = bound;
    let task_id = task(read, &solution_id, trailers, task_id, files)?;
    Ok(LinkTarget {
        execution_id,
        solution_id,
        task_id,
        linked_by: LinkedBy::Hook,
        reverts,
        renews: is_active,
    })
}
