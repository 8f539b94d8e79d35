//! Claiming an item: for which worktree, and through which remote.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::new_worktree::NewWorktree;
use super::pick::{self, Picked};
use super::unseen_claim::{Left, left_behind, lost, made_of};
use super::{Own, notice_of_loss, own, publish, set_aside};
use crate::index::Index;
use crate::model::execution::{AsideReason, Execution, Supersedes};
use crate::model::hash::CommitHash;
use crate::model::id::{ExecutionId, IssueId, ItemId, QueueId, SolutionId};
use crate::model::remedy::Remedy;
use crate::model::status::IssueStatus;
use crate::model::time::Time;
use crate::model::uid::Uid;
use crate::ops::issues::{existing, existing_outline};
use crate::ops::{Answer, Kind, Notice, Refusal, Session, queue};
use crate::rules::folder::ExecutionFolder;
use crate::rules::{facts, holds};
use crate::store::{Read, Store, Tx, fault, random_uid, resolve};
use crate::sync;
use crate::trail::active::{self, Active};

/// What is asked for.
#[derive(Debug, Default)]
pub(crate) enum What {
    /// The first that is ready.
    #[default]
    First,
    /// The item that this names.
    Item(String),
    /// The issue that this names, which is queued if need be; why a gate is overridden there.
    Issue(String, Option<String>),
}

/// What is asked for, and how.
#[derive(Debug, Default)]
pub(crate) struct Wish {
    /// Which item.
    pub(crate) what: What,
    /// Only of this queue.
    pub(crate) queue: Option<String>,
    /// Also one that touches the files of what is executed, or of an item that comes before it.
    pub(crate) allow_overlap: bool,
    /// Only among the worktrees of this clone, without the remote.
    pub(crate) local: bool,
    /// In a worktree that is made for it: there, or beside the repository.
    pub(crate) worktree: Option<Option<PathBuf>>,
}

/// Where an execution is carried out.
enum Place {
    /// In this worktree, on this branch.
    Here(String),
    /// In one that is made for it.
    Made(NewWorktree),
}

/// What was taken.
#[derive(Debug)]
struct Taken {
    execution: ExecutionId,
    /// The worktree that was made for it.
    path: Option<PathBuf>,
    /// Whether it was claimed now; else this worktree had it.
    is_new: bool,
}

/// A claim, as it was taken.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Claim {
    /// The queue that it was taken from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) queue_id: Option<QueueId>,
    /// Its item there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) item_id: Option<ItemId>,
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// The plan.
    pub(crate) solution_id: SolutionId,
    /// The plan as it was claimed.
    pub(crate) plan_digest: String,
    /// The execution.
    pub(crate) execution_id: ExecutionId,
    /// 1 for the first attempt at the issue.
    pub(crate) attempt: u64,
    /// The full name of the branch; only commits on it are bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) branch: Option<String>,
    /// The worktree that was made for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<PathBuf>,
    /// The remote that the claim was made through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) via: Option<String>,
    /// The attempts that it takes the place of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) supersedes: Vec<Supersedes>,
    /// Until when the claim is good; each commit renews it.
    pub(crate) lease_expires_at: Time,
    /// The title of the issue.
    #[serde(skip)]
    pub(crate) title: String,
    /// Whether it was claimed now; else this worktree had it.
    #[serde(skip)]
    pub(crate) is_new: bool,
    /// Whether the lease is over.
    #[serde(skip)]
    pub(crate) has_expired: bool,
}

/// Claims what is asked for, and binds the worktree to it. A worktree that has a claim is answered with that.
///
/// # Errors
/// `nothing-to-do` where no item is ready; `bare`, `detached-head`, `claim-held`; what keeps the remote from being
/// asked.
pub(crate) fn claim(session: &Session, wish: &Wish) -> Answer<Claim> {
    let store = session.store();
    store.snapshot()?;
    if store.work_dir().is_none() && wish.worktree.is_none() {
        return Err(Refusal::new("bare", "a bare repository has no work tree to execute a plan in")
            .remedy("next --worktree", "makes one; so does `git worktree add`"));
    }
    let remote = if wish.local { None } else { sync::remote::of_the_ref(store)? };
    let taken = once(session, wish, remote.as_deref())?;
    Ok(session.done(view(session, taken)?, None))
}

/// What was taken.
fn view(session: &Session, taken: Taken) -> Result<Claim, Refusal> {
    let store = session.store();
    let id = &taken.execution;
    let folder = existing_outline(&store.snapshot()?, &id.issue())?;
    let Some(found) = folder.executions.iter().find(|it| it.execution.id == *id) else {
        return Err(Refusal::unreadable(&format!("execution `{id}`")));
    };
    let it = found.execution.clone();
    if let Some(bound) = it.branch.as_deref()
        && taken.path.is_none()
        && store.branch()?.as_deref() != Some(bound)
    {
        let bound = short_branch(bound);
        session.notice(Notice::warning(format!("commits here are not linked: only those on `{bound}` are")));
    }
    Ok(Claim {
        queue_id: it.queue_id,
        item_id: it.item_id,
        issue_id: it.issue_id,
        solution_id: it.solution_id,
        plan_digest: it.plan_digest,
        execution_id: it.id,
        attempt: it.attempt,
        branch: it.branch,
        path: taken.path,
        via: it.via,
        supersedes: it.supersedes,
        lease_expires_at: found.lease_expires_at(),
        title: folder.issue.record.title,
        is_new: taken.is_new,
        has_expired: store.now()? > found.lease_expires_at(),
    })
}

