//! Many executors on one queue: every item is executed once, in order, and never two at the same time on the same
//! file.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox, is_long, plan_on};

const LEASE: i64 = 1800;
const SKEW: i64 = 600;

/// The numbers of workers and items.
fn size() -> (usize, usize) {
    if is_long() { (8, 100) } else { (4, 16) }
}

/// The issue with this number.
fn issue(n: usize) -> String {
    format!("ISS-{n:03}")
}

/// Every third item waits for the one three before it; every fourth shares a file with the one four before it.
fn dependency(n: usize) -> Option<usize> {
    (n >= 3 && n.is_multiple_of(3)).then(|| n - 3)
}

fn file(n: usize) -> String {
    if n.is_multiple_of(4) { format!("src/shared-{}.rs", n / 20) } else { format!("src/own-{n}.rs") }
}

fn fill(repo: &Repo, count: usize) {
    for n in 0..count {
        let mut args = vec!["new".to_owned(), "--id".into(), issue(n), format!("Item {n}")];
        if let Some(first) = dependency(n) {
            args.extend(["--depends-on".into(), issue(first)]);
        }
        repo.wf(&args.iter().map(String::as_str).collect::<Vec<_>>()).ok();
        repo.wf_in(plan_on(&file(n)).to_string(), &["solution", "add", &issue(n)]).ok();
    }
    let issues: Vec<String> = (0..count).map(issue).collect();
    let args: Vec<&str> = ["queue", "add"].into_iter().chain(issues.iter().map(String::as_str)).collect();
    repo.wf(&args).ok();
}

/// next, commit, done, until nothing is left; waits for items that others hold.
fn drain(place: &Repo, to_push: bool) -> Vec<String> {
    let mut done = Vec::new();
    loop {
        let ran = place.wf(&["next", "--json", "--wait", "2s"]);
        if ran.code == 3 {
            let over = !ran.stderr.contains("executing") && !ran.stderr.contains("pending");
            if over {
                return done;
            }
            continue;
        }
        let claim = ran.ok().json();
        let issue = claim["issue_id"].as_str().unwrap().to_owned();
        place.commit(&format!("work/{issue}"), &issue, &format!("carry out {issue}"));
        if to_push {
            place.git(&["push", "--quiet", "origin", "HEAD"]).ok();
        }
        place.done();
        done.push(issue);
    }
}

/// An execution according to the log: from its claim to its end, in the order of the ref's first parents.
struct Span {
    issue: String,
    from: usize,
    to: usize,
}

/// The claims and ends along the first parents, in order. A merge may bring several at once.
fn spans(repo: &Repo) -> Vec<Span> {
    let log = repo
        .git(&["log", "--reverse", "--topo-order", "--no-merges", "--format=%s", "refs/wf/main"])
        .ok()
        .stdout;
    let mut open: BTreeMap<String, usize> = BTreeMap::new();
    let mut spans = Vec::new();
    for (at, line) in log.lines().enumerate() {
        let named = |rest: &str| {
            let solution = rest.split_whitespace().next().unwrap();
            let issue = solution.strip_prefix("SOL-").and_then(|it| it.rsplit_once('-')).unwrap().0;
            issue.to_owned()
        };
        if let Some(rest) = line.strip_prefix("execution: claim ") {
            open.insert(named(rest), at);
        } else if let Some(rest) = line.strip_prefix("execution: complete ") {
            let issue = named(rest);
            let from = open.remove(&issue).unwrap_or_else(|| panic!("{issue} ended before it was claimed"));
            spans.push(Span { issue, from, to: at });
        }
    }
    assert!(open.is_empty(), "not ended: {open:?}");
    spans
}

fn number(issue: &str) -> usize {
    issue.strip_prefix("ISS-").unwrap().parse().unwrap()
}

/// Every item was executed once and in order, and no two at the same time on the same file.
fn assert_drained(repo: &Repo, count: usize) {
    let queue = repo.json(&["queue", "show"]);
    assert_eq!(queue["status"], "completed");
    let spans = spans(repo);
    let issues: BTreeSet<&str> = spans.iter().map(|span| span.issue.as_str()).collect();
    assert_eq!((issues.len(), spans.len()), (count, count));
    let of = |n: usize| spans.iter().find(|span| span.issue == issue(n)).unwrap();
    for span in &spans {
        let n = number(&span.issue);
        if let Some(first) = dependency(n) {
            assert!(of(first).to < span.from, "{} began before {} ended", span.issue, issue(first));
        }
        let overlaps = |other: &&Span| {
            other.issue != span.issue
                && file(number(&other.issue)) == file(n)
                && other.from < span.to
                && span.from < other.to
        };
        if let Some(other) = spans.iter().find(overlaps) {
            panic!("{} and {} at a time on {}", span.issue, other.issue, file(n));
        }
    }
    for n in 0..count {
        let shown = repo.json(&["show", &issue(n)]);
        let executions = shown["executions"].as_array().unwrap();
        let completed = executions.iter().filter(|it| it["status"] == "completed").count();
        assert_eq!((&shown["status"], completed), (&json!("completed"), 1), "{}", issue(n));
    }
    assert_eq!(repo.json(&["fsck"]), Value::Array(vec![]));
}

