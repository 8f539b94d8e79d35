//! Times in words.

use std::sync::{LazyLock, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::format::StrftimeItems;
use chrono::{DateTime, Datelike, FixedOffset, Local};

use super::settings::DateShape;
use super::{DateChoice, DateForm, UiSettings, screen};
use crate::model::{Time, count};

const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
/// Times at least this far away are shown as a date.
const DATE_FROM: u64 = 31 * DAY;

/// `then_ms` relative to `now_ms`, both in milliseconds since 1970 UTC: "just now", "3 minutes ago", "in 2 hours"
/// (rounded), or the day in UTC, "2026-11-21", if it is more than 30 days away.
///
/// `--date` and `log.date` select another form; programs get ISO without either.
pub(crate) fn ago(now_ms: i64, then_ms: i64) -> String {
    form().shown(now_ms, then_ms)
}

/// Like [`ago`], for pages that people read in a browser: only `--date` selects another form.
#[cfg(feature = "web")]
pub(crate) fn ago_on_page(now_ms: i64, then_ms: i64) -> String {
    given().map_or_else(|| relative(now_ms, then_ms), |form| form.shown(now_ms, then_ms))
}

/// Whether [`ago`] says how far away a time is, so that it may be followed by the time itself.
pub(crate) fn is_relative() -> bool {
    form().shape == DateShape::Relative
}

/// A time in ISO 8601 and UTC, without milliseconds.
pub(crate) fn iso(at: Time) -> String {
    ISO.shown(0, at.millis())
}

/// Like [`ago`], seen from now.
pub(crate) fn when(at: Time) -> String {
    ago(clock_ms(), at.millis())
}

/// A time that ends something, after a word such as "until": in ISO 8601, unless `--date` selects a form that has the
/// time of day.
pub(crate) fn point(at: Time) -> String {
    let form = given().unwrap_or(ISO);
    let form = if form.has_clock() { form } else { DateForm { is_local: form.is_local, ..ISO } };
    form.shown(clock_ms(), at.millis())
}

/// A time of a record for a program, in the form of `--date`; `None` if there is none, or if `text` is not a time.
pub(crate) fn field(text: &str) -> Option<String> {
    let form = given()?;
    Some(form.shown(clock_ms(), Time::parse_canonical(text)?.millis()))
}

/// Whether a time is over.
pub(crate) fn is_past(at: Time) -> bool {
    at.millis() < clock_ms()
}

const ISO: DateForm = DateForm { shape: DateShape::IsoStrict, is_local: false };

/// `--date`.
fn given() -> Option<DateForm> {
    match UiSettings::get().date {
        DateChoice::Given(form) => Some(form),
        DateChoice::Relative | DateChoice::Usual => None,
    }
}

fn form() -> DateForm {
    static FOR_READERS: LazyLock<DateForm> =
        LazyLock::new(|| if screen::is_read_by_people() { DateForm::default() } else { ISO });
    match UiSettings::get().date {
        DateChoice::Given(form) => form,
        DateChoice::Relative => DateForm::default(),
        DateChoice::Usual => LOG_DATE.get().copied().flatten().unwrap_or(*FOR_READERS),
    }
}

/// `log.date`, unless it is a form that only git knows.
static LOG_DATE: OnceLock<Option<DateForm>> = OnceLock::new();

/// Sets the form of times that the user wants without `--date`: the value of `log.date`.
pub(crate) fn set_log_date(log_date: Option<&str>) {
    // The configuration of a run does not change.
    let _ = LOG_DATE.set(log_date.and_then(|form| DateForm::parse(form).ok()));
}

/// The present, if the clock of the store stands still.
static FIXED: OnceLock<i64> = OnceLock::new();

/// Says that it always is `now`, for times that are shown relative to the present.
pub(crate) fn stand_still(now: Time) {
    // The clock of a run does not change.
    let _ = FIXED.set(now.millis());
}

fn clock_ms() -> i64 {
    if let Some(fixed) = FIXED.get() {
        return *fixed;
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

impl DateForm {
    fn shown(self, now_ms: i64, then_ms: i64) -> String {
        match (self.shape, self.is_local) {
            (DateShape::Relative, _) => relative(now_ms, then_ms),
            (DateShape::Human, _) => human(now_ms, then_ms),
            (shape, true) => absolute(shape, then_ms, in_local_time(then_ms)),
            (shape, false) => absolute(shape, then_ms, in_utc(then_ms)),
        }
    }

    /// Whether it says the time of day, and not how far away it is.
    fn has_clock(self) -> bool {
        match self.shape {
            DateShape::Relative | DateShape::Human | DateShape::Short => false,
            DateShape::Pattern(_) => {
                let [one, other] = [0, 61 * 60_000].map(|ms| absolute(self.shape, ms, in_utc(ms)));
                one != other
            }
            _ => true,
        }
    }

    /// The form with a name of git's: `iso`, `local`, `short-local`, `format:%d.%m.%Y`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if let Some((name, pattern)) = text.split_once(':') {
            let is_local = match name {
                "format" => false,
                "format-local" => true,
                _ => return Err(FORMS.to_owned()),
            };
            // A pattern that cannot be used is refused here, not once for each time.
            StrftimeItems::new(pattern)
                .parse()
                .map_err(|_| format!("the pattern `{pattern}` has a `%` that strftime does not know"))?;
            // There is one for each run of the program.
            return Ok(Self { shape: DateShape::Pattern(String::leak(pattern.to_owned())), is_local });
        }
        let (name, is_local) = match text.strip_suffix("-local") {
            Some(name) => (name, true),
            None => (text, text == "local"),
        };
        let shape = match name {
            "relative" => DateShape::Relative,
            "human" => DateShape::Human,
            "default" | "local" => DateShape::Default,
            "iso" | "iso8601" => DateShape::Iso,
            "iso-strict" | "iso8601-strict" => DateShape::IsoStrict,
            "rfc" | "rfc2822" => DateShape::Rfc,
            "short" => DateShape::Short,
            "raw" => DateShape::Raw,
            "unix" => DateShape::Unix,
            _ => return Err(FORMS.to_owned()),
        };
        Ok(Self { shape, is_local })
    }
}

const FORMS: &str = "expected relative, human, local, default, iso, iso-strict, rfc, short, raw, unix or \
    format:PATTERN, each but the first three also with -local";

/// `None` outside the calendar.
fn in_utc(ms: i64) -> Option<DateTime<FixedOffset>> {
    Some(DateTime::from_timestamp_millis(ms)?.fixed_offset())
}

/// In the time zone of this machine; `None` outside the calendar.
fn in_local_time(ms: i64) -> Option<DateTime<FixedOffset>> {
    Some(DateTime::from_timestamp_millis(ms)?.with_timezone(&Local).fixed_offset())
}

/// A time in a form that does not depend on the present. `at` is the time `ms`, as [`in_utc`] or [`in_local_time`] gives it.
fn absolute(shape: DateShape, ms: i64, at: Option<DateTime<FixedOffset>>) -> String {
    let Some(at) = at else { return format!("{ms} ms") };
    let is_utc = at.offset().local_minus_utc() == 0;
    let pattern = match shape {
        DateShape::Unix => "%s",
        DateShape::Default if is_utc => "%a %b %-d %H:%M:%S %Y +0000",
        DateShape::Default => "%a %b %-d %H:%M:%S %Y",
        DateShape::Iso => "%Y-%m-%d %H:%M:%S %z",
        DateShape::IsoStrict if is_utc => "%Y-%m-%dT%H:%M:%SZ",
        DateShape::IsoStrict => "%Y-%m-%dT%H:%M:%S%:z",
        DateShape::Rfc => "%a, %-d %b %Y %H:%M:%S %z",
        DateShape::Raw => "%s %z",
        DateShape::Relative | DateShape::Human | DateShape::Short => "%Y-%m-%d",
        DateShape::Pattern(pattern) => pattern,
    };
    at.format(pattern).to_string()
}

/// The `human` form of git, which leaves out what goes without saying.
fn human(now_ms: i64, then_ms: i64) -> String {
    let (Some(now), Some(then)) = (in_local_time(now_ms), in_local_time(then_ms)) else {
        return format!("{then_ms} ms");
    };
    let is_month = (now.year(), now.month()) == (then.year(), then.month());
    let pattern = match now.day().cast_signed() - then.day().cast_signed() {
        0 if is_month => return relative(now_ms, then_ms),
        1..5 if is_month => "%a %H:%M",
        _ if now.year() == then.year() => "%a %b %-d %H:%M",
        _ => "%b %-d %Y",
    };
    then.format(pattern).to_string()
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
    let many = count(rounded / unit, name);
    if is_ahead { format!("in {many}") } else { format!("{many} ago") }
}

/// A time without year, in UTC: `11-21 08:30`.
pub(crate) fn moment(ms: i64) -> String {
    absolute(DateShape::Pattern("%m-%d %H:%M"), ms, in_utc(ms))
}

/// A moment with seconds: `11-21 08:30:05`.
pub(crate) fn exact_moment(ms: i64) -> String {
    absolute(DateShape::Pattern("%m-%d %H:%M:%S"), ms, in_utc(ms))
}

/// A duration in its two largest units: `1 h 5 min`, `3 min 2 s`, `12 s`, `0.4 s`.
pub(crate) fn length(ms: u64) -> String {
    match ms {
        _ if ms < 9_950 => format!("{}.{} s", (ms + 50) / SECOND, (ms + 50) % SECOND / 100),
        _ if ms < MINUTE => format!("{} s", ((ms + 500) / SECOND).min(59)),
        _ if ms < HOUR => in_two_units((ms / MINUTE, "min"), (ms % MINUTE / SECOND, "s")),
        _ if ms < DAY => in_two_units((ms / HOUR, "h"), (ms % HOUR / MINUTE, "min")),
        _ => in_two_units((ms / DAY, "d"), (ms % DAY / HOUR, "h")),
    }
}

fn in_two_units(whole: (u64, &str), rest: (u64, &str)) -> String {
    if rest.0 == 0 {
        format!("{} {}", whole.0, whole.1)
    } else {
        format!("{} {} {} {}", whole.0, whole.1, rest.0, rest.1)
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
    absolute(DateShape::Short, ms, in_utc(ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-21T02:00:00Z.
    const NOW: i64 = 1_795_226_400_000;

    #[test]
    fn times_have_the_forms_of_git() {
        let utc = in_utc(NOW).unwrap();
        let india = utc.with_timezone(&FixedOffset::east_opt(19_800).unwrap());
        for (form, at, shown) in [
            ("default", utc, "Sat Nov 21 02:00:00 2026 +0000"),
            ("local", india, "Sat Nov 21 07:30:00 2026"),
            ("iso", utc, "2026-11-21 02:00:00 +0000"),
            ("iso-local", india, "2026-11-21 07:30:00 +0530"),
            ("iso-strict", utc, "2026-11-21T02:00:00Z"),
            ("iso-strict-local", india, "2026-11-21T07:30:00+05:30"),
            ("rfc", utc, "Sat, 21 Nov 2026 02:00:00 +0000"),
            ("short", utc, "2026-11-21"),
            ("raw-local", india, "1795226400 +0530"),
            ("unix", india, "1795226400"),
            ("format:%d.%m.%y", utc, "21.11.26"),
        ] {
            let parsed = DateForm::parse(form).unwrap();
            assert_eq!(absolute(parsed.shape, NOW, Some(at)), shown, "{form}");
            assert_eq!(parsed.is_local, form.contains("local"), "{form}");
        }
        for wrong in ["tomorrow", "format", "format:%", "relativ", ""] {
            assert!(DateForm::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn some_forms_have_no_time_of_day() {
        for (form, has_clock) in [
            ("relative", false),
            ("human", false),
            ("short-local", false),
            ("format:%d.%m.%Y", false),
            ("format:%d.%m. %H:%M", true),
            ("iso", true),
            ("unix", true),
        ] {
            assert_eq!(DateForm::parse(form).unwrap().has_clock(), has_clock, "{form}");
        }
    }

    #[test]
    fn people_leave_out_what_goes_without_saying() {
        for (before, shown) in [
            (HOUR, "1 hour ago"),
            (3 * HOUR, "Fri 23:00"),
            (4 * DAY, "Tue 02:00"),
            (5 * DAY, "Mon Nov 16 02:00"),
            (30 * DAY, "Thu Oct 22 02:00"),
            (400 * DAY, "Oct 17 2025"),
        ] {
            assert_eq!(human(NOW, NOW.saturating_sub_unsigned(before)), shown);
        }
        assert_eq!(human(i64::MAX, i64::MIN), format!("{} ms", i64::MIN));
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
