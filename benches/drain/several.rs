//! Several executors on one queue: the number of items and pushes, and the waits.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::WF;
use super::world::{command, feed, median, notice, run};

/// Items per executor; at least [`LEAST`] in total.
const ITEMS: usize = 4;
const LEAST: usize = 12;
const EXECUTORS: [usize; 3] = [1, 4, 12];
const DELAYS: [&str; 2] = ["0", "0.3"];

/// Where the executors are.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Clones,
    Worktrees,
}

/// The commands of an executor.
#[derive(Clone, Copy)]
enum Way {
    /// `next`, then `done`, for each item.
    NextAndDone,
    /// `next` once, then `done --next`.
    DoneNext,
}

/// The measurements.
struct Drained {
    items: usize,
    seconds: f64,
    /// All pushes that reached the remote, accepted or not.
    pushes: usize,
    /// The commands that claimed an item.
    claims: Vec<Claimed>,
    /// The most pushes that ran while one of them waited.
    most: usize,
}

/// The limits for twelve executors and a push that takes 0.3 s, with `done --next`: pushes an item, pushes that one command
/// waits for, the longest wait in medians, and the rate compared with that of one executor.
struct Limits {
    pushes: f64,
    most: Option<usize>,
    longest: Option<f64>,
    rate: Option<f64>,
}

impl Limits {
    fn of(kind: Kind) -> Self {
        match kind {
            Kind::Clones => Self { pushes: 6.0, most: None, longest: Some(6.0), rate: Some(1.5) },
            Kind::Worktrees => Self { pushes: 0.5, most: Some(3), longest: None, rate: None },
        }
    }

    fn compare(&self, pushes: f64, most: usize, longest: f64, rate: f64) {
        let verdict = |what: &str, is_met: bool| {
            println!("   goal {what}: {}", if is_met { "met" } else { "MISSED" });
        };
        verdict(&format!("{} pushes an item at most", self.pushes), pushes <= self.pushes);
        if let Some(limit) = self.most {
            verdict(&format!("no command waits for more than {limit} pushes"), most <= limit);
        }
        if let Some(limit) = self.longest {
            verdict(&format!("the longest wait is at most {limit} × the median"), longest <= limit);
        }
        if let Some(limit) = self.rate {
            verdict(&format!("{limit} × the rate of one executor at least"), rate >= limit);
        }
    }
}

/// When a command that claims an item ran, in seconds since 1970.
#[derive(Clone, Copy)]
struct Claimed {
    started: f64,
    ended: f64,
}

/// Prints a table for each way.
pub(super) fn tables() {
    for (name, way) in [("next, done", Way::NextAndDone), ("done --next", Way::DoneNext)] {
        println!("\n{name}");
        println!(
            "{:<14} {:>6} {:>9} {:>13} {:>13} {:>13} {:>9} {:>12}",
            "", "delay", "items/s", "of one alone", "pushes/item", "longest wait", "median", "most pushes"
        );
        for delay in DELAYS {
            let mut alone = None;
            for kind in [Kind::Clones, Kind::Worktrees] {
                for count in EXECUTORS {
                    let drained = drain(kind, way, count, delay);
                    let rate = drained.items as f64 / drained.seconds;
                    let one = *alone.get_or_insert(rate);
                    let mut waits: Vec<f64> = drained.claims.iter().map(|it| it.ended - it.started).collect();
                    let longest = waits.iter().copied().fold(0.0, f64::max);
                    let place = match kind {
                        Kind::Clones => "clones",
                        Kind::Worktrees => "worktrees",
                    };
                    println!(
                        "{count:>2} {place:<11} {delay:>4} s {rate:>9.2} {:>11.2} × {:>13.2} {longest:>11.2} s {:>7.2} s {:>12}",
                        rate / one,
                        drained.pushes as f64 / drained.items as f64,
                        median(&mut waits),
                        drained.most,
                    );
                    if count == 12 && delay == "0.3" && matches!(way, Way::DoneNext) {
                        let (pushes, middle) =
                            (drained.pushes as f64 / drained.items as f64, median(&mut waits));
                        Limits::of(kind).compare(pushes, drained.most, longest / middle, rate / one);
                    }
                }
            }
        }
    }
}

