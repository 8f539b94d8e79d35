//! Processes that a command started and left behind, in whatever session or group.
//!
//! The watcher of the command becomes the parent of all of them, and ends them after the command. If a command kills
//! its watcher, they become children of this program, which may have other children at that time: other watchers, and
//! `git`. So the ids of the watchers are recorded, and each watcher moves what it watches into a session of its own.
//! A child in another session than this program's that is not a watcher was left behind by a killed watcher.

use std::collections::BTreeSet;
use std::io;
use std::process::Child;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The running watchers.
static WATCHERS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn watchers() -> MutexGuard<'static, BTreeSet<u32>> {
    // The set is valid even after a panic.
    WATCHERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a watcher. If it is killed, this process becomes the parent of what it leaves behind.
pub(super) fn start_watcher(start: impl FnOnce() -> io::Result<Child>) -> io::Result<Child> {
    adopt();
    let mut watchers = watchers();
    let child = start()?;
    watchers.insert(child.id());
    Ok(child)
}

/// Forgets a watcher that has ended, and ends what it left behind if it was killed.
pub(super) fn forget_watcher(id: u32, was_killed: bool) {
    let mut watchers = watchers();
    watchers.remove(&id);
    if was_killed {
        let own = session(None);
        // A child whose session is unknown has ended; another part of this program may be waiting for it.
        end_all(|pid| {
            !u32::try_from(pid).is_ok_and(|id| watchers.contains(&id))
                && session(Some(pid)).is_some_and(|session| Some(session) != own)
        });
    }
}

/// Makes this process the parent of what its children leave behind. Returns the children that it already has.
pub(super) fn adopt() -> BTreeSet<i32> {
    become_parent();
    children()
}

/// Ends every child except those in `before`, and the processes that these leave behind in turn.
pub(super) fn end(before: &BTreeSet<i32>) {
    end_all(|pid| !before.contains(&pid));
}

#[cfg(target_os = "linux")]
fn become_parent() {
    // If the system refuses, only the command's own process group is ended.
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

#[cfg(target_os = "linux")]
fn end_all(is_meant: impl Fn(i32) -> bool) {
    use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
    /// After this many rounds, give up on a program that starts processes faster than they can be ended.
    const ROUNDS: usize = 1000;
    for _ in 0..ROUNDS {
        let left: Vec<Pid> =
            children().into_iter().filter(|pid| is_meant(*pid)).filter_map(Pid::from_raw).collect();
        if left.is_empty() {
            return;
        }
        for pid in left {
            let _ = kill_process(pid, Signal::KILL);
            let _ = waitpid(Some(pid), WaitOptions::empty());
        }
    }
}

#[cfg(target_os = "linux")]
fn children() -> BTreeSet<i32> {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return BTreeSet::new() };
    let lists =
        threads.flatten().filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<i32>>())
        .collect()
}

/// The session of a process, or of this one.
#[cfg(target_os = "linux")]
fn session(pid: Option<i32>) -> Option<i32> {
    let process = pid.map_or_else(|| "self".to_owned(), |pid| pid.to_string());
    Some(crate::git::process_stat::related(&process)?.session)
}

/// Elsewhere only the command's own process group can be ended.
#[cfg(not(target_os = "linux"))]
fn become_parent() {}

#[cfg(not(target_os = "linux"))]
fn end_all(_: impl Fn(i32) -> bool) {}

#[cfg(not(target_os = "linux"))]
fn children() -> BTreeSet<i32> {
    BTreeSet::new()
}

#[cfg(not(target_os = "linux"))]
fn session(_: Option<i32>) -> Option<i32> {
    None
}
