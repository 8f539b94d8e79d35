//! The wall time of an item, `next`, `git commit` and `done` through a remote, against a bare `git commit` and `git push`
//! in the same run.

#![allow(clippy::unwrap_used, missing_docs)]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const ITEMS: usize = 100;
/// The first ones fill the caches of the system.
const WARM_UP: usize = 5;
const WF: &str = env!("CARGO_BIN_EXE_git-wf");

fn main() {
    println!("load before: {}", load());
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
    let mut times: [(&str, Vec<f64>); 5] =
        ["git commit", "git push", "git wf next", "git commit, bound", "git wf done"]
            .map(|name| (name, vec![]));
    let mut totals = (Vec::new(), Vec::new());
    for n in 1..=ITEMS {
        let one = [
            time(|| commit(&bare, n)),
            time(|| run(&bare, &["git", "push", "--quiet", "origin", "HEAD"])),
            time(|| run(&ours, &[WF, "next"])),
            time(|| commit(&ours, n)),
            time(|| run(&ours, &[WF, "done"])),
        ];
        if n > WARM_UP {
            times.iter_mut().zip(one).for_each(|((_, all), took)| all.push(took));
            totals.0.push(one[..2].iter().sum::<f64>());
            totals.1.push(one[2..].iter().sum::<f64>());
        }
    }
    for (name, times) in &mut times {
        println!("{name:<24} {:7.1} ms", median(times) * 1e3);
    }
    let (bare, ours) = (median(&mut totals.0), median(&mut totals.1));
    println!("{:<24} {:7.1} ms an item", "commit + push", bare * 1e3);
    println!("{:<24} {:7.1} ms an item, {:.2} ×", "next + commit + done", ours * 1e3, ours / bare);
    println!("load after: {}", load());
}

fn commit(place: &Path, n: usize) {
    std::fs::write(place.join(format!("file-{n}")), n.to_string()).unwrap();
    run(place, &["git", "add", "--all"]);
    run(place, &["git", "commit", "--quiet", "-m", &format!("Carry out {n}")]);
}

/// So many issues with a plan each, queued.
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

fn plan(file: &str) -> String {
    serde_json::json!({
        "description": "Write the number of the item into its file",
        "strategy_type": "feature",
        "tasks": [{
            "id": "T1", "title": "Write the file", "action": "Create", "scope": file,
            "description": "A file that holds the number of the item and nothing else",
            "modification_points": [{"file": file, "target": "all", "change": "Write the number"}],
            "implementation": ["Open the file", "Write the number"],
            "test": {"commands": [format!("test -s {file}")], "unit": ["The file holds the number"]},
            "acceptance": {
                "criteria": ["The file has one line that is the number of the item"],
                "verification": [format!("Run: test -s {file}, and see it exit with 0")]
            },
            "depends_on": [], "estimated_minutes": 30, "priority": 1
        }],
        "exploration_context": {"relevant_files": [file], "patterns": "One file for each item"},
        "analysis": {"risk": "low", "impact": "low", "complexity": "low"},
        "score": 0.9
    })
    .to_string()
}

fn command(place: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(args[0]);
    // The hooks call the binary that is measured.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let own = Path::new(WF).parent().unwrap().to_owned();
    let path = std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&path))).unwrap();
    command.args(&args[1..]).current_dir(place).env("PATH", path);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command
}

fn run(place: &Path, args: &[&str]) {
    let status = command(place, args).stderr(Stdio::null()).status().unwrap();
    assert!(status.success(), "{args:?}");
}

fn feed(place: &Path, args: &[&str], input: &str) {
    let mut child = command(place, args).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "{args:?}");
}

fn time(work: impl FnOnce()) -> f64 {
    let started = Instant::now();
    work();
    started.elapsed().as_secs_f64()
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn load() -> String {
    std::fs::read_to_string("/proc/loadavg").unwrap_or_default().trim().to_owned()
}
