//! Tells the host of a pull request how the tests of its plan ended, as a status of a commit.

use super::chosen::ChosenIssue;
use crate::interchange::github::pulls::{self, CommitState, CommitStatus};
use crate::ops::issues::existing;
use crate::ops::work::as_claimed;
use crate::ops::{Notice, Refusal, Session};
use crate::rules::{Gate, GateValue, PlanReview, evidence};
use crate::store::records;
use crate::trail::{signed_checks, work};

/// The setting that asks for it.
const STATUS: &str = "wf.land.status";

/// Sets the status of the last commit of the work, if `wf.land.status` asks for that: it is the one that was tested, also if what
/// ticks the issue off is on top. A host that does not take it is no reason not to go on.
pub(super) fn set(session: &Session, repository: &str, issue: &ChosenIssue) -> Result<(), Refusal> {
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
    let missing = evidence::missing(&plan, &counting, &linked, gate, PlanReview::of(&folder, claim));
    let (state, words) = match missing.first() {
        None => (CommitState::Success, format!("the tests of {} pass", issue.solution)),
        Some(first) => (CommitState::Failure, first.clone()),
    };
    let Some(last) = linked.last() else { return Ok(()) };
    let status = CommitStatus { commit: last.link.hash.as_str(), state, words: &words };
    if let Err(error) = pulls::set_status(repository, &status) {
        let message = format!("could not set the commit status for `{}`: {error}", issue.issue);
        session.notice(Notice::warning(message));
    }
    Ok(())
}
