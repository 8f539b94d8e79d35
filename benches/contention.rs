//! Writes per second with 1, 4 and 16 writers, against `git commit --allow-empty` from one process in the same run.

#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 5;
const WRITES: usize = 96;

fn main() {
    println!("load before: {}", load());
    let mut rates: Vec<(String, Vec<f64>)> = Vec::new();
    let mut cpu = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let folder = tempfile::tempdir().unwrap();
        store(folder.path());
        let (commits, used) =
            measured(|| many(folder.path(), 1, &["git", "commit", "--quiet", "--allow-empty", "-m", "x"]));
        note(&mut rates, "git commit --allow-empty", commits);
        cpu.0.push(used);
        for writers in [1, 4, 16] {
            let (writes, used) =
                measured(|| many(folder.path(), writers, &[env!("CARGO_BIN_EXE_git-wf"), "new", "A title"]));
            note(&mut rates, &format!("git wf new, {writers} writers"), writes);
            if writers == 1 {
                cpu.1.push(used);
            }
        }
    }
    let base = median(&mut rates[0].1);
    for (name, rates) in &mut rates {
        let rate = median(rates);
        println!("{name:<26} {rate:7.1} a second  {:5.2} × the time of a commit", base / rate);
    }
    let (commit, write) = (median(&mut cpu.0), median(&mut cpu.1));
    println!(
        "CPU of a write: {:.2} ms, of a commit: {:.2} ms, {:.2} ×",
        write * 1e3,
        commit * 1e3,
        write / commit
    );
    println!("load after: {}", load());
}

fn store(folder: &Path) {
    for args in [
        &["git", "init", "--quiet"][..],
        &["git", "config", "user.name", "Ada"],
        &["git", "config", "user.email", "ada@example.org"],
        &[env!("CARGO_BIN_EXE_git-wf"), "init"],
    ] {
        run(folder, args);
    }
    // A repository that has been in use has all of these directories, and does not make them with each write.
    for first in 0..=255 {
        std::fs::create_dir_all(folder.join(format!(".git/objects/{first:02x}"))).unwrap();
    }
}

fn run(folder: &Path, args: &[&str]) {
    let mut command = Command::new(args[0]);
    command.args(&args[1..]).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null());
    assert!(command.status().unwrap().success(), "{args:?}");
}

/// How long `writers` threads take for `WRITES` runs of the command in all.
fn many(folder: &Path, writers: usize, args: &[&str]) -> Duration {
    let started = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..writers {
            scope.spawn(|| (0..WRITES / writers).for_each(|_| run(folder, args)));
        }
    });
    started.elapsed()
}

/// Runs per second, and the CPU time of each run in seconds.
fn measured(work: impl FnOnce() -> Duration) -> (f64, f64) {
    let before = children();
    let took = work();
    (WRITES as f64 / took.as_secs_f64(), (children() - before) / WRITES as f64)
}

/// The CPU time of the children that have ended, in seconds, if the system reports it.
fn children() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<f64> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .map(|it| it.parse().unwrap_or(0.0))
        .collect();
    // Fields 16 and 17 of proc(5), in hundredths.
    fields.get(13).zip(fields.get(14)).map_or(f64::NAN, |(user, system)| (user + system) / 100.0)
}

fn note(rates: &mut Vec<(String, Vec<f64>)>, name: &str, rate: f64) {
    match rates.iter_mut().find(|(known, _)| known == name) {
        Some((_, rates)) => rates.push(rate),
        None => rates.push((name.to_owned(), vec![rate])),
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn load() -> String {
    std::fs::read_to_string("/proc/loadavg").unwrap_or_default().trim().to_owned()
}
