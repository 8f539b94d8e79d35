//! Processes that a command started and left behind, in whatever session or group.
//!
//! The watcher of the command becomes the parent of all of them, and ends them after the command. If a command kills
//! its watcher, they become children of this program, which also has others: other watchers, `git`, and what `git` itself
//! left in the background, such as its maintenance or an agent for keys. So each watcher has a mark in its environment, which
//! its command inherits.

use std::collections::BTreeSet;
use std::io;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU64, Ordering};

/// The variable with the mark of a watcher.
const MARK: &str = "WF_WATCHER";

/// A running watcher.
#[derive(Debug)]
pub(super) struct Watcher {
    pub(super) process: Child,
    mark: String,
}

impl Watcher {
    /// Starts a watcher. If it is killed, this process becomes the parent of what it leaves behind.
    pub(super) fn start(mut command: Command) -> io::Result<Self> {
        static STARTED: AtomicU64 = AtomicU64::new(0);
        adopt();
        let mark = format!("{}-{}", std::process::id(), STARTED.fetch_add(1, Ordering::Relaxed));
        let process = command.env(MARK, &mark).spawn()?;
        Ok(Self { process, mark })
    }

    /// Ends what it left behind when it was killed.
    pub(super) fn end_left_behind(&self) {
        let variable = format!("{MARK}={}", self.mark);
        end_all(|pid| super::left_behind::has(pid, variable.as_bytes()));
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
    use std::time::{Duration, Instant};
    /// After this time, give up on a program that starts processes faster than they can be ended, and on one that the system
    /// cannot end.
    const PATIENCE: Duration = Duration::from_secs(10);
    const PAUSE: Duration = Duration::from_millis(1);
    let begun = Instant::now();
    let mut killed: BTreeSet<i32> = BTreeSet::new();
    loop {
        let left: Vec<i32> = children().into_iter().filter(|pid| is_meant(*pid)).collect();
        for pid in left.iter().copied().filter_map(Pid::from_raw) {
            let _ = kill_process(pid, Signal::KILL);
        }
        killed.extend(left);
        killed.retain(|pid| {
            let waited = Pid::from_raw(*pid).map(|pid| waitpid(Some(pid), WaitOptions::NOHANG));
            matches!(waited, Some(Ok(None)))
        });
        let is_done = killed.is_empty() && !children().into_iter().any(&is_meant);
        if is_done || begun.elapsed() >= PATIENCE {
            return;
        }
        std::thread::sleep(PAUSE);
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

/// Elsewhere only the command's own process group can be ended.
#[cfg(not(target_os = "linux"))]
fn become_parent() {}

#[cfg(not(target_os = "linux"))]
fn end_all(_: impl Fn(i32) -> bool) {}

#[cfg(not(target_os = "linux"))]
fn children() -> BTreeSet<i32> {
    BTreeSet::new()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_command_left_behind_is_ended() {
        let mut watcher = Watcher::start(Command::new("true")).unwrap();
        watcher.process.wait().unwrap();
        let sleep = || {
            let mut command = Command::new("setsid");
            command.args(["sleep", "60"]);
            command
        };
        let mut others = sleep().spawn().unwrap();
        let mut left = sleep().env(MARK, &watcher.mark).spawn().unwrap();
        watcher.end_left_behind();
        assert!(others.try_wait().unwrap().is_none());
        // It has been waited for.
        assert!(left.try_wait().is_err());
        others.kill().unwrap();
        others.wait().unwrap();
    }
}
