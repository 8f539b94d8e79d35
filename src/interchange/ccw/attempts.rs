//! Executions: ccw keeps them in the items of its queues, the last one as the item's status, earlier failures as a list.

use serde_json::Value;

use super::UNKNOWN;
use super::item::PlacedItem;
use crate::interchange::fields::Fields;
use crate::interchange::work::Attempt;
use crate::model::execution::IMPORTED;
use crate::model::{
    Aside, AsideReason, CommitHash, End, Event, Execution, ExecutionResult, ExecutionStatus, Failure, Issue,
    IssueStatus, LogEntry, Stamp, Time, entry_at, strict, typed,
};
use crate::rules::lease;

/// One attempt at a plan.
struct Tried<'a> {
    item: &'a PlacedItem<'a>,
    nonce: String,
    started: Time,
    end: Option<(Time, End)>,
    /// Whether a later attempt at the same item followed, or may follow.
    is_past: bool,
}

impl Tried<'_> {
    fn outcome(&self) -> ExecutionStatus {
        self.end.as_ref().map_or(ExecutionStatus::Executing, |(_, end)| end.status)
    }
}

/// The attempts at an issue with this status there, in order. All but the one that the status is about are set aside.
pub(super) fn read(
    fields: &mut Fields<'_>,
    issue: &Issue,
    status: Option<IssueStatus>,
    items: &[PlacedItem<'_>],
) -> Vec<Attempt> {
    let mut all: Vec<Tried<'_>> = Vec::new();
    for item in items {
        past(item, &mut all);
        all.extend(present(fields, item));
    }
    all.sort_by(|a, b| (a.started, &a.nonce).cmp(&(b.started, &b.nonce)));
    let current = current(fields, status, &all);
    let attempts = all.iter().enumerate();
    attempts.map(|(n, tried)| attempt(issue, n as u64 + 1, tried, current == Some(n))).collect()
}

/// The one that the status of the issue is about.
fn current(fields: &mut Fields<'_>, status: Option<IssueStatus>, all: &[Tried<'_>]) -> Option<usize> {
    let wanted = match status {
        Some(IssueStatus::Completed | IssueStatus::Closed) => ExecutionStatus::Completed,
        Some(IssueStatus::Failed) => ExecutionStatus::Failed,
        _ => ExecutionStatus::Executing,
    };
    let said = match status {
        Some(said @ (IssueStatus::Completed | IssueStatus::Failed | IssueStatus::Executing)) => said,
        _ => return last_with(all, Some(wanted)),
    };
    if let Some(found) = last_with(all, Some(wanted)) {
        return Some(found);
    }
    let other = last_with(all, None)?;
    let (item, outcome) = (all[other].item, all[other].outcome());
    fields.lasting.push(format!(
        "the issue says `{said}`, but its item `{}:{}` says `{outcome}`, which counts",
        item.queue, item.number
    ));
    Some(other)
}

