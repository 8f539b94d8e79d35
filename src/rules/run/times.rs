//! How long the stages of a run and of its issues took.

use schemars::JsonSchema;
use serde::Serialize;

use super::progress::{IssueProgress, RunProgress};
use super::state::{IssueStage, stage};
use crate::model::{RunEvent, RunPhase, Time};
use crate::rules::RunFolder;

/// How long a phase took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct PhaseTime {
    /// The phase.
    pub(crate) phase: RunPhase,
    /// In milliseconds.
    pub(crate) took_ms: u64,
}

/// A stage of an issue, and its times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct StageSpan {
    /// The stage.
    pub(crate) status: IssueStage,
    /// When it started.
    pub(crate) from: Time,
    /// When it ended.
    pub(crate) until: Time,
}

/// Milliseconds from one time to another; 0 if a clock was set back in between.
pub(crate) fn between(from: Time, until: Time) -> u64 {
    u64::try_from(until.millis().saturating_sub(from.millis())).unwrap_or(0)
}

/// The stages of an issue. The last one extends to the last change of the run, unless the issue is done.
pub(super) fn spans(progress: &RunProgress<'_>, issue: &IssueProgress<'_>) -> Vec<StageSpan> {
    let mut spans: Vec<StageSpan> = Vec::new();
    for (at, reached) in &issue.reached {
        let status = stage(reached.status);
        match spans.last_mut() {
            Some(last) if last.status == status => last.until = *at,
            last => {
                if let Some(last) = last {
                    last.until = *at;
                }
                spans.push(StageSpan { status, from: *at, until: *at });
            }
        }
    }
    if let Some(last) = spans.last_mut()
        && !matches!(last.status, IssueStage::Completed | IssueStage::Failed)
    {
        last.until = progress.updated_at;
    }
    spans
}

/// How long a run was driven until now, in milliseconds.
pub(crate) fn driven_ms(folder: &RunFolder, now: Time) -> u64 {
    let (_, interrupted) = phases(folder);
    between(folder.run.created_at, now).saturating_sub(interrupted)
}

/// How long the run was in each phase, in the order of its log, and how long no process drove it: together the time
/// from its start to its last change. The times of a repeated phase are added up.
pub(super) fn phases(folder: &RunFolder) -> (Vec<PhaseTime>, u64) {
    let (mut phases, mut interrupted): (Vec<PhaseTime>, u64) = (Vec::new(), 0);
    let (mut phase, mut reached, mut is_driven) = (RunPhase::Init, folder.run.created_at, false);
    for entry in &folder.log {
        // A clock may have been set back.
        let at = entry.at.max(reached);
        let took_ms = between(reached, at);
        reached = at;
        let begins = match &entry.event {
            RunEvent::Phase(change) if change.driver.is_some() => std::mem::replace(&mut is_driven, true),
            _ => false,
        };
        if begins {
            interrupted += took_ms;
        } else if let Some(known) = phases.iter_mut().find(|other| other.phase == phase) {
            known.took_ms += took_ms;
        } else {
            phases.push(PhaseTime { phase, took_ms });
        }
        if let RunEvent::Phase(change) = &entry.event {
            phase = change.phase;
        }
    }
    phases.retain(|phase| phase.took_ms > 0);
    (phases, interrupted)
}
