//! Taking an item: for which worktree, and through which remote.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::claim::{self, Own};
use super::new_worktree::NewWorktree;
use super::next::Options;
use super::pick::{self, Picked};
use super::unseen_claim::{Left, left_behind, lost, made_of};
use super::{Context, Exit, Failure, Force, Outcome, claimed, existing, existing_outline, queue};
use crate::index::Index;
use crate::model::execution::{AsideReason, Execution, Supersedes};
use crate::model::hash::CommitHash;
use crate::model::id::ExecutionId;
use crate::model::status::IssueStatus;
use crate::model::uid::Uid;
use crate::rules::folder::ExecutionFolder;
use crate::rules::{facts, holds};
use crate::store::{Read, Store, Tx, fault, random_uid, resolve};
use crate::sync;
use crate::trail::active::{self, Active};

/// What is asked for.
#[derive(Debug)]
pub(super) enum What {
    /// The first that is ready.
    First,
    /// The item that this names.
    Item(String),
    /// The issue that this names, which is queued if need be.
    Issue(String, Force),
}

/// What is asked for, and how.
#[derive(Debug)]
pub(super) struct Wish {
    pub(super) what: What,
    pub(super) queue: Option<String>,
    pub(super) options: Options,
}

/// Where an execution is carried out.
enum Place {
    /// In this worktree, on this branch.
    Here(String),
    /// In one that is made for it.
    Made(NewWorktree),
}

/// The first wait of `--wait`, and the longest where nothing is asked but this repository, and where a remote is.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: [Duration; 2] = [Duration::from_secs(5), Duration::from_secs(30)];
/// How often the local ref is looked at meanwhile.
const GLANCE: Duration = Duration::from_millis(100);

/// What was taken.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) execution: ExecutionId,
    /// The worktree that was made for it.
    pub(super) path: Option<PathBuf>,
    /// Whether it was claimed now; else this worktree had it.
    pub(super) is_new: bool,
}

pub(super) fn run(wish: &Wish, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let taken = take(wish, &store, context)?;
    claimed::answer(&store, &taken, context)
}

/// Takes what is asked for, waiting for it if need be.
pub(super) fn take(wish: &Wish, store: &Store, context: &mut Context) -> Result<Taken, Failure> {
    store.snapshot()?;
    if store.work_dir().is_none() && wish.options.worktree.is_none() {
        return Err(Failure::new("bare", "a bare repository has no work tree to execute a plan in")
            .hint("`git wf next --worktree` makes one; so does `git worktree add`"));
    }
    let remote = if wish.options.local { None } else { sync::remote::of_the_ref(store)? };
    let begun = Instant::now();
    let mut pause = FIRST_WAIT;
    loop {
        let failure = match once(wish, store, remote.as_deref(), context) {
            Err(failure) if failure.exit == Exit::Nothing => failure,
            other => return other,
        };
        let Some(limit) = wish.options.wait else { return Err(failure) };
        let left = match limit {
            Some(millis) => Duration::from_millis(millis).saturating_sub(begun.elapsed()),
            None => Duration::MAX,
        };
        if left.is_zero() {
            return Err(failure);
        }
        if pause == FIRST_WAIT && !context.json() {
            crate::ui::say(&format!("waiting: {}", crate::ui::text::clean_line(failure.message())));
        }
        until_changed(store, pause.min(left))?;
        pause = (pause * 2).min(LONGEST_WAIT[usize::from(remote.is_some())]);
    }
}

/// Waits for so long, or until somebody here writes.
fn until_changed(store: &Store, most: Duration) -> Result<(), Failure> {
    let (begun, tip) = (Instant::now(), store.tip()?);
    while begun.elapsed() < most && store.tip()? == tip {
        std::thread::sleep(GLANCE.min(most.saturating_sub(begun.elapsed())));
    }
    Ok(())
}

