//! Several worktrees of one clone that claim through a remote: one of them pushes what all of them hand in.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::support::{Repo, Sandbox};

/// A hub, and a clone of it with this many items and worktrees.
fn world(sandbox: &Sandbox, count: usize) -> (Repo, Repo, Vec<Repo>) {
    let hub = sandbox.bare("hub");
    let clone = sandbox.clone(&hub, "clone");
    clone.commit("a.txt", "a\n", "Begin");
    clone.wf(&["init"]).ok();
    for n in 0..count {
        clone.queued(&format!("ISS-{n:03}"), &format!("src/{n}.rs"));
    }
    clone.wf(&["sync"]).ok();
    let worktrees =
        (0..count).map(|n| clone.worktree(&format!("tree-{n}"), &format!("branch-{n}"))).collect();
    (hub, clone, worktrees)
}

fn hook(hub: &Repo, text: &str) {
    let path = hub.path().join("hooks/pre-receive");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A hook that notes each push, and holds the first one until something is written to `gate`.
fn gated(root: &Path) -> String {
    let at = root.display();
    format!(
        "echo >>'{at}/pushes'; [ -e '{at}/open' ] || {{ touch '{at}/open'; echo >'{at}/started'; read line <'{at}/gate'; }}"
    )
}

fn tickets(clone: &Repo) -> usize {
    let folder = clone.path().join(".git/wf/turnstile/origin%2Fmain");
    let entries = std::fs::read_dir(folder).unwrap();
    entries.filter(|it| it.as_ref().unwrap().file_name().to_str().unwrap().parse::<u64>().is_ok()).count()
}

fn lines(path: &Path) -> usize {
    std::fs::read_to_string(path).unwrap_or_default().lines().count()
}

/// Claims an item; returns its issue.
fn next(worktree: &Repo) -> String {
    worktree.json(&["next"])["issue_id"].as_str().unwrap().to_owned()
}

#[test]
fn one_push_carries_the_claims_of_all_who_wait() {
    let sandbox = Sandbox::new();
    let (hub, clone, worktrees) = world(&sandbox, 6);
    let root = sandbox.root();
    clone.sh(&["-c", "mkfifo ../started ../gate"]).ok();
    // The first push waits until the others stand in line.
    hook(&hub, &gated(root));
    let issues: BTreeSet<String> = std::thread::scope(|scope| {
        let first = scope.spawn(|| next(&worktrees[0]));
        std::fs::read(root.join("started")).unwrap();
        let others: Vec<_> =
            worktrees[1..].iter().map(|worktree| scope.spawn(move || next(worktree))).collect();
        while tickets(&clone) < worktrees.len() {
            std::thread::yield_now();
        }
        std::fs::write(root.join("gate"), "go\n").unwrap();
        std::iter::once(first).chain(others).map(|it| it.join().unwrap()).collect()
    });
    assert_eq!(issues.len(), worktrees.len(), "{issues:?}");
    assert_eq!(lines(&root.join("pushes")), 2);
    assert_eq!(hub.tip(), clone.tip());
    assert_eq!(tickets(&clone), 0);
    // Each claim is a commit of its own.
    let claims = hub.git(&["log", "--format=%s", "--grep=^execution: claim", "refs/wf/main"]).ok().stdout;
    assert_eq!(claims.lines().count(), worktrees.len(), "{claims}");
}

#[test]
fn an_end_that_was_pushed_is_not_pushed_again_for_what_came_after_it() {
    let sandbox = Sandbox::new();
    let (hub, clone, worktrees) = world(&sandbox, 2);
    let (root, tree) = (sandbox.root(), &worktrees[0]);
    tree.wf(&["next"]).ok();
    clone.sh(&["-c", "mkfifo ../started ../gate"]).ok();
    hook(&hub, &gated(root));
    std::thread::scope(|scope| {
        let end = scope.spawn(|| tree.wf(&["done", "--next", "--force", "--reason", "a test"]).ok());
        std::fs::read(root.join("started")).unwrap();
        // Another process of the clone writes while the push runs.
        clone.wf(&["comment", "ISS-001", "-m", "meanwhile"]).ok();
        std::fs::write(root.join("gate"), "go\n").unwrap();
        end.join().unwrap();
    });
    assert_eq!(lines(&root.join("pushes")), 1);
    assert_eq!(clone.status("ISS-000"), "completed");
    let subjects = hub.git(&["log", "--format=%s", "refs/wf/main"]).ok().stdout;
    assert!(subjects.contains("execution: complete"), "{subjects}");
    assert!(!subjects.contains("comment"), "{subjects}");
}

#[test]
fn a_killed_process_takes_nothing_away_from_those_behind_it() {
    // Where it dies, and how many stand in line by then, itself included. While it draws a ticket, the others wait for
    // that; after the push, they wait for nobody.
    let points = [
        ("drawn", 1),
        ("drawn:2", 2),
        ("handed-in", 3),
        ("carried", 3),
        ("lost", 3),
        ("fetched", 3),
        ("pushed", 0),
        ("claimed", 0),
    ];
    for (point, in_line) in points {
        let sandbox = Sandbox::new();
        let (hub, clone, worktrees) = world(&sandbox, 3);
        let root = sandbox.root();
        // The first push of the clone finds that another one was faster, and fetches.
        let other = sandbox.clone(&hub, "other");
        other.wf(&["init"]).ok();
        other.wf(&["comment", "ISS-000", "-m", "I was faster"]).ok();
        other.wf(&["sync"]).ok();
        clone.sh(&["-c", "mkfifo ../started ../gate"]).ok();
        let at = root.display();
        let dies = format!("echo >'{at}/started'; read line <'{at}/gate'; kill -9 $PPID");
        let dying = worktrees[0].with_env("WF_FAULT", point).with_env("WF_FAULT_RUN", &dies);
        let mut claims: Vec<Value> = std::thread::scope(|scope| {
            let dying = scope.spawn(|| dying.wf(&["next"]));
            std::fs::read(root.join("started")).unwrap();
            let others: Vec<_> =
                worktrees[1..].iter().map(|it| scope.spawn(move || it.json(&["next"]))).collect();
            while tickets(&clone) < in_line {
                std::thread::yield_now();
            }
            std::fs::write(root.join("gate"), "go\n").unwrap();
            assert_ne!(dying.join().unwrap().code, 0, "{point}");
            others.into_iter().map(|it| it.join().unwrap()).collect()
        });
        claims.push(worktrees[0].json(&["next"]));
        let issues: BTreeSet<&str> = claims.iter().map(|it| it["issue_id"].as_str().unwrap()).collect();
        assert_eq!(issues.len(), 3, "{point}: {claims:#?}");
        assert!(claims.iter().all(|it| it["attempt"] == 1), "{point}: {claims:#?}");
        assert_eq!(hub.tip(), clone.tip(), "{point}");
        clone.wf(&["sync"]).ok();
        clone.wf(&["fsck"]).ok();
        assert_eq!(tickets(&clone), 0, "{point}");
    }
}

#[test]
fn what_nobody_reads_as_state_is_no_state() {
    let sandbox = Sandbox::new();
    let (_, clone, worktrees) = world(&sandbox, 2);
    worktrees[0].wf(&["next"]).ok();
    let folder = clone.path().join(".git/wf/turnstile/origin%2Fmain");
    for (n, text) in ["", "{\"asked\": 99999, \"alone\": 7}", "[1"].into_iter().enumerate() {
        std::fs::write(folder.join("state.json"), text).unwrap();
        std::fs::write(folder.join("counter"), "many").unwrap();
        clone.wf(&["comment", "ISS-001", "-m", &format!("{n}")]).ok();
        clone.wf(&["sync"]).ok();
    }
    assert_eq!(worktrees[1].json(&["next"])["issue_id"], "ISS-001");
}

#[test]
fn a_command_says_what_it_stands_in_line_for() {
    let sandbox = Sandbox::new();
    let (hub, clone, worktrees) = world(&sandbox, 2);
    let root = sandbox.root();
    clone.sh(&["-c", "mkfifo ../started ../gate"]).ok();
    hook(&hub, &gated(root));
    let (first, shown) = std::thread::scope(|scope| {
        let first = scope.spawn(|| next(&worktrees[0]));
        std::fs::read(root.join("started")).unwrap();
        let words = "waiting for another process of this clone";
        let (_, shown) = worktrees[1].interrupted_on_terminal("", words, &["next"]);
        std::fs::write(root.join("gate"), "go\n").unwrap();
        (first.join().unwrap(), shown)
    });
    assert!(shown.contains("remote; seconds: 1"), "{shown}");
    assert_ne!(next(&worktrees[1]), first);
    assert_eq!(tickets(&clone), 0);
}

#[test]
fn without_a_terminal_one_line_says_what_a_command_stands_in_line_for() {
    let sandbox = Sandbox::new();
    let (hub, clone, worktrees) = world(&sandbox, 4);
    let root = sandbox.root();
    clone.sh(&["-c", "mkfifo ../started ../gate"]).ok();
    hook(&hub, &gated(root));
    let program = env!("CARGO_BIN_EXE_git-wf");
    let waiting = |n: usize, args: &[&str]| {
        worktrees[n].command(program, args).stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
    };
    std::thread::scope(|scope| {
        scope.spawn(|| next(&worktrees[0]));
        std::fs::read(root.join("started")).unwrap();
        let mut silent = [waiting(1, &["next", "--json"]), waiting(2, &["next", "--quiet"])];
        while tickets(&clone) < 1 + silent.len() {
            assert!(silent.iter_mut().all(|it| it.try_wait().unwrap().is_none()), "it did not wait");
            std::thread::yield_now();
        }
        // It comes last, so the others have waited for as long when it tells that it waits.
        let mut told = waiting(3, &["next"]);
        let mut said = BufReader::new(told.stderr.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        std::fs::write(root.join("gate"), "go\n").unwrap();
        assert_eq!(line, "note: waiting for another process of this clone that uses the remote\n");
        let mut rest = String::new();
        said.read_to_string(&mut rest).unwrap();
        assert!(told.wait().unwrap().success() && !rest.contains("another process"), "{rest}");
        for it in silent.map(|it| it.wait_with_output().unwrap()) {
            assert!(it.status.success() && it.stderr.is_empty(), "{it:?}");
        }
    });
}
