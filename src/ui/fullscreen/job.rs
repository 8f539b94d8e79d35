//! Whether a shell with job control started this process.

/// Whether this process has a process group of its own within its session. A shell with job control gives one to each
/// job, and can continue what it stopped. `false` if it cannot be found out.
#[cfg(target_os = "linux")]
pub(super) fn has_shell() -> bool {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    is_job(&stat).unwrap_or(false)
}

/// Process group and session are the third and fourth values after the name in `proc_pid_stat(5)`. Each is 0 if its
/// leader is outside this container; `getpgrp` and `getsid` cannot return that, so they are not used.
#[cfg(target_os = "linux")]
fn is_job(stat: &str) -> Option<bool> {
    // The name may contain spaces and parentheses.
    let (_, values) = stat.rsplit_once(')')?;
    let mut values = values.split_whitespace().skip(2).map(str::parse::<i32>);
    let (group, session) = (values.next()?.ok()?, values.next()?.ok()?);
    Some(group != session)
}

/// Whether this process has a process group of its own within its session, from system calls.
#[cfg(not(target_os = "linux"))]
pub(super) fn has_shell() -> bool {
    use rustix::process::{getpgrp, getsid};
    getsid(None).is_ok_and(|session| session != getpgrp())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::is_job;

    #[test]
    fn a_job_has_a_group_of_its_own() {
        assert_eq!(is_job("7 (git-wf) S 5 7 5 34816 7"), Some(true));
        assert_eq!(is_job("7 (a) b) S 5 5 5 34816 5"), Some(false));
        // The session leader is outside this container.
        assert_eq!(is_job("7 (git-wf) S 0 7 0 34816 7"), Some(true));
        assert_eq!(is_job("7 (git-wf) S 0 0 0 34816 7"), Some(false));
        assert_eq!(is_job(""), None);
        assert_eq!(is_job("7 (git-wf) S"), None);
    }
}
