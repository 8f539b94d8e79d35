//! Confirming a criterion that no test covers.

use schemars::JsonSchema;
use serde::Serialize;

use super::{ChangedExecution, ExecutionTarget, ExecutionView, Intent, as_claimed, refuse_foreign, target};
use crate::model::execution::Accept as Confirmed;
use crate::model::{Code, Event, Op, Other};
use crate::ops::{Answer, Refusal, Session, trail};
use crate::rules::ExecutionFolder;
use crate::store::{ReadState, Store, one_line};

/// A criterion to confirm, and the evidence.
#[derive(Debug)]
pub(crate) struct Accept {
    /// The item (default: that of this worktree).
    pub(crate) item: Option<String>,
    /// The task.
    pub(crate) task: String,
    /// The number of the criterion within the task, from 1.
    pub(crate) criterion: u64,
    /// The evidence.
    pub(crate) evidence: String,
    /// The reason for changing someone else's claim.
    pub(crate) force: Option<String>,
}

/// A criterion that was confirmed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Accepted {
    /// The execution.
    #[serde(flatten)]
    pub(crate) execution: ExecutionView,
    /// The task.
    #[serde(skip)]
    pub(crate) task: String,
    /// The number of the criterion within it.
    #[serde(skip)]
    pub(crate) number: u64,
    /// The criterion in one line.
    #[serde(skip)]
    pub(crate) criterion: String,
}

/// Confirms a criterion of the plan as it was claimed.
///
/// # Errors
/// The errors of [`named_criterion`]; `claim-of-another`; `not-found` if the plan has no such criterion.
pub(crate) fn accept(session: &Session, input: &Accept) -> Answer<Accepted> {
    let permit = session.permit(Op::Accept)?;
    let store = session.store();
    store.snapshot()?;
    let Accept { task, criterion, .. } = input;
    let committed = session.transact(permit, |tx| {
        let (execution, text) = named_criterion(store, tx, input)?;
        let id = &execution.execution.solution_id;
        let confirmed = Event::Accept(Confirmed {
            task_id: task.as_str().into(),
            criterion: *criterion,
            evidence: input.evidence.clone(),
        });
        if !execution.log.iter().any(|entry| entry.event == confirmed) {
            tx.log(&execution.execution.id, confirmed)?;
            tx.note.force.clone_from(&input.force);
            tx.describe(format!("execution: accept {task} {criterion} of {id}"));
        }
        Ok((execution.execution.id.clone(), text))
    })?;
    let (id, criterion) = committed.answer;
    let ChangedExecution { execution, .. } = ChangedExecution::now(store, &id)?;
    let (task, number) = (task.clone(), input.criterion);
    Ok(session.done(Accepted { execution, task, number, criterion }, committed.commit))
}

/// The execution, and the criterion in one line.
///
/// # Errors
/// See [`accept`].
pub(super) fn named_criterion(
    store: &Store,
    read: &impl ReadState,
    input: &Accept,
) -> Result<(ExecutionFolder, String), Refusal> {
    let Accept { task, criterion, .. } = input;
    let ExecutionTarget { folder, execution } = target(store, read, input.item.as_deref())?;
    refuse_foreign(store, &execution, Intent::Record, input.force.as_deref())?;
    let id = &execution.execution.solution_id;
    let plan = as_claimed(store, &folder, &execution.execution)?.typed_plan();
    trail::in_plan(&plan, id, task)?;
    let criteria = plan.task(task).map(|task| task.criteria()).unwrap_or_default();
    let wanted = usize::try_from(*criterion).ok().and_then(|n| criteria.get(n.checked_sub(1)?));
    let Some(text) = wanted.map(|text| one_line(text)) else {
        let listed = criteria.iter().enumerate().map(|(n, text)| format!("{}. {text}", n + 1)).collect();
        let message = format!("task `{task}` of `{id}` has no criterion {criterion}");
        return Err(Refusal::new(Code::NotFound, message)
            .details(listed)
            .remedy(Other::Show, "shows the criteria, numbered from 1"));
    };
    Ok((execution, text))
}
