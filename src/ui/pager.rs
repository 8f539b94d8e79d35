//! Git's own pager, for answers that are taller than the terminal.

use std::io::{self, Write};
use std::process::{Command, Stdio};

use crate::git;

/// The user's pager as git finds it (`GIT_PAGER`, `pager.wf`, `core.pager`, `PAGER`, `less`), as a command line for the shell;
/// `None` if the answer should just be printed, as with `pager.wf` set to false.
///
/// A dumb terminal gets no pager: `less` would wait for a key before it shows anything.
pub(crate) fn chosen() -> Option<String> {
    if std::env::var_os("TERM").is_some_and(|term| term == "dumb") {
        return None;
    }
    // `git --no-pager` says it like this.
    let given = std::env::var_os("GIT_PAGER");
    if given.as_ref().is_some_and(|pager| pager == "cat") {
        return None;
    }
    worth_running(&git::pager(given.is_some())?).map(str::to_owned)
}

fn worth_running(pager: &str) -> Option<&str> {
    Some(pager.trim()).filter(|pager| !pager.is_empty() && *pager != "cat")
}

/// Shows `answer` in `pager` and waits until the reader quits it. Returns `false` if there is no such program; then
/// nothing was shown. Quitting the pager before the end of the answer is not an error.
pub(crate) fn show(pager: &str, answer: &[u8]) -> io::Result<bool> {
    let mut command = Command::new("sh");
    command.arg("-c").arg(pager).stdin(Stdio::piped()).env("GIT_PAGER_IN_USE", "true");
    // As git does: `less` quits at once if the answer fits on the screen, shows colour, and does not clear the
    // screen.
    for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
        if std::env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
    let Ok(mut child) = command.spawn() else { return Ok(false) };
    let written = match child.stdin.take() {
        Some(mut stdin) => stdin.write_all(answer),
        None => Ok(()),
    };
    let status = child.wait()?;
    // The shell reports that the program does not exist or may not be run.
    if matches!(status.code(), Some(126 | 127)) {
        return Ok(false);
    }
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(true),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn cat_and_nothing_are_no_pagers() {
        assert_eq!(worth_running("cat\n"), None);
        assert_eq!(worth_running(" \n"), None);
        assert_eq!(worth_running("less -S\n"), Some("less -S"));
    }

    #[test]
    fn the_whole_answer_goes_through_the_shell() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("shown");
        let pager = format!("tr a-z A-Z > '{}'", file.display());
        assert!(show(&pager, b"one\ntwo\n").unwrap());
        assert_eq!(std::fs::read_to_string(file).unwrap(), "ONE\nTWO\n");
    }

    #[test]
    fn a_pager_that_is_left_early_is_no_error() {
        let longer_than_a_pipe = vec![b'x'; 1 << 20];
        assert!(show("exec true", &longer_than_a_pipe).unwrap());
    }

    #[test]
    fn a_missing_pager_shows_nothing() {
        assert!(!show("exec 2>/dev/null; no-such-pager-here", b"answer").unwrap());
    }
}
