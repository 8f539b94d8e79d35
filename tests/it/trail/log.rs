//! `log`: filtered, short, and drawn.

use crate::support::{Repo, Sandbox, column};

fn ops(repo: &Repo, args: &[&str]) -> Vec<String> {
    column(&repo.json(&[&["log"], args].concat()), "op")
}

/// Three issues from three days, by three people.
fn three_days(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("a");
        let at = |repo: &Repo, time: &str| {
            repo.with_env("GIT_COMMITTER_DATE", time).with_env("GIT_AUTHOR_DATE", time)
        };
        at(&repo, "2026-11-01T10:00:00Z").issue("ISS-001");
        let bea = repo
            .as_person("Bea", "bea@example.org")
            .with_env("WF_ROLE", "planner")
            .with_env("WF_ACTOR", "claude-7");
        at(&bea, "2026-11-02T10:00:00Z").wf(&["comment", "ISS-001", "-m", "hello"]).ok();
        at(&repo, "2026-11-03T10:00:00Z").wf(&["queue", "manage", "new", "q"]).ok();
        at(&repo, "2026-11-03T11:00:00Z").wf(&["edit", "ISS-001", "-p", "low"]).ok();
        repo
    })
}

#[test]
fn everything_that_is_asked_for_must_hold() {
    let sandbox = Sandbox::new();
    let repo = three_days(&sandbox);
    assert_eq!(
        ops(&repo, &["--since", "2026-11-02", "--until", "2026-11-03"]),
        ["edit", "queue manage new", "comment"]
    );
    assert_eq!(ops(&repo, &["--until", "2026-11-02", "ISS-001"]), ["comment", "new"]);
    assert_eq!(ops(&repo, &["--author", "BEA@"]), ["comment"]);
    assert_eq!(ops(&repo, &["--author", "Claude"]), ["comment"]);
    assert_eq!(ops(&repo, &["--op", "queue"]), ["queue manage new"]);
    assert_eq!(ops(&repo, &["--op", "new,edit"]), ["edit", "new"]);
    assert_eq!(ops(&repo, &["--op", "que"]), [""; 0]);
    let said = repo.wf(&["log", "--op", "que,new", "--role", "planer,owner"]).ok().stderr;
    assert!(said.contains("named `que`") && said.contains("called `planer`"), "{said}");
    assert!(!said.contains("new`") && !said.contains("owner`"), "{said}");
    assert_eq!(ops(&repo, &["--role", "planner"]), ["comment"]);
    assert_eq!(ops(&repo, &["--role", "owner", "ISS-001", "-n", "1"]), ["edit"]);
    // The number limits what is shown, not what is searched.
    assert_eq!(
        ops(&repo, &["--author", "ada", "-n", "2", "--op", "new", "--op", "queue manage new"]),
        ["queue manage new", "new"]
    );
    assert_eq!(repo.refused(2, &["log", "--since", "someday"])["code"], "usage");
    let short = repo.wf(&["log", "--oneline", "-n", "2"]).ok().stdout;
    assert_eq!(short.lines().count(), 2, "{short}");
    assert!(short.lines().all(|line| line.as_bytes()[10] == b' '), "{short}");
    let patch = repo.wf(&["log", "--oneline", "-p", "--op", "edit"]).ok().stdout;
    assert!(patch.contains("\n        priority: 3 → 4\n"), "{patch}");
}

/// Two clones that each did something, merged in the first.
fn merged(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let origin = sandbox.bare("origin.git");
        let ada = sandbox.clone(&origin, "ada");
        ada.wf(&["init"]).ok();
        ada.issue("ISS-001");
        ada.wf(&["sync"]).ok();
        let bea = sandbox.clone(&origin, "bea").as_person("Bea", "bea@example.org");
        bea.wf(&["init"]).ok();
        bea.wf(&["comment", "ISS-001", "-m", "mine"]).ok();
        bea.wf(&["sync"]).ok();
        ada.wf(&["edit", "ISS-001", "-p", "low"]).ok();
        ada.issue("ISS-002");
        ada.wf(&["sync"]).ok();
        ada
    })
}

#[test]
fn merges_are_drawn() {
    let sandbox = Sandbox::new();
    let ada = merged(&sandbox).with_env("LC_ALL", "C");
    let drawn = ada.wf(&["log", "--graph", "--oneline"]).ok().stdout;
    let words = |line: &str| {
        line.split_once(": ").map_or(line.to_owned(), |(left, right)| {
            let shape = left.split(|c: char| c.is_ascii_hexdigit()).next().unwrap().trim_end();
            format!("{shape} {}", right.split(' ').next().unwrap())
        })
    };
    let shape: Vec<String> = drawn.lines().map(words).collect();
    assert_eq!(shape[0], "* merge", "{drawn}");
    assert_eq!(shape[1], "+-+", "{drawn}");
    assert_eq!(shape.iter().filter(|line| line.contains("+-+")).count(), 2, "{drawn}");
    assert_eq!(shape.iter().filter(|line| line.contains('*')).count(), ada.steps(), "{drawn}");
    assert!(drawn.is_ascii());
    // Author and time are beside the lanes.
    let long = ada.wf(&["log", "--graph"]).ok().stdout;
    let beside = |line: &str| line.starts_with("| |") && line.contains("Ada <ada@example.org>");
    assert!(long.lines().any(beside), "{long}");
    // The line continues through commits that are left out.
    let of_one = ada.wf(&["log", "--graph", "--oneline", "--op", "merge,new"]).ok().stdout;
    let marks: Vec<&str> = of_one.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(marks, ["*", "*", "*"], "{of_one}");
    assert_eq!(ada.wf(&["log", "--graph", "--oneline", "-n", "1"]).ok().stdout.lines().count(), 1);
    ada.refused(2, &["log", "--graph"]);
    ada.refused(2, &["log", "--graph", "-p"]);
}

#[test]
fn the_role_of_a_merge_is_nobodys() {
    let sandbox = Sandbox::new();
    let ada = merged(&sandbox);
    assert!(!ops(&ada, &["--role", "owner"]).contains(&"merge".to_owned()));
    assert_eq!(ops(&ada, &["--op", "merge"]), ["merge"]);
}
