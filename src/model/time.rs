//! Points in time as the format writes them. Nothing here reads a clock.

use std::fmt;
use std::ops::Range;

use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Milliseconds since 1970-01-01T00:00:00Z; written as `2026-11-21T02:14:05.123Z`, read from any RFC 3339 form. Binary
/// formats store the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Time(i64);

impl Time {
    /// 1970-01-01T00:00:00Z.
    pub(crate) const EPOCH: Self = Self(0);

    /// 0000-01-01T00:00:00.000Z.
    const FIRST: Self = Self(-62_167_219_200_000);
    /// 9998-12-31T23:59:59.999Z: a later stamp or time makes a record broken.
    pub(crate) const LAST: Self = Self(253_370_764_799_999);
    /// Clocks differ by minutes; a time that is a day ahead of a clock does not come from it.
    const DAY: i64 = 24 * 60 * 60 * 1000;

    /// Whether it is later than `now` by more than a day.
    pub(crate) fn is_day_after(self, now: Self) -> bool {
        self.0 > now.0.saturating_add(Self::DAY)
    }

    /// `None` outside the years 0 to 9998, which the fixed-width form cannot hold.
    pub(crate) fn from_millis(millis: i64) -> Option<Self> {
        Some(Self(millis)).filter(|time| (Self::FIRST..=Self::LAST).contains(time))
    }

    /// A time from whole seconds since 1970; `None` if [`Time::from_millis`] refuses it.
    pub(crate) fn from_seconds(seconds: i64) -> Option<Self> {
        Self::from_millis(seconds.checked_mul(1000)?)
    }

    /// Reads RFC 3339 with any offset and any number of fractional digits (what is finer than a millisecond is
    /// dropped). `None` if it is not that, or outside the years that can be written.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        // chrono also reads U+2212 as a minus sign.
        if !text.is_ascii() {
            return None;
        }
        Self::from_millis(DateTime::parse_from_rfc3339(text).ok()?.timestamp_millis())
    }

    /// A fast parser for the one form that is written, `2026-11-21T02:14:05.123Z`. Records are full of them.
    pub(crate) fn parse_canonical(text: &str) -> Option<Self> {
        let text: &[u8; 24] = text.as_bytes().try_into().ok()?;
        if !has_form(text, b"0000-00-00T00:00:00.000Z") {
            return None;
        }
        let year = number_at(text, 0..4).cast_signed();
        let day = NaiveDate::from_ymd_opt(year, number_at(text, 5..7), number_at(text, 8..10))?;
        let at = day.and_hms_milli_opt(
            number_at(text, 11..13),
            number_at(text, 14..16),
            number_at(text, 17..19),
            number_at(text, 20..23),
        )?;
        Self::from_millis(at.and_utc().timestamp_millis())
    }

    /// Milliseconds since 1970.
    pub(crate) fn millis(self) -> i64 {
        self.0
    }

    /// Whether it is not before `since`, compared in whole seconds, such as those of a commit.
    pub(crate) fn is_second_from(self, since: Self) -> bool {
        self.0.div_euclid(1000) >= since.0.div_euclid(1000)
    }

    /// This moment shifted by `millis`, clamped to the years that can be written.
    pub(crate) fn plus_millis(self, millis: i64) -> Self {
        self.0.checked_add(millis).and_then(Self::from_millis).unwrap_or(self)
    }

    /// `20261121`, in UTC.
    pub(crate) fn date_digits(self) -> String {
        self.utc().format("%Y%m%d").to_string()
    }

    fn utc(self) -> DateTime<Utc> {
        // The constructors admit only values that a calendar can hold.
        DateTime::from_timestamp_millis(self.0).unwrap_or_default()
    }
}

fn number_at(text: &[u8; 24], range: Range<usize>) -> u32 {
    text[range].iter().fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'))
}

/// Whether a text has this form, in which `0` stands for any digit.
fn has_form(text: &[u8], form: &[u8]) -> bool {
    text.len() == form.len()
        && text
            .iter()
            .zip(form)
            .all(|(byte, form)| if *form == b'0' { byte.is_ascii_digit() } else { byte == form })
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.utc().to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            self.0.serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            let millis = i64::deserialize(deserializer)?;
            return Self::from_millis(millis).ok_or_else(|| {
                serde::de::Error::custom(format!("`{millis}` is not a time that can be written"))
            });
        }
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            serde::de::Error::custom(format!("`{text}` is not a time such as 2026-11-21T02:14:05.123Z"))
        })
    }
}

