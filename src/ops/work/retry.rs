//! Queueing failed issues again.

use schemars::JsonSchema;
use serde::Serialize;

use super::{ask_about, failure, issue_of, set_aside};
use crate::model::{
    AsideReason, Code, IssueId, IssueStatus, ItemStatus, Op, Other, Remedy, RemedyCall, SolutionId, count,
};
use crate::ops::issues::{IssueView, existing};
use crate::ops::queue::QueueWorld;
use crate::ops::{Answer, Notice, Refusal, Session, plans};
use crate::rules::{Blocker, facts, replan, toward};
use crate::store::{ReadState, Store, StoreError, Tx, records, resolve};

/// Which issues to queue again.
#[derive(Debug, Default)]
pub(crate) struct Retry {
    /// The issue, or an item of it (default: all failed issues).
    pub(crate) issue: Option<String>,
    /// Whether to run the failed plan again even if there are newer ones.
    pub(crate) same_plan: bool,
}

/// An issue that is queued again.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Retried {
    /// The issue.
    #[serde(flatten)]
    pub(crate) issue: IssueView,
    /// What its items wait for.
    #[serde(skip)]
    pub(crate) waits_for: Vec<Blocker>,
}

/// The result for one issue.
enum RetryOutcome {
    /// It had not failed.
    Nothing,
    /// It is queued again.
    Retried,
    /// Newer plans wait to be bound.
    Newer(Newer),
}

/// An issue that failed and has newer plans.
struct Newer {
    issue: IssueId,
    /// The plan that failed.
    failed: SolutionId,
    /// The others, in words.
    plans: Vec<String>,
    /// How to choose one of them.
    choose: Remedy,
}

/// Queues failed issues again. An issue with plans newer than the failed one is skipped until one of them is bound.
///
/// # Errors
/// `not-found`, `ambiguous-id`; `newer-plan` if all failed issues have newer plans; nothing to do if nothing failed.
pub(crate) fn retry(session: &Session, input: &Retry) -> Answer<Vec<Retried>> {
    let permit = session.permit(Op::Retry)?;
    let store = session.store();
    let snapshot = store.snapshot()?;
    let named = input.issue.as_deref().map(|text| named(store, &snapshot, text)).transpose()?;
    // Someone else may have queued or completed it already.
    match &named {
        Some(id) => ask_about(session, std::slice::from_ref(id))?,
        None => ask_about(session, &records::issue_ids(&snapshot)?)?,
    }
    let committed = session.transact(permit, |tx| {
        let ids = match &named {
            Some(id) => vec![id.clone()],
            None => records::issue_ids(tx)?,
        };
        let (mut retried, mut newer) = (Vec::new(), Vec::new());
        for id in ids {
            match retry_one(tx, &id, input.same_plan)? {
                RetryOutcome::Nothing => {}
                RetryOutcome::Retried => retried.push(id),
                RetryOutcome::Newer(plan) => newer.push(plan),
            }
        }
        if retried.is_empty() {
            return Err(if newer.is_empty() { nothing(tx, named.as_ref())? } else { unbound(&newer) });
        }
        let names: Vec<&str> = retried.iter().map(IssueId::as_str).collect();
        tx.describe(format!("execution: retry {}", names.join(", ")));
        Ok((retried, newer))
    })?;
    let (retried, newer) = committed.answer;
    session.notice_all(newer.iter().map(skipped));
    let snapshot = store.snapshot()?;
    let queues = QueueWorld::after(session)?.views();
    let mut answer = Vec::new();
    for id in &retried {
        let issue = IssueView::new(&existing(&snapshot, id)?);
        let items = queues.iter().flat_map(|queue| &queue.items);
        let blocked = items.filter(|item| item.item.issue_id == *id && item.status == ItemStatus::Blocked);
        let waits_for = blocked.flat_map(|blocked| blocked.blocked_by.clone());
        answer.push(Retried { issue, waits_for: waits_for.collect() });
    }
    Ok(session.done(answer, committed.commit))
}