#[test]
fn worktrees_of_one_clone() {
    let (workers, count) = size();
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["hooks", "install"]).ok();
    fill(&repo, count);
    let places: Vec<Repo> =
        (0..workers).map(|n| repo.worktree(&format!("w{n}"), &format!("branch-{n}"))).collect();
    let done: Vec<Vec<String>> = std::thread::scope(|scope| {
        let all: Vec<_> = places.iter().map(|place| scope.spawn(|| drain(place, false))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let done: Vec<String> = done.into_iter().flatten().collect();
    assert_eq!(done.len(), count);
    assert_drained(&repo, count);
    let linked = repo.json(&["show", &issue(0)])["executions"][0]["commits"].as_array().unwrap().len();
    assert_eq!(linked, 1);
}

/// Four clones of one bare repository; the last clock is five hours ahead.
fn clones(sandbox: &Sandbox, count: usize) -> Vec<Repo> {
    sandbox.bare("hub");
    let first = sandbox.clone(sandbox.root().join("hub"), "c0");
    first.commit("a.txt", "a", "first");
    first.git(&["push", "--quiet", "origin", "HEAD:main"]).ok();
    first.wf(&["init"]).ok();
    fill(&first, count);
    first.wf(&["sync"]).ok();
    let mut clones = vec![first];
    for n in 1..4 {
        let name = format!("c{n}");
        let clone = sandbox.clone(sandbox.root().join("hub"), &name).ahead(if n == 3 { 5 * 3600 } else { 0 });
        let clone = clone.as_person(&name, &format!("{name}@example.org"));
        clone.git(&["switch", "--quiet", "-c", &format!("branch-{n}"), "origin/main"]).ok();
        clone.wf(&["init"]).ok();
        clones.push(clone);
    }
    for clone in &clones {
        clone.wf(&["hooks", "install"]).ok();
        clone.git(&["config", "wf.lease", "30m"]).ok();
        clone.git(&["config", "push.default", "current"]).ok();
    }
    clones
}

#[test]
fn clones_through_one_remote_of_which_one_dies_and_one_is_five_hours_ahead() {
    let count = size().1 * 3 / 4;
    let sandbox = Sandbox::new();
    let clones = clones(&sandbox, count);
    // Killed during the push of its claim: the hub has the claim, but nobody executes it.
    let hook = sandbox.root().join("hub/hooks/reference-transaction");
    let text = "#!/bin/sh\n[ \"$1\" = committed ] || exit 0\ncat >/dev/null\n[ -e pid ] || exit 0\nkill -9 $(cat pid)\nrm pid\n";
    std::fs::write(&hook, text).unwrap();
    make_executable(&hook);
    let mut victim = clones[1]
        .command("sh", &["-c", "echo $$ > ../hub/pid; exec git-wf next"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    assert!(!victim.wait().unwrap().success());
    std::fs::remove_file(&hook).unwrap();
    clones[0].wf(&["sync"]).ok();
    let dead = clones[0].json(&["list", "--status", "executing"]);
    let dead = dead[0]["id"].as_str().unwrap().to_owned();
    let workers = [&clones[0], &clones[2], &clones[3]];
    let done: Vec<Vec<String>> = std::thread::scope(|scope| {
        let all: Vec<_> = workers.iter().map(|place| scope.spawn(|| drain_until(place, &dead))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let before: BTreeSet<String> = done.into_iter().flatten().collect();
    assert!(!before.contains(&dead), "the claim was taken over before its lease ran out");
    sandbox.advance(LEASE + SKEW + 60);
    let done: Vec<Vec<String>> = std::thread::scope(|scope| {
        let all: Vec<_> = workers.iter().map(|place| scope.spawn(|| drain(place, true))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let after: BTreeSet<String> = done.into_iter().flatten().collect();
    assert!(after.contains(&dead));
    assert!(before.is_disjoint(&after));
    assert_eq!(before.len() + after.len(), count);
    for clone in &clones {
        clone.wf(&["sync"]).ok();
    }
    for clone in &clones {
        assert_drained(clone, count);
    }
    let ran = clones[1].wf(&["next"]).fails(3);
    assert!(ran.stderr.contains("no longer holds"), "the dead one is told: {}", ran.stderr);
}

/// Until nothing is left except what waits for the dead executor's item.
fn drain_until(place: &Repo, dead: &str) -> Vec<String> {
    let mut done = Vec::new();
    for _ in 0..1000 {
        let ran = place.wf(&["next", "--json", "--wait", "2s"]);
        if ran.code == 3 {
            if place.json(&["lease"]).as_array().unwrap().len() == 1 {
                return done;
            }
            continue;
        }
        let claim = ran.ok().json();
        let issue = claim["issue_id"].as_str().unwrap().to_owned();
        assert_ne!(issue, dead);
        place.commit(&format!("work/{issue}"), &issue, &format!("carry out {issue}"));
        place.git(&["push", "--quiet", "origin", "HEAD"]).ok();
        place.done();
        done.push(issue);
    }
    panic!("still waiting: {}", place.json(&["lease"]));
}

fn make_executable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}
