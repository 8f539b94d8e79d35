//! The progress of a transfer, as git reports it on stderr with `--progress`.

use std::io::{self, BufRead, BufReader, Read};
use std::process::{Command, Output};

use super::stoppable::{all_of, joined};

/// A step of a transfer that takes long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransferStep {
    /// Objects are packed before they are sent, here or by the remote.
    Compressing,
    /// Objects arrive from the remote.
    Receiving,
    /// Their deltas are resolved.
    Resolving,
    /// Objects are sent to the remote.
    Writing,
}

/// Gets a step, how many of its objects are done, and their total.
pub(crate) type TransferWatch<'a> = &'a dyn Fn(TransferStep, u64, u64);

/// The titles of steps that are reported.
const STEPS: &[(&str, TransferStep)] = &[
    ("Compressing objects", TransferStep::Compressing),
    ("Receiving objects", TransferStep::Receiving),
    ("Unpacking objects", TransferStep::Receiving),
    ("Resolving deltas", TransferStep::Resolving),
    ("Writing objects", TransferStep::Writing),
];
/// The titles of steps whose total git does not know.
const COUNTED: &[&str] = &["Enumerating objects", "Counting objects", "Checking connectivity"];

/// Runs a command of git whose stdout and stderr are pipes, and reports its progress.
pub(super) fn output(mut command: Command, watch: TransferWatch<'_>) -> io::Result<Output> {
    let mut child = command.spawn()?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (stdout, stderr) = std::thread::scope(|scope| {
        let out = scope.spawn(move || all_of(stdout));
        let rest = stderr.map(|stderr| rest_of(stderr, watch)).unwrap_or_default();
        (joined(out.join()), rest)
    });
    Ok(Output { status: child.wait()?, stdout: stdout?, stderr })
}

/// Reads git's stderr to its end and reports the progress in it. Returns the rest.
pub(super) fn rest_of(stderr: impl Read, watch: TransferWatch<'_>) -> Vec<u8> {
    let mut stderr = BufReader::new(stderr);
    let (mut rest, mut line) = (Vec::new(), Vec::new());
    loop {
        // Whatever was read before an error counts.
        let bytes = stderr.fill_buf().unwrap_or_default();
        let length = bytes.len();
        for byte in bytes {
            line.push(*byte);
            if matches!(byte, b'\r' | b'\n') {
                take(&mut line, &mut rest, watch);
            }
        }
        if length == 0 {
            take(&mut line, &mut rest, watch);
            return rest;
        }
        stderr.consume(length);
    }
}

/// Reports a line of progress, or adds another line to `rest`.
fn take(line: &mut Vec<u8>, rest: &mut Vec<u8>, watch: TransferWatch<'_>) {
    let text = String::from_utf8_lossy(line);
    let (own, is_of_remote) = text.strip_prefix("remote: ").map_or((&*text, false), |own| (own, true));
    match measured(own) {
        Some((title, done, total)) => {
            let step = STEPS.iter().find(|(known, _)| *known == title).map(|(_, step)| *step);
            // The remote also counts what it receives, which is what was sent.
            if let Some(step) = step.filter(|step| !is_of_remote || *step == TransferStep::Compressing) {
                watch(step, done, total);
            }
        }
        None if is_counted(own) || is_summary(own) => {}
        None if !is_of_remote && own.starts_with("Delta compression using ") => {}
        None => rest.extend_from_slice(line),
    }
    line.clear();
}

/// Reads `TITLE:  45% (9/20)`, with or without more behind a comma, whatever the title.
fn measured(line: &str) -> Option<(&str, u64, u64)> {
    let (title, numbers) = line.split_once(": ")?;
    let (percent, numbers) = numbers.split_once("% (")?;
    percent.trim_start().parse::<u32>().ok()?;
    let (numbers, more) = numbers.split_once(')')?;
    let (done, total) = numbers.split_once('/')?;
    let is_whole = more.trim().is_empty() || more.starts_with(',');
    if is_whole { Some((title, done.parse().ok()?, total.parse().ok()?)) } else { None }
}

/// Whether the line is `TITLE: 20, done.`; before that, any title with a number is written over by the next line.
fn is_counted(line: &str) -> bool {
    let Some((title, count)) = line.split_once(": ") else { return false };
    let is_passing = line.ends_with('\r');
    let count = count.trim_end();
    let count = count.strip_suffix(", done.").unwrap_or(count);
    (is_passing || COUNTED.contains(&title)) && is_number(count)
}

/// Whether the line is `Total 20 (delta 3), …`, with which git ends.
fn is_summary(line: &str) -> bool {
    let count = line.strip_prefix("Total ").and_then(|rest| rest.split_once(" (delta "));
    count.is_some_and(|(count, _)| is_number(count))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn progress_is_reported_and_the_rest_is_kept() {
        let seen = RefCell::new(Vec::new());
        let watch = |step, done, total| seen.borrow_mut().push((step, done, total));
        let stderr =
            b"remote: Counting objects:  50% (1/2)        \rremote: Resolving deltas: 100% (1/1), done.        \n\
            Writing objects:  45% (9/20)\rWriting objects: 100% (20/20), 2.00 KiB | 2.00 MiB/s, done.\n\
            Total 20 (delta 0), reused 0\nremote: hint: Total loss\nTo /a\nerror: failed";
        let rest = rest_of(&stderr[..], &watch);
        assert_eq!(String::from_utf8(rest).unwrap(), "remote: hint: Total loss\nTo /a\nerror: failed");
        assert_eq!(*seen.borrow(), [(TransferStep::Writing, 9, 20), (TransferStep::Writing, 20, 20)]);
    }

    #[test]
    fn what_a_hook_says_is_no_progress() {
        for line in [
            "remote: Total size 12 MB exceeds the limit\n",
            "remote: Counting objects: more than 1000 are not allowed\n",
            "remote: Enumerating objects: 5 are too large\n",
            "remote: Delta compression using zstd is refused\n",
            "remote: error: coverage fell to 45% (9/20) of the lines\n",
            "remote: refused: too large\r",
            "Total failure\n",
        ] {
            assert_eq!(rest_of(line.as_bytes(), &|_, _, _| {}), line.as_bytes(), "{line}");
        }
    }

    #[test]
    fn other_servers_have_other_titles() {
        for line in [
            "remote: Finding sources: 100% (3/3)\n",
            "remote: Getting sizes:  50% (1/2)        \r",
            "remote: Listing all of it: 17        \r",
            "remote: Enumerating objects: 5, done.        \n",
            "remote: Total 20 (delta 3), reused 0 (delta 0), pack-reused 0\n",
            "Enumerating objects: 5, done.\n",
            "Delta compression using up to 8 threads\n",
            "Total 20 (delta 3), reused 0 (delta 0)\n",
        ] {
            assert_eq!(rest_of(line.as_bytes(), &|_, _, _| {}), b"", "{line}");
        }
    }

    #[test]
    fn what_is_compressed_is_reported_for_both_sides() {
        let seen = RefCell::new(Vec::new());
        let watch = |step, done, total| seen.borrow_mut().push((step, done, total));
        rest_of(&b"Compressing objects:  50% (1/2)\rremote: Compressing objects: 100% (4/4)\n"[..], &watch);
        let step = TransferStep::Compressing;
        assert_eq!(*seen.borrow(), [(step, 1, 2), (step, 4, 4)]);
    }
}
