//! Names, addresses and dates, as git reads them from its configuration and environment.

use std::time::{Duration, SystemTime};

use chrono::Local;
use gix::actor::SignatureRef;
use gix::date::{Time, Zoned};

/// Reads `Name <address> 1700000000 +0100`.
pub(crate) fn parse_signature(line: &str) -> Option<SignatureRef<'_>> {
    SignatureRef::from_bytes(line.as_bytes()).ok()
}

/// The current time with the offset of the local time zone. If the clock is before 1970, the first second of 1970: git has
/// no earlier dates.
pub(crate) fn local_now() -> Time {
    let now = Local::now();
    Time::new(now.timestamp().max(0), now.offset().local_minus_utc())
}

/// Parses a date in any of git's absolute formats.
pub(crate) fn parse_date(text: &str) -> Option<Time> {
    gix::date::parse(text, None).ok()
}

/// Like [`parse_date`], but also reads relative dates such as `2 weeks ago`. Days are days of UTC; `now` is the time
/// since 1970.
pub(crate) fn parse_date_in_utc(text: &str, now: Duration) -> Option<i64> {
    let now = Zoned::default().checked_add(now).ok()?;
    gix::date::parse(text, Some(now)).ok().map(|time| time.seconds)
}

/// Like [`parse_date_in_utc`], in local time.
pub(crate) fn parse_local_date(text: &str, now: SystemTime) -> Option<i64> {
    gix::date::parse(text, Zoned::try_from(now).ok()).ok().map(|time| time.seconds)
}
