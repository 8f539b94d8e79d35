//! What landing costs beside the same merges by hand: one issue whose tests take no time, and fifty in a batch, each with a
//! remote on the same disk. Both sides merge the same branches in repositories of their own, in turns.

#![allow(clippy::unwrap_used, missing_docs)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 9;
const BATCH: usize = 50;

fn main() {
    println!("load before: {}", load());
    let folder = tempfile::tempdir().unwrap();
    let count = ROUNDS + BATCH;
    let landing = repo(folder.path(), "landing", count);
    let by_hand = repo(folder.path(), "by-hand", count);
    let (mut landed, mut merged) = (Vec::new(), Vec::new());
    for n in 0..ROUNDS {
        landed.push(timed(|| wf(&landing, &["land", &id(n), "--yes"])));
        merged.push(timed(|| {
            merge(&by_hand, n);
            run(&by_hand, &["git", "push", "--quiet", "origin", "main"]);
        }));
    }
    compare("one issue", &mut landed, &mut merged, 4.0);
    let batch = (ROUNDS..count).map(id).collect::<Vec<_>>();
    let words: Vec<&str> = batch.iter().map(String::as_str).collect();
    let size = BATCH.to_string();
    let mut landed =
        vec![timed(|| wf(&landing, &[&["land", "--yes", "--batch", &size], words.as_slice()].concat()))];
    let mut merged = vec![timed(|| {
        (ROUNDS..count).for_each(|n| merge(&by_hand, n));
        run(&by_hand, &["git", "push", "--quiet", "origin", "main"]);
    })];
    compare("a batch of fifty", &mut landed, &mut merged, 1.5);
    println!("load after: {}", load());
}

fn id(n: usize) -> String {
    format!("ISS-{n:03}")
}

fn merge(repo: &Path, n: usize) {
    run(repo, &["git", "merge", "--quiet", "--no-ff", "--no-edit", &format!("work-{}", id(n))]);
}

/// A clone with completed work on a branch for each issue.
fn repo(folder: &Path, name: &str, count: usize) -> PathBuf {
    let (repo, origin) = (folder.join(name), folder.join(format!("{name}.git")));
    run(folder, &["git", "init", "--quiet", "--bare", "-b", "main", origin.to_str().unwrap()]);
    run(folder, &["git", "clone", "--quiet", origin.to_str().unwrap(), repo.to_str().unwrap()]);
    for (key, value) in [
        ("user.name", "Ada"),
        ("user.email", "ada@example.org"),
        ("maintenance.auto", "false"),
        ("gc.auto", "0"),
        ("wf.run.sandbox", "off"),
    ] {
        run(&repo, &["git", "config", key, value]);
    }
    run(&repo, &["git", "switch", "--quiet", "--orphan", "main"]);
    std::fs::write(repo.join("file"), "begin\n").unwrap();
    run(&repo, &["git", "add", "file"]);
    run(&repo, &["git", "commit", "--quiet", "-m", "begin"]);
    run(&repo, &["git", "push", "--quiet", "origin", "main"]);
    wf(&repo, &["init", "--hooks"]);
    let plan = include_str!("../src/cli/command/store/demo/plan.json");
    let mut plan: serde_json::Value = serde_json::from_str(plan).unwrap();
    for n in 0..count {
        let id = id(n);
        for task in plan["tasks"].as_array_mut().unwrap() {
            task["test"]["commands"] = serde_json::json!(["true"]);
        }
        plan["issue_id"] = serde_json::json!(id);
        std::fs::write(folder.join("plan.json"), plan.to_string()).unwrap();
        wf(&repo, &["new", "--id", &id, "A title"]);
        wf(&repo, &["solution", "add", &id, "../plan.json"]);
        run(&repo, &["git", "switch", "--quiet", "-c", &format!("work-{id}"), "main"]);
        wf(&repo, &["next", &id]);
        std::fs::write(repo.join(format!("{id}.txt")), "work\n").unwrap();
        run(&repo, &["git", "add", "."]);
        run(&repo, &["git", "commit", "--quiet", "-m", "Do the work"]);
        wf(&repo, &["done", "--force", "--reason", "a bench"]);
        run(&repo, &["git", "switch", "--quiet", "main"]);
    }
    wf(&repo, &["sync"]);
    repo
}

fn timed(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn compare(what: &str, landed: &mut [Duration], merged: &mut [Duration], most: f64) {
    let (landed, merged) = (median(landed), median(merged));
    let times = landed / merged;
    println!("{what:<18} {landed:8.1} ms, by hand {merged:8.1} ms: {times:.2} × (at most {most} ×)");
}

fn wf(repo: &Path, args: &[&str]) {
    run(repo, &[&[env!("CARGO_BIN_EXE_git-wf")], args].concat());
}

fn run(repo: &Path, args: &[&str]) {
    let program = Path::new(env!("CARGO_BIN_EXE_git-wf")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(args[0]);
    command.args(&args[1..]).current_dir(repo).stdin(Stdio::null());
    command.env("PATH", format!("{}:{path}", program.display()));
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// In milliseconds. Sorts the times.
fn median(times: &mut [Duration]) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e3
}

fn load() -> String {
    std::fs::read_to_string("/proc/loadavg").unwrap_or_default().trim().to_owned()
}
