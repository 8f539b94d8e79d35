//! Starting an execution: in which worktree, for which item, and binding the worktree to it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::new_worktree::NewWorktree;
use super::pick::{Picked, Picker};
use super::session::of_caller;
use super::shared_files::CompletedWork;
use super::take::{ClaimRequest, Claimable};
use super::{publish, set_aside};
use crate::index::Index;
use crate::model::execution::MOST_ATTEMPTS;
use crate::model::{
    AgentSession, AsideReason, Branch, Code, CommitHash, Event, Execution, ExecutionId, IssueId, IssueStatus,
    Op, QueueId, Supersedes, Uid,
};
use crate::ops::issues::{existing, existing_outline};
use crate::ops::{Refusal, Session, queue};
use crate::rules::readiness::dependencies;
use crate::rules::{IssueFolder, claim_order, facts};
use crate::store::{Store, Tx, random_uid, resolve};
use crate::trail::active::{self, ActiveClaim};
use crate::trail::own_branch;

/// Where a plan is executed.
enum PlanWorkplace {
    /// In this worktree, on this branch.
    Here(Branch),
    /// In a worktree that is created for it.
    Made(NewWorktree),
}

fn workplace(store: &Store, wish: &ClaimRequest) -> Result<PlanWorkplace, Refusal> {
    if wish.worktree.is_new() {
        return Ok(PlanWorkplace::Made(NewWorktree::wanted(store, wish)?));
    }
    let branch = store.branch()?.ok_or_else(|| {
        Refusal::new(
            Code::DetachedHead,
            "HEAD is detached, and an execution needs a branch on which its commits are linked",
        )
        .remedy(wish.again().flag("worktree"), "works in a worktree of its own, on a branch that it creates")
        .command("git switch -c NAME", "creates a branch here")
    })?;
    Ok(PlanWorkplace::Here(branch))
}

fn pick(
    store: &Store,
    index: Option<&Index<'_>>,
    tx: &mut Tx<'_>,
    wish: &ClaimRequest,
    remote: Option<&str>,
    nonce: &Uid,
    place: &PlanWorkplace,
) -> Result<Picked, Refusal> {
    let queue = wish.queue.as_deref();
    let item = match &wish.what {
        Claimable::First => None,
        Claimable::Item(text) => {
            let named = match queue {
                Some(queue) if !text.contains(':') => format!("{}:{text}", resolve::queue(tx, queue)?),
                _ => text.clone(),
            };
            Some(queue::item_in(tx, store, index, &named)?)
        }
        Claimable::Issue(text, force) => {
            let id = resolve::issue(tx, text)?;
            let folder = existing(tx, &id)?;
            let bound = folder.issue.record.bound_solution_id.clone();
            // A waiting item is queued again, with the current version of its plan, and despite its reviews if that
            // is forced.
            let waits = facts::status(&folder) == IssueStatus::Queued;
            let queued = folder
                .items
                .iter()
                .find(|item| !item.item.is_removed() && Some(&item.item.solution_id) == bound.as_ref());
            Some(match queued {
                Some(queued) if queue.is_none() && !waits => (queued.queue.clone(), queued.item.clone()),
                _ => {
                    let (queue, solution) = queue::add_issue(tx, &id, queue, nonce, force.as_deref())?;
                    tx.note.force.clone_from(force);
                    queue::item(store, tx, &format!("{queue}:{solution}"))?
                }
            })
        }
    };
    let queue = queue.map(|text| resolve::queue(tx, text)).transpose()?;
    let base = if wish.allow_missing || wish.run.is_some() { None } else { Some(wish.base()) };
    let behind = match place {
        PlanWorkplace::Here(_) => BTreeSet::new(),
        PlanWorkplace::Made(new) => new.plans_in_use(),
    };
    let mut from = Picker { store, index, remote, allow_overlap: wish.allow_overlap, base, behind };
    let Some((queue, item)) = item else { return first(tx, &mut from, queue.as_ref()) };
    let mut picked = from.named(tx, &queue, &item)?;
    if let Some(completed) = completed(tx, &from)? {
        picked.shared = Some(completed.shared_with(tx, &picked.item.solution_id)?);
    }
    Ok(picked)
}

/// The completed work that the base of the claim may lack; `None` if it does not matter what is there.
fn completed<'a>(tx: &Tx<'_>, from: &Picker<'a>) -> Result<Option<CompletedWork<'a>>, Refusal> {
    let base = from.base.as_ref().map(|base| base.commit(from.store)).transpose()?.flatten();
    let Some(base) = base else { return Ok(None) };
    let index = from.index.filter(|index| index.commit() == tx.base().commit());
    CompletedWork::read(from.store, tx, index, base).map(Some)
}

