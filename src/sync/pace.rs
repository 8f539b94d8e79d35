//! Decides when a clone pushes if several push at the same time: the remote accepts one of them, and the others must
//! fetch and push again. The clone that has just won waits longer than those that lost, in units of the time that a
//! fetch and a push take. The numbers come from a simulation of 2, 4 and 12 clones that always want to push
//! (`pace/simulation.rs`): few pushes are wasted, and no clone waits much longer than the others.

#[cfg(test)]
mod simulation;

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The part of its waiting time that a clone keeps after a push that was accepted at once.
const KEPT: f32 = 0.9;
/// How many tries longer it waits for each push that it lost.
const LONGER: f32 = 1.0;
/// The longest wait, in tries.
const LONGEST: f32 = 32.0;
/// After how many pushes in a row a clone first pauses for others, and after how many at most.
const FIRST_ROOM: u32 = 3;
const LAST_ROOM: u32 = 48;
/// With a shorter wait than this, nobody else pushes.
const CALM: f32 = 0.5;
/// The longest measurement that counts, in case a clock jumps.
const MOST_MS: u32 = 60_000;

/// What a clone knows about other clones that push to a remote.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Pace {
    /// How long the next change waits, in tries.
    wait: f32,
    /// How long a push takes, in milliseconds; 0 if none was measured.
    push_ms: u32,
    /// How long a fetch takes, in milliseconds; 0 if none was measured.
    fetch_ms: u32,
    /// How many pushes came too late since the last one that was accepted.
    lost: u32,
    /// How many pushes in a row were accepted since this clone last paused for others.
    row: u32,
    /// How many pauses in a row nobody used.
    empty: u32,
}

impl Pace {
    /// Whether nobody else seems to push.
    pub(super) fn is_uncontended(&self) -> bool {
        self.wait < CALM && self.lost == 0
    }

    /// The wait before the first push of a change; `share` is random, from 0 to 1.
    pub(super) fn before_first(&self, share: f32) -> Duration {
        if self.wait < CALM { Duration::ZERO } else { self.round().mul_f32(self.wait * (0.7 + 0.6 * share)) }
    }

    /// The wait after a push that came too late; shorter the more often that has happened.
    pub(super) fn after_loss(&self, share: f32) -> Duration {
        self.round().mul_f32(0.5 * share / (1.0 + 0.5 * self.lost as f32))
    }

    /// A pause before a push, to let others push. A clone that pushes without a break needs no fetch, so it would
    /// always be faster than those that must fetch first, and would never notice them. The more pauses pass
    /// without a push by others, the rarer they become.
    pub(super) fn room(&mut self) -> Option<Duration> {
        let after = FIRST_ROOM.saturating_mul(1 << self.empty.min(8)).min(LAST_ROOM);
        if self.row < after {
            return None;
        }
        self.row = 0;
        self.empty = self.empty.saturating_add(1);
        Some(self.round() * 2)
    }

    /// Records a push that was accepted, and how long it took.
    pub(super) fn won(&mut self, took: Duration) {
        self.row = self.row.saturating_add(1);
        self.wait = match self.lost {
            0 => self.wait * KEPT,
            lost => (self.wait + LONGER * lost as f32).min(LONGEST),
        };
        self.lost = 0;
        average(&mut self.push_ms, took);
    }

    /// Records a push that came too late, and how long it took if the remote rejected it.
    pub(super) fn lost(&mut self, took: Option<Duration>) {
        self.lost = self.lost.saturating_add(1);
        (self.row, self.empty) = (0, 0);
        if let Some(took) = took {
            average(&mut self.push_ms, took);
        }
    }

    /// Records how long a fetch took.
    pub(super) fn fetched(&mut self, took: Duration) {
        average(&mut self.fetch_ms, took);
    }

    /// Forgets what is known if it was last used too long `ago`: after a few tries, others have probably stopped
    /// pushing.
    pub(super) fn forget_after(&mut self, ago: Duration) {
        if ago > self.round().mul_f32(4.0 * (self.wait + 1.0 + self.lost as f32)) {
            (self.wait, self.lost, self.row, self.empty) = (0.0, 0, 0, 0);
        }
    }

    /// How long a try takes, a fetch and a push.
    fn round(&self) -> Duration {
        let known = |ms: u32, unknown| if ms == 0 { unknown } else { ms.min(MOST_MS) };
        Duration::from_millis((known(self.push_ms, 30) + known(self.fetch_ms, 20)).into())
    }
}

/// Adds a measurement to a moving average in milliseconds.
fn average(ms: &mut u32, took: Duration) {
    let took = u32::try_from(took.as_millis()).unwrap_or(u32::MAX).clamp(1, MOST_MS);
    *ms = if *ms == 0 { took } else { ((*ms).min(MOST_MS) * 3 + took) / 4 };
}

/// A random number from 0 to 1. Without random bits it is 1, the longest wait, which is slower but not wrong.
pub(super) fn share() -> f32 {
    let mut bits = [0u8; 2];
    getrandom::fill(&mut bits).map_or(1.0, |()| f32::from(u16::from_ne_bytes(bits)) / f32::from(u16::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUSH: Duration = Duration::from_millis(300);

    #[test]
    fn a_clone_that_is_alone_never_waits() {
        let mut pace = Pace::default();
        for _ in 0..10 {
            assert!(pace.is_uncontended());
            assert_eq!(pace.before_first(1.0), Duration::ZERO);
            pace.won(PUSH);
        }
    }

    #[test]
    fn who_has_won_waits_longer_than_who_has_lost_and_by_the_time_of_a_push() {
        let mut pace = Pace::default();
        for _ in 0..4 {
            pace.lost(Some(PUSH));
            assert!(!pace.is_uncontended());
        }
        let lost = pace.after_loss(1.0);
        pace.won(PUSH);
        assert!(pace.before_first(0.0) > lost * 4, "{lost:?}, then {:?}", pace.before_first(0.0));
        let mut slow = Pace::default();
        slow.lost(Some(PUSH * 10));
        assert!(slow.after_loss(1.0) > Pace { lost: 1, ..pace.clone() }.after_loss(1.0) * 5);
    }

    #[test]
    fn who_pushes_without_a_break_leaves_room_and_more_rarely_if_nobody_comes() {
        let mut pace = Pace::default();
        let mut rooms = Vec::new();
        for push in 0..100 {
            if let Some(room) = pace.room() {
                assert!(room >= PUSH);
                rooms.push(push);
            }
            pace.won(PUSH);
        }
        assert_eq!(rooms, [3, 9, 21, 45, 93]);
        pace.lost(None);
        assert_eq!((0..9).filter(|_| (pace.won(PUSH), pace.room().is_some()).1).count(), 2);
    }

    #[test]
    fn what_was_learned_is_forgotten_when_the_others_are_gone() {
        let mut pace = Pace::default();
        (0..9).for_each(|_| pace.lost(Some(PUSH)));
        pace.won(PUSH);
        pace.forget_after(PUSH * 10);
        assert!(!pace.is_uncontended());
        pace.forget_after(PUSH * 100);
        assert!(pace.is_uncontended());
    }
}
