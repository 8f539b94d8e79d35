//! Clones that want nothing but to push, in simulated time: what the constants of a pace are for.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use super::Pace;

const FETCH: Duration = Duration::from_millis(50);
/// From the start of a push until the remote looks at it.
const SEND: Duration = Duration::from_millis(40);
/// How long the remote takes to accept or refuse it.
const HOOK: Duration = Duration::from_millis(300);

/// What a clone has just done.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Fetched,
    /// The push of a commit on this state of the remote has arrived there.
    Sent(usize),
    /// The remote's hook is done with it.
    Ended(usize),
}

/// What happened until all items were pushed.
struct Simulated {
    took: Duration,
    pushes: usize,
    /// How long each item waited, in order.
    waits: Vec<Duration>,
}

/// `clones` push until the remote has this many `items`, one a push.
fn simulate(clones: usize, items: usize, seed: u64) -> Simulated {
    let mut state = seed;
    let mut share = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 24) as f32
    };
    let (mut paces, mut began) = (vec![Pace::default(); clones], vec![Duration::ZERO; clones]);
    let mut events = BinaryHeap::new();
    for clone in 0..clones {
        events.push(Reverse((FETCH.mul_f32(1.0 + share()), clone, Step::Fetched)));
    }
    let (mut accepted, mut pushes, mut waits) = (0, 0, Vec::new());
    while let Some(Reverse((now, clone, step))) = events.pop() {
        let pace = &mut paces[clone];
        // Nothing takes exactly as long twice.
        let about = |time: Duration, share: f32| time.mul_f32(0.7 + 0.6 * share);
        let (next, after) = match step {
            Step::Fetched => {
                pace.fetched(FETCH);
                match pace.room() {
                    Some(room) => (Step::Fetched, room + about(FETCH, share())),
                    None => (Step::Sent(accepted), about(SEND, share())),
                }
            }
            Step::Sent(on) if on == accepted => {
                pushes += 1;
                (Step::Ended(on), HOOK)
            }
            Step::Ended(on) if on == accepted => {
                accepted += 1;
                waits.push(now - began[clone]);
                if accepted == items {
                    waits.sort_unstable();
                    return Simulated { took: now, pushes, waits };
                }
                pace.won(SEND + HOOK);
                began[clone] = now;
                (Step::Fetched, pace.before_first(share()) + about(FETCH, share()))
            }
            Step::Sent(_) | Step::Ended(_) => {
                pace.lost(None);
                (Step::Fetched, pace.after_loss(share()) + about(FETCH, share()))
            }
        };
        events.push(Reverse((now + after, clone, next)));
    }
    unreachable!("each event is followed by another")
}

/// The means of many runs: pushes an item, the longest wait in medians, and items a second.
fn means(clones: usize) -> (f64, f64, f64) {
    const RUNS: u64 = 40;
    let items = 4 * clones.max(3);
    let (mut pushes, mut longest, mut rate) = (0.0, 0.0, 0.0);
    for seed in 0..RUNS {
        let outcome = simulate(clones, items, seed);
        pushes += outcome.pushes as f64 / items as f64;
        longest += outcome.waits[items - 1].as_secs_f64() / outcome.waits[items / 2].as_secs_f64();
        rate += items as f64 / outcome.took.as_secs_f64();
    }
    (pushes / RUNS as f64, longest / RUNS as f64, rate / RUNS as f64)
}

#[test]
fn few_pushes_are_wasted_and_nobody_waits_much_longer_than_the_others() {
    let (_, _, alone) = means(1);
    for clones in [2, 4, 12] {
        let (pushes, longest, rate) = means(clones);
        println!(
            "{clones} clones: {pushes:.2} pushes an item, longest {longest:.1} × the median, {:.2} × the rate of one",
            rate / alone
        );
        assert!(pushes <= 6.0 && pushes <= clones as f64, "{clones} clones: {pushes} pushes an item");
        assert!(longest <= 6.0, "{clones} clones: the longest wait is {longest} × the median");
        // One push after the other is accepted, and each needs what was accepted before: no more than one item a push.
        assert!(rate > 0.7 * alone, "{clones} clones: {} × the rate of one", rate / alone);
    }
}
