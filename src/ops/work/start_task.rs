//! Setting the current task.

use schemars::JsonSchema;
use serde::Serialize;

use super::prime::{PrimedTask, shown_task};
use super::unlinked::notice_of_branch;
use super::{WorktreeClaim, own, planned};
use crate::model::{Code, ExecutionId, Op, SolutionId, TaskId};
use crate::ops::issues::existing;
use crate::ops::{Answer, Refusal, Session, trail};
use crate::trail::active::{self, ActiveClaim};

/// The current task.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Started {
    /// The execution of this worktree.
    pub(crate) execution_id: ExecutionId,
    /// Its plan.
    pub(crate) solution_id: SolutionId,
    /// The task.
    pub(crate) task_id: TaskId,
    /// What it is about.
    pub(crate) title: String,
    /// Its text, files, criteria and test commands. Long texts are cut, and lists have few entries: `show` has all of it.
    pub(crate) task: PrimedTask,
}

/// Sets the current task of the plan that this worktree executes: commits are linked to it from now on.
///
/// # Errors
/// `no-claim`, `claim-lost`; `not-found` if the plan has no such task.
pub(crate) fn start_task(session: &Session, task: &str) -> Answer<Started> {
    session.permit(Op::TaskStart)?;
    let store = session.store();
    let snapshot = store.snapshot()?;
    // `next` may be binding this worktree at the same time.
    let _alone = active::lock(store)?;
    let own = own(store, &snapshot)?;
    let notice = own.notice();
    let held = match own {
        WorktreeClaim::Held(execution, _) => execution,
        WorktreeClaim::Lost(active, why) => {
            let issue = active.issue_id;
            return Err(Refusal::new(
                Code::ClaimLost,
                format!("this worktree no longer executes `{issue}`: {why}"),
            )
            .hint("its commits stay linked")
            .remedy(Op::Next, "claims another item"));
        }
        WorktreeClaim::Ended(active, how) => {
            let plan = active.solution_id;
            return Err(Refusal::new(
                Code::Ended,
                format!("`{plan}`, which this worktree executed, was {how}"),
            )
            .remedy(Op::Next, "claims another item"));
        }
        WorktreeClaim::Nothing => {
            return Err(Refusal::new(Code::NoClaim, "this worktree executes nothing")
                .remedy(Op::Next, "claims an item"));
        }
    };
    session.notice_all(notice);
    let execution = &held.execution;
    let folder = existing(&snapshot, &execution.issue_id)?;
    let plan = planned(store, &folder, &execution.solution_id)?.typed_plan();
    let wanted = trail::in_plan(&plan, &execution.solution_id, task)?;
    if let Some(now) = active::read(store)?.filter(|now| now.task_id.as_deref() != Some(task)) {
        active::write(store, &ActiveClaim { task_id: Some(task.into()), ..now })?;
    }
    session.notice_all(notice_of_branch(store, execution)?);
    let started = Started {
        execution_id: execution.id.clone(),
        solution_id: execution.solution_id.clone(),
        task_id: task.into(),
        title: wanted.title.clone(),
        task: shown_task(wanted, &held),
    };
    Ok(session.done(started, None))
}
