//! Ends what agents of a run left behind when the run and its watchers were killed at the same time.

use std::path::Path;

/// The variable that names the run to its agents.
pub(crate) const RUN: &str = "WF_RUN";
/// The variable with the directory of the run's files, which distinguishes it from the same run in another clone.
pub(crate) const FILES: &str = "WF_RUN_FILES";

/// Ends every process that has this directory of a run in its environment. Nobody may drive the run.
#[cfg(target_os = "linux")]
pub(crate) fn end_left_behind(files: &Path) {
    use rustix::process::{Pid, Signal, kill_process};
    /// After this many rounds, give up on a program that starts processes faster than they can be ended.
    const ROUNDS: usize = 100;
    let mark = [FILES.as_bytes(), b"=", files.as_os_str().as_encoded_bytes()].concat();
    // An agent may resume the run that it belongs to; then it is an ancestor of this process, and is not ended.
    let own = super::ancestors::ids();
    for _ in 0..ROUNDS {
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        let left: Vec<Pid> =
            pids.filter(|pid| !own.contains(pid) && has(*pid, &mark)).filter_map(Pid::from_raw).collect();
        if left.is_empty() {
            return;
        }
        for pid in left {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

/// Whether a process has `variable`, which is `NAME=VALUE`, in its environment.
#[cfg(target_os = "linux")]
fn has(pid: i32, variable: &[u8]) -> bool {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|known| known == variable)
}

/// Elsewhere the environment of other processes cannot be read.
#[cfg(not(target_os = "linux"))]
pub(crate) fn end_left_behind(_: &Path) {}
