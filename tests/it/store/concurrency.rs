//! Many processes on one repository, and others that move the ref without a lock.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox, is_long, plan};

const PROCESSES: usize = 16;

fn writes_each() -> usize {
    if is_long() { 50 } else { 6 }
}

fn store() -> (Sandbox, Repo) {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    repo.commit("a", "a\n", "start");
    repo.wf(&["init"]).ok();
    (sandbox, repo)
}

/// Queues `count` plans that do not wait for each other.
fn queue(repo: &Repo, count: usize) {
    for n in 0..count {
        let issue = format!("Q-{n}");
        repo.wf(&["new", "--id", &issue, "To be done"]).ok();
        let mut plan = plan();
        plan["id"] = json!(format!("SOL-{issue}-1"));
        let text = plan.to_string().replace("src/", &format!("src/{n}/"));
        repo.wf_in(text.replace("tests/api.rs", &format!("tests/{n}.rs")), &["solution", "add", &issue, "-"])
            .ok();
    }
    let issues: Vec<String> = (0..count).map(|n| format!("Q-{n}")).collect();
    let mut args = vec!["queue", "add"];
    args.extend(issues.iter().map(String::as_str));
    repo.wf(&args).ok();
}

#[test]
fn sixteen_processes_lose_nothing() {
    let (_sandbox, repo) = store();
    let rounds = writes_each().div_ceil(6);
    let worktrees: Vec<Repo> =
        (0..4).map(|n| repo.worktree(&format!("tree-{n}"), &format!("branch-{n}"))).collect();
    queue(&repo, worktrees.len() * rounds);
    repo.wf(&["new", "--id", "ALL-1", "Everyone comments"]).ok();
    let claims: Vec<Vec<String>> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..PROCESSES)
            .map(|n| {
                let place = &worktrees[n % worktrees.len()];
                scope.spawn(move || if n < 4 { executes(place, rounds) } else { writes(place, n) })
            })
            .collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    let claims: Vec<String> = claims.into_iter().flatten().collect();
    assert_eq!(claims.len(), worktrees.len() * rounds);
    assert_eq!(claims.iter().collect::<BTreeSet<_>>().len(), claims.len(), "{claims:?}");
    let all = repo.wf(&["list", "--all", "--json"]).ok().json();
    let all: Vec<&Value> = all.as_array().unwrap().iter().collect();
    let titled = |title: &str| all.iter().filter(|issue| issue["title"] == title).count();
    let each = writes_each();
    let news = (0..each).filter(|round| round % 3 == 0).count();
    assert_eq!(titled("changed"), (PROCESSES - 4) * (0..each).filter(|round| round % 3 == 2).count());
    assert_eq!(titled("as it was") + titled("changed"), (PROCESSES - 4) * news);
    let completed = all.iter().filter(|issue| issue["status"] == "completed").count();
    assert_eq!(completed, claims.len());
    let comments = repo.wf(&["show", "ALL-1", "--json"]).ok().json()["comments"].as_array().unwrap().len();
    assert_eq!(comments, (PROCESSES - 4) * (0..each).filter(|round| round % 3 == 1).count());
    repo.git(&["fsck", "--strict"]).ok();
    repo.wf(&["fsck"]).ok();
}

/// new, comment and edit, repeatedly.
fn writes(place: &Repo, n: usize) -> Vec<String> {
    let mut id = String::new();
    for round in 0..writes_each() {
        match round % 3 {
            0 => id = place.wf(&["new", "as it was"]).ok().line().to_owned(),
            1 => drop(place.wf(&["comment", "ALL-1", "-m", &format!("{n} was here")]).ok()),
            _ => drop(place.wf(&["edit", &id, "--title", "changed"]).ok()),
        }
    }
    Vec::new()
}

/// next and done, repeatedly; returns the claims.
fn executes(place: &Repo, rounds: usize) -> Vec<String> {
    let mut claims = Vec::new();
    for _ in 0..rounds {
        let claim = place.wf(&["next", "--json"]).ok().json();
        claims.push(claim["solution_id"].as_str().unwrap().to_owned());
        place.done();
    }
    claims
}

fn hold(repo: &Repo) -> File {
    let path = repo.path().join(".git/wf/lock");
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).unwrap();
    file.lock().unwrap();
    file
}

