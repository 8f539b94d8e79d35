//! Twelve processes, four in each of three clones, on one queue, while the remote loses replies and processes are killed:
//! no claim is handed out twice, nothing acknowledged is lost, and everybody comes to an end.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::laws::random::Random;
use crate::support::{Repo, Sandbox, is_long};

const CLONES: usize = 3;
const WORKTREES: usize = 4;
const ITEMS: usize = 14;
/// A worker that needs more calls than this waits for ever.
const CALLS: usize = 200;
/// Where a process may be killed.
const POINTS: [&str; 7] = ["drawn", "handed-in", "carried", "lost", "fetched", "pushed", "claimed"];

/// The hub's hooks read which fault to cause from `faults`: a line for each push, `-` for none. `before`: the connection ends
/// before anything was taken. `after`: it ends when everything was taken, before the reply.
fn faults(sandbox: &Sandbox, random: &mut Random) {
    let lines: String = (0..CALLS)
        .map(|_| match random.below(6) {
            0 => "before\n",
            1 => "after\n",
            _ => "-\n",
        })
        .collect();
    let hub = sandbox.root().join("hub");
    std::fs::write(hub.join("faults"), lines).unwrap();
    // Appending a byte draws a number, since no two pushes write at the same place.
    let drawn = "printf x >>drawn; fault=$(sed -n \"$(wc -c <drawn)p\" faults)";
    let hooks = [
        ("pre-receive", format!("{drawn}\necho \"$fault\" >\"fault-$PPID\"\n[ \"$fault\" != before ] || kill -9 $PPID\n")),
        (
            "reference-transaction",
            "[ \"$1\" = committed ] || exit 0\n[ \"$(cat \"fault-$PPID\" 2>/dev/null)\" != after ] || kill -9 $PPID\n"
                .to_owned(),
        ),
    ];
    for (name, text) in hooks {
        let path = hub.join("hooks").join(name);
        std::fs::write(&path, format!("#!/bin/sh\ncat >/dev/null\n{text}")).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// The worktrees of three clones of a hub with a queue of [`ITEMS`] items.
fn world(sandbox: &Sandbox) -> (Repo, Vec<Repo>) {
    let hub = sandbox.bare("hub");
    let first = sandbox.clone(&hub, "c0");
    first.commit("a.txt", "a\n", "Begin");
    first.git(&["push", "--quiet", "origin", "HEAD:main"]).ok();
    first.wf(&["init"]).ok();
    for n in 0..ITEMS {
        first.queued(&format!("ISS-{n:03}"), &format!("src/{n}.rs"));
    }
    first.wf(&["sync"]).ok();
    let mut clones = vec![first];
    for n in 1..CLONES {
        let clone = sandbox.clone(&hub, &format!("c{n}"));
        clone.wf(&["init"]).ok();
        clones.push(clone);
    }
    let of = |(n, clone): (usize, &Repo)| -> Vec<Repo> {
        (0..WORKTREES).map(|at| clone.worktree(&format!("c{n}-{at}"), &format!("branch-{n}-{at}"))).collect()
    };
    let worktrees = clones.iter().enumerate().flat_map(of).collect();
    (clones.swap_remove(0), worktrees)
}

/// What a worker was told.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Told {
    Claimed,
    Done,
}

/// Claims and completes items until nothing is left. Returns what was acknowledged, by execution.
fn work(place: &Repo, mut random: Random) -> Vec<(String, String, Told)> {
    let mut told = Vec::new();
    let mut held: Option<String> = None;
    let mut last = String::new();
    for _ in 0..CALLS {
        let point = random.one_in(6).then(|| *random.pick(&POINTS));
        let place = point.map_or_else(|| place.clone(), |point| place.with_env("WF_FAULT", point));
        let args: &[&str] = match held {
            None => &["next", "--json"],
            Some(_) => &["done", "--force", "--reason", "a test", "--json"],
        };
        let ran = place.wf(args);
        match (ran.code, &held) {
            (0, None) => {
                let claim = ran.json();
                let field = |name: &str| claim[name].as_str().unwrap().to_owned();
                told.push((field("issue_id"), field("execution_id"), Told::Claimed));
                held = Some(field("execution_id"));
            }
            (0, Some(execution)) => {
                told.push((String::new(), execution.clone(), Told::Done));
                held = None;
            }
            (3, None) => return told,
            // It was completed by the call before, which was killed or lost the reply.
            (1, Some(_)) if ran.json_error()["code"] == "no-claim" => held = None,
            // Killed, or the connection was lost: once more.
            _ => last = ran.stderr,
        }
    }
    panic!("still at work after {CALLS} calls: {told:?}: {last}");
}

fn drained_with(seed: u64) {
    eprintln!("seed {seed}");
    let mut random = Random::new(seed);
    let sandbox = Sandbox::new();
    let (clone, places) = world(&sandbox);
    faults(&sandbox, &mut random);
    let seeds: Vec<u64> = places.iter().map(|_| random.below(usize::MAX) as u64).collect();
    let told: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = places
            .iter()
            .zip(seeds)
            .map(|(place, seed)| scope.spawn(move || work(place, Random::new(seed))))
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    for name in ["pre-receive", "reference-transaction"] {
        std::fs::remove_file(sandbox.root().join("hub/hooks").join(name)).unwrap();
    }
    // The last to sync may have what a killed process did not publish; the first ones get that in a second round.
    for _ in 0..2 {
        for place in &places {
            place.wf(&["sync"]).ok();
        }
        clone.wf(&["sync"]).ok();
    }
    let tips: Vec<_> = places.iter().map(Repo::tip).collect();
    assert!(tips.iter().all(|tip| *tip == clone.tip()), "{tips:?}");
    let mut claimed: BTreeMap<&str, usize> = BTreeMap::new();
    let mut known: BTreeMap<String, Value> = BTreeMap::new();
    for n in 0..ITEMS {
        let issue = clone.json(&["show", &format!("ISS-{n:03}")]);
        assert_eq!(issue["status"], "completed", "{issue:#}");
        let executions = issue["executions"].as_array().unwrap();
        assert_eq!(executions.len(), 1, "{issue:#}");
        known.insert(executions[0]["id"].as_str().unwrap().to_owned(), executions[0].clone());
    }
    for (issue, execution, what) in &told {
        let record = known.get(execution).unwrap_or_else(|| panic!("{execution} of {issue} is lost"));
        assert_eq!(record["status"], "completed", "{record:#}");
        if *what == Told::Claimed {
            *claimed.entry(execution).or_default() += 1;
        }
    }
    assert!(claimed.values().all(|times| *times == 1), "{claimed:?}");
    assert_eq!(clone.json(&["fsck"]), json!([]));
}

#[test]
fn twelve_processes_lose_no_claim_and_share_none_whatever_the_connection_does() {
    let seeds = if is_long() { 1..=12 } else { 1..=1 };
    seeds.for_each(drained_with);
}
