//! Many small writes, how they are packed, and git's other maintenance of a repository.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::support::{Repo, Sandbox, is_long};

fn store(sandbox: &Sandbox) -> Repo {
    let repo = sandbox.repo("repo");
    repo.wf(&["init"]).ok();
    repo.git(&["config", "maintenance.auto", "true"]).ok();
    repo
}

/// The numbers of loose objects and of packs.
fn objects(repo: &Repo) -> (u64, u64) {
    let ran = repo.git(&["count-objects", "-v"]).ok();
    let number = |name: &str| {
        let line = ran.stdout.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
        line.unwrap().parse().unwrap()
    };
    assert_eq!(number("garbage"), 0, "{}", ran.stdout);
    (number("count"), number("packs"))
}

fn create(repo: &Repo, count: usize) {
    for n in 0..count {
        repo.wf(&["new", &format!("Issue {n}")]).ok();
    }
}

fn assert_whole(repo: &Repo, issues: usize) {
    repo.git(&["fsck", "--strict", "--full"]).ok();
    repo.wf(&["fsck"]).ok();
    assert_eq!(repo.wf(&["list", "--json"]).ok().json().as_array().unwrap().len(), issues);
}

#[test]
fn many_writes_are_packed_by_themselves() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    repo.git(&["config", "gc.auto", "256"]).ok();
    let most = if is_long() { 5000 } else { 2000 };
    let mut count = 0;
    // One directory of loose objects represents all, so it depends on chance when this happens.
    while count < most && (is_long() || packs(&repo) == 0) {
        create(&repo, 1);
        count += 1;
    }
    let (loose, packs) = objects(&repo);
    assert!(packs > 0 && loose < 2000, "{loose} loose objects, {packs} packs after {count} issues");
    assert_whole(&repo, count);
}

#[test]
fn packing_does_not_keep_the_writer_waiting() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    repo.git(&["config", "gc.auto", "0"]).ok();
    create(&repo, 60);
    for (key, value) in [("gc.auto", "1"), ("gc.autoDetach", "true"), ("maintenance.autoDetach", "true")] {
        repo.git(&["config", key, value]).ok();
    }
    // The directory that represents all the others.
    while std::fs::read_dir(repo.path().join(".git/objects/17")).map_or(0, Iterator::count) < 2 {
        repo.git_in(format!("{:?}", Instant::now()), &["hash-object", "-w", "--stdin"]).ok();
    }
    repo.wf(&["new", "One more"]).ok();
    let started = Instant::now();
    while packs(&repo) == 0 {
        assert!(started.elapsed() < Duration::from_secs(30), "nothing was packed");
        std::thread::yield_now();
    }
    while repo.path().join(".git/gc.pid").exists() && started.elapsed() < Duration::from_secs(30) {
        std::thread::yield_now();
    }
    assert_whole(&repo, 61);
}

/// The number of packs; some may be under construction.
fn packs(repo: &Repo) -> usize {
    let entries = std::fs::read_dir(repo.path().join(".git/objects/pack")).into_iter().flatten().flatten();
    entries.filter(|entry| entry.path().extension().is_some_and(|it| it == "idx")).count()
}

#[test]
fn nothing_is_packed_where_git_would_not() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    repo.git(&["config", "gc.auto", "1"]).ok();
    repo.git(&["config", "maintenance.auto", "false"]).ok();
    create(&repo, 60);
    assert_eq!(objects(&repo).1, 0);
    repo.git(&["config", "maintenance.auto", "true"]).ok();
    repo.git(&["config", "gc.auto", "0"]).ok();
    create(&repo, 1);
    assert_eq!(objects(&repo).1, 0);
}

#[test]
fn a_large_pack_is_quick_to_open() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    repo.git(&["config", "maintenance.autoDetach", "false"]).ok();
    let multi = repo.path().join(".git/objects/pack/multi-pack-index");
    repo.wf(&["new", "Before"]).ok();
    assert!(!multi.exists());
    let blobs: String = (0..80_000).map(|n| format!("blob\ndata {}\n{n}\n", n.to_string().len())).collect();
    repo.git_in(blobs, &["fast-import", "--quiet"]).ok();
    repo.git(&["config", "core.multiPackIndex", "false"]).ok();
    repo.wf(&["new", "Without"]).ok();
    assert!(!multi.exists());
    repo.git(&["config", "core.multiPackIndex", "true"]).ok();
    repo.wf(&["new", "With"]).ok();
    assert!(multi.exists());
    let made = multi.metadata().unwrap().modified().unwrap();
    repo.wf(&["new", "Once"]).ok();
    assert_eq!(multi.metadata().unwrap().modified().unwrap(), made);
    assert_whole(&repo, 4);
}

