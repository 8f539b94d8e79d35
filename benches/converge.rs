//! The sync of 100 + 100 diverged records at 10,000 issues, against a bare `git fetch` and `git push` of as many objects.

#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const ROUNDS: usize = 5;
const ISSUES: usize = 10_000;
const DIVERGED: usize = 100;
const WF: &str = env!("CARGO_BIN_EXE_git-wf");

fn main() {
    println!("load before: {}", load());
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    run(root, &["git", "init", "--quiet", "--bare", "origin.git"]);
    for name in ["ada", "bea"] {
        clone(root, name);
    }
    import(&root.join("ada"), 0, ISSUES, "2026-01-01T00:00:00Z");
    run(&root.join("ada"), &[WF, "sync"]);
    run(&root.join("bea"), &[WF, "sync"]);
    let (mut syncs, mut bare) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let updated = format!("2026-02-0{}T00:00:00Z", round + 1);
        import(&root.join("ada"), 0, DIVERGED, &updated);
        import(&root.join("bea"), DIVERGED, 2 * DIVERGED, &updated);
        // The bare commands move what the sync moves: they fetch it from one copy of the remote, and push it to
        // another.
        let [from, to] = ["from.git", "to.git"].map(|name| root.join(format!("{round}-{name}")));
        copy(root, "origin.git", &from);
        copy(root, "origin.git", &to);
        let copy_of_bea = root.join(format!("{round}-bea"));
        copy(root, "bea", &copy_of_bea);
        run(&root.join("ada"), &[WF, "push"]);
        run(&root.join("ada"), &["git", "push", "--quiet", from.to_str().unwrap(), "refs/wf/main"]);
        bare.push(time(|| {
            run(
                &copy_of_bea,
                &["git", "fetch", "--quiet", from.to_str().unwrap(), "+refs/wf/*:refs/wf-remotes/origin/*"],
            );
            run(&copy_of_bea, &["git", "push", "--quiet", to.to_str().unwrap(), "refs/wf/main"]);
        }));
        syncs.push(time(|| run(&root.join("bea"), &[WF, "sync"])));
        run(&root.join("ada"), &[WF, "sync"]);
    }
    let (sync, bare) = (median(&mut syncs), median(&mut bare));
    println!("git wf sync             {:7.1} ms", sync * 1e3);
    println!("git fetch + git push    {:7.1} ms", bare * 1e3);
    println!("ratio                   {:7.2}", sync / bare);
    println!("load after: {}", load());
}

fn clone(root: &Path, name: &str) {
    run(root, &["git", "clone", "--quiet", "origin.git", name]);
    let place = root.join(name);
    run(&place, &["git", "config", "user.name", name]);
    run(&place, &["git", "config", "user.email", "someone@example.org"]);
    run(&place, &[WF, "init"]);
}

/// Imports the issues numbered `from` to `to` (exclusive) as beads exports them.
fn import(place: &Path, from: usize, to: usize, updated: &str) {
    let lines: String = (from..to)
        .map(|n| {
            format!(
                "{{\"id\":\"br-{n}\",\"title\":\"Issue {n} of {updated}\",\"description\":\"What is wrong with part {n}\",\
                 \"status\":\"open\",\"priority\":2,\"issue_type\":\"task\",\"created_at\":\"2026-01-01T00:00:00Z\",\
                 \"updated_at\":\"{updated}\"}}\n"
            )
        })
        .collect();
    let file = place.join("issues.jsonl");
    std::fs::write(&file, lines).unwrap();
    run(place, &[WF, "import", "beads", file.to_str().unwrap()]);
}

fn copy(root: &Path, name: &str, to: &Path) {
    run(root, &["cp", "-r", name, to.to_str().unwrap()]);
}

fn run(folder: &Path, args: &[&str]) {
    let mut command = Command::new(args[0]);
    command
        .args(&args[1..])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    assert!(command.status().unwrap().success(), "{args:?} in {}", folder.display());
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
