//! Whatever dies, and whenever: the state is the old or the new one, and the next command works.

mod disk;
mod kill;
mod prune;
mod scene;

use std::time::{Duration, Instant};

use scene::{Scenes, Write, assert_sound, ref_lock, with_each_write};

/// The points of a transaction, and whether the ref has moved at each.
const POINTS: [(&str, bool); 6] = [
    ("object:2", false),
    ("objects", false),
    ("noted", false),
    ("locked", false),
    ("moved", true),
    ("ensured", true),
];
/// A command waits longer than this for a lock, unless it is certain that the lock was left behind.
const AT_ONCE: Duration = Duration::from_secs(8);

#[test]
fn at_each_point_of_a_transaction() {
    let scenes = Scenes::new();
    with_each_write(|write| {
        for (mut point, moved) in POINTS {
            if write.name == "large import" && point == "object:2" {
                point = "packed";
            }
            dies_at(&scenes, write, point, moved);
        }
    });
}

fn dies_at(scenes: &Scenes, write: &Write, point: &str, moved: bool) {
    let repo = scenes.copy();
    let what = format!("{} at {point}", write.name);
    let before = repo.tip();
    let ran = repo.with_env("WF_FAULT", point).wf_in((write.stdin)(), write.args);
    assert_eq!((ran.code, ran.stdout.as_str()), (-1, ""), "{what}: {}", ran.stderr);
    assert_eq!(ref_lock(&repo).exists(), point == "locked", "{what}");
    assert_eq!(repo.tip() != before, moved, "{what}");
    assert_eq!((write.is_done)(&repo), moved, "{what}");
    let started = Instant::now();
    let ran = repo.wf_in((write.stdin)(), write.args);
    assert!(started.elapsed() < AT_ONCE, "{what}: {:?}", started.elapsed());
    assert_eq!(ran.code, if moved { write.again } else { 0 }, "{what}: {}", ran.stderr);
    assert!((write.is_done)(&repo), "{what}");
    repo.wf(&["new", "--id", "GH-100", "After"]).ok();
    assert!(!ref_lock(&repo).exists(), "{what}");
    assert_sound(&repo);
}

#[test]
fn between_the_push_and_the_ref_here() {
    let repo = Scenes::new().copy();
    let before = repo.tip();
    repo.with_env("WF_FAULT", "pushed").wf(&["sync"]).fails(-1);
    assert_eq!(repo.tip(), before);
    let published = repo.git(&["ls-remote", "origin", "refs/wf/main"]).ok();
    repo.wf(&["sync"]).ok();
    assert_eq!(published.line().split('\t').next().map(str::to_owned), repo.tip());
    assert_sound(&repo);
}

#[test]
fn half_an_object_goes_with_the_next_prune() {
    let repo = Scenes::new().copy();
    let files = || repo.git(&["-c", "alias.files=!find .git/objects -name '*tmp*'", "files"]).ok().stdout;
    repo.with_env("WF_FAULT", "object").wf(&["comment", "GH-1", "-m", "hello"]).fails(-1);
    assert_ne!(files(), "");
    repo.git(&["prune", "--expire=now"]).ok();
    assert_eq!(files(), "");
}

#[test]
fn between_the_claim_and_the_note_of_it() {
    let scenes = Scenes::new();
    let repo = scenes.copy();
    let ran = repo.with_env("WF_FAULT", "claimed").wf(&["next"]);
    assert_eq!(ran.code, -1);
    let active = repo.path().join(".git/wf/active.json");
    assert!(!active.exists());
    let tip = repo.tip();
    let claim = repo.wf(&["next", "--json"]).ok().json();
    assert_eq!(claim["solution_id"], "SOL-GH-4-1");
    assert_eq!(claim["attempt"], 1);
    assert!(active.exists());
    assert_eq!(repo.tip(), tip);
    repo.done();
    assert!(!active.exists());
}