#[test]
fn an_index_of_a_pack_that_is_gone_hides_nothing() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    create(&repo, 3);
    repo.git(&["config", "gc.auto", "0"]).ok();
    // Its index must be searched first, as the largest.
    let blobs: String = (0..500).map(|n| format!("blob\ndata 3\n{n:03}\n")).collect();
    repo.git_in(blobs, &["fast-import", "--quiet"]).ok();
    repo.git(&["repack", "-adkq"]).ok();
    let multi = repo.path().join(".git/objects/pack/multi-pack-index");
    repo.git(&["multi-pack-index", "write"]).ok();
    let stale = std::fs::read(&multi).unwrap();
    create(&repo, 1);
    repo.git(&["repack", "-adq"]).ok();
    repo.git(&["prune", "--expire=now"]).ok();
    assert!(!multi.exists());
    // Like an index that another git wrote while this one packed.
    std::fs::write(&multi, &stale).unwrap();
    let borrower = sandbox.root().join("borrower");
    repo.git(&["clone", "--quiet", "--shared", ".", borrower.to_str().unwrap()]).ok();
    let borrower = sandbox.at("borrower");
    borrower.wf(&["init"]).ok();
    assert_eq!(borrower.wf(&["list", "--json"]).ok().json().as_array().unwrap().len(), 4);
    for args in [
        &["list", "--json"][..],
        &["status"],
        &["log", "-p"],
        &["fsck"],
        &["fsck", "--reindex"],
        &["export", "jsonl"],
    ] {
        repo.wf(args).ok();
    }
    assert_eq!(std::fs::read(&multi).unwrap(), stale);
    repo.wf(&["new", "Here"]).ok();
    assert_eq!(std::fs::read(&multi).unwrap(), stale);
    // Once maintenance is allowed, it is removed.
    repo.git(&["config", "gc.auto", "6000"]).ok();
    repo.wf(&["new", "Maintained"]).ok();
    assert!(!multi.exists());
    assert_whole(&repo, 6);
}

#[test]
fn writers_beside_a_collection_of_garbage() {
    for gc in [&["gc", "--quiet"][..], &["gc", "--quiet", "--prune=now"]] {
        let sandbox = Sandbox::new();
        let repo = store(&sandbox);
        // A collection locks each reference for its reflog too, and would otherwise give up after 100 ms.
        repo.git(&["config", "core.filesRefLockTimeout", "20000"]).ok();
        let (writers, each) = if is_long() { (4, 100) } else { (2, 15) };
        let stop = AtomicBool::new(false);
        let collections = std::thread::scope(|scope| {
            let collector = scope.spawn(|| {
                let mut count = 0;
                while !stop.load(Ordering::Relaxed) {
                    repo.git(gc).ok();
                    // The next collection removes packs that it names.
                    repo.git(&["multi-pack-index", "write"]).ok();
                    count += 1;
                }
                count
            });
            let writers: Vec<_> = (0..writers).map(|_| scope.spawn(|| create(&repo, each))).collect();
            let ended: Vec<_> = writers.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
            stop.store(true, Ordering::Relaxed);
            assert!(ended.iter().all(Result::is_ok));
            collector.join().unwrap()
        });
        assert!(collections > 1);
        assert_whole(&repo, writers * each);
    }
}

#[test]
fn a_mirror_has_all_of_it_and_is_not_written_to() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    create(&repo, 3);
    let mirror = sandbox.root().join("mirror.git");
    repo.git(&["clone", "--quiet", "--mirror", ".", mirror.to_str().unwrap()]).ok();
    let mirror = sandbox.at("mirror.git");
    assert_eq!(mirror.tip(), repo.tip());
    assert_eq!(mirror.wf(&["list", "--json"]).ok().stdout, repo.wf(&["list", "--json"]).ok().stdout);
    assert_eq!(mirror.wf(&["new", "No", "--json"]).fails(1).json_error()["code"], "mirror");
    assert_whole(&mirror, 3);
}

#[test]
fn a_bundle_carries_the_store() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    create(&repo, 3);
    let bundle = sandbox.root().join("store.bundle");
    let bundle = bundle.to_str().unwrap();
    repo.git(&["bundle", "create", "--quiet", bundle, "refs/wf/main"]).ok();
    let other = sandbox.repo("other");
    other.git(&["remote", "add", "origin", bundle]).ok();
    other.wf(&["init"]).ok();
    assert_eq!(other.tip(), repo.tip());
    assert_whole(&other, 3);
    other.wf(&["new", "Here"]).ok();
    create(&repo, 1);
    repo.git(&["bundle", "create", "--quiet", bundle, "refs/wf/main"]).ok();
    other.wf(&["pull"]).ok();
    assert_whole(&other, 5);
    assert_eq!(other.wf(&["push", "--json"]).fails(1).stdout, "");
}
