//! A store that someone else is writing into.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::world::World;
use crate::support::Repo;

/// The part of an agent's script in which it says that it was asked, and waits until [`lock_once_asked`] has the lock; only
/// the first time. [`gate`] makes what it waits for.
pub(super) const ASKED: &str = "if once begun; then touch \"$HERE/asked\"; read line < \"$HERE/held\"; fi";

/// Makes the remote `origin` wait likewise when it first gets a commit with such a subject. Each time, `HERE/pushed` gets a
/// line with the id of its process. Meanwhile it holds the pipe `HERE/waiting` open.
const HOOK: &str = r#"#!/bin/sh
while read old new ref; do
  case "$(git log -1 --format=%s $new)" in PATTERN)
    echo $$ >> 'HERE/pushed'; exec 9<>'HERE/waiting'
    if [ ! -e 'HERE/asked' ]; then touch 'HERE/asked'; read line < 'HERE/held'; fi ;;
  esac
done
"#;

/// Makes the pipe at which those wait who were asked.
pub(super) fn gate(world: &World) {
    world.repo.sh(&["-c", "mkfifo ../held"]).ok();
}

/// Whoever finds the lock taken does not wait for it.
pub(super) fn impatient(world: &World) {
    world.repo.git(&["config", "wf.lockTimeout", "0"]).ok();
}

/// Whoever finds the lock taken waits for longer than any test takes.
pub(super) fn stubborn(world: &World) {
    world.repo.git(&["config", "wf.lockTimeout", "3600"]).ok();
}

/// The file that says that an agent or a remote was asked.
pub(super) fn asked(world: &World) -> PathBuf {
    world.sandbox.root().join("asked")
}

/// Waits for a file, for longer than anything takes. It looks again and again, since whoever waits at a pipe waits for ever if
/// the other side ends before it comes there.
#[track_caller]
pub(super) fn wait_for(path: &Path) {
    let began = Instant::now();
    while !path.exists() {
        assert!(began.elapsed() < Duration::from_secs(90), "{} never came", path.display());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Lets whoever was asked go on. The pipe is opened for reading, too, so that this does not wait for somebody who may have
/// ended, and it stays open, so that what is written waits for them.
pub(super) fn let_go(world: &World) {
    let held = world.sandbox.root().join("held");
    let mut held = File::options().read(true).write(true).open(held).unwrap();
    held.write_all(b"go\n").unwrap();
    std::mem::forget(held);
}

/// The repository of the world. A run in it says once that it found the store busy, to [`wait_until_busy`].
pub(super) fn tells_busy(world: &World) -> Repo {
    world.repo.with_env("WF_FAULT", "busy").with_env("WF_FAULT_RUN", "touch ../busy")
}

/// Waits until the run in [`tells_busy`] has tried in vain to write into the store, of which it tells nobody.
#[track_caller]
pub(super) fn wait_until_busy(world: &World) {
    wait_for(&world.sandbox.root().join("busy"));
}

fn lock_of(world: &World) -> File {
    File::options().write(true).open(world.repo.path().join(".git/wf/lock")).unwrap()
}

/// Takes the lock of the store as soon as someone was asked, and lets them go on. It is held until the file is dropped.
#[track_caller]
pub(super) fn lock_once_asked(world: &World) -> File {
    wait_for(&asked(world));
    let lock = lock_of(world);
    lock.lock().unwrap();
    let_go(world);
    lock
}

/// The remote `origin` of the world, which waits when it gets a commit whose subject matches this pattern of the shell.
pub(super) fn remote(world: &World, pattern: &str) -> Repo {
    let (hub, repo) = (world.sandbox.bare("origin.git"), &world.repo);
    repo.git(&["remote", "add", "origin", "../origin.git"]).ok();
    repo.git(&["push", "-q", "origin", "main"]).ok();
    repo.wf(&["sync", "origin"]).ok();
    gate(world);
    repo.sh(&["-c", "mkfifo ../waiting"]).ok();
    let hook = hub.path().join("hooks/pre-receive");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    let here = world.sandbox.root().to_string_lossy();
    std::fs::write(&hook, HOOK.replace("HERE", &here).replace("PATTERN", pattern)).unwrap();
    std::fs::set_permissions(hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    hub
}

/// The pipe that the remote holds open while it waits: it ends when the remote's hook does.
pub(super) fn waiting_remote(world: &World) -> File {
    wait_for(&asked(world));
    File::open(world.sandbox.root().join("waiting")).unwrap()
}

/// How often the remote was asked to take such a commit.
pub(super) fn pushes(world: &World) -> usize {
    std::fs::read_to_string(world.sandbox.root().join("pushed")).unwrap_or_default().lines().count()
}
