//! Times in words.

use jiff::Timestamp;

use super::settings::{DateForm, Settings};

const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
/// Times at least this far away are shown as a date.
const DATE_FROM: u64 = 31 * DAY;

/// `then_ms` relative to `now_ms`, both in milliseconds since 1970 UTC: "just now", "3 minutes ago", "in 2 hours"
/// (rounded), or the day in UTC, "2026-11-21", if it is more than 30 days away.
///
/// `--date` selects another form.
pub(crate) fn ago(now_ms: i64, then_ms: i64) -> String {
    match Settings::get().date {
        DateForm::Relative => relative(now_ms, then_ms),
        form => absolute(form, then_ms),
    }
}

/// A time in a form that does not depend on the current time.
fn absolute(form: DateForm, ms: i64) -> String {
    let pattern = match form {
        DateForm::Unix => return ms.div_euclid(1000).to_string(),
        DateForm::Iso => "%Y-%m-%d %H:%M:%S +0000",
        DateForm::IsoStrict => "%Y-%m-%dT%H:%M:%SZ",
        DateForm::Relative | DateForm::Short => "%Y-%m-%d",
    };
    Timestamp::from_millisecond(ms)
        .map_or_else(|_| format!("{ms} ms"), |time| time.strftime(pattern).to_string())
}

fn relative(now_ms: i64, then_ms: i64) -> String {
    let distance = now_ms.abs_diff(then_ms);
    if distance >= DATE_FROM {
        return date(then_ms);
    }
    if distance < SECOND {
        return "just now".to_owned();
    }
    // Rounded to the nearest unit, since a deadline that was just set has nearly all of its time left.
    let is_ahead = then_ms > now_ms;
    let rounded = if is_ahead { distance.saturating_add(unit(distance).0 / 2) } else { distance };
    let (unit, name) = unit(rounded);
    let count = rounded / unit;
    let plural = if count == 1 { "" } else { "s" };
    if is_ahead { format!("in {count} {name}{plural}") } else { format!("{count} {name}{plural} ago") }
}

/// A time without year, in UTC: `11-21 08:30`.
pub(crate) fn moment(ms: i64) -> String {
    Timestamp::from_millisecond(ms)
        .map_or_else(|_| format!("{ms} ms"), |time| time.strftime("%m-%d %H:%M").to_string())
}

/// A duration in its two largest units: `1 h 5 min`, `3 min 2 s`, `12 s`, `0.4 s`.
pub(crate) fn length(ms: u64) -> String {
    let two = |one: u64, name: &str, rest: u64, part: &str| match rest {
        0 => format!("{one} {name}"),
        _ => format!("{one} {name} {rest} {part}"),
    };
    match ms {
        _ if ms < 9_950 => format!("{}.{} s", (ms + 50) / SECOND, (ms + 50) % SECOND / 100),
        _ if ms < MINUTE => format!("{} s", ((ms + 500) / SECOND).min(59)),
        _ if ms < HOUR => two(ms / MINUTE, "min", ms % MINUTE / SECOND, "s"),
        _ if ms < DAY => two(ms / HOUR, "h", ms % HOUR / MINUTE, "min"),
        _ => two(ms / DAY, "d", ms % DAY / HOUR, "h"),
    }
}

/// The largest unit that fits into `distance` (in milliseconds), and its name.
fn unit(distance: u64) -> (u64, &'static str) {
    match distance {
        d if d < MINUTE => (SECOND, "second"),
        d if d < HOUR => (MINUTE, "minute"),
        d if d < DAY => (HOUR, "hour"),
        _ => (DAY, "day"),
    }
}

/// The day in UTC; a time outside the calendar is shown as a number.
fn date(ms: i64) -> String {
    absolute(DateForm::Short, ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-21T02:00:00Z.
    const NOW: i64 = 1_795_226_400_000;

    #[test]
    fn times_have_the_forms_of_git() {
        for (form, shown) in [
            (DateForm::Iso, "2026-11-21 02:00:00 +0000"),
            (DateForm::IsoStrict, "2026-11-21T02:00:00Z"),
            (DateForm::Short, "2026-11-21"),
            (DateForm::Unix, "1795226400"),
        ] {
            assert_eq!(absolute(form, NOW), shown);
        }
    }

    fn before(ms: u64) -> String {
        ago(NOW, NOW.saturating_sub_unsigned(ms))
    }

    #[test]
    fn lengths_have_two_units() {
        for (ms, text) in [
            (0, "0.0 s"),
            (420, "0.4 s"),
            (4_977, "5.0 s"),
            (9_970, "10 s"),
            (12_999, "13 s"),
            (59_700, "59 s"),
            (182_000, "3 min 2 s"),
            (180_000, "3 min"),
            (65 * 60_000, "1 h 5 min"),
            (49 * 3_600_000, "2 d 1 h"),
        ] {
            assert_eq!(length(ms), text);
        }
    }

    #[test]
    fn the_greatest_whole_unit() {
        assert_eq!(before(0), "just now");
        assert_eq!(before(SECOND), "1 second ago");
        assert_eq!(before(MINUTE - 1), "59 seconds ago");
        assert_eq!(before(3 * MINUTE + 59 * SECOND), "3 minutes ago");
        assert_eq!(before(HOUR), "1 hour ago");
        assert_eq!(before(2 * DAY), "2 days ago");
        assert_eq!(before(30 * DAY), "30 days ago");
    }

    #[test]
    fn far_away_is_a_date() {
        assert_eq!(before(31 * DAY), "2026-10-21");
        assert_eq!(ago(0, NOW), "2026-11-21");
    }

    #[test]
    fn what_is_to_come() {
        assert_eq!(ago(NOW, NOW + 500), "just now");
        assert_eq!(ago(NOW, NOW + 7_200_000), "in 2 hours");
        // Rounded: a lease of four hours, a second after the claim.
        assert_eq!(ago(NOW, NOW + 4 * 3_600_000 - 1000), "in 4 hours");
        assert_eq!(ago(NOW, NOW + 3 * 3_600_000 + 1000), "in 3 hours");
        assert_eq!(ago(NOW, NOW + 59 * 60_000 + 40_000), "in 1 hour");
        assert_eq!(ago(NOW, NOW + 50 * 60_000), "in 50 minutes");
    }

    #[test]
    fn absurd_clocks_do_no_harm() {
        assert_eq!(ago(i64::MAX, i64::MIN), format!("{} ms", i64::MIN));
        assert_eq!(ago(i64::MIN, i64::MAX), format!("{} ms", i64::MAX));
    }
}
