//! The context of an executor.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::background::{issue_context, notice_source, with_wisdom};
use crate::model::remedy::as_command;
use crate::model::{
    Branch, ExecutionId, IssueId, ItemId, Op, Other, PlanDigest, QueueId, RemedyCall, SolutionId,
};
use crate::ops::issues::existing;
use crate::ops::{Refusal, Session, work};
use crate::rules::{Background, BackgroundReader, IssueContext, Role, background, facts};
use crate::store::Snapshot;

#[serde_with::skip_serializing_none]
/// The context of an executor: ids, the content of the issue, earlier attempts and comments, and the commands that
/// print the plan.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(example = executor_example())]
pub(crate) struct ExecutorInput {
    /// The plan.
    pub(crate) solution_id: SolutionId,
    /// Its issue.
    pub(crate) issue_id: IssueId,
    /// The digest of the plan: as claimed, else as it is now.
    pub(crate) plan_digest: Option<PlanDigest>,
    /// The queue that it waits in.
    pub(crate) queue_id: Option<QueueId>,
    /// Its item in that queue.
    pub(crate) item_id: Option<ItemId>,
    /// The running attempt.
    pub(crate) execution_id: Option<ExecutionId>,
    /// The branch that the attempt works on.
    pub(crate) branch: Option<Branch>,
    /// The linked worktree of the attempt; absent for the main one.
    pub(crate) worktree: Option<String>,
    /// The issue's title.
    pub(crate) title: Option<String>,
    /// The content of the issue.
    pub(crate) issue: Option<IssueContext>,
    #[serde(flatten)]
    pub(crate) background: Background,
    /// Commands that print the rest as JSON.
    pub(crate) load: Option<Load>,
}

/// Commands that print further information for an executor.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Load {
    /// The plan with its tasks.
    #[serde(serialize_with = "as_command")]
    #[schemars(with = "String")]
    pub(crate) solution: RemedyCall,
    /// The issue with everything about it.
    #[serde(serialize_with = "as_command")]
    #[schemars(with = "String")]
    pub(crate) issue: RemedyCall,
    /// The project context.
    #[serde(serialize_with = "as_command")]
    #[schemars(with = "String")]
    pub(crate) project: RemedyCall,
}

impl Load {
    /// Each call, with the name of its field.
    pub(crate) fn calls(&self) -> [(&'static str, &RemedyCall); 3] {
        [("solution", &self.solution), ("issue", &self.issue), ("project", &self.project)]
    }
}

fn executor_example() -> Value {
    json!({
        "solution_id": "SOL-ISS-20261121-7k3m2pq9-4x8r1tza",
        "issue_id": "ISS-20261121-7k3m2pq9",
        "plan_digest": format!("sha256:{}", "0".repeat(64)),
        "queue_id": "QUE-20261121-9w1nx3h2",
        "item_id": "S-1",
        "load": {
            "solution": "git wf show SOL-ISS-20261121-7k3m2pq9-4x8r1tza --json",
            "issue": "git wf show ISS-20261121-7k3m2pq9 --json",
            "project": "git wf settings --json"
        }
    })
}

/// The context of the executor of a plan.
pub(super) fn for_executor(
    session: &Session,
    snapshot: &Snapshot<'_>,
    id: SolutionId,
) -> Result<ExecutorInput, Refusal> {
    let issue_id = id.issue();
    let folder = existing(snapshot, &issue_id)?;
    let plan = work::planned(session.store(), &folder, &id)?;
    let queued = folder.items.iter().find(|item| item.item.solution_id == id && !item.item.is_removed());
    let attempt = facts::holder(&folder)
        .map(|holder| &holder.execution)
        .filter(|execution| execution.solution_id == id);
    let load = Load {
        // Another clone may have given the number of its item to another plan.
        solution: RemedyCall::new(Other::Show, [&id]).flag("json"),
        issue: RemedyCall::new(Other::Show, [&issue_id]).flag("json"),
        project: RemedyCall::from(Op::Settings).flag("json"),
    };
    notice_source(session, &folder);
    let (issue, mut left_out) = issue_context(snapshot, &folder)?;
    let mut background = with_wisdom(
        snapshot,
        &folder,
        Role::Executor,
        background::background(&folder, BackgroundReader::Executor(&plan)),
    )?;
    left_out.append(&mut background.left_out);
    background.left_out = left_out;
    Ok(ExecutorInput {
        plan_digest: Some(plan.plan_digest()),
        queue_id: queued.map(|queued| queued.queue.clone()),
        item_id: queued.map(|queued| queued.item.item_id.clone()),
        execution_id: attempt.map(|attempt| attempt.id.clone()),
        branch: attempt.and_then(|attempt| attempt.branch.clone()),
        worktree: attempt.and_then(|attempt| attempt.worktree.clone()),
        title: Some(folder.issue.record.title.clone()),
        issue: Some(issue),
        background,
        load: Some(load),
        solution_id: id,
        issue_id,
    })
}
