//! Claiming work.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Tool};
use crate::mcp::bounds::Bounded;
use crate::mcp::folders;
use crate::mcp::progress::ProgressSteps;
use crate::model::{Branch, Code, Op, Other, RemedyCall, TaskId};
use crate::ops::work::{self, ClaimRequest, ClaimWorktree, Claimable, DetailView, PrimeAgent, PrimedTask};
use crate::ops::{Answer, Refusal, Session};
use crate::rules::Means;

pub(super) struct ClaimTool;

/// What to claim.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Input {
    /// An issue, plan or item, such as S-1 (default: the first ready item); the plan of an issue is queued if needed.
    item: Option<String>,
    queue: Option<String>,
    /// The task to work on now, such as T1: commits are linked to it.
    task: Option<String>,
    /// Create a worktree beside the repository (a path is accepted, too): work there, and pass it as `directory` from then on.
    #[schemars(with = "Option<bool>")]
    worktree: Option<Worktree>,
    /// Create a worktree that starts on this branch.
    on: Option<String>,
    /// Claim without the remote.
    local: bool,
    /// The model that you are, for the record.
    model: Option<String>,
}

/// Whether to create a worktree, and where.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected true, false, or the path of the worktree")]
#[schemars(inline)]
enum Worktree {
    Beside(bool),
    At(PathBuf),
}

#[serde_with::skip_serializing_none]
/// What was claimed, and all that its executor needs.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Claimed {
    /// The claim.
    claim: work::ClaimView,
    /// The directory to work in.
    directory: PathBuf,
    /// The task to work on: the one that was started, else the first open one; absent if every task was begun.
    task: Option<PrimedTask>,
    /// The task that was started: commits are linked to it from now on.
    started: Option<TaskId>,
    /// The issue, the plan as it was claimed, and what happened before: earlier attempts, feedback and comments.
    detail: Bounded<DetailView>,
}

impl Tool for ClaimTool {
    const NAME: &'static str = "claim";
    const TITLE: &'static str = "Claim a plan to execute";
    const ABOUT: &'static str = "Claim the next ready plan, or a named one, for this worktree, and get it with its first task and \
        earlier attempts. Call it again with `task` to begin the next task; a claim that you have is answered again. Commit \
        as usual: hooks link the commits.";
    const PERFORMS: &'static [Op] = &[Op::Next];
    type Input = Input;
    type Output = Claimed;

    fn call(call: &Call<'_>, input: Input) -> Answer<Claimed> {
        let session = call.session;
        let what = Claimable::named(session, input.item, None)?;
        let on = input.on.as_deref().map(branch).transpose()?;
        let worktree = match input.worktree {
            // With `on`, what is checked out here is another branch.
            None | Some(Worktree::Beside(false)) if on.is_none() => ClaimWorktree::Here,
            None | Some(Worktree::Beside(_)) => ClaimWorktree::Beside,
            // The path is meant as seen from the directory of the call.
            Some(Worktree::At(path)) => {
                let path = call.folder.join(path);
                folders::refuse_new_outside(call.roots, &path)?;
                ClaimWorktree::At(path)
            }
        };
        let request = ClaimRequest {
            what,
            queue: input.queue,
            allow_overlap: false,
            allow_missing: false,
            on,
            local: input.local,
            worktree,
            is_fresh: false,
            run: None,
            model: input.model,
        };
        let done = work::claim(session, &request)?;
        session.notice_all(done.notices);
        let mut claim = done.view;
        // The answer has the task in a field of its own.
        claim.task = None;
        // A new worktree has its own claim.
        let there = claim.path.as_deref().map(|path| open_like(session, path)).transpose()?;
        let within = there.as_ref().unwrap_or(session);
        let started = input.task.map(|task| work::start_task(within, &task)).transpose()?;
        let detail = work::detail(within, Some(claim.solution_id.as_str()))?;
        let primed = work::prime(within, &PrimeAgent::with(Means::Tools))?;
        let notices = started.iter().flat_map(|done| done.notices.clone());
        session.notice_all(notices.chain(detail.notices));
        if there.is_some() {
            session.notice_all(within.notices());
        }
        let directory = claim.path.clone().unwrap_or_else(|| call.folder.to_owned());
        let task = primed.view.and_then(|view| view.execution).and_then(|execution| execution.task);
        let item = claim
            .queue_id
            .as_ref()
            .zip(claim.item_id.as_ref())
            .map(|(queue, item)| format!("{queue}:{item}"));
        let all = RemedyCall::new(Other::Show, item).flag("json");
        let detail = Bounded::noted(call, &detail.view, &all);
        let claimed =
            Claimed { claim, directory, task, started: started.map(|done| done.view.task_id), detail };
        Ok(session.done(claimed, done.commit))
    }
}

fn branch(name: &str) -> Result<Branch, Refusal> {
    Branch::parse(name).or_else(|| Branch::of_short(name)).ok_or_else(|| {
        Refusal::new(Code::InvalidArguments, format!("`{name}` is not the name of a branch"))
            .hint("give a name such as main or wf/SOL-ISS-1-1")
    })
}

/// A session for another worktree, with the same actor and without progress.
fn open_like(session: &Session, folder: &Path) -> Result<Session, Refusal> {
    Ok(Session::new(session.store().in_worktree(folder)?, Box::new(ProgressSteps::silent())))
}
