//! How long the stages of a run and of its issues took.

use schemars::JsonSchema;
use serde::Serialize;

use std::collections::{BTreeMap, BTreeSet};

use super::progress::{IssueProgress, RunProgress};
use super::state::{IssueStage, stage};
use crate::model::{IssueId, OrderKind, RunEvent, RunPhase, Time};
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

/// How long a run was at work until now, in milliseconds: without the time in which nobody drove it, it was paused, or it waited for
/// a person or for the providers of its agents.
pub(crate) fn worked_ms(folder: &RunFolder, now: Time) -> u64 {
    let (mut worked, mut reached, mut is_driven) = (0, folder.run.created_at, false);
    let mut idle = IdleTime::default();
    for entry in &folder.log {
        // A clock may have been set back.
        let at = entry.at.max(reached);
        let is_begun = matches!(&entry.event, RunEvent::Phase(change) if change.driver.is_some());
        if !(is_begun && std::mem::replace(&mut is_driven, true)) {
            worked += idle.worked_between(reached, at, step_of(&entry.event));
        }
        idle.note(&entry.event);
        reached = at;
    }
    worked + idle.worked_between(reached, now, None)
}

/// Why a run may do nothing for a while.
#[derive(Default)]
struct IdleTime {
    is_paused: bool,
    /// The issues that it asks about; it does nothing else meanwhile.
    asks: BTreeSet<IssueId>,
    /// The issues whose agents wait for their providers, and until when.
    limited: BTreeMap<IssueId, Time>,
}

impl IdleTime {
    fn note(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Order(order) => match order.order {
                OrderKind::Pause => self.is_paused = true,
                OrderKind::Resume => self.is_paused = false,
                OrderKind::Stop | OrderKind::Add => {}
            },
            RunEvent::Limited(limited) => {
                if let (Some(issue), None) = (&limited.issue_id, &limited.fallback) {
                    self.limited.insert(issue.clone(), limited.until);
                }
            }
            RunEvent::Question(asked) => {
                self.asks.insert(asked.issue_id.clone());
            }
            RunEvent::Decision(decided) => {
                self.asks.remove(&decided.issue_id);
            }
            RunEvent::Phase(change) if change.driver.is_some() => *self = Self::default(),
            other => {
                if let Some(issue) = step_of(other) {
                    self.limited.remove(issue);
                    self.asks.remove(issue);
                }
            }
        }
    }

    /// How long the run was at work between two times. `ended` is the issue of the step that ended then: its agent was at work, also
    /// during a pause, unless it waited itself.
    fn worked_between(&self, from: Time, until: Time, ended: Option<&IssueId>) -> u64 {
        if !self.asks.is_empty() {
            return 0;
        }
        let took = between(from, until);
        if ended.is_some_and(|issue| !self.limited.contains_key(issue)) {
            return took;
        }
        if self.is_paused && ended.is_none() {
            return 0;
        }
        let waited = self.limited.values().max().map_or(0, |limit| between(from, until.min(*limit)));
        took - waited
    }
}

/// The issue of a step that an agent took until this event.
fn step_of(event: &RunEvent) -> Option<&IssueId> {
    match event {
        RunEvent::Action(_) | RunEvent::Setback(_) | RunEvent::Spent(_) | RunEvent::Issue(_) => event.issue(),
        _ => None,
    }
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::fixtures::{at, folder, time};
    use super::*;

    fn order(order: &str) -> Value {
        json!({"type": "order", "order": order})
    }

    fn driver() -> Value {
        json!({"type": "phase", "status": "running", "phase": "planning", "driver": "d"})
    }

    fn planned(issue: &str) -> Value {
        json!({"type": "action", "action": "plan", "issue_id": issue})
    }

    fn limited(issue: &str, until: usize) -> Value {
        json!({"type": "limited", "agent": "claude", "until": at(until), "action": "plan", "issue_id": issue})
    }

    #[test]
    fn only_the_time_in_which_a_run_does_something_counts() {
        let seconds = |events: Vec<(usize, Value)>, now: usize| {
            let begun = std::iter::once((0, driver())).chain(events).collect();
            worked_ms(&folder(&["ISS-1", "ISS-2"], begun), time(now)) / 1000
        };
        assert_eq!(seconds(vec![(10, planned("ISS-1"))], 15), 15);
        // Nobody drove it.
        assert_eq!(seconds(vec![(10, planned("ISS-1")), (100, driver())], 105), 15);
        // A pause, with a step that came to its end first.
        let paused = vec![(10, order("pause")), (20, planned("ISS-1"))];
        assert_eq!(seconds(paused.clone(), 500), 20);
        assert_eq!(seconds([paused, vec![(500, order("resume"))]].concat(), 503), 23);
        // A provider that is waited for.
        let waits = vec![(10, limited("ISS-1", 400))];
        assert_eq!(seconds(waits.clone(), 300), 10);
        assert_eq!(seconds([waits.clone(), vec![(430, planned("ISS-1"))]].concat(), 430), 40);
        // Another agent worked meanwhile.
        let both = [waits, vec![(100, planned("ISS-2"))]].concat();
        assert_eq!(seconds(both.clone(), 300), 100);
        assert_eq!(seconds([both, vec![(430, planned("ISS-1"))]].concat(), 430), 130);
        // Another agent takes over.
        let mut taken = limited("ISS-1", 400);
        taken["fallback"] = json!("codex");
        assert_eq!(seconds(vec![(10, taken)], 300), 300);
    }
}
