//! Runs git in the workplace of an agent, in the same sandbox and with the same variables as the agent.

use std::ffi::OsString;
use std::time::Duration;

use crate::agent::talk::AgentWorkplace;
use crate::model::{Code, Other};
use crate::ops::Refusal;
use crate::process::supervise::{Command, ProcessEnd, supervise};

/// Longer than this, no hook takes.
const LIMIT: Duration = Duration::from_secs(600);
/// How much of its output an error quotes, in bytes.
const QUOTED: usize = 500;

/// Runs a git command to its end.
///
/// # Errors
/// `git-failed`, with the end of its output; `interrupted`.
pub(super) fn run(
    words: &[&str],
    place: &AgentWorkplace,
    is_stopped: &dyn Fn() -> bool,
) -> Result<(), Refusal> {
    run_to(words, &[0], place, is_stopped)
}

/// Begins to merge a commit, and stops before the merge is committed. That it conflicts is no failure.
///
/// # Errors
/// Those of [`run`].
pub(super) fn begin_merge(
    theirs: &str,
    place: &AgentWorkplace,
    is_stopped: &dyn Fn() -> bool,
) -> Result<(), Refusal> {
    let words = ["git", "merge", "--no-ff", "--no-commit", "--quiet", "--no-verify-signatures", theirs];
    run_to(&words, &[0, 1], place, is_stopped)
}

/// Runs a git command that may end with these codes.
fn run_to(
    words: &[&str],
    codes: &[i32],
    place: &AgentWorkplace,
    is_stopped: &dyn Fn() -> bool,
) -> Result<(), Refusal> {
    let all: Vec<OsString> = place.within.iter().cloned().chain(words.iter().map(OsString::from)).collect();
    let command = Command {
        words: &all,
        folder: &place.folder,
        environment: Some(&place.environment),
        stdin: None,
        is_joined: true,
    };
    let mut output = Vec::new();
    let ran = supervise(command, Some(LIMIT), &mut || is_stopped(), &mut |_, bytes| {
        output.extend_from_slice(bytes);
        let excess = output.len().saturating_sub(QUOTED);
        output.drain(..excess);
    });
    let name = words[..2].join(" ");
    let failed = |why: String| {
        Refusal::new(Code::GitFailed, format!("`{name}` failed: {why}"))
            .hint("the files stay uncommitted, and a branch keeps them")
    };
    match ran.map_err(|error| failed(error.to_string()))?.0 {
        ProcessEnd::Exited(code) if codes.contains(&code) => Ok(()),
        ProcessEnd::Interrupted => Err(Refusal::new(Code::Interrupted, format!("`{name}` was stopped"))
            .remedy(Other::RunResume, "continues the run")),
        ProcessEnd::TimedOut => Err(failed(format!("it did not end within {} s", LIMIT.as_secs()))),
        ProcessEnd::Exited(_) | ProcessEnd::Signal(_) => {
            let said = String::from_utf8_lossy(&output).replace(char::is_control, " ");
            Err(failed(said.trim().to_owned()))
        }
    }
}
