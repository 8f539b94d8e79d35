//! The progress of a transfer, as git reports it on stderr with `--progress`.

use std::io::{self, BufRead, BufReader, Read};
use std::process::{Command, Output};

use super::stoppable::all_of;

/// A step of a transfer that takes long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransferStep {
    /// Objects arrive from the remote.
    Receiving,
    /// Their deltas are resolved.
    Resolving,
    /// Objects are sent to the remote.
    Writing,
}

/// Gets a step, how many of its objects are done, and their total.
pub(crate) type TransferWatch<'a> = &'a dyn Fn(TransferStep, u64, u64);

/// What lines of progress begin with. Those of the remote come after `remote: `.
const TITLES: &[(&str, Option<TransferStep>)] = &[
    ("Receiving objects: ", Some(TransferStep::Receiving)),
    ("Resolving deltas: ", Some(TransferStep::Resolving)),
    ("Writing objects: ", Some(TransferStep::Writing)),
    ("Enumerating objects: ", None),
    ("Counting objects: ", None),
    ("Compressing objects: ", None),
    ("Delta compression using ", None),
    ("Unpacking objects: ", Some(TransferStep::Receiving)),
    ("Checking connectivity: ", None),
    ("Total ", None),
];

/// Runs a command of git whose stdout and stderr are pipes, and reports its progress.
pub(super) fn output(mut command: Command, watch: TransferWatch<'_>) -> io::Result<Output> {
    let mut child = command.spawn()?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (stdout, stderr) = std::thread::scope(|scope| {
        let out = scope.spawn(move || all_of(stdout));
        let rest = stderr.map(|stderr| rest_of(stderr, watch)).unwrap_or_default();
        (out.join().unwrap_or_default(), rest)
    });
    Ok(Output { status: child.wait()?, stdout, stderr })
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
    let own = text.strip_prefix("remote: ").unwrap_or(&text);
    let found = TITLES.iter().find_map(|(title, step)| Some((own.strip_prefix(title)?, *step)));
    match found {
        // The remote counts what it receives, which is what was sent.
        Some((numbers, Some(step))) if own.len() == text.len() => {
            if let Some((done, total)) = count(numbers) {
                watch(step, done, total);
            }
        }
        Some(_) => {}
        None => rest.extend_from_slice(line),
    }
    line.clear();
}

/// Reads ` 45% (9/20)`.
fn count(numbers: &str) -> Option<(u64, u64)> {
    let (_, numbers) = numbers.split_once('(')?;
    let (numbers, _) = numbers.split_once(')')?;
    let (done, total) = numbers.split_once('/')?;
    Some((done.parse().ok()?, total.parse().ok()?))
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
}