/// The name of a branch as people say it.
fn short_branch(name: &str) -> &str {
    name.strip_prefix("refs/heads/").unwrap_or(name)
}

fn once(session: &Session, wish: &Wish, remote: Option<&str>) -> Result<Taken, Refusal> {
    let store = session.store();
    // Two that ask at once in one worktree get one claim: the second is answered with it.
    let _alone = active::lock(store)?;
    let snapshot = store.snapshot()?;
    if wish.worktree.is_none()
        && let Some(held) = held(session, &snapshot)?
    {
        refuse_other(store, &snapshot, wish, &held)?;
        return Ok(Taken { execution: held.execution.id, path: None, is_new: false });
    }
    // The claims that were made for this: whoever is killed behind one of them finds it again.
    let mut made = match left_behind(session, &snapshot, wish.worktree.is_none())? {
        Left::Held(held) => {
            refuse_other(store, &snapshot, wish, &held)?;
            let path = settle(session, wish, &held.execution)?;
            return Ok(Taken { execution: held.execution.id, path, is_new: false });
        }
        Left::Unknown(made) if remote.is_some() => made,
        _ => Vec::new(),
    };
    let nonce = random_uid()?;
    let place = place(store, wish)?;
    let lease = store.lease()?;
    let index = session.index_at_hand();
    let claimed = session.transact_through(remote, |tx| {
        if let Some((id, held)) = made_of(tx, &made)? {
            return held.map(|it| it.execution).ok_or_else(|| lost(&id));
        }
        let picked = pick(store, index.as_ref(), tx, wish, remote, &nonce)?;
        let execution = execution(tx, store, &picked, &place, remote, lease, &nonce)?;
        if !made.contains(&execution.id) {
            made.push(execution.id.clone());
        }
        active::begin(store, &made)?;
        tx.create_execution(&execution)?;
        let of = execution.item_id.as_ref().map(|item| format!(" as {item}")).unwrap_or_default();
        tx.describe(
            "next",
            format!("execution: claim {}{of} (attempt {})", execution.solution_id, execution.attempt),
        );
        Ok(execution)
    });
    let execution = claimed.map_err(|refusal| {
        // Where the remote may have taken it after all, the note helps to find it.
        if remote.is_none() || refusal.kind == Kind::Nothing || refusal.code == "claim-lost" {
            let _ = active::forget(store);
        }
        offer_local(refusal)
    })?;
    fault::point("claimed");
    let path = settle(session, wish, &execution)?;
    Ok(Taken { execution: execution.id, path, is_new: true })
}

/// What to do where the remote cannot be asked.
fn offer_local(refusal: Refusal) -> Refusal {
    match refusal.code {
        "unreachable" | "credentials" | "refused" => {
            let does =
                "claims among the worktrees of this clone alone; clones that meet later may both have it";
            Refusal { remedies: vec![Remedy::call("next --local", does)], ..refusal }
        }
        _ => refusal,
    }
}

/// The claim that this worktree is bound to, where it holds.
fn held(session: &Session, read: &impl Read) -> Result<Option<ExecutionFolder>, Refusal> {
    let store = session.store();
    if let Own::Held(execution) = own(store, read)? {
        return Ok(Some(*execution));
    }
    session.notice_all(notice_of_loss(store, read)?);
    active::clear(store)?;
    Ok(None)
}

/// What is held answers only a wish for it, or for any.
fn refuse_other(store: &Store, read: &impl Read, wish: &Wish, held: &ExecutionFolder) -> Result<(), Refusal> {
    let is_other = match &wish.what {
        What::First => false,
        What::Item(text) => queue::item(store, read, text)?.1.solution_id != held.execution.solution_id,
        What::Issue(text, _) => resolve::issue(read, text)? != held.execution.issue_id,
    };
    let queue = wish.queue.as_deref().map(|text| resolve::queue(read, text)).transpose()?;
    if is_other || queue.is_some_and(|queue| held.execution.queue_id.as_ref() != Some(&queue)) {
        return Err(Refusal::new(
            "claim-held",
            format!("this worktree executes `{}` already", held.execution.solution_id),
        )
        .remedy("done", "ends that, and so does `fail`; another worktree can take another item"));
    }
    Ok(())
}

fn place(store: &Store, wish: &Wish) -> Result<Place, Refusal> {
    if let Some(path) = &wish.worktree {
        return Ok(Place::Made(NewWorktree::wanted(store, path.as_deref())?));
    }
    let branch = store.branch()?.ok_or_else(|| {
        Refusal::new(
            "detached-head",
            "HEAD is detached, and an execution needs a branch that its commits are bound on",
        )
        .hint("`git switch -c NAME` makes one")
        .remedy("next --worktree", "makes one in a worktree of its own")
    })?;
    Ok(Place::Here(branch))
}

