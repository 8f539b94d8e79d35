//! Whether a shell with job control started this process.

/// Whether this process has a process group of its own within its session. A shell with job control gives one to each
/// job, and can continue what it stopped. `false` if it cannot be found out.
#[cfg(target_os = "linux")]
pub(super) fn has_shell() -> bool {
    crate::git::process_stat::related("self").is_some_and(|process| process.group != process.session)
}

/// Whether this process has a process group of its own within its session, from system calls.
#[cfg(not(target_os = "linux"))]
pub(super) fn has_shell() -> bool {
    use rustix::process::{getpgrp, getsid};
    getsid(None).is_ok_and(|session| session != getpgrp())
}
