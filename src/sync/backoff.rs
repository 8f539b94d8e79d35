//! The wait between two tries, random so that clones which met once do not meet again.

use std::time::Duration;

/// The first wait is up to this long; each one after it up to twice as long as the one before.
const FIRST: u64 = 25;
/// No wait is longer.
const LONGEST: u64 = 800;

/// Waits before try `attempt`; not before the first, which is 0.
pub(super) fn pause(attempt: u32) {
    if attempt == 0 {
        return;
    }
    let most = FIRST.saturating_mul(1 << (attempt - 1).min(10)).min(LONGEST);
    let mut bits = [0u8; 2];
    // Without random bits the wait is the longest one: slower, never wrong.
    let share = getrandom::fill(&mut bits).map_or(u16::MAX, |()| u16::from_ne_bytes(bits));
    std::thread::sleep(Duration::from_millis(most * u64::from(share) / u64::from(u16::MAX)));
}