/// At most this many items go behind others because of the files that they share with completed work.
const MOST_BEHIND: usize = 16;

/// The first item that shares no files with completed work that its base lacks, or else the first. An item whose branch is
/// checked out in another worktree comes last: its next attempt continues there.
fn first(tx: &Tx<'_>, from: &mut Picker<'_>, queue: Option<&QueueId>) -> Result<Picked, Refusal> {
    let first = match from.first(tx, queue) {
        Err(_) if !from.behind.is_empty() => {
            from.behind.clear();
            from.first(tx, queue)?
        }
        found => found?,
    };
    let most = from.behind.len() + MOST_BEHIND;
    let Some(completed) = completed(tx, from)? else { return Ok(first) };
    let mut picked = first;
    picked.shared = Some(completed.shared_with(tx, &picked.item.solution_id)?);
    let first = picked.clone();
    while picked.shared.as_ref().is_some_and(|shared| !shared.is_empty()) {
        from.behind.insert(picked.item.solution_id);
        match from.first(tx, queue) {
            Ok(next) if from.behind.len() <= most => picked = next,
            _ => return Ok(first),
        }
        picked.shared = Some(completed.shared_with(tx, &picked.item.solution_id)?);
    }
    Ok(picked)
}

/// A claim that is being made.
pub(super) struct NewClaim<'a> {
    session: &'a Session,
    /// The request.
    wish: &'a ClaimRequest,
    /// The remote through which it is made.
    remote: Option<&'a str>,
    /// How long it holds, in milliseconds.
    lease: i64,
    /// What makes it different from any other.
    nonce: Uid,
    /// Where the plan is executed.
    place: PlanWorkplace,
    /// The conversation of the agent that claims, if an agent does.
    agent: Option<AgentSession>,
}

impl<'a> NewClaim<'a> {
    /// A claim for this request.
    pub(super) fn prepare(
        session: &'a Session,
        wish: &'a ClaimRequest,
        remote: Option<&'a str>,
    ) -> Result<Self, Refusal> {
        let store = session.store();
        let nonce = random_uid()?;
        let place = workplace(store, wish)?;
        let agent = of_caller(session, wish.model.as_deref())?;
        Ok(Self { session, wish, remote, lease: store.lease()?, nonce, place, agent })
    }

    /// Chooses what to claim.
    pub(super) fn pick(&self, tx: &mut Tx<'_>, index: Option<&Index<'_>>) -> Result<Picked, Refusal> {
        pick(self.session.store(), index, tx, self.wish, self.remote, &self.nonce, &self.place)
    }

    /// Writes the claim. `made` are those that were written for the request before, in states that may not count; they are noted,
    /// so that the claim is found if the process is killed.
    pub(super) fn write(
        &self,
        tx: &mut Tx<'_>,
        picked: &Picked,
        made: &mut Vec<ExecutionId>,
    ) -> Result<Execution, Refusal> {
        let store = self.session.store();
        let missing =
            if self.wish.allow_missing { missing(tx, store, self.wish, picked)? } else { Vec::new() };
        let execution = self.execution(tx, picked, &missing)?;
        if !made.contains(&execution.id) {
            made.push(execution.id.clone());
        }
        active::begin(store, made)?;
        tx.create_execution(&execution)?;
        if let Some(agent) = &self.agent {
            tx.log(&execution.id, Event::Session(agent.clone()))?;
        }
        Ok(execution)
    }

