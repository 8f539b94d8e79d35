//! How long a claim lasts without being renewed.

use super::ExecutionFolder;
use crate::model::{EntryId, Event, Time};

/// The default of `wf.lease`: four hours, in milliseconds.
pub(crate) const DEFAULT: i64 = 4 * HOUR;

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// The longest lease, in milliseconds. An executor that died can block an item for this long.
const LONGEST: i64 = 90 * DAY;

/// How far the clocks of two machines may differ, in milliseconds, without one of them considering a lease expired too
/// early.
const SKEW: i64 = 10 * MINUTE;

/// The time from which others may take over a claim.
pub(crate) fn free_from(lease_expires_at: Time) -> Time {
    lease_expires_at.plus_millis(SKEW)
}

/// The state of a lease at some moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LeaseState {
    /// It lasts until then.
    Lasts(Time),
    /// It has expired, but others may not take the claim over yet.
    Ended {
        /// When it ended.
        at: Time,
        /// When they may.
        free_from: Time,
    },
    /// It expired then, and others may take over the claim.
    Free(Time),
}

impl LeaseState {
    pub(crate) fn new(lease_expires_at: Time, now: Time) -> Self {
        if now <= lease_expires_at {
            Self::Lasts(lease_expires_at)
        } else if may_be_taken_over(lease_expires_at, now) {
            Self::Free(lease_expires_at)
        } else {
            Self::Ended { at: lease_expires_at, free_from: free_from(lease_expires_at) }
        }
    }
}

impl std::fmt::Display for LeaseState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Lasts(until) => write!(f, "the lease lasts until {until}"),
            Self::Ended { at, free_from } => {
                write!(f, "the lease ended at {at}, and others may take the item over from {free_from}")
            }
            Self::Free(at) => write!(f, "the lease ended at {at}, and others may take the item over"),
        }
    }
}

/// Whether others may take a claim over: its lease has expired, even allowing for clock skew.
pub(crate) fn may_be_taken_over(lease_expires_at: Time, now: Time) -> bool {
    now > free_from(lease_expires_at)
}

/// Whether less than half of a lease of this length is left.
pub(crate) fn is_half_over(lease_expires_at: Time, length: i64, now: Time) -> bool {
    lease_expires_at.millis().saturating_sub(now.millis()) < length / 2
}

/// The earliest moment of a sign of life that still keeps a claim, if such a sign is good for this many milliseconds.
pub(crate) fn oldest_sign(good_for: i64, now: Time) -> Time {
    now.plus_millis(-good_for.saturating_add(SKEW))
}

/// The latest sign of life of an execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sign {
    /// The entry that renewed the lease; none if the claim itself is all there is.
    pub(crate) entry: Option<EntryId>,
    /// How long the lease then lasted, in milliseconds, by the clock of the process that renewed it.
    pub(crate) good_for: i64,
}

/// The latest sign of life of an execution.
pub(crate) fn last_sign(execution: &ExecutionFolder) -> Sign {
    let claim = &execution.execution;
    let of_claim = (claim.lease_expires_at, None, claim.started_at);
    let renewals = execution.log.iter().filter_map(|entry| match &entry.event {
        Event::Renew(renew) => Some((renew.lease_expires_at, Some(&entry.id), entry.at)),
        _ => None,
    });
    let (until, entry, from) =
        renewals.fold(of_claim, |last, next| if next.0 > last.0 { next } else { last });
    Sign { entry: entry.cloned(), good_for: until.millis().saturating_sub(from.millis()) }
}

/// The milliseconds of a lease, as [`parse_duration`]; `None` if it is longer than 90 days, too.
pub(crate) fn parse(text: &str) -> Option<i64> {
    parse_duration(text).filter(|millis| *millis <= LONGEST)
}