#[test]
fn the_wait_for_the_lock_is_bounded() {
    let (_sandbox, repo) = store();
    repo.wf(&["new", "--id", "GH-1", "First"]).ok();
    let held = hold(&repo);
    let before = repo.tip();
    for (seconds, at_least, words) in [
        ("0", Duration::ZERO, "is writing\n"),
        ("1", Duration::from_secs(1), "has been writing for a second\n"),
    ] {
        repo.git(&["config", "wf.lockTimeout", seconds]).ok();
        let started = Instant::now();
        let ran = repo.wf(&["new", "Second"]).fails(1);
        assert!(started.elapsed() >= at_least);
        assert_eq!(ran.stdout, "");
        assert!(ran.stderr.starts_with(&format!("error: another git-wf {words}")), "{}", ran.stderr);
        assert!(ran.stderr.contains("hint: try again"), "{}", ran.stderr);
    }
    assert_eq!(repo.wf(&["new", "Second", "--json"]).fails(1).json_error()["code"], "locked");
    // Reading needs no lock.
    assert_eq!(repo.wf(&["list", "--json"]).ok().json().as_array().unwrap().len(), 1);
    assert_eq!(repo.tip(), before);
    drop(held);
    repo.wf(&["new", "Second"]).ok();
}

/// Starts a write that waits for `held`.
fn waiting(repo: &Repo, title: &str) -> std::thread::JoinHandle<Output> {
    let child = repo
        .command(env!("CARGO_BIN_EXE_git-wf"), &["new", title])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::spawn(move || child.wait_with_output().unwrap())
}

#[test]
fn somebody_without_the_lock_moves_the_ref() {
    let (_sandbox, repo) = store();
    repo.wf(&["new", "--id", "GH-1", "First"]).ok();
    let old = repo.tip().unwrap();
    repo.wf(&["new", "--id", "GH-2", "Second"]).ok();
    let new = repo.tip().unwrap();
    let [stop, has_moved] = [(); 2].map(|()| std::sync::atomic::AtomicBool::new(false));
    let mut written = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // Like a plain `git fetch` that is configured to overwrite the ref: it takes no lock of ours.
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                let tip = repo.tip().unwrap();
                let tree = format!("{tip}^{{tree}}");
                let commit = repo.git(&["commit-tree", &tree, "-p", &tip, "-m", "by hand"]).ok();
                if repo.git(&["update-ref", "refs/wf/main", commit.line(), &tip]).code == 0 {
                    has_moved.store(true, std::sync::atomic::Ordering::Relaxed);
                }
            }
        });
        let mut ended = Vec::new();
        // Our writers are quick, so it may take some before the other one is first.
        while written < 12 || !has_moved.load(std::sync::atomic::Ordering::Relaxed) {
            ended.push(repo.wf(&["new", "--id", &format!("N-{written}"), "Meanwhile"]));
            written += 1;
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        ended.into_iter().for_each(|ran| drop(ran.ok()));
    });
    let log = repo.git(&["log", "--format=%s", "refs/wf/main"]).ok().stdout;
    assert!(log.contains("by hand"), "{log}");
    for n in 0..written {
        assert!(log.contains(&format!("issue: create N-{n} ")), "{log}");
    }
    for commit in [old, new] {
        repo.git(&["merge-base", "--is-ancestor", &commit, "refs/wf/main"]).ok();
    }
    repo.wf(&["fsck"]).ok();
}

#[test]
fn a_fetch_sets_the_ref_back_while_a_writer_waits() {
    let (sandbox, repo) = store();
    let held = hold(&repo);
    let writer = waiting(&repo, "Waited");
    let source = sandbox.repo("source");
    source.commit("a", "a\n", "start");
    source.wf(&["init"]).ok();
    source.wf(&["new", "--id", "GH-7", "From the source"]).ok();
    let source = source.path().to_str().unwrap();
    repo.git(&["fetch", "--quiet", source, "+refs/wf/main:refs/wf/main"]).ok();
    drop(held);
    let output = writer.join().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let titles = repo.wf(&["list", "--json"]).ok().json();
    let titles: BTreeSet<&str> =
        titles.as_array().unwrap().iter().map(|issue| issue["title"].as_str().unwrap()).collect();
    assert_eq!(titles, BTreeSet::from(["From the source", "Waited"]));
}

#[test]
fn a_lock_of_the_ref_that_another_git_holds() {
    let (_sandbox, repo) = store();
    let lock = repo.path().join(".git/refs/wf/main.lock");
    std::fs::write(&lock, "").unwrap();
    File::options().write(true).open(&lock).unwrap().set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    repo.git(&["config", "wf.lockTimeout", "0"]).ok();
    let refused = repo.wf(&["new", "Too late", "--json"]).fails(1).json_error();
    assert_eq!(refused["code"], "lock-file");
    assert!(refused["message"].as_str().unwrap().contains("refs/wf/main.lock"), "{refused}");
    assert!(lock.exists());
    std::fs::remove_file(&lock).unwrap();
    repo.wf(&["new", "In time"]).ok();
}