fn once(wish: &Wish, store: &Store, remote: Option<&str>, context: &mut Context) -> Result<Taken, Failure> {
    // Two that ask at once in one worktree get one claim: the second is answered with it.
    let _alone = active::lock(store)?;
    let snapshot = store.snapshot()?;
    if wish.options.worktree.is_none()
        && let Some(held) = held(store, &snapshot, context)?
    {
        refuse_other(store, &snapshot, wish, &held)?;
        return Ok(Taken { execution: held.execution.id, path: None, is_new: false });
    }
    // The claims that were made for this: whoever is killed behind one of them finds it again.
    let mut made = match left_behind(store, &snapshot, wish.options.worktree.is_none(), context)? {
        Left::Held(held) => {
            refuse_other(store, &snapshot, wish, &held)?;
            let path = settle(store, wish, &held.execution, context)?;
            return Ok(Taken { execution: held.execution.id, path, is_new: false });
        }
        Left::Unknown(made) if remote.is_some() => made,
        _ => Vec::new(),
    };
    let nonce = random_uid()?;
    let place = place(store, wish)?;
    let lease = store.lease()?;
    let index = context.index_at_hand(store);
    let claimed = context.transact_through(store, remote, |tx| {
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
    let execution = claimed.map_err(|failure| {
        // Where the remote may have taken it after all, the note helps to find it.
        if remote.is_none() || failure.exit == Exit::Nothing || failure.code() == "claim-lost" {
            let _ = active::forget(store);
        }
        offer_local(failure)
    })?;
    fault::point("claimed");
    let path = settle(store, wish, &execution, context)?;
    Ok(Taken { execution: execution.id, path, is_new: true })
}

/// What to do where the remote cannot be asked.
fn offer_local(failure: Failure) -> Failure {
    match failure.code() {
        "unreachable" | "credentials" | "refused" => failure.hint(
            "`git wf next --local` claims among the worktrees of this clone alone; clones that meet later may both have it",
        ),
        _ => failure,
    }
}

/// The claim that this worktree is bound to, where it holds.
fn held(store: &Store, read: &impl Read, context: &Context) -> Result<Option<ExecutionFolder>, Failure> {
    if let Own::Held(execution) = claim::own(store, read)? {
        return Ok(Some(*execution));
    }
    claim::warn_if_lost(store, read, context)?;
    active::clear(store)?;
    Ok(None)
}

/// What is held answers only a wish for it, or for any.
fn refuse_other(store: &Store, read: &impl Read, wish: &Wish, held: &ExecutionFolder) -> Result<(), Failure> {
    let is_other = match &wish.what {
        What::First => false,
        What::Item(text) => {
            super::world::item(store, read, text)?.1.solution_id != held.execution.solution_id
        }
        What::Issue(text, _) => resolve::issue(read, text)? != held.execution.issue_id,
    };
    let queue = wish.queue.as_deref().map(|text| resolve::queue(read, text)).transpose()?;
    if is_other || queue.is_some_and(|queue| held.execution.queue_id.as_ref() != Some(&queue)) {
        return Err(Failure::new(
            "claim-held",
            format!("this worktree executes `{}` already", held.execution.solution_id),
        )
        .hint("`git wf done` or `git wf fail` ends that; another worktree can take another item"));
    }
    Ok(())
}

fn place(store: &Store, wish: &Wish) -> Result<Place, Failure> {
    if let Some(path) = &wish.options.worktree {
        return Ok(Place::Made(NewWorktree::wanted(store, path.as_deref())?));
    }
    let branch = store.branch()?.ok_or_else(|| {
        Failure::new(
            "detached-head",
            "HEAD is detached, and an execution needs a branch that its commits are bound on",
        )
        .hint("`git switch -c NAME` makes one; `git wf next --worktree` makes one in a worktree of its own")
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
) -> Result<Picked, Failure> {
    let queue = wish.queue.as_deref();
    let item = match &wish.what {
        What::First => None,
        What::Item(text) => {
            let named = match queue.filter(|_| !text.contains(':')) {
                Some(queue) => format!("{}:{text}", resolve::queue(tx, queue)?),
                None => text.clone(),
            };
            Some(super::world::item(store, tx, &named)?)
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
                    let (queue, solution) = queue::add_issue(tx, &id, queue, nonce, force)?;
                    tx.note.force = force.why();
                    super::world::item(store, tx, &format!("{queue}:{solution}"))?
                }
            })
        }
    };
    let queue = queue.map(|text| resolve::queue(tx, text)).transpose()?;
    let from = pick::From { store, index, remote, allow_overlap: wish.options.allow_overlap };
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
) -> Result<Execution, Failure> {
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
fn settle(
    store: &Store,
    wish: &Wish,
    execution: &Execution,
    context: &Context,
) -> Result<Option<PathBuf>, Failure> {
    let Some(path) = &wish.options.worktree else {
        bind_worktree(store, execution)?;
        active::forget(store)?;
        return Ok(None);
    };
    let made = NewWorktree::wanted(store, path.as_deref()).and_then(|made| made.make(store, execution));
    let path = match made {
        Ok(path) => path,
        Err(failure) => {
            let given_back = context.transact(store, |tx| {
                let folder = existing(tx, &execution.issue_id)?;
                claim::set_aside(tx, &folder, AsideReason::Release, &Force::default())?;
                tx.describe("lease release", format!("execution: release {}", execution.solution_id));
                Ok(())
            });
            claim::publish(store, execution, context)?;
            given_back?;
            active::forget(store)?;
            return Err(failure);
        }
    };
    bind_worktree(&Store::open(&path)?, execution)?;
    active::forget(store)?;
    Ok(Some(path))
}

fn bind_worktree(store: &Store, execution: &Execution) -> Result<(), Failure> {
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
