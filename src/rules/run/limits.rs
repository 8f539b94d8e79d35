//! Agents whose providers serve them only later, from the logs of runs.

use std::collections::BTreeMap;

use super::clock_words::ClockTime;
use crate::model::{Limited, RunEvent, RunLogEntry, RunStatus, Time};

/// No provider is waited for longer than this, in milliseconds: what says so is mistaken, or no limit that passes.
const LONGEST: i64 = 8 * 24 * 3_600_000;
/// A limit that a run met which nobody drives any more is believed for this long, in milliseconds: should the words of its agent
/// have been misread, nobody may resume that run to have the agent asked again.
const BELIEVED: i64 = 3_600_000;
/// A time of day that passed less than this ago is over, and not that of tomorrow, in milliseconds.
const JUST_OVER: i64 = 3_600_000;
/// How long to wait if nobody says how long, in milliseconds; twice as long each time, up to `MOST_UNTOLD`.
const UNTOLD: i64 = 5 * 60_000;
const MOST_UNTOLD: i64 = 3_600_000;
/// At least this long, in milliseconds, twice as long each time: some providers say `0 s` again and again.
const LEAST: i64 = 1000;
/// How often a step waits, each time at least twice as long, before its agent counts as failed: it may have meant no limit.
const MOST_WAITS: u32 = 12;

/// How long a provider wants to be left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LimitWait {
    /// For this many milliseconds.
    For(i64),
    /// Until this time.
    Until(Time),
    /// Until the next time at which clocks show this.
    Clock(ClockTime),
    /// For a time that it did not state.
    Untold,
}

impl LimitWait {
    /// Until when to wait; `None` if there was enough of that. `times` is how often the agents were limited before when they were
    /// asked the same, `offset` that of local clocks in milliseconds.
    pub(crate) fn until(self, now: Time, times: u32, offset: i64) -> Option<Time> {
        if times >= MOST_WAITS {
            return None;
        }
        let factor = 1i64 << times;
        let told = match self {
            Self::For(millis) => millis,
            Self::Until(until) => until.millis().saturating_sub(now.millis()),
            Self::Clock(time) => time.after(now, offset, JUST_OVER).millis().saturating_sub(now.millis()),
            Self::Untold => (UNTOLD * factor).min(MOST_UNTOLD),
        };
        Some(now.plus_millis(told.clamp((LEAST * factor).min(MOST_UNTOLD), LONGEST)))
    }
}

/// The agents that are limited at a time, and until when, from the log of a run. Whoever resumes the run has them asked again, so
/// that nobody waits for days because of words that were misread. `is_left` is whether its driver is known to be gone.
pub(crate) fn limits_in(log: &[RunLogEntry], is_left: bool, now: Time) -> BTreeMap<String, Time> {
    let last = log.iter().rev().find_map(|entry| match &entry.event {
        RunEvent::Phase(reached) => Some(reached),
        _ => None,
    });
    let is_over = last.is_some_and(|last| last.status == RunStatus::Completed || last.stopped == Some(true));
    let is_left = is_left || is_over;
    let mut limits: BTreeMap<String, Time> = BTreeMap::new();
    for entry in log {
        match &entry.event {
            RunEvent::Limited(limited) => {
                let believed = entry.at.plus_millis(if is_left { BELIEVED } else { LONGEST });
                let until = limited.until.min(believed);
                if until > now && limited.until.millis() - now.millis() <= LONGEST {
                    let known = limits.entry(limited.agent.clone()).or_insert(until);
                    *known = until.max(*known);
                }
            }
            RunEvent::Phase(reached) if reached.driver.is_some() => limits.clear(),
            _ => {}
        }
    }
    limits
}

/// A limit in words: `agent claude is limited until 2026-11-29T22:00:00Z; codex takes over`.
pub(crate) fn limited_words(it: &Limited) -> String {
    let until = it.until;
    match &it.fallback {
        Some(other) => format!("agent {} is limited until {until}; {other} takes over", it.agent),
        None => format!("agent {} is limited until {until}", it.agent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Time {
        Time::from_seconds(seconds).unwrap()
    }

    #[test]
    fn a_wait_is_what_was_told_within_bounds() {
        let now = at(1_000_000);
        for (wait, times, seconds) in [
            (LimitWait::For(90_000), 0, 90),
            (LimitWait::Until(at(1_003_600)), 0, 3600),
            (LimitWait::Until(at(999_000)), 0, 1),
            (LimitWait::For(0), 3, 8),
            (LimitWait::For(i64::MAX), 0, 8 * 24 * 3600),
            (LimitWait::Untold, 0, 300),
            (LimitWait::Untold, 1, 600),
            (LimitWait::Untold, 11, 3600),
        ] {
            assert_eq!(wait.until(now, times, 0), Some(at(1_000_000 + seconds)), "{wait:?} {times}");
        }
    }

    #[test]
    fn a_limit_of_a_run_that_nobody_drives_is_not_believed_for_days() {
        let entry = |second: i64, event: serde_json::Value| {
            let mut entry = serde_json::json!({
                "id": crate::model::fixtures::entry_id(&format!("20261121T0214{second:02}000Z-00000")),
                "actor": "Ada",
                "at": format!("2026-11-21T02:14:{second:02}.000Z"),
            });
            entry.as_object_mut().unwrap().extend(event.as_object().unwrap().clone());
            serde_json::from_value::<RunLogEntry>(entry).unwrap()
        };
        let until = Time::parse("2026-11-27T02:14:00Z").unwrap();
        let limit = serde_json::json!({"type": "limited", "agent": "claude", "until": "2026-11-27T02:14:00Z",
            "action": "plan"});
        let mut log = vec![entry(0, limit)];
        let now = log[0].at;
        assert_eq!(limits_in(&log, false, now)["claude"], until);
        assert_eq!(limits_in(&log, true, now)["claude"], now.plus_millis(BELIEVED));
        for end in [
            serde_json::json!({"type": "phase", "status": "completed", "phase": "complete"}),
            serde_json::json!({"type": "phase", "status": "running", "phase": "planning", "stopped": true}),
        ] {
            log.truncate(1);
            log.push(entry(1, end));
            assert_eq!(limits_in(&log, false, now)["claude"], now.plus_millis(BELIEVED));
            assert!(limits_in(&log, false, now.plus_millis(BELIEVED)).is_empty());
        }
    }

    #[test]
    fn an_agent_that_stays_limited_is_given_up() {
        for wait in [LimitWait::For(0), LimitWait::Until(at(1_003_600)), LimitWait::Untold] {
            assert!(wait.until(at(1_000_000), 11, 0).is_some(), "{wait:?}");
            assert_eq!(wait.until(at(1_000_000), 12, 0), None, "{wait:?}");
        }
    }
}
