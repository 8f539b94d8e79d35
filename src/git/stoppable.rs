//! Runs a program that can be cancelled.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Output};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::transfer_progress::{self, TransferWatch};

/// How often to check whether the program has ended or was cancelled.
const PAUSE: Duration = Duration::from_millis(5);

/// Whether a signal ended a program that asks programs to end: Ctrl-C goes to everything that runs in a terminal.
pub(super) fn is_stopped(status: ExitStatus) -> bool {
    let signals = [Signal::INT, Signal::TERM, Signal::HUP].map(Signal::as_raw);
    status.signal().is_some_and(|signal| signals.contains(&signal))
}

/// The output of a program whose stdout and stderr are pipes; `None` if it was cancelled. Then it had as long as `grace`
/// to end by itself, and was asked to end with its children. Reports the progress of a transfer.
///
/// With a terminal on which it `may_ask` for a password, it stays in the foreground there. Its children are then not asked
/// to end: Ctrl-C reaches all of them.
pub(super) fn output(
    mut command: Command,
    may_ask: bool,
    grace: Duration,
    is_given_up: &impl Fn() -> bool,
    watch: TransferWatch<'_>,
) -> io::Result<Option<Output>> {
    let is_in_foreground = may_ask && File::open("/dev/tty").is_ok();
    let mut child = if is_in_foreground { command.spawn()? } else { command.process_group(0).spawn()? };
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (sender, steps) = mpsc::channel();
    let out = std::thread::spawn(move || all_of(stdout));
    let err = std::thread::spawn(move || {
        let watch = |step, done, total| {
            // Nobody needs it any more.
            let _ = sender.send((step, done, total));
        };
        stderr.map(|stderr| transfer_progress::rest_of(stderr, &watch)).unwrap_or_default()
    });
    let (mut was_given_up, mut since) = (false, None);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        steps.try_iter().for_each(|(step, done, total)| watch(step, done, total));
        if !was_given_up && is_given_up() && since.get_or_insert_with(Instant::now).elapsed() >= grace {
            was_given_up = true;
            end(&child, is_in_foreground);
        }
        std::thread::sleep(PAUSE);
    };
    if was_given_up {
        // A child of it may still hold the pipes open.
        return Ok(None);
    }
    let (stdout, stderr) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
    Ok(Some(Output { status, stdout, stderr }))
}

/// Asks the program to end, with its process group if that is its own. It has not been waited for, so both ids are still
/// its own.
fn end(child: &Child, is_in_foreground: bool) {
    if let Some(id) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // If the signal fails, the program is waited for.
        let _ = match is_in_foreground {
            true => kill_process(id, Signal::TERM),
            false => kill_process_group(id, Signal::TERM),
        };
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

    const UNWATCHED: TransferWatch<'_> = &|_, _, _| {};

    fn sh(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    #[test]
    fn a_program_runs_to_its_end_or_is_given_up_with_what_it_started() {
        let output_of =
            output(sh("echo one; echo two >&2; exit 3"), false, Duration::ZERO, &|| false, UNWATCHED)
                .unwrap()
                .unwrap();
        assert_eq!((output_of.stdout, output_of.stderr), (b"one\n".to_vec(), b"two\n".to_vec()));
        assert_eq!(output_of.status.code(), Some(3));
        // The second program does not close the pipes by itself.
        assert!(
            output(sh("tail -f /dev/null & wait"), false, Duration::ZERO, &|| true, UNWATCHED)
                .unwrap()
                .is_none()
        );
    }

    #[test]
    fn a_program_that_ends_in_time_is_not_given_up() {
        let grace = Duration::from_secs(600);
        let output_of = output(sh("echo one"), false, grace, &|| true, UNWATCHED).unwrap().unwrap();
        assert_eq!(output_of.stdout, b"one\n");
    }
}