    fn execution(&self, tx: &Tx<'_>, picked: &Picked, missing: &[IssueId]) -> Result<Execution, Refusal> {
        let store = self.session.store();
        let item = &picked.item;
        let folder = existing_outline(tx, &item.issue_id)?;
        let attempt = next_attempt(&folder)?;
        // The previous holders are set aside with the status seen now; if their work has ended unseen, that end counts.
        let supersedes = claim_order::standing(&folder.executions)
            .into_iter()
            .map(|(execution, status)| Supersedes { execution_id: execution.execution.id.clone(), status })
            .collect();
        let now = tx.stamper().now();
        let (branch, base_commit, worktree) = match &self.place {
            PlanWorkplace::Here(branch) => {
                (branch.clone(), store.head()?.map(CommitHash::from), store.worktree_name())
            }
            PlanWorkplace::Made(made) => {
                let plan = made.plan(store, &item.solution_id)?;
                (plan.branch, Some(plan.base), plan.name)
            }
        };
        let role = store.role().map(str::to_owned);
        Ok(Execution::made(&item.issue_id, |id| Execution {
            id,
            nonce: self.nonce.to_string(),
            issue_id: item.issue_id.clone(),
            solution_id: item.solution_id.clone(),
            plan_digest: item.plan_digest.clone(),
            plan_commit: tx.base().commit().into(),
            queue_id: Some(picked.queue.clone()),
            item_id: Some(item.item_id.clone()),
            attempt,
            actor: tx.person().to_owned(),
            role,
            branch: Some(branch),
            base_commit,
            worktree,
            via: self.remote.map(str::to_owned),
            run_id: self.wish.run.clone(),
            missing: missing.to_vec(),
            supersedes,
            started_at: now,
            lease_expires_at: now.plus_millis(self.lease),
        }))
    }
}

/// The number of the next attempt at an issue.
fn next_attempt(folder: &IssueFolder) -> Result<u64, Refusal> {
    let last = folder.executions.iter().map(|execution| execution.execution.attempt).max().unwrap_or(0);
    if last < MOST_ATTEMPTS {
        return Ok(last + 1);
    }
    let issue = &folder.issue.record.id;
    Err(Refusal::new(
        Code::TooMany,
        format!("`{issue}` has an attempt {last}, and there cannot be a later one"),
    )
    .remedy(Op::New, "creates another issue for the work"))
}

/// The completed issues on which an item depends and whose commits are not where it begins.
fn missing(
    tx: &Tx<'_>,
    store: &Store,
    wish: &ClaimRequest,
    picked: &Picked,
) -> Result<Vec<IssueId>, Refusal> {
    let Some(base) = wish.base().commit(store)? else { return Ok(vec![]) };
    let facts = queue::facts_of(tx, [picked.item.issue_id.clone()])?;
    let Some(issue) = facts.get(&picked.item.issue_id) else { return Ok(vec![]) };
    let mut needed = dependencies(&picked.item, issue);
    needed.retain(|id| facts.get(id).is_some_and(|fact| fact.status == IssueStatus::Completed));
    let absent = queue::absent(store, tx, &base, needed, None)?;
    Ok(absent.into_iter().map(|(id, _)| id).collect())
}

/// Binds the worktree to its claim, after creating it if requested, and returns its path. If that fails, the claim is
/// released.
pub(super) fn settle(
    session: &Session,
    wish: &ClaimRequest,
    execution: &Execution,
) -> Result<Option<PathBuf>, Refusal> {
    let permit = session.permit(Op::LeaseRelease)?;
    let store = session.store();
    if !wish.worktree.is_new() {
        bind_worktree(store, execution)?;
        active::forget(store)?;
        return Ok(None);
    }
    let made = NewWorktree::wanted(store, wish).and_then(|made| made.make(store, execution));
    let path = match made {
        Ok(path) => path,
        Err(refusal) => {
            let given_back = session.transact(permit, |tx| {
                let folder = existing(tx, &execution.issue_id)?;
                set_aside(tx, &folder, AsideReason::Release, None)?;
                tx.describe(format!("execution: release {}", execution.solution_id));
                Ok(())
            });
            publish(session, execution)?;
            given_back?;
            forget_note(store, wish, execution)?;
            return Err(refusal);
        }
    };
    bind_worktree(&Store::open(&path, store.environment())?, execution)?;
    forget_note(store, wish, execution)?;
    Ok(Some(path))
}

/// The note of a claim is no longer needed. A run notes several at a time, each for its own issue.
fn forget_note(store: &Store, wish: &ClaimRequest, execution: &Execution) -> Result<(), Refusal> {
    let forgotten = match wish.run {
        Some(_) => active::forget_issue(store, &execution.issue_id),
        None => active::forget(store),
    };
    Ok(forgotten?)
}

fn bind_worktree(store: &Store, execution: &Execution) -> Result<(), Refusal> {
    // A claim that another program made may name no branch.
    let Some(branch) = execution.branch.clone().or(store.branch()?) else { return Ok(()) };
    own_branch::note(store)?;
    active::write(
        store,
        &ActiveClaim {
            execution_id: execution.id.clone(),
            issue_id: execution.issue_id.clone(),
            solution_id: execution.solution_id.clone(),
            queue_id: execution.queue_id.clone(),
            item_id: execution.item_id.clone(),
            branch,
            task_id: None,
        },
    )?;
    Ok(())
}
