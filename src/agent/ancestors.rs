//! The ancestors of this process.

/// A chain is never longer; a longer one would be a cycle of reused process ids.
const MOST: usize = 200;

/// Their arguments, nearest first. Processes that the system does not report are left out.
#[cfg(target_os = "linux")]
pub(super) fn commands() -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut pid = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get());
    while let Some(id) = pid.filter(|id| *id > 0 && found.len() < MOST) {
        let Ok(bytes) = std::fs::read(format!("/proc/{id}/cmdline")) else { break };
        let text = String::from_utf8_lossy(&bytes);
        found.push(text.split_terminator('\0').map(str::to_owned).collect());
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // The name of the program is in parentheses and may contain anything.
        let parent = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1));
        pid = parent.and_then(|parent| parent.parse().ok());
    }
    found
}

/// Their arguments as `ps` prints them, split at each space.
#[cfg(not(target_os = "linux"))]
pub(super) fn commands() -> Vec<Vec<String>> {
    use std::collections::HashMap;
    let listed = std::process::Command::new("ps")
        .args(["-A", "-o", "pid=", "-o", "ppid=", "-o", "command="])
        .stdin(std::process::Stdio::null())
        .output();
    let text = listed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let process = |line: &str| {
        let mut words = line.split_whitespace();
        let (pid, parent): (u32, u32) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        Some((pid, (parent, words.map(str::to_owned).collect::<Vec<_>>())))
    };
    let processes: HashMap<u32, (u32, Vec<String>)> = text.lines().filter_map(process).collect();
    let mut found = Vec::new();
    let mut pid = processes.get(&std::process::id()).map(|(parent, _)| *parent);
    while let Some((parent, args)) = pid.filter(|_| found.len() < MOST).and_then(|id| processes.get(&id)) {
        found.push(args.clone());
        pid = Some(*parent);
    }
    found
}