/// The issue that is named, directly or by an item.
fn named(store: &Store, read: &impl ReadState, text: &str) -> Result<IssueId, Refusal> {
    match resolve::issue(read, text) {
        Ok(issue) => Ok(issue),
        // If the text names no item either, report it as an unknown issue.
        Err(error) => issue_of(store, read, text).map_err(|refusal| match refusal.code {
            Code::NotFound => error.into(),
            _ => refusal,
        }),
    }
}

/// Sets the failed attempt aside; its item is queued again.
fn retry_one(tx: &mut Tx<'_>, id: &IssueId, same_plan: bool) -> Result<RetryOutcome, Refusal> {
    // An issue without executions, or that cannot be read, has nothing to retry.
    if records::execution_ids(tx, id)?.is_empty() {
        return Ok(RetryOutcome::Nothing);
    }
    let folder = match records::issue(tx, id) {
        Ok(Some(folder)) => folder,
        Ok(None) | Err(StoreError::Broken { .. }) => return Ok(RetryOutcome::Nothing),
        Err(error) => return Err(error.into()),
    };
    if facts::status(&folder) != IssueStatus::Failed {
        return Ok(RetryOutcome::Nothing);
    }
    let newer = replan::newer(&folder);
    if let (Some(failed), false, false) =
        (&folder.issue.record.bound_solution_id, newer.is_empty(), same_plan)
    {
        let plans = plans::in_words(&newer);
        let choose = toward::plan(&folder);
        return Ok(RetryOutcome::Newer(Newer { issue: id.clone(), failed: failed.clone(), plans, choose }));
    }
    failure::keep(tx, &folder)?;
    let is_aside = set_aside(tx, &folder, AsideReason::Retry, None)?;
    Ok(if is_aside { RetryOutcome::Retried } else { RetryOutcome::Nothing })
}

/// The notice that an issue was skipped.
fn skipped(Newer { issue, failed, plans, choose }: &Newer) -> Notice {
    let plans = count(plans.len(), "newer plan");
    let notice = Notice::warning(format!("skipped {issue}: {failed} failed, and it has {plans}"));
    Notice { remedies: vec![choose.clone()], ..notice }
}

/// Refuses to execute a plan again while a newer one waits to be bound.
fn unbound(newer: &[Newer]) -> Refusal {
    let (what, id) = match newer {
        [Newer { issue, failed, .. }] => {
            (format!("`{issue}` has plans newer than `{failed}`, which failed"), issue.as_str())
        }
        several => (format!("{} failed and have newer plans", count(several.len(), "issue")), "ISSUE"),
    };
    let mut remedies = vec![
        match newer {
            [one] => one.choose.clone(),
            _ => Remedy::call(RemedyCall::new(Op::Bind, [id, "PLAN"]), "chooses one"),
        },
        Remedy::call(RemedyCall::new(Op::QueueAdd, [id]), "queues it then"),
    ];
    if newer.len() == 1 {
        remedies.push(Remedy::call(
            RemedyCall::new(Op::Retry, [id]).flag("same-plan"),
            "runs the failed plan again",
        ));
    }
    let plans = newer.iter().flat_map(|newer| newer.plans.clone()).collect();
    Refusal::new(Code::NewerPlan, what).details(plans).remedies(remedies)
}

fn nothing(tx: &Tx<'_>, named: Option<&IssueId>) -> Result<Refusal, Refusal> {
    let Some(id) = named else {
        return Ok(Refusal::nothing("nothing has failed").remedy(Other::List, "lists the open issues"));
    };
    let status = facts::status(&existing(tx, id)?);
    let refusal = Refusal::nothing(format!("issue `{id}` is {status}, not failed"));
    // If it has an item, the remedy depends on that.
    let queues = QueueWorld::read(tx)?.views();
    let is_queued = queues.iter().any(|queue| queue.items.iter().any(|item| item.item.issue_id == *id));
    Ok(if matches!(status, IssueStatus::Completed | IssueStatus::Cancelled) {
        refusal.remedy(RemedyCall::new(Op::Reopen, [id]), "reopens it")
    } else if is_queued {
        refusal.remedy(Other::Queue, "shows its place")
    } else {
        refusal.remedy(RemedyCall::new(Op::QueueAdd, ["ISSUE"]), "queues a planned issue")
    })
}
