//! Agents whose providers serve them only later, from the logs of runs.

use std::collections::BTreeMap;

use crate::model::{Limited, RunEvent, RunLogEntry, Time};

/// No provider is waited for longer than this, in milliseconds: what says so is mistaken, or no limit that passes.
const LONGEST: i64 = 8 * 24 * 3_600_000;
/// How long to wait if nobody says how long, in milliseconds; twice as long each time, up to `MOST_UNTOLD`.
const UNTOLD: i64 = 5 * 60_000;
const MOST_UNTOLD: i64 = 3_600_000;
/// At least this long, in milliseconds, twice as long each time: some providers say `0 s` again and again.
const LEAST: i64 = 1000;
/// So often a step waits, each time at least twice as long, before its agent has failed: its words may mean something else.
const MOST_WAITS: u32 = 12;

/// How long a provider wants to be left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LimitWait {
    /// For so many milliseconds.
    For(i64),
    /// Until this time.
    Until(Time),
    /// It does not say.
    Untold,
}

impl LimitWait {
    /// Until when to wait; `None` if there was enough of that. `times` is how often the agents were limited before when they were
    /// asked the same.
    pub(crate) fn until(self, now: Time, times: u32) -> Option<Time> {
        if times >= MOST_WAITS {
            return None;
        }
        let factor = 1i64 << times;
        let told = match self {
            Self::For(millis) => millis,
            Self::Until(until) => until.millis().saturating_sub(now.millis()),
            Self::Untold => (UNTOLD * factor).min(MOST_UNTOLD),
        };
        Some(now.plus_millis(told.clamp((LEAST * factor).min(MOST_UNTOLD), LONGEST)))
    }
}

/// The agents that are limited at a time, and until when, from the log of a run. Whoever resumes the run has them asked again, so
/// that nobody waits for days because of words that were misread.
pub(crate) fn limits_in(log: &[RunLogEntry], now: Time) -> BTreeMap<String, Time> {
    let mut limits: BTreeMap<String, Time> = BTreeMap::new();
    for entry in log {
        match &entry.event {
            RunEvent::Limited(limited)
                if limited.until > now && limited.until.millis() - now.millis() <= LONGEST =>
            {
                let known = limits.entry(limited.agent.clone()).or_insert(limited.until);
                *known = limited.until.max(*known);
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
            assert_eq!(wait.until(now, times), Some(at(1_000_000 + seconds)), "{wait:?} {times}");
        }
    }

    #[test]
    fn an_agent_that_stays_limited_is_given_up() {
        for wait in [LimitWait::For(0), LimitWait::Until(at(1_003_600)), LimitWait::Untold] {
            assert!(wait.until(at(1_000_000), 11).is_some(), "{wait:?}");
            assert_eq!(wait.until(at(1_000_000), 12), None, "{wait:?}");
        }
    }
}