/// Milliseconds of `90s`, `30m`, `4h` or `1d`. `None` for anything else, for nothing (`0h`), and for more than can be
/// counted.
pub(crate) fn parse_duration(text: &str) -> Option<i64> {
    let text = text.trim();
    let unit = match text.chars().last()? {
        's' => SECOND,
        'm' => MINUTE,
        'h' => HOUR,
        'd' => DAY,
        _ => return None,
    };
    let digits = &text[..text.len() - 1];
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let count: i64 = digits.parse().ok()?;
    count.checked_mul(unit).filter(|millis| *millis > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fixtures::entry_id;

    use crate::model::{Execution, LogEntry, Renew};
    use crate::rules::test_claim::{claim, time};

    /// A claim at second 100 with a lease of 50 seconds, and renewals (second, lease in seconds).
    fn execution(renewals: &[(i64, i64)]) -> ExecutionFolder {
        let log = renewals.iter().enumerate().map(|(n, (at, seconds))| LogEntry {
            id: entry_id(&format!("20261121T021405123Z-0000{n}")),
            event: Event::Renew(Renew { lease_expires_at: time(at + seconds) }),
            actor: "a".into(),
            at: time(*at),
        });
        let claimed = Execution { lease_expires_at: time(150), ..claim("EXR-ISS-1-a", 100) };
        ExecutionFolder { execution: claimed, log: log.collect() }
    }

    #[test]
    fn a_lease_is_good_for_ten_minutes_more_than_it_says() {
        let ends = time(1_000);
        assert!(!may_be_taken_over(ends, time(1_000 + 600)));
        assert!(may_be_taken_over(ends, time(1_000 + 601)));
    }

    #[test]
    fn a_lease_that_ended_is_not_said_to_last() {
        let at = |now: i64| LeaseState::new(time(1_000), time(now)).to_string();
        let ends = time(1_000).to_string();
        assert_eq!(at(1_000), format!("the lease lasts until {ends}"));
        let free = time(1_600).to_string();
        for now in [1_001, 1_600] {
            let expected =
                format!("the lease ended at {ends}, and others may take the item over from {free}");
            assert_eq!(at(now), expected);
        }
        assert_eq!(at(1_601), format!("the lease ended at {ends}, and others may take the item over"));
    }

    #[test]
    fn the_oldest_sign_is_the_last_that_keeps_a_claim() {
        let (good_for, now) = (50_000, time(10_000));
        let oldest = oldest_sign(good_for, now);
        assert!(!may_be_taken_over(oldest.plus_millis(good_for), now));
        assert!(may_be_taken_over(oldest.plus_millis(good_for - 1), now));
    }

    #[test]
    fn a_lease_is_half_over_when_less_than_half_of_it_is_left() {
        let is_half_over = |now: i64| is_half_over(time(1_000), 200_000, time(now));
        assert_eq!([800, 900, 901, 1_000, 2_000].map(is_half_over), [false, false, true, true, true]);
    }

    #[test]
    fn the_sign_that_holds_longest_counts() {
        assert_eq!(last_sign(&execution(&[])), Sign { entry: None, good_for: 50_000 });
        let renewed = execution(&[(120, 60), (140, 30)]);
        let sign = last_sign(&renewed);
        assert_eq!(sign, Sign { entry: Some(renewed.log[0].id.clone()), good_for: 60_000 });
        assert_eq!(last_sign(&execution(&[(110, 10)])).entry, None);
    }

    #[test]
    fn each_unit_is_read() {
        let read = ["90s", "30m", "4h", "1d", " 2h "].map(parse_duration);
        assert_eq!(read, [90_000, 1_800_000, DEFAULT, 86_400_000, 7_200_000].map(Some));
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        for text in ["", "h", "4", "4 h", "-4h", "+4h", "0h", "1.5h", "4w", "4hh", "99999999999999999d", "4é"]
        {
            assert_eq!(parse_duration(text), None, "{text}");
        }
        assert_eq!((parse("90d"), parse("91d")), (Some(90 * DAY), None));
    }
}