impl schemars::JsonSchema for Time {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Time".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "format": "date-time",
            "description": "RFC 3339 in UTC with milliseconds, such as 2026-11-21T02:14:05.123Z"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn finer_digits_are_dropped_and_offsets_applied() {
        let at = Time::parse("2026-01-16T19:13:09.946350405+02:00").unwrap();
        assert_eq!(at.to_string(), "2026-01-16T17:13:09.946Z");
        assert_eq!(at.date_digits(), "20260116");
        let leap = Time::parse("2026-12-31T23:59:60.5+00:30").unwrap();
        assert_eq!(leap.to_string(), "2026-12-31T23:30:00.500Z");
        assert_eq!(
            Time::parse("2026-01-01T00:00:00.9-00:01").unwrap().to_string(),
            "2026-01-01T00:01:00.900Z"
        );
    }

    #[test]
    fn every_form_of_rfc_3339_is_read_and_no_other() {
        for (text, is_time) in [
            ("2026-11-21T02:14:05Z", true),
            ("2026-11-21t02:14:05.1z", true),
            ("2026-11-21 02:14:05.123456789-00:00", true),
            ("2026-11-21T02:14:05+23:59", true),
            ("2026-12-31T23:59:60Z", true),
            ("2026-11-21T02:14:05.1234567891234Z", true),
            ("2026-11-21T02:14:05.Z", false),
            ("2026-11-21T02:14:61Z", false),
            ("2026-11-21T02:14:05+00:60", false),
            ("2026-11-21T02:14:05é", false),
            ("2026-11-2éT02:14:05Z", false),
            ("0000-01-01T00:00:00Z", true),
            ("2026-11-21T02:14:05", false),
            ("2026-11-21T02:14Z", false),
            ("2026-11-21", false),
            ("20261121T021405Z", false),
            ("2026-11-21T02:14:05,123Z", false),
            ("2026-11-21T24:00:00Z", false),
            ("2026-02-30T00:00:00Z", false),
            ("2026-11-21T02:14:05+24:00", false),
            ("2026-11-21T02:14:05\u{2212}01:00", false),
            ("-001-11-21T02:14:05Z", false),
            (" 2026-11-21T02:14:05Z", false),
        ] {
            assert_eq!(Time::parse(text).is_some(), is_time, "{text}");
        }
    }

    #[test]
    fn years_that_do_not_fit_the_fixed_width_are_refused() {
        assert!(Time::parse("9998-12-31T23:59:59.999Z").is_some());
        assert!(Time::parse("9999-01-01T00:00:00.000Z").is_none());
        assert!(Time::from_millis(i64::MAX).is_none());
    }

    #[test]
    fn a_commit_of_the_same_second_is_not_before() {
        let at = |text: &str| Time::parse(text).unwrap();
        let since = at("2026-11-21T20:47:56.300Z");
        assert!(at("2026-11-21T20:47:56.000Z").is_second_from(since));
        assert!(!at("2026-11-21T20:47:55.000Z").is_second_from(since));
    }

    #[test]
    fn a_shift_stays_within_what_can_be_written() {
        let last = Time::parse("9998-12-31T23:59:59.999Z").unwrap();
        assert_eq!(last.plus_millis(1), last);
        assert_eq!(last.plus_millis(i64::MAX), last);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_as_it_was(millis in -62_167_219_200_000_i64..253_370_764_800_000) {
            let at = Time::from_millis(millis).unwrap();
            prop_assert_eq!(Time::parse_canonical(&at.to_string()), Some(at));
        }

        #[test]
        fn only_what_would_be_written_is_canonical(
            text in "[0-9]{4}-[0-9][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]:[0-6][0-9][.,][0-9]{3}[Zz+]"
        ) {
            let same = Time::parse(&text).filter(|at| at.to_string() == text);
            prop_assert_eq!(Time::parse_canonical(&text), same);
        }
    }
}
