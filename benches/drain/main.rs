//! Drains a queue through a remote.
//!
//! `cargo bench --bench drain` measures one executor, then several at once: 1, 4 and 12 clones, and as many worktrees
//! of one clone, with a remote that answers immediately and one whose `pre-receive` sleeps for 0.3 s. With `-- one` or
//! `-- several`, it measures only one of the two.
//!
//! For one executor: the wall time per item with a remote, compared with a bare `git commit` and `git push` in the same
//! run. Once with `next`, `git commit` and `done`, and once with `git commit` and `done --next`, which pushes only
//! once.

#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;

/// The number of items for each of the two ways. One more is queued for the last `done --next` to claim.
const HALF: usize = 60;
const ITEMS: usize = 2 * HALF + 1;
/// The first items only warm up the system's caches, and are not measured.
const WARM_UP: usize = 5;
const WF: &str = env!("CARGO_BIN_EXE_git-wf");

mod several;
mod world;

use world::{feed, load, median, plan, run, time};

fn main() {
    let is_wanted = |part: &str| {
        let known = |arg: &String| ["one", "several"].contains(&arg.as_str());
        let mut chosen = std::env::args().filter(known).peekable();
        chosen.peek().is_none() || chosen.any(|arg| arg == part)
    };
    println!("load before: {}", load());
    if is_wanted("one") {
        one();
    }
    if is_wanted("several") {
        several::tables();
    }
    println!("load after: {}", load());
}

fn one() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    run(root, &["git", "init", "--quiet", "--bare", "origin.git"]);
    for name in ["ours", "bare"] {
        run(root, &["git", "clone", "--quiet", "origin.git", name]);
        for (key, value) in [("user.name", "Ada"), ("user.email", "ada@example.org")] {
            run(&root.join(name), &["git", "config", key, value]);
        }
        run(&root.join(name), &["git", "switch", "--quiet", "-c", name]);
        commit(&root.join(name), 0);
    }
    let (ours, bare) = (root.join("ours"), root.join("bare"));
    run(&ours, &[WF, "init"]);
    run(&ours, &[WF, "hooks", "install"]);
    fill(&ours);
    run(&ours, &[WF, "sync"]);
    let push = ["git", "push", "--quiet", "origin", "HEAD"];
    // The commands before and after an item's commit.
    let ways: [(&str, &[&str], &[&str]); 2] = [
        ("next + commit + done", &[WF, "next"], &[WF, "done"]),
        ("commit + done --next", &[], &[WF, "done", "--next"]),
    ];
    for (way, (name, before, after)) in ways.into_iter().enumerate() {
        let mut times = [(); 5].map(|()| Vec::new());
        let (mut bare_totals, mut totals) = (Vec::new(), Vec::new());
        if before.is_empty() {
            run(&ours, &[WF, "next"]);
        }
        for n in 1..=HALF {
            let n = way * HALF + n;
            let one = [
                time(|| commit(&bare, n)),
                time(|| run(&bare, &push)),
                if before.is_empty() { 0.0 } else { time(|| run(&ours, before)) },
                time(|| commit(&ours, n)),
                time(|| run(&ours, after)),
            ];
            if n > way * HALF + WARM_UP {
                times.iter_mut().zip(one).for_each(|(all, took)| all.push(took));
                bare_totals.push(one[..2].iter().sum::<f64>());
                totals.push(one[2..].iter().sum::<f64>());
            }
        }
        let named = |args: &[&str]| args.get(1..).map(|args| format!("git wf {}", args.join(" ")));
        let names = [
            Some("git commit".to_owned()),
            Some("git push".to_owned()),
            named(before),
            Some("git commit, bound".to_owned()),
            named(after),
        ];
        for (name, times) in
            names.iter().zip(&mut times).filter_map(|(name, times)| Some((name.as_ref()?, times)))
        {
            println!("  {name:<24} {:7.1} ms", median(times) * 1e3);
        }
        let (bare, ours) = (median(&mut bare_totals), median(&mut totals));
        println!("  {:<24} {:7.1} ms an item", "commit + push", bare * 1e3);
        println!("{name:<26} {:7.1} ms an item, {:.2} ×", ours * 1e3, ours / bare);
    }
}

fn commit(place: &Path, n: usize) {
    std::fs::write(place.join(format!("file-{n}")), n.to_string()).unwrap();
    run(place, &["git", "add", "--all"]);
    run(place, &["git", "commit", "--quiet", "-m", &format!("Carry out {n}")]);
}

/// Queues this many issues with one plan each.
fn fill(place: &Path) {
    let mut queued = vec![WF.to_owned(), "queue".into(), "add".into()];
    for n in 1..=ITEMS {
        let id = format!("ISS-{n:03}");
        run(place, &[WF, "new", "--id", &id, &format!("Item {n}")]);
        feed(place, &[WF, "solution", "add", &id, "-"], &plan(&format!("file-{n}")));
        queued.push(id);
    }
    run(place, &queued.iter().map(String::as_str).collect::<Vec<_>>());
}
