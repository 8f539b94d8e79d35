//! Runs a program that can be cancelled.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Output};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::{TransferWatch, transfer_progress};

/// How often to check whether the program has ended or was cancelled.
const PAUSE: Duration = Duration::from_millis(5);

/// Whether a signal ended a program that asks programs to end: Ctrl-C goes to everything that runs in a terminal.
pub(super) fn is_stopped(status: ExitStatus) -> bool {
    let signals = [Signal::INT, Signal::TERM, Signal::HUP].map(Signal::as_raw);
    status.signal().is_some_and(|signal| signals.contains(&signal))
}

/// The output of a program whose stdout and stderr are pipes; `None` if it was cancelled. Then it got the
/// time `grace` to exit by itself, and was told to exit with its children. Reports the progress of a transfer.
///
/// With a terminal on which it `may_ask` for a password, it stays in the foreground there.
pub(super) fn output(
    command: Command,
    may_ask: bool,
    grace: Duration,
    is_given_up: &impl Fn() -> bool,
    watch: TransferWatch<'_>,
) -> io::Result<Option<Output>> {
    let is_in_foreground = may_ask && File::open("/dev/tty").is_ok();
    output_of(command, is_in_foreground, grace, is_given_up, watch)
}

fn output_of(
    mut command: Command,
    is_in_foreground: bool,
    grace: Duration,
    is_given_up: &impl Fn() -> bool,
    watch: TransferWatch<'_>,
) -> io::Result<Option<Output>> {
    let mut child = if is_in_foreground { command.spawn()? } else { command.process_group(0).spawn()? };
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (sender, steps) = mpsc::channel();
    let out = std::thread::spawn(move || all_of(stdout));
    let err = std::thread::spawn(move || {
        stderr
            .map(|stderr| {
                transfer_progress::rest_of(stderr, &|step, done, total| {
                    // The reader is gone.
                    let _ = sender.send((step, done, total));
                })
            })
            .unwrap_or_default()
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
    let (stdout, stderr) = (joined(out.join())?, err.join().unwrap_or_default());
    // The end of the transfer.
    steps.try_iter().for_each(|(step, done, total)| watch(step, done, total));
    Ok(Some(Output { status, stdout, stderr }))
}

/// Asks the program to end, with its process group if that is its own, or else with its descendants. It has not been waited
/// for, so both ids are still its own.
fn end(child: &Child, is_in_foreground: bool) {
    let Ok(id) = i32::try_from(child.id()) else { return };
    if !is_in_foreground {
        // If the signal fails, the program is waited for.
        let _ = Pid::from_raw(id).map(|group| kill_process_group(group, Signal::TERM));
        return;
    }
    let running = running();
    let mut all = vec![id];
    let mut seen = 0;
    while let Some(of) = all.get(seen).copied() {
        all.extend(running.iter().filter(|(_, parent)| *parent == of).map(|(id, _)| *id));
        seen += 1;
    }
    for id in all.into_iter().filter_map(Pid::from_raw) {
        // One of them may have ended by now.
        let _ = kill_process(id, Signal::TERM);
    }
}

/// The ids of all running processes, each with that of its parent.
#[cfg(target_os = "linux")]
fn running() -> Vec<(i32, i32)> {
    std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|folder| {
            let name = folder.file_name();
            let name = name.to_str()?;
            Some((name.parse().ok()?, super::process_stat::related(name)?.parent))
        })
        .collect()
}

/// The ids of all running processes, each with that of its parent.
#[cfg(not(target_os = "linux"))]
fn running() -> Vec<(i32, i32)> {
    let listed = Command::new("ps").args(["-A", "-o", "pid=", "-o", "ppid="]).output();
    let text = listed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines()
        .filter_map(|line| {
            let (id, parent) = line.trim().split_once(char::is_whitespace)?;
            Some((id.parse().ok()?, parent.trim().parse().ok()?))
        })
        .collect()
}

/// Everything that a program writes. Part of it would be taken for all of it.
pub(super) fn all_of(pipe: Option<impl Read>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        pipe.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// What the thread with [`all_of`] has read.
pub(super) fn joined(read: std::thread::Result<io::Result<Vec<u8>>>) -> io::Result<Vec<u8>> {
    read.unwrap_or_else(|_| Err(io::Error::other("the reader of its output has failed")))
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
    fn a_part_of_an_output_is_not_taken_for_all_of_it() {
        struct Cut;

        impl std::io::Read for Cut {
            fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
                Err(std::io::Error::other("cut"))
            }
        }

        let cut = std::io::Read::chain(&b"one\n"[..], Cut);
        assert!(all_of(Some(cut)).is_err());
        assert_eq!(all_of(Some(&b"one\n"[..])).unwrap(), b"one\n");
        let panicked = std::thread::spawn(|| -> io::Result<Vec<u8>> { panic!("on purpose") }).join();
        assert!(joined(panicked).is_err());
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
    fn in_the_foreground_what_it_started_ends_as_well() {
        let folder = tempfile::tempdir().unwrap();
        let begun = folder.path().join("begun");
        let (mut reader, writer) = io::pipe().unwrap();
        // The innermost program holds the pipe open, and does not end by itself.
        let inner = r#"sh -c 'tail -f /dev/null & touch "$0"; wait'"#;
        let mut command = sh(&format!("exec 3>&0; {inner} \"$0\" & wait"));
        command.arg(&begun).stdin(writer);
        assert!(output_of(command, true, Duration::ZERO, &|| begun.exists(), UNWATCHED).unwrap().is_none());
        reader.read_to_end(&mut Vec::new()).unwrap();
    }

    #[test]
    fn the_last_progress_of_a_transfer_is_told() {
        let seen = std::cell::RefCell::new(Vec::new());
        let watch: TransferWatch<'_> = &|_, done, _| seen.borrow_mut().push(done);
        let script = "printf 'Writing objects: 100%% (3/3), done.\\n' >&2";
        output(sh(script), false, Duration::ZERO, &|| false, watch).unwrap().unwrap();
        assert_eq!(seen.into_inner().last(), Some(&3));
    }

    #[test]
    fn a_program_that_ends_in_time_is_not_given_up() {
        let grace = Duration::from_secs(600);
        let output_of = output(sh("echo one"), false, grace, &|| true, UNWATCHED).unwrap().unwrap();
        assert_eq!(output_of.stdout, b"one\n");
    }
}