fn drain(kind: Kind, way: Way, count: usize, delay: &str) -> Drained {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let items = (ITEMS * count).max(LEAST);
    let places = world(root, kind, count, items);
    let hook = root.join("hub/hooks/pre-receive");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, format!("#!/bin/sh\ndate +%s.%N >>pushes\nsleep {delay}\ndate +%s.%N >>ends\n"))
        .unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let started = Instant::now();
    let claims: Vec<Claimed> = std::thread::scope(|scope| {
        let executors: Vec<_> = places.iter().map(|place| scope.spawn(move || execute(place, way))).collect();
        executors.into_iter().flat_map(|it| it.join().unwrap()).collect()
    });
    let seconds = started.elapsed().as_secs_f64();
    let [pushes, ends] = ["pushes", "ends"].map(|name| {
        let times = std::fs::read_to_string(root.join("hub").join(name)).unwrap();
        times.lines().map(|time| time.parse().unwrap()).collect::<Vec<f64>>()
    });
    // Those that began before it ended, without those that ended before it began.
    let during = |claim: &Claimed| {
        let began = pushes.iter().filter(|time| **time < claim.ended).count();
        began - ends.iter().filter(|time| **time < claim.started).count()
    };
    let most = claims.iter().map(during).max().unwrap_or(0);
    Drained { items, seconds, pushes: pushes.len(), claims, most }
}

/// Creates a hub with a queue, and returns the directories of the executors.
fn world(root: &Path, kind: Kind, count: usize, items: usize) -> Vec<PathBuf> {
    run(root, &["git", "init", "--quiet", "--bare", "hub"]);
    let clone = |name: &str| {
        let at = root.join(name);
        run(root, &["git", "clone", "--quiet", "hub", name]);
        for (key, value) in [("user.name", "Ada"), ("user.email", "ada@example.org")] {
            run(&at, &["git", "config", key, value]);
        }
        run(&at, &["git", "commit", "--quiet", "--allow-empty", "-m", "Begin"]);
        run(&at, &[WF, "init"]);
        at
    };
    let first = clone("clone-0");
    let mut queued = vec![WF.to_owned(), "queue".into(), "add".into()];
    for n in 1..=items {
        let id = format!("ISS-{n:03}");
        run(&first, &[WF, "new", "--id", &id, &format!("Item {n}")]);
        feed(&first, &[WF, "solution", "add", &id, "-"], &notice());
        queued.push(id);
    }
    run(&first, &queued.iter().map(String::as_str).collect::<Vec<_>>());
    run(&first, &[WF, "sync"]);
    let mut places = vec![first.clone()];
    for n in 1..count {
        let name = format!("clone-{n}");
        places.push(match kind {
            Kind::Clones => clone(&name),
            Kind::Worktrees => {
                let (at, branch) = (root.join(&name), format!("branch-{n}"));
                run(&first, &["git", "worktree", "add", "--quiet", "-b", &branch, at.to_str().unwrap()]);
                at
            }
        });
    }
    places
}

/// Works until the queue is empty. Returns the commands that claimed items.
fn execute(place: &Path, way: Way) -> Vec<Claimed> {
    let mut claims = Vec::new();
    let now = || std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs_f64();
    let claim = |args: &[&str], claims: &mut Vec<Claimed>| {
        let started = now();
        let code = command(place, args).stderr(std::process::Stdio::null()).status().unwrap().code();
        // A command that finds nothing left claims nothing.
        if code == Some(0) {
            claims.push(Claimed { started, ended: now() });
        }
        assert!(matches!(code, Some(0 | 3)), "{args:?}: {code:?}");
        code == Some(0)
    };
    let next = [WF, "next"];
    match way {
        Way::NextAndDone => {
            while claim(&next, &mut claims) {
                run(place, &[WF, "done"]);
            }
        }
        Way::DoneNext => {
            let mut args: &[&str] = &next;
            while claim(args, &mut claims) {
                args = &[WF, "done", "--next"];
            }
        }
    }
    claims
}
