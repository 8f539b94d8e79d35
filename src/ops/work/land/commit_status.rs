//! Tells the host of a pull request how the tests of its plan ended, as a status of a commit.

use super::chosen::ChosenIssue;
use crate::interchange::github::pulls::{self, CommitState, CommitStatus};
use crate::model::CommitHash;
use crate::ops::issues::existing;
use crate::ops::work::as_claimed;
use crate::ops::{Notice, Refusal, Session};
use crate::rules::{Gate, GateValue, PlanReview, evidence};
use crate::store::{ObjectId, records};
use crate::trail::{signed_checks, work};

/// The setting that asks for it.
const STATUS: &str = "wf.land.status";

/// Sets the status of `head`, the last commit of the pull request, if `wf.land.status` asks for that: only that of the last one
/// counts for a host that requires it. If what ticks the issue off is on top of the work that was tested, the words say so. A
/// host that does not take it is no reason not to go on.
pub(super) fn set(
    session: &Session,
    repository: &str,
    issue: &ChosenIssue,
    head: ObjectId,
) -> Result<(), Refusal> {
    let store = session.store();
    if !store.config_bool(STATUS, false)? {
        return Ok(());
    }
    let snapshot = store.snapshot()?;
    let folder = existing(&snapshot, &issue.issue)?;
    let execution = folder.executions.iter().find(|known| known.execution.id == issue.execution);
    let execution =
        execution.ok_or_else(|| Refusal::unreadable(&format!("execution `{}`", issue.execution)))?;
    let claim = &execution.execution;
    let plan = as_claimed(store, &folder, claim)?.typed_plan();
    let gate = Gate::Evidence.setting(&records::root(&snapshot)?.policy).max(GateValue::Required);
    let counting = signed_checks::counting(store, execution, gate);
    let linked = work::linked(store, execution);
    let missing =
        evidence::missing(&plan, &counting, &linked, gate, PlanReview::from_reviews(&folder, claim));
    let (state, words) = match missing.first() {
        None => (CommitState::Success, format!("the tests of {} pass", issue.solution)),
        Some(first) => (CommitState::Failure, first.clone()),
    };
    let Some(last) = linked.last() else { return Ok(()) };
    let head = CommitHash::from(head);
    let tested = &last.link.hash;
    let on_top = if *tested == head { String::new() } else { format!("tested at {}: ", tested.short()) };
    let status = CommitStatus { commit: head.as_str(), state, words: &format!("{on_top}{words}") };
    if let Err(error) = pulls::set_status(repository, &status) {
        let message = format!("could not set the commit status for `{}`: {error}", issue.issue);
        session.notice(Notice::warning(message));
    }
    Ok(())
}
