//! Times of day in the words of agents: `3pm`, `15:00 UTC`, `Oct 9 at 5:30pm (Europe/Berlin)`.

use crate::model::Time;

const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/// The names of the zone whose times are those of records.
const UTC: [&str; 3] = ["utc", "gmt", "z"];

/// What a clock shows at some time, and perhaps a calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClockTime {
    /// The month and the day, from 1.
    date: Option<(u8, u8)>,
    /// In minutes since midnight.
    minute: u16,
    is_utc: bool,
}

impl ClockTime {
    /// Reads one at the beginning of a text in lower case. A named zone other than UTC counts as the local one: programs say
    /// the times of the machine on which they run.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut words = text.split([' ', ',', '(', ')']).filter(|word| !word.is_empty()).peekable();
        let month = words.peek().and_then(|word| MONTHS.iter().position(|name| word.starts_with(name)));
        let date = match month {
            Some(month) => {
                words.next();
                let day: u8 = words.next()?.trim_end_matches(char::is_alphabetic).parse().ok()?;
                // The year: a limit is over before the same day of another one.
                words.next_if(|word| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit()));
                Some((u8::try_from(month + 1).ok()?, day))
            }
            None => None,
        };
        words.next_if_eq(&"at");
        let mut time = words.next()?.trim_end_matches('.').to_owned();
        if let Some(half) = words.next_if(|word| matches!(word.trim_end_matches('.'), "am" | "pm")) {
            time.push_str(half.trim_end_matches('.'));
        }
        let minute = minute_of(&time)?;
        let zone = words.next().unwrap_or_default().trim_end_matches(['.', '"', '\'']);
        Some(Self { date, minute, is_utc: UTC.contains(&zone) })
    }

    /// The next such time, or one that passed at most `just_over` milliseconds ago. `offset` is that of local clocks, in
    /// milliseconds.
    pub(super) fn after(self, now: Time, offset: i64, just_over: i64) -> Time {
        let offset = if self.is_utc { 0 } else { offset };
        let earliest = now.plus_millis(-just_over);
        let local = now.plus_millis(offset);
        let midnight = local.plus_millis(-local.millis().rem_euclid(DAY));
        let in_day = i64::from(self.minute) * MINUTE - offset;
        let Some((month, day)) = self.date else {
            let today = midnight.plus_millis(in_day);
            return if today < earliest { today.plus_millis(DAY) } else { today };
        };
        let year: i32 = local.date_digits()[..4].parse().unwrap_or_default();
        let dates = [year, year + 1].into_iter().filter_map(|year| {
            Some(Time::parse(&format!("{year:04}-{month:02}-{day:02}T00:00:00Z"))?.plus_millis(in_day))
        });
        dates.into_iter().find(|at| *at >= earliest).unwrap_or(now)
    }
}

/// The minute of the day of `3pm`, `3:30pm` or `15:30`, also with seconds. A number alone is none.
fn minute_of(text: &str) -> Option<u16> {
    let (digits, half) = match text.strip_suffix("am") {
        Some(digits) => (digits, Some(0)),
        None => text.strip_suffix("pm").map_or((text, None), |digits| (digits, Some(12))),
    };
    let mut parts = digits.split(':');
    let hour: u16 = parts.next()?.parse().ok()?;
    let minute: u16 = match parts.next() {
        Some(minute) => minute.parse().ok()?,
        None if half.is_some() => 0,
        None => return None,
    };
    let hour = match half {
        Some(half) if (1..=12).contains(&hour) => hour % 12 + half,
        Some(_) => return None,
        None => hour,
    };
    (hour < 24 && minute < 60).then(|| hour * 60 + minute)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Time {
        Time::parse(text).unwrap()
    }

    #[test]
    fn the_next_time_at_which_a_clock_shows_it_is_meant() {
        let now = at("2026-11-30T12:30:00Z");
        let berlin = 60 * MINUTE;
        for (text, offset, meant) in [
            ("3pm", 0, "2026-11-30T15:00:00Z"),
            ("3pm (europe/berlin)", berlin, "2026-11-30T14:00:00Z"),
            ("15:00 utc.", berlin, "2026-11-30T15:00:00Z"),
            ("3:05 pm", 0, "2026-11-30T15:05:00Z"),
            ("12am", 0, "2026-12-01T00:00:00Z"),
            ("9:15am", 0, "2026-12-01T09:15:00Z"),
            // The agent said it a while ago.
            ("12:15", 0, "2026-11-30T12:15:00Z"),
            ("dec 2, 5pm", 0, "2026-12-02T17:00:00Z"),
            ("dec 3rd, 2026 5:30 pm.", 0, "2026-12-03T17:30:00Z"),
            ("january 3rd at 1am (utc)", berlin, "2027-01-03T01:00:00Z"),
            ("23:30", -12 * 60 * MINUTE, "2026-12-01T11:30:00Z"),
        ] {
            let read = ClockTime::read(text).unwrap();
            assert_eq!(read.after(now, offset, 30 * MINUTE), at(meant), "{text}");
        }
    }

    #[test]
    fn what_no_clock_shows_is_no_time() {
        for text in ["", "3", "13pm", "0am", "25:00", "12:60", "oct pm", "march", "soon", "429:9", "2000:00"]
        {
            assert_eq!(ClockTime::read(text), None, "{text}");
        }
    }
}