fn pick(
    store: &Store,
    index: Option<&Index<'_>>,
    tx: &mut Tx<'_>,
    wish: &Wish,
    remote: Option<&str>,
    nonce: &Uid,
) -> Result<Picked, Refusal> {
    let queue = wish.queue.as_deref();
    let item = match &wish.what {
        What::First => None,
        What::Item(text) => {
            let named = match queue.filter(|_| !text.contains(':')) {
                Some(queue) => format!("{}:{text}", resolve::queue(tx, queue)?),
                None => text.clone(),
            };
            Some(queue::item(store, tx, &named)?)
        }
        What::Issue(text, force) => {
            let id = resolve::issue(tx, text)?;
            let folder = existing(tx, &id)?;
            let bound = folder.issue.record.bound_solution_id.clone();
            // What waits is queued once more: as its plan is now, and past its reviews where that is forced.
            let waits = facts::status(&folder) == IssueStatus::Queued;
            let queued = folder
                .items
                .iter()
                .filter(|_| queue.is_none() && !waits)
                .find(|it| !it.item.is_removed() && Some(&it.item.solution_id) == bound.as_ref());
            Some(match queued {
                Some(queued) => (queued.queue.clone(), queued.item.clone()),
                None => {
                    let (queue, solution) = queue::add_issue(tx, &id, queue, nonce, force.as_deref())?;
                    tx.note.force.clone_from(force);
                    queue::item(store, tx, &format!("{queue}:{solution}"))?
                }
            })
        }
    };
    let queue = queue.map(|text| resolve::queue(tx, text)).transpose()?;
    let from = pick::From { store, index, remote, allow_overlap: wish.allow_overlap };
    match item {
        Some((queue, item)) => from.named(tx, &queue, &item),
        None => from.first(tx, queue.as_ref()),
    }
}

fn execution(
    tx: &Tx<'_>,
    store: &Store,
    picked: &Picked,
    place: &Place,
    remote: Option<&str>,
    lease: i64,
    nonce: &Uid,
) -> Result<Execution, Refusal> {
    let item = &picked.item;
    let folder = existing_outline(tx, &item.issue_id)?;
    let attempt = folder.executions.iter().map(|it| it.execution.attempt).max().unwrap_or(0) + 1;
    // Whoever held it is set aside as it was seen: work that ended unseen stands.
    let supersedes = holds::standing(&folder.executions)
        .into_iter()
        .map(|(it, status)| Supersedes { execution_id: it.execution.id.clone(), status })
        .collect();
    let now = tx.stamper().now();
    let (branch, base_commit, worktree) = match place {
        Place::Here(branch) => (branch.clone(), store.head()?.map(CommitHash::from), store.worktree_name()),
        Place::Made(made) => {
            let plan = made.plan(store, &item.solution_id)?;
            (plan.branch, Some(plan.base), plan.name)
        }
    };
    let role = store.identity()?.role;
    Ok(Execution::made(&item.issue_id, |id| Execution {
        id,
        nonce: nonce.to_string(),
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
        via: remote.map(str::to_owned),
        supersedes,
        started_at: now,
        lease_expires_at: now.plus_millis(lease),
    }))
}

/// Binds the worktree to its claim; makes it first where one was asked for, and answers with where it is. Where that
/// cannot be done, the claim is given back.
fn settle(session: &Session, wish: &Wish, execution: &Execution) -> Result<Option<PathBuf>, Refusal> {
    let store = session.store();
    let Some(path) = &wish.worktree else {
        bind_worktree(store, execution)?;
        active::forget(store)?;
        return Ok(None);
    };
    let made = NewWorktree::wanted(store, path.as_deref()).and_then(|made| made.make(store, execution));
    let path = match made {
        Ok(path) => path,
        Err(refusal) => {
            let given_back = session.transact(|tx| {
                let folder = existing(tx, &execution.issue_id)?;
                set_aside(tx, &folder, AsideReason::Release, None)?;
                tx.describe("lease release", format!("execution: release {}", execution.solution_id));
                Ok(())
            });
            publish(session, execution)?;
            given_back?;
            active::forget(store)?;
            return Err(refusal);
        }
    };
    bind_worktree(&Store::open(&path)?, execution)?;
    active::forget(store)?;
    Ok(Some(path))
}

fn bind_worktree(store: &Store, execution: &Execution) -> Result<(), Refusal> {
    active::write(
        store,
        &Active {
            execution_id: execution.id.clone(),
            issue_id: execution.issue_id.clone(),
            solution_id: execution.solution_id.clone(),
            queue_id: execution.queue_id.clone(),
            item_id: execution.item_id.clone(),
            branch: execution.branch.clone().unwrap_or_default(),
            task_id: None,
        },
    )?;
    Ok(())
}
