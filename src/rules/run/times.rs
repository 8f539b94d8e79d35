//! How long the stages of a run and of its issues took.

use schemars::JsonSchema;
use serde::Serialize;

use super::progress::Progress;
use super::report::IssueReport;
use super::state::{IssueStage, stage};
use crate::model::id::IssueId;
use crate::model::run::RunStep;
use crate::model::run_log::{RunEvent, RunPhase};
use crate::model::time::Time;
use crate::rules::folder::RunFolder;

/// How long a phase took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct PhaseTime {
    /// The phase.
    pub(crate) phase: RunPhase,
    /// In milliseconds: the time during which at least one issue was at it.
    pub(crate) took_ms: u64,
}

/// A stage of an issue, and its times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Span {
    /// The stage.
    pub(crate) status: IssueStage,
    /// When it started.
    pub(crate) from: Time,
    /// When it ended.
    pub(crate) until: Time,
}

/// Milliseconds from one time to another; 0 if a clock was set back in between.
pub(super) fn between(from: Time, until: Time) -> u64 {
    u64::try_from(until.millis().saturating_sub(from.millis())).unwrap_or(0)
}

/// The stages of an issue. The last one lasts until the last change of the run, unless the issue is over.
pub(super) fn spans(folder: &RunFolder, progress: &Progress<'_>, issue: &IssueId) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for entry in &folder.log {
        let RunEvent::Issue(reached) = &entry.event else { continue };
        if reached.issue_id != *issue {
            continue;
        }
        let status = stage(reached.status);
        match spans.last_mut() {
            Some(last) if last.status == status => last.until = entry.at,
            last => {
                if let Some(last) = last {
                    last.until = entry.at;
                }
                spans.push(Span { status, from: entry.at, until: entry.at });
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

/// The time that planning (with reviews) and executing took, each without gaps and overlaps.
pub(super) fn phases(folder: &RunFolder, issues: &[IssueReport]) -> Vec<PhaseTime> {
    let spans = |status| issues.iter().flat_map(move |it| &it.spans).filter(move |it| it.status == status);
    let steps = folder.log.iter().filter_map(|entry| match &entry.event {
        RunEvent::Action(done) => Some((done.action, entry.at, done.took_ms?)),
        _ => None,
    });
    let of = |phase, status, is_its: fn(RunStep) -> bool| {
        let asked = steps.clone().filter(|(step, _, _)| is_its(*step));
        let asked = asked.map(|(_, at, took)| (at.millis().saturating_sub_unsigned(took), at.millis()));
        let times = spans(status).map(|it| (it.from.millis(), it.until.millis())).chain(asked);
        PhaseTime { phase, took_ms: covered(times.collect()) }
    };
    let phases = [
        of(RunPhase::Listing, IssueStage::Registered, |step| step == RunStep::Explore),
        of(RunPhase::Planning, IssueStage::Planning, |step| matches!(step, RunStep::Plan | RunStep::Review)),
        of(RunPhase::Executing, IssueStage::Executing, |step| step == RunStep::Execute),
    ];
    phases.into_iter().filter(|it| it.took_ms > 0).collect()
}

/// How many milliseconds at least one of the times covers.
fn covered(mut times: Vec<(i64, i64)>) -> u64 {
    times.sort_unstable();
    let (mut sum, mut reached) = (0, i64::MIN);
    for (from, until) in times {
        sum += u64::try_from(until.saturating_sub(from.max(reached))).unwrap_or(0);
        reached = reached.max(until);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_overlap_count_once() {
        for (times, ms) in [
            (vec![], 0),
            (vec![(0, 10)], 10),
            (vec![(5, 15), (0, 10)], 15),
            (vec![(0, 10), (2, 3), (20, 30)], 20),
            (vec![(10, 5)], 0),
        ] {
            assert_eq!(covered(times), ms);
        }
    }
}
