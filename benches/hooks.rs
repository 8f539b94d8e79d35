//! What the hooks add to a commit. `git commit` runs without hooks, with hooks but no execution, and with hooks that
//! bind the commit, in turns within one run. Each execution has a typical number of commits; the cost of a commit in
//! a very long one is measured last.

#![allow(clippy::unwrap_used, missing_docs)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const COMMITS: usize = 120;
/// Commits in each execution.
const EACH: usize = 10;
/// Commits in the last one.
const LONG: usize = 120;
/// The first commits only fill the system's caches.
const WARM: usize = 10;

fn main() {
    println!("load before: {}", load());
    let folder = tempfile::tempdir().unwrap();
    let repos = ["without hooks", "nothing executed", "bound"].map(|name| (name, repo(folder.path(), name)));
    for (name, repo) in &repos[1..] {
        wf(repo, &["init", "--hooks"]);
        if *name == "bound" {
            let plan = include_str!("../src/cli/command/store/demo/plan.json");
            for n in 0..=(COMMITS + WARM) / EACH {
                let id = format!("ISS-{n:03}");
                std::fs::write(folder.path().join("plan.json"), plan.replace("ISS-001", &id)).unwrap();
                wf(repo, &["new", "--id", &id, "A title"]);
                wf(repo, &["solution", "add", &id, "../plan.json"]);
                wf(repo, &["queue", "add", &id]);
            }
            wf(repo, &["next"]);
        }
    }
    // Without hooks, with nothing executed, bound, and bound in the long execution.
    let mut times: [Vec<Duration>; 4] = Default::default();
    for n in 0..COMMITS + WARM {
        if n % EACH == 0 {
            wf(&repos[2].1, &["done"]);
            wf(&repos[2].1, &["next"]);
        }
        for ((_, repo), times) in repos.iter().zip(&mut times) {
            let took = commit(repo, n);
            if n >= WARM {
                times.push(took);
            }
        }
    }
    for n in 0..LONG {
        let took = commit(&repos[2].1, COMMITS + WARM + n);
        if n >= LONG - EACH {
            times[3].push(took);
        }
    }
    let message = output(&repos[2].1, &["git", "log", "-1", "--format=%B"]);
    assert!(message.contains("Wf-Solution: "), "{message}");
    let plain = median(&mut times[0]);
    let long = format!("bound, after {LONG}");
    let names = repos.iter().map(|(name, _)| *name).chain([long.as_str()]);
    for (name, times) in names.zip(&mut times) {
        let median = median(times);
        let low = times[times.len() / 10].as_secs_f64() * 1e3;
        println!(
            "{name:<18} {median:6.1} ms  ({:+.1} ms; a tenth takes less than {low:.1} ms)",
            median - plain
        );
    }
    println!("load after: {}", load());
}

fn commit(repo: &Path, n: usize) -> Duration {
    std::fs::write(repo.join("file"), format!("{n}\n")).unwrap();
    let started = Instant::now();
    run(repo, &["git", "commit", "--quiet", "--all", "-m", "a subject"]);
    started.elapsed()
}

fn repo(folder: &Path, name: &str) -> PathBuf {
    let repo = folder.join(name);
    std::fs::create_dir(&repo).unwrap();
    for args in [
        &["git", "init", "--quiet", "-b", "main"][..],
        &["git", "config", "user.name", "Ada"],
        &["git", "config", "user.email", "ada@example.org"],
        &["git", "config", "maintenance.auto", "false"],
        &["git", "config", "gc.auto", "0"],
    ] {
        run(&repo, args);
    }
    // A repository that has been in use has all of these directories, and does not make them with each write.
    for first in 0..=255 {
        std::fs::create_dir_all(repo.join(format!(".git/objects/{first:02x}"))).unwrap();
    }
    std::fs::write(repo.join("file"), "begin\n").unwrap();
    run(&repo, &["git", "add", "file"]);
    run(&repo, &["git", "commit", "--quiet", "-m", "begin"]);
    repo
}

fn wf(repo: &Path, args: &[&str]) {
    run(repo, &[&[env!("CARGO_BIN_EXE_git-wf")], args].concat());
}

fn command(repo: &Path, args: &[&str]) -> Command {
    let program = Path::new(env!("CARGO_BIN_EXE_git-wf")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(args[0]);
    command.args(&args[1..]).current_dir(repo).stdin(Stdio::null());
    command.env("PATH", format!("{}:{path}", program.display()));
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

fn run(repo: &Path, args: &[&str]) {
    assert!(command(repo, args).stdout(Stdio::null()).status().unwrap().success(), "{args:?}");
}

fn output(repo: &Path, args: &[&str]) -> String {
    String::from_utf8(command(repo, args).output().unwrap().stdout).unwrap()
}

/// In milliseconds. Sorts the times.
fn median(times: &mut [Duration]) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e3
}

fn load() -> String {
    std::fs::read_to_string("/proc/loadavg").unwrap_or_default().trim().to_owned()
}
