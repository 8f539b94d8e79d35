//! Processes that a command started and left behind, in whatever session or group they put themselves.

use std::collections::BTreeSet;

/// Makes this process the parent of what its children leave behind. The children that it has already, which are not
/// touched later.
#[cfg(target_os = "linux")]
pub(super) fn adopt() -> BTreeSet<i32> {
    // Where the system refuses, only the command's own group is ended.
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    children()
}

/// Ends every child but those of `before`, and what they leave behind in turn.
#[cfg(target_os = "linux")]
pub(super) fn end(before: &BTreeSet<i32>) {
    use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
    /// Whoever starts processes faster than this many rounds end them is left alone.
    const ROUNDS: usize = 1000;
    for _ in 0..ROUNDS {
        let left: Vec<Pid> = children().difference(before).copied().filter_map(Pid::from_raw).collect();
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

/// Elsewhere only the command's own process group can be ended.
#[cfg(not(target_os = "linux"))]
pub(super) fn adopt() -> BTreeSet<i32> {
    BTreeSet::new()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn end(_before: &BTreeSet<i32>) {}
