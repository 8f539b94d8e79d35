//! Runs a program that can be cancelled.

use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Output};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// How often to check whether the program has ended or was cancelled.
const PAUSE: Duration = Duration::from_millis(5);

/// The output of a program whose stdout and stderr are pipes; `None` if it was cancelled. Then it had as long as `grace`
/// to end by itself, and was asked to end with its children.
pub(super) fn output(
    mut command: Command,
    grace: Duration,
    is_given_up: &impl Fn() -> bool,
) -> io::Result<Option<Output>> {
    let mut child = command.process_group(0).spawn()?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        let out = scope.spawn(move || all_of(stdout));
        let err = scope.spawn(move || all_of(stderr));
        let mut was_given_up = false;
        let mut since = None;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if !was_given_up && is_given_up() && since.get_or_insert_with(Instant::now).elapsed() >= grace {
                was_given_up = true;
                end(&child);
            }
            std::thread::sleep(PAUSE);
        };
        let joined = |read: std::thread::ScopedJoinHandle<'_, _>| read.join().unwrap_or_default();
        let (stdout, stderr) = (joined(out), joined(err));
        Ok((!was_given_up).then_some(Output { status, stdout, stderr }))
    })
}

/// Asks the process group of the program to end. It has not been waited for, so the group id is still its own.
fn end(child: &Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // If the signal fails, the program is waited for.
        let _ = kill_process_group(group, Signal::TERM);
    }
}

pub(super) fn all_of(pipe: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        // Whatever was read before an error counts.
        let _ = pipe.read_to_end(&mut bytes);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use super::*;

    fn sh(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    #[test]
    fn a_program_runs_to_its_end_or_is_given_up_with_what_it_started() {
        let output_of =
            output(sh("echo one; echo two >&2; exit 3"), Duration::ZERO, &|| false).unwrap().unwrap();
        assert_eq!((output_of.stdout, output_of.stderr), (b"one\n".to_vec(), b"two\n".to_vec()));
        assert_eq!(output_of.status.code(), Some(3));
        // The pipes close only when the second program ends, too.
        assert!(output(sh("tail -f /dev/null & wait"), Duration::ZERO, &|| true).unwrap().is_none());
    }

    #[test]
    fn a_program_that_ends_in_time_is_not_given_up() {
        let grace = Duration::from_secs(600);
        let output_of = output(sh("echo one"), grace, &|| true).unwrap().unwrap();
        assert_eq!(output_of.stdout, b"one\n");
    }
}
