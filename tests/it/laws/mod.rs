//! The laws of a merge: whatever was written, and in whatever order clones sync, they all end in the same state and
//! then make no more commits.

mod heads;
mod history;
mod index;
pub(crate) mod promised;
pub(crate) mod random;
mod replicas;

use history::History;
use replicas::Replicas;

/// Histories in a normal run, and with `WF_LONG=1`. `WF_SEED=N` runs the one of that seed.
const CASES: u64 = 2;
const LONG: u64 = 200;
const STEPS: usize = 80;

#[test]
fn clones_end_in_one_state_whatever_they_did_and_whomever_they_met() {
    let seeds = match (std::env::var("WF_SEED"), std::env::var_os("WF_LONG")) {
        (Ok(seed), _) => vec![seed.parse().unwrap()],
        (_, Some(_)) => (0..LONG).collect(),
        _ => (0..CASES).collect::<Vec<u64>>(),
    };
    for seed in seeds {
        Replicas::new().watched(seed, |all| {
            let mut history = History::new(seed);
            for n in 0..all.len() {
                all.wf(n, &["hooks", "install"]).ok();
                all.git(n, &["commit", "--quiet", "--allow-empty", "-m", "first"]).ok();
            }
            history.begin(all);
            for step in 0..STEPS {
                if step == STEPS / 3 {
                    all.copy();
                }
                history.step(all);
            }
            all.meet_all();
            all.assert_settled();
            history.assert_kept(all);
        });
    }
}
