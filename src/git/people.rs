//! Names, addresses and dates, as git reads them from its configuration and environment.

use std::time::{Duration, SystemTime};

use gix::actor::SignatureRef;
use gix::date::{Time, Zoned};

use super::Fault;
use super::repository::Repository;

impl Repository {
    /// Who writes, at what time; none if that is not configured.
    pub(crate) fn author(&self) -> Option<Result<SignatureRef<'_>, Fault>> {
        self.gix.author()
    }

    /// Who commits, at what time; none if that is not configured.
    pub(crate) fn committer(&self) -> Option<Result<SignatureRef<'_>, Fault>> {
        self.gix.committer()
    }
}

/// Reads `Name <address> 1700000000 +0100`.
pub(crate) fn parse_signature(line: &str) -> Option<SignatureRef<'_>> {
    SignatureRef::from_bytes(line.as_bytes()).ok()
}

/// Now, and how far the clock on the wall is from UTC. A clock that stands before 1970 shows its first second: git has no
/// earlier ones.
pub(crate) fn local_now() -> Time {
    let now = Time::now_local_or_utc();
    Time::new(now.seconds.max(0), now.offset)
}

/// The seconds since 1970 of a date in any of git's forms, but none that counts from now.
pub(crate) fn parse_date(text: &str) -> Option<i64> {
    gix::date::parse(text, None).ok().map(|time| time.seconds)
}

/// The same, or a text such as `2 weeks ago`. A day is a day of UTC, and `now` is that long after 1970.
pub(crate) fn parse_date_in_utc(text: &str, now: Duration) -> Option<i64> {
    let now = Zoned::default().checked_add(now).ok()?;
    gix::date::parse(text, Some(now)).ok().map(|time| time.seconds)
}

/// The same by the clock on the wall.
pub(crate) fn parse_local_date(text: &str, now: SystemTime) -> Option<i64> {
    gix::date::parse(text, Zoned::try_from(now).ok()).ok().map(|time| time.seconds)
}
