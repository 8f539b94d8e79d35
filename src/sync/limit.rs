//! Rate limits of hosts: when the next request may be made, and when this clone last pushed.

use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};

use super::watch::{RemoteWatch, RemoteWork};

/// How long one command waits in total.
const PATIENCE: Duration = Duration::from_secs(10 * 60);
/// The first wait if the host does not say how long; each later one is twice as long.
const FIRST: Duration = Duration::from_secs(10);
const LONGEST: Duration = Duration::from_secs(2 * 60);
/// The least wait, even if the host allows a request at once.
const SHORTEST: Duration = Duration::from_secs(1);
/// A longer wait is shortened to this: it may be a mistake of the host, or a clock may have jumped.
const REMEMBERED: Duration = Duration::from_secs(60 * 60);

/// What a clone knows about the rate limit of a host. Times are in milliseconds since 1970.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Limit {
    /// This clone makes no request before this time.
    until: u64,
    /// How many requests were refused since the last push that was accepted; those of long ago do not count.
    refusals: u32,
    /// The host's message.
    words: String,
    /// When this clone last pushed.
    pushed: u64,
}

impl Limit {
    /// Records that the host refused a request, and how long it asks to wait, if it says so.
    pub(super) fn refused(&mut self, now: u64, asked: Option<Duration>, words: &str) {
        if now.saturating_sub(self.until) > millis(REMEMBERED) {
            self.refusals = 0;
        }
        let wait = asked.unwrap_or_else(|| (FIRST * (1 << self.refusals.min(8))).min(LONGEST));
        self.until = now.saturating_add(millis(wait.clamp(SHORTEST, REMEMBERED)));
        self.refusals = self.refusals.saturating_add(1);
        words.clone_into(&mut self.words);
    }

    /// Records that the host accepted a push, which ends the limit.
    pub(super) fn pushed(&mut self, now: u64) {
        *self = Self { pushed: now, ..Self::default() };
    }

    /// How long to wait before the next request, and the host's message; `None` if it can be made now.
    pub(super) fn wait(&self, now: u64) -> Option<(Duration, &str)> {
        let left = self.until.checked_sub(now).filter(|left| (1..=millis(REMEMBERED)).contains(left))?;
        Some((Duration::from_millis(left), &self.words))
    }

    /// How long a push that is not urgent should wait; `None` if it is due now.
    pub(super) fn until_due(&self, now: u64, interval: Duration) -> Option<Duration> {
        let since = now.checked_sub(self.pushed)?;
        interval.checked_sub(Duration::from_millis(since)).filter(|left| !left.is_zero())
    }
}

/// How long a command may still wait.
#[derive(Debug)]
pub(super) struct WaitingTime {
    left: Duration,
    clock: fn() -> Instant,
}

impl WaitingTime {
    pub(super) fn new() -> Self {
        Self::with_clock(PATIENCE, Instant::now)
    }

    /// A wait of `left`, measured by `clock`.
    pub(super) fn with_clock(left: Duration, clock: fn() -> Instant) -> Self {
        Self { left, clock }
    }

    /// The clock that measures waits.
    pub(super) fn clock(&self) -> fn() -> Instant {
        self.clock
    }

    /// How long it may still wait.
    pub(super) fn left(&self) -> Duration {
        self.left
    }

    /// Deducts a wait that is over.
    pub(super) fn spend(&mut self, waited: Duration) {
        self.left = self.left.saturating_sub(waited);
    }

    /// Deducts a wait; returns `false`, and deducts nothing, if it is too long.
    pub(super) fn takes(&mut self, wait: Duration) -> bool {
        let left = self.left.checked_sub(wait);
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }
}

/// Waits, reporting every second. Returns whether it waited to the end: it stops when the work is cancelled.
pub(super) fn sleep(wait: Duration, watch: RemoteWatch<'_>, is_given_up: impl Fn() -> bool) -> bool {
    const STEP: Duration = Duration::from_secs(1);
    let total = wait.as_millis().div_ceil(1000).try_into().unwrap_or(u64::MAX);
    let mut left = wait;
    for second in 0.. {
        if left.is_zero() {
            break;
        }
        if is_given_up() {
            return false;
        }
        watch(RemoteWork::RateLimit, second, total);
        let step = left.min(STEP);
        std::thread::sleep(step);
        left -= step;
    }
    true
}

/// The time, in milliseconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, millis)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_000_000_000;
    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_host_is_left_alone_as_long_as_it_asks_and_longer_each_time_if_it_does_not_say() {
        let mut limit = Limit::default();
        assert_eq!(limit.wait(NOW), None);
        limit.refused(NOW, Some(30 * SECOND), "slow down");
        assert_eq!(limit.wait(NOW), Some((30 * SECOND, "slow down")));
        assert_eq!(limit.wait(NOW + 30_000), None);
        let mut limit = Limit::default();
        let waits = [10, 20, 40, 80, 120, 120];
        for seconds in waits {
            limit.refused(NOW, None, "");
            assert_eq!(limit.wait(NOW), Some((seconds * SECOND, "")));
        }
        let later = NOW + 120_000 + 3_600_001;
        limit.refused(later, None, "");
        assert_eq!(limit.wait(later), Some((10 * SECOND, "")), "that was long ago");
        limit.refused(NOW, Some(Duration::ZERO), "");
        assert_eq!(limit.wait(NOW), Some((SECOND, "")));
        limit.pushed(NOW);
        assert_eq!(limit.wait(NOW), None);
        limit.refused(NOW, None, "");
        assert_eq!(limit.wait(NOW), Some((10 * SECOND, "")));
    }

    #[test]
    fn a_clock_that_jumped_back_holds_nobody_up() {
        let mut limit = Limit::default();
        limit.refused(NOW, Some(100 * 3600 * SECOND), "");
        assert_eq!(limit.wait(NOW), Some((REMEMBERED, "")));
        assert_eq!(limit.wait(NOW - 1), None);
        limit.pushed(NOW);
        assert_eq!(limit.until_due(NOW - 1, 60 * SECOND), None);
    }

    #[test]
    fn a_push_is_due_when_the_interval_is_over() {
        let mut limit = Limit::default();
        limit.pushed(NOW);
        assert_eq!(limit.until_due(NOW + 20_000, 60 * SECOND), Some(40 * SECOND));
        assert_eq!(limit.until_due(NOW + 60_000, 60 * SECOND), None);
        assert_eq!(limit.until_due(NOW, Duration::ZERO), None);
    }

    #[test]
    fn patience_ends() {
        let mut patience = WaitingTime::new();
        assert!(patience.takes(PATIENCE / 2));
        assert!(!patience.takes(PATIENCE));
        assert!(patience.takes(PATIENCE / 2));
        assert!(!patience.takes(Duration::from_millis(1)));
        patience.spend(PATIENCE);
        assert_eq!(patience.left(), Duration::ZERO);
    }
}
