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
    /// How long each claiming command took, in seconds.
    waits: Vec<f64>,
}

/// Prints a table for each way.
pub(super) fn tables() {
    for (name, way) in [("next, done", Way::NextAndDone), ("done --next", Way::DoneNext)] {
        println!("\n{name}");
        println!(
            "{:<14} {:>6} {:>9} {:>13} {:>13} {:>13} {:>9}",
            "", "delay", "items/s", "of one alone", "pushes/item", "longest wait", "median"
        );
        for delay in DELAYS {
            let mut alone = None;
            for kind in [Kind::Clones, Kind::Worktrees] {
                for count in EXECUTORS {
                    let mut drained = drain(kind, way, count, delay);
                    let rate = drained.items as f64 / drained.seconds;
                    let one = *alone.get_or_insert(rate);
                    let longest = drained.waits.iter().copied().fold(0.0, f64::max);
                    let place = match kind {
                        Kind::Clones => "clones",
                        Kind::Worktrees => "worktrees",
                    };
                    println!(
                        "{count:>2} {place:<11} {delay:>4} s {rate:>9.2} {:>11.2} × {:>13.2} {longest:>11.2} s {:>7.2} s",
                        rate / one,
                        drained.pushes as f64 / drained.items as f64,
                        median(&mut drained.waits),
                    );
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
    std::fs::write(&hook, format!("#!/bin/sh\necho >>pushes\nsleep {delay}\n")).unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let started = Instant::now();
    let waits = std::thread::scope(|scope| {
        let executors: Vec<_> = places.iter().map(|place| scope.spawn(move || execute(place, way))).collect();
        executors.into_iter().flat_map(|it| it.join().unwrap()).collect()
    });
    let seconds = started.elapsed().as_secs_f64();
    let pushes = std::fs::read_to_string(root.join("hub/pushes")).unwrap().lines().count();
    Drained { items, seconds, pushes, waits }
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

/// Works until the queue is empty. Returns how long each claiming command took, in seconds.
fn execute(place: &Path, way: Way) -> Vec<f64> {
    let mut waits = Vec::new();
    let claim = |args: &[&str], waits: &mut Vec<f64>| {
        let started = Instant::now();
        let code = command(place, args).stderr(std::process::Stdio::null()).status().unwrap().code();
        waits.push(started.elapsed().as_secs_f64());
        assert!(matches!(code, Some(0 | 3)), "{args:?}: {code:?}");
        code == Some(0)
    };
    let next = [WF, "next"];
    match way {
        Way::NextAndDone => {
            while claim(&next, &mut waits) {
                run(place, &[WF, "done"]);
            }
        }
        Way::DoneNext => {
            let mut args: &[&str] = &next;
            while claim(args, &mut waits) {
                args = &[WF, "done", "--next"];
            }
        }
    }
    waits
}
