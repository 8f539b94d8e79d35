//! The time zone of this machine.

use std::env;

use chrono::{DateTime, FixedOffset, Local, Offset, Utc};

/// The offset of the local time at this moment. UTC if `TZ` is empty, as for git, where chrono takes `/etc/localtime`.
pub(crate) fn local_offset(at: DateTime<Utc>) -> FixedOffset {
    if env::var_os("TZ").is_some_and(|zone| zone.is_empty()) {
        return Utc.fix();
    }
    at.with_timezone(&Local).offset().fix()
}
