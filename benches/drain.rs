//! The wall time of an item with a remote, against a bare `git commit` and `git push` in the same run: with `next`,
//! `git commit` and `done`, and with `git commit` and `done --next`, which pushes once.

#![allow(clippy::unwrap_used, missing_docs)]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The number of items for each of the two ways. One more remains, which the last `done --next` claims.
const HALF: usize = 60;
const ITEMS: usize = 2 * HALF + 1;
/// The first items only fill the system's caches.
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
    let push = ["git", "push", "--quiet", "origin", "HEAD"];
    // The commands before and after the commit of an item.
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
    println!("load after: {}", load());
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
    // The hooks must call the binary that is measured.
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