fn last_with(all: &[Tried<'_>], wanted: Option<ExecutionStatus>) -> Option<usize> {
    all.iter()
        .rposition(|attempt| !attempt.is_past && wanted.is_none_or(|wanted| attempt.outcome() == wanted))
}

fn attempt(issue: &Issue, number: u64, tried: &Tried<'_>, is_current: bool) -> Attempt {
    let item = tried.item;
    let none = CommitHash::parse(&"0".repeat(40));
    let claim = Execution::made(&issue.id, |id| Execution {
        id,
        nonce: tried.nonce.clone(),
        issue_id: issue.id.clone(),
        solution_id: item.solution.clone(),
        plan_digest: item.digest.clone(),
        plan_commit: none.unwrap_or_else(|| unreachable!("40 digits are a hash")),
        queue_id: Some(item.queue.clone()),
        item_id: Some(item.number.clone()),
        attempt: number,
        actor: UNKNOWN.into(),
        role: None,
        branch: None,
        base_commit: None,
        worktree: None,
        via: None,
        run_id: None,
        missing: vec![],
        supersedes: vec![],
        started_at: tried.started,
        lease_expires_at: tried.started.plus_millis(lease::DEFAULT),
    });
    let mut log = Vec::new();
    let mut last = tried.started;
    if let Some((at, end)) = &tried.end {
        log.push(entry(*at, Event::End(end.clone())));
        last = *at;
    }
    if !is_current {
        let reason = match tried.outcome() {
            ExecutionStatus::Executing => AsideReason::Release,
            _ if issue.bound_solution_id.as_ref().is_some_and(|id| *id != item.solution) => {
                AsideReason::Rebind
            }
            ExecutionStatus::Completed => AsideReason::Reopen,
            _ => AsideReason::Retry,
        };
        log.push(entry(
            last.plus_millis(1),
            Event::Aside(Aside { status: tried.outcome(), reason, forced: None }),
        ));
    }
    Attempt { claim, log }
}

fn entry(at: Time, event: Event) -> LogEntry {
    entry_at(&Stamp::import(at), |id| LogEntry { id, event, actor: UNKNOWN.into(), at })
}

/// The failures before the last retry.
fn past<'a>(item: &'a PlacedItem<'a>, all: &mut Vec<Tried<'a>>) {
    let history = item.given.get("failure_history").and_then(Value::as_array).into_iter().flatten();
    for given in history {
        let at = given.get("timestamp").and_then(Value::as_str).and_then(Time::parse);
        let at = at.unwrap_or(item.queued_at);
        let end = failed(failure(given));
        all.push(Tried { nonce: nonce(item, at), started: at, end: Some((at, end)), item, is_past: true });
    }
}

/// The attempt that the status of the item is about.
fn present<'a>(fields: &mut Fields<'_>, item: &'a PlacedItem<'a>) -> Option<Tried<'a>> {
    let started = item.time("started_at").unwrap_or(item.queued_at);
    let ended = item.time("completed_at").unwrap_or(started).max(started);
    let end = match item.text("status")? {
        "executing" => None,
        "completed" => Some((ended, completed(fields, item.given))),
        "failed" => {
            let details = item.given.get("failure_details").filter(|details| details.is_object());
            let at = details.and_then(|details| details.get("timestamp")?.as_str()).and_then(Time::parse);
            let failure = match (details, item.text("failure_reason")) {
                (Some(details), _) => failure(details),
                (None, Some(reason)) => reason_given(reason),
                (None, None) => Failure::default(),
            };
            Some((at.unwrap_or(ended).max(started), failed(failure)))
        }
        _ => return None,
    };
    Some(Tried { nonce: nonce(item, started), started, end, item, is_past: false })
}

fn nonce(item: &PlacedItem<'_>, at: Time) -> String {
    format!("{IMPORTED} {} {} {at}", item.queue, item.solution)
}

fn failure(given: &Value) -> Failure {
    typed::read(given).unwrap_or_else(|_| Failure { message: Some(given.to_string()), ..Failure::default() })
}

/// A reason is a text, or a failure as JSON.
fn reason_given(reason: &str) -> Failure {
    match strict::parse_text(reason.trim()) {
        Ok(value @ Value::Object(_)) => failure(&value),
        _ => Failure { message: Some(reason.to_owned()), ..Failure::default() },
    }
}

fn failed(failure: Failure) -> End {
    let (status, failure) = (ExecutionStatus::Failed, Some(failure));
    End { status, result: None, failure, patch_id: None, forced: None, onto: None }
}

fn completed(fields: &mut Fields<'_>, given: &Value) -> End {
    let result = given.get("result").filter(|result| !result.is_null()).map(|result| {
        typed::read(result).unwrap_or_else(|_| {
            fields.note("the result of its execution is not as expected; it became the summary".into());
            ExecutionResult { summary: Some(result.to_string()), ..ExecutionResult::default() }
        })
    });
    End {
        status: ExecutionStatus::Completed,
        result,
        failure: None,
        patch_id: None,
        forced: None,
        onto: None,
    }
}
