//! Commands, measurements and plans for the benchmark.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::WF;

/// A plan that changes one file.
pub(super) fn plan(file: &str) -> String {
    serde_json::json!({
        "description": "Write the number of the item into its file",
        "strategy_type": "feature",
        "tasks": [{
            "id": "T1", "title": "Write the file", "action": "Create", "scope": file,
            "description": "A file that holds the number of the item and nothing else",
            "modification_points": [{"file": file, "target": "all", "change": "Write the number"}],
            "implementation": ["Open the file", "Write the number"],
            "test": {"commands": [format!("test -s {file}")], "unit": ["The file holds the number"]},
            "acceptance": {
                "criteria": ["The file has one line that is the number of the item"],
                "verification": [format!("Run: test -s {file}, and see it exit with 0")]
            },
            "depends_on": [], "estimated_minutes": 30, "priority": 1
        }],
        "exploration_context": {"relevant_files": [file], "patterns": "One file for each item"},
        "analysis": {"risk": "low", "impact": "low", "complexity": "low"},
        "score": 0.9
    })
    .to_string()
}

/// A plan that needs no commit.
pub(super) fn notice() -> String {
    serde_json::json!({
        "description": "Tell the users of the service about the change",
        "strategy_type": "feature",
        "tasks": [{
            "id": "T1", "title": "Tell the users", "action": "Notify", "scope": "users",
            "description": "A message to everyone who uses the service",
            "implementation": ["Write the message", "Send it"],
            "test": {"manual_checks": ["The message is in the list of sent ones"]},
            "acceptance": {
                "criteria": ["Each of the users has got the message once"],
                "verification": ["Open the list of sent messages, and see that it names each user once"]
            },
            "depends_on": [], "estimated_minutes": 30, "priority": 1
        }],
        "exploration_context": {"relevant_files": ["README.md"], "patterns": "One message for each change"},
        "analysis": {"risk": "low", "impact": "low", "complexity": "low"},
        "score": 0.9
    })
    .to_string()
}

/// A command whose git hooks call the measured program.
pub(super) fn command(place: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(args[0]);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let own = Path::new(WF).parent().unwrap().to_owned();
    let path = std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&path))).unwrap();
    command.args(&args[1..]).current_dir(place).env("PATH", path);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command
}

/// Runs a command that must succeed.
pub(super) fn run(place: &Path, args: &[&str]) {
    let status = command(place, args).stderr(Stdio::null()).status().unwrap();
    assert!(status.success(), "{args:?}");
}

/// Runs a command that must succeed, with `input` as stdin.
pub(super) fn feed(place: &Path, args: &[&str], input: &str) {
    let mut child = command(place, args).stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "{args:?}");
}

/// Runs `work` and returns the seconds that it took.
pub(super) fn time(work: impl FnOnce()) -> f64 {
    let started = Instant::now();
    work();
    started.elapsed().as_secs_f64()
}

/// The median; `values` must not be empty.
pub(super) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The load averages of the machine.
pub(super) fn load() -> String {
    std::fs::read_to_string("/proc/loadavg").unwrap_or_default().trim().to_owned()
}
