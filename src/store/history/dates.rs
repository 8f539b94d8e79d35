//! Dates as people type them.

use std::time::Duration;

use crate::git::parse_date_in_utc;
use crate::model::Time;
use crate::store::{Store, StoreError};

/// The last millisecond of a day, from its first.
const TO_END_OF_DAY: i64 = 24 * 60 * 60 * 1000 - 1;

/// Whether a date is the start or the end of a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PeriodBound {
    /// A day counts from its first millisecond.
    Since,
    /// A day counts to its last millisecond.
    Until,
}

impl Store {
    /// The time that a text names: a time with an offset, a day (in UTC, as all times here), or an expression of git
    /// such as `2 weeks ago`.
    pub(crate) fn moment(&self, text: &str, bound: PeriodBound) -> Result<Option<Time>, StoreError> {
        Ok(moment(text, bound, self.now()?))
    }
}

fn moment(text: &str, bound: PeriodBound, now: Time) -> Option<Time> {
    let text = text.trim();
    if let Some(time) = Time::parse(text) {
        return Some(time);
    }
    if let Some(begin) = Time::parse(&format!("{text}T00:00:00Z")) {
        return Some(if bound == PeriodBound::Until { begin.plus_millis(TO_END_OF_DAY) } else { begin });
    }
    match text {
        "now" => return Some(now),
        "today" => return day(now, 0, bound),
        "yesterday" => return day(now, 1, bound),
        _ => {}
    }
    let since = Duration::from_millis(u64::try_from(now.millis()).ok()?);
    Time::from_seconds(parse_date_in_utc(text, since)?)
}

/// The first or the last millisecond of the day `before` days ago.
fn day(now: Time, before: i64, bound: PeriodBound) -> Option<Time> {
    let day = now.plus_millis(-before * (TO_END_OF_DAY + 1)).to_string();
    moment(&day[..10], bound, now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_times_and_words() {
        let now = Time::parse("2026-11-21T12:00:00Z").unwrap();
        for (text, since, until) in [
            ("2026-11-20", "2026-11-20T00:00:00.000Z", "2026-11-20T23:59:59.999Z"),
            ("2026-11-20T03:00:00+01:00", "2026-11-20T02:00:00.000Z", "2026-11-20T02:00:00.000Z"),
            ("2026-11-20 03:00:00 +0100", "2026-11-20T02:00:00.000Z", "2026-11-20T02:00:00.000Z"),
            ("yesterday", "2026-11-20T00:00:00.000Z", "2026-11-20T23:59:59.999Z"),
            ("today", "2026-11-21T00:00:00.000Z", "2026-11-21T23:59:59.999Z"),
            ("2 weeks ago", "2026-11-07T12:00:00.000Z", "2026-11-07T12:00:00.000Z"),
            ("1 hour ago", "2026-11-21T11:00:00.000Z", "2026-11-21T11:00:00.000Z"),
        ] {
            let at = |bound| moment(text, bound, now).map(|time| time.to_string());
            assert_eq!(at(PeriodBound::Since).as_deref(), Some(since), "{text}");
            assert_eq!(at(PeriodBound::Until).as_deref(), Some(until), "{text}");
        }
        for text in ["", "soon", "2026-13-01", "2026-02-30"] {
            assert_eq!(moment(text, PeriodBound::Since, now), None, "{text}");
        }
    }
}
