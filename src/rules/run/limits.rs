//! Agents whose providers serve them only later, from the logs of runs.

use std::collections::BTreeMap;

use crate::model::run_log::{Limited, RunEvent, RunLogEntry};
use crate::model::time::Time;

/// No provider is waited for longer than this, in milliseconds: what says so is mistaken, or no limit that passes.
const LONGEST: i64 = 8 * 24 * 3_600_000;
/// How long to wait if nobody says how long, in milliseconds; twice as long each time, up to `MOST_UNTOLD`.
const UNTOLD: i64 = 5 * 60_000;
const MOST_UNTOLD: i64 = 3_600_000;
/// At least this long, in milliseconds, twice as long each time: some providers say `0 s` again and again.
const LEAST: i64 = 1000;
/// So often a wait becomes twice as long.
const MOST_DOUBLED: u32 = 12;

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
    /// Until when to wait. `times` is how often the agent was limited before in the same step.
    pub(crate) fn until(self, now: Time, times: u32) -> Time {
        let factor = 1i64 << times.min(MOST_DOUBLED);
        let told = match self {
            Self::For(millis) => millis,
            Self::Until(until) => until.millis().saturating_sub(now.millis()),
            Self::Untold => (UNTOLD * factor).min(MOST_UNTOLD),
        };
        now.plus_millis(told.clamp((LEAST * factor).min(MOST_UNTOLD), LONGEST))
    }
}

/// The agents that are limited at a time, and until when, from the log of a run.
pub(crate) fn limits_in(log: &[RunLogEntry], now: Time) -> BTreeMap<String, Time> {
    let mut limits: BTreeMap<String, Time> = BTreeMap::new();
    for entry in log {
        if let RunEvent::Limited(limited) = &entry.event
            && limited.until > now
            && limited.until.millis() - now.millis() <= LONGEST
        {
            let known = limits.entry(limited.agent.clone()).or_insert(limited.until);
            *known = limited.until.max(*known);
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
            (LimitWait::Untold, 60, 3600),
        ] {
            assert_eq!(wait.until(now, times), at(1_000_000 + seconds), "{wait:?} {times}");
        }
    }
}
