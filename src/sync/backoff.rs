//! The wait between two tries, which is random so that clones which collided once do not collide again.

use std::time::Duration;

/// The longest first wait; each later one can be twice as long as the one before.
const FIRST: u64 = 25;
/// The longest wait of all.
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
