//! SIGKILL at random moments.

use std::hash::{BuildHasher, RandomState};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::scene::{Scenes, Write, assert_sound, with_each_write};
use crate::support::{Repo, is_long};

fn kills() -> u32 {
    if is_long() { 200 } else { 5 }
}

#[test]
fn at_random_moments() {
    let scenes = Scenes::new();
    with_each_write(|write| {
        let usual = usual_time(&scenes, write);
        for _ in 0..kills() {
            killed(&scenes, write, usual);
        }
    });
}

fn usual_time(scenes: &Scenes, write: &Write) -> Duration {
    let repo = scenes.copy();
    let started = Instant::now();
    assert!(start(&repo, write).wait().unwrap().success(), "{}", write.name);
    started.elapsed()
}

fn start(repo: &Repo, write: &Write) -> Child {
    let input = repo.path().join("input");
    std::fs::write(&input, (write.stdin)()).unwrap();
    repo.command(env!("CARGO_BIN_EXE_git-wf"), write.args)
        .stdin(std::fs::File::open(input).unwrap())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn killed(scenes: &Scenes, write: &Write, usual: Duration) {
    let repo = scenes.copy();
    let name = write.name;
    let before = repo.tip();
    let mut child = start(&repo, write);
    std::thread::sleep(random(usual));
    // It may have ended already.
    let _ = child.kill();
    let acknowledged = child.wait().unwrap().success();
    let is_done = (write.is_done)(&repo);
    assert!(is_done || !acknowledged, "{name} was acknowledged and is not there");
    assert_eq!(repo.tip() != before, is_done, "{name}");
    let ran = repo.wf_in((write.stdin)(), write.args);
    assert_eq!(ran.code, if is_done { write.again } else { 0 }, "{name}: {}", ran.stderr);
    assert!((write.is_done)(&repo), "{name}");
    assert_sound(&repo);
    // A thousand of them take up space.
    std::fs::remove_dir_all(repo.path().parent().unwrap()).unwrap();
}

/// A random duration up to a little more than `most`.
fn random(most: Duration) -> Duration {
    let share = RandomState::new().hash_one(0) % 1_100;
    most.mul_f64(share as f64 / 1_000.0)
}
