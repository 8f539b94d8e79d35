//! Commits of the store that were made in a role or that overrode a gate, and changes to records that no command makes.

use std::collections::{BTreeMap, BTreeSet};

use super::Looked;
use crate::index::Index;
use crate::model::{CommitHash, IssueId, Op, Person};
use crate::ops::Refusal;
use crate::rules::audit::Act;
use crate::rules::{AuditFinding, AuditSeverity, Carried, RunProgress};
use crate::store::{HistoryStep, Location, Rewritten, Snapshot, records};

/// Acts on these issues in a role or with a gate overridden, oldest first; then acts that concern all issues, since
/// the earliest of these executions started; then acts on other issues, see [`acts_elsewhere`].
pub(super) fn acts(
    index: &Index<'_>,
    issues: &[Looked],
    carried: &[Carried<'_>],
    is_whole: bool,
) -> Result<Vec<Act>, Refusal> {
    let mut acts: Vec<Act> = Vec::new();
    let mut seen = BTreeSet::new();
    for issue in issues {
        let id = &issue.folder.issue.record.id;
        for n in index.steps(Some(id.as_str()), None)?.into_iter().rev() {
            let step = index.step(n)?;
            if seen.insert(step.commit.clone()) {
                acts.extend(act(step, Some(id)));
            }
        }
    }
    let since = carried.iter().map(|carried| carried.execution.execution.started_at).min();
    for operation in [Op::Settings, Op::Fsck] {
        for n in index.steps_of(operation.as_str())? {
            let step = index.step(n)?;
            if since.is_some_and(|since| step.at.is_second_from(since)) && seen.insert(step.commit.clone()) {
                acts.extend(act(step, None));
            }
        }
    }
    acts.extend(acts_elsewhere(index, is_whole, &mut seen)?);
    Ok(acts)
}

/// Acts on other issues that a role does not allow or that overrode a gate, oldest first. This takes two scans of the
/// index, however many issues there are. If only a part of the history was requested, overridden gates of other
/// issues are left out, except for executions that ended without a commit, since no range contains those.
pub(super) fn acts_elsewhere(
    index: &Index<'_>,
    is_whole: bool,
    seen: &mut BTreeSet<CommitHash>,
) -> Result<Vec<Act>, Refusal> {
    let mut found = Vec::new();
    for n in index.steps_to_audit()? {
        let act = act(index.step(n)?, None);
        if let Some(act) = act.filter(|act| act.is_breach() || act.reason.is_some())
            && !seen.contains(&act.commit)
        {
            found.push((n, act));
        }
    }
    let numbers: Vec<i64> = found.iter().map(|(n, _)| *n).collect();
    let mut issues = if numbers.is_empty() { BTreeMap::new() } else { index.issues_of_steps(&numbers)? };
    let snapshot = index.snapshot()?;
    let mut acts = Vec::new();
    for (n, mut act) in found {
        let mut touched = issues.remove(&n).unwrap_or_default();
        act.issue_id = if touched.len() == 1 { touched.pop_first() } else { None };
        act.is_elsewhere = !is_whole;
        if !is_whole && act.reason.is_some() {
            let ended = if act.operation == "done" { act.issue_id.as_ref() } else { None };
            let executions = ended.map(|id| records::executions(&snapshot, id)).transpose()?;
            if !executions.is_some_and(|all| all.iter().all(|execution| execution.commits().is_empty())) {
                act.reason = None;
            }
        }
        if act.is_breach() || act.reason.is_some() {
            seen.insert(act.commit.clone());
            acts.push(act);
        }
    }
    Ok(acts)
}

/// What happened in runs outside of the roles of their agents, in whichever run: no range of commits contains it.
pub(super) fn breaches(snapshot: &Snapshot<'_>) -> Result<Vec<AuditFinding>, Refusal> {
    let mut found = Vec::new();
    for id in records::run_ids(snapshot)? {
        // `fsck` names what cannot be read.
        let Some(run) = records::run(snapshot, &id, &mut Vec::new())? else { continue };
        found.extend(RunProgress::of(&run).breaches.iter().map(|breach| AuditFinding::breach(&id, breach)));
    }
    Ok(found)
}

/// A finding for a change that no command makes. For a record of an issue that is not audited it is only a note; a
/// record that belongs to no issue concerns all issues.
pub(super) fn of_rewritten(rewritten: &Rewritten, is_audited: &dyn Fn(&IssueId) -> bool) -> AuditFinding {
    let issue = Location::parse(&rewritten.path).and_then(|location| location.issue());
    let severity =
        if issue.as_ref().is_none_or(is_audited) { AuditSeverity::Fault } else { AuditSeverity::Note };
    let message = format!("`{}`: {} {}", rewritten.path, rewritten.author, rewritten.what);
    AuditFinding::rewritten(severity, issue, &rewritten.commit, message)
}

/// The act, if the step was made in a role or with a gate overridden.
fn act(step: HistoryStep, issue: Option<&IssueId>) -> Option<Act> {
    if step.role.is_none() && step.force.is_none() {
        return None;
    }
    Some(Act {
        commit: step.commit,
        issue_id: issue.cloned(),
        operation: step.op?,
        person: step.actor.map_or(step.author, Person::from),
        role: step.role,
        reason: step.force,
        is_elsewhere: false,
    })
}
