//! Fault injection for tests: points at which the process dies, as in a crash or after `kill -9`, or at which
//! something else happens meanwhile.

/// Dies here if `WF_FAULT` names this point: `moved` the first time that it is reached, `moved:3` the third time. If
/// `WF_FAULT_RUN` is set, a shell runs that instead, and the process continues.
///
/// The integration tests drive the binary that `cargo test` builds, which `cfg(test)` does not reach. It differs from
/// a release only by its debug assertions; a release contains none of this.
pub(crate) fn point(name: &str) {
    #[cfg(debug_assertions)]
    die_if_wanted(name);
    #[cfg(not(debug_assertions))]
    let _ = name;
}

#[cfg(debug_assertions)]
fn die_if_wanted(name: &str) {
    use std::sync::atomic::{AtomicU32, Ordering};
    static REACHED: AtomicU32 = AtomicU32::new(0);
    let Ok(wanted_fault) = std::env::var("WF_FAULT") else { return };
    let (wanted, count) = wanted_fault.split_once(':').unwrap_or((&wanted_fault, "1"));
    if wanted == name && REACHED.fetch_add(1, Ordering::Relaxed) + 1 == count.parse().unwrap_or(1) {
        match std::env::var("WF_FAULT_RUN") {
            Ok(script) => {
                let mut shell = std::process::Command::new("sh");
                let ended = shell.env_remove("WF_FAULT").args(["-c", &script]).status();
                assert!(ended.is_ok_and(|status| status.success()), "`{script}` failed");
            }
            Err(_) => std::process::abort(),
        }
    }
}
