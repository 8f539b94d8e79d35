//! Failing an execution.

use super::report::missing_links;
use super::{
    Asked, Ended, ExecutionTarget, ExecutorReport, FailureReport, Intent, Then, confirm, ended, failure,
    refuse_foreign, target, unbind_worktree,
};
use crate::model::{Code, End, Event, ExecutionResult, ExecutionStatus, LinkedBy, Op, RemedyCall};
use crate::ops::{Answer, Refusal, Session, trail};
use crate::store::{CodeCommit, ObjectId};

/// Which execution failed, and why.
#[derive(Debug)]
pub(crate) struct Fail {
    /// The item (default: that of this worktree).
    pub(crate) item: Option<String>,
    /// What went wrong.
    pub(crate) why: FailureReport,
    /// The executor's report, if there is one.
    pub(crate) report: Option<ExecutorReport>,
    /// Commits that a run knows to be the work of the execution, whether a hook linked them or not.
    pub(crate) made: Vec<ObjectId>,
    /// What happens after the end.
    pub(crate) then: Then,
    /// The reason for overriding a gate.
    pub(crate) force: Option<String>,
}

/// Ends an execution as failed. What went wrong becomes feedback for the next plan. Publishes the end, and takes the
/// next item if requested.
///
/// # Errors
/// The errors of [`target`]; `claim-of-another`, `lease-ran-out`; `other-plan`, `not-found` for the failure.
pub(crate) fn fail(session: &Session, input: &Fail) -> Answer<Ended> {
    let permit = session.permit(Op::Fail)?;
    let (store, item, why) = (session.store(), input.item.as_deref(), &input.why);
    let mut before = target(store, &store.snapshot()?, item)?;
    let asked = confirm(session, &before.execution)?;
    if matches!(asked, Asked::Merged) {
        before = target(store, &store.snapshot()?, item)?;
    }
    let named = match &input.report {
        Some(report) => report.commits(store)?,
        None => Vec::new(),
    };
    let made: Vec<CodeCommit> =
        input.made.iter().map(|id| store.code_commit(*id)).collect::<Result<_, _>>()?;
    let mut links = missing_links(store, &store.snapshot()?, &before, made.iter(), LinkedBy::Run)?;
    let reported = named.iter().filter_map(|(_, commit)| commit.as_ref());
    let reported = reported.filter(|commit| !input.made.contains(&commit.id));
    links.extend(missing_links(store, &store.snapshot()?, &before, reported, LinkedBy::Manual)?);
    let result = input.report.as_ref().map(|report| {
        let mut result = ExecutionResult::default();
        report.record(&mut result);
        result
    });
    let committed = session.transact(permit, |tx| {
        let ExecutionTarget { folder, execution } = target(store, tx, item)?;
        refuse_foreign(store, &execution, Intent::End, input.force.as_deref())?;
        let claim = &execution.execution;
        if let Some(other) = why.solution_id.as_ref().filter(|other| **other != claim.solution_id) {
            return Err(Refusal::new(
                Code::OtherPlan,
                format!("the failure is about `{other}`, but `{}` is being executed", claim.solution_id),
            )
            .remedy(
                RemedyCall::from(Op::Fail).item(Some("ITEM")).option("message", "TEXT"),
                "names the item whose execution failed",
            ));
        }
        if let (Some(task), Some(solution)) = (&why.failure.task_id, folder.solution(&claim.solution_id)) {
            trail::in_plan(&solution.typed_plan(), &claim.solution_id, task)?;
        }
        for link in &links {
            tx.log(&claim.id, Event::Commit(link.clone()))?;
        }
        let end = End {
            status: ExecutionStatus::Failed,
            result: result.clone(),
            failure: Some(why.failure.clone()),
            patch_id: None,
            forced: input.force.clone(),
            onto: None,
        };
        tx.log(&claim.id, Event::End(end))?;
        failure::note(tx, claim, &why.failure)?;
        tx.note.force.clone_from(&input.force);
        let message = why.failure.message.as_deref().unwrap_or_default();
        tx.describe(format!("execution: fail {}: {message}", claim.solution_id));
        Ok(())
    })?;
    let failed = &before.execution.execution;
    unbind_worktree(session, &failed.id);
    let ended = ended::publish(session, failed, input.then, None, &asked)?;
    Ok(session.done(ended, committed.commit))
}
