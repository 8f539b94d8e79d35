//! Lines of stdin and stdout.

use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::os::fd::AsFd;

use tokio::sync::mpsc::Receiver;

/// The most bytes of a message. The largest plan is far smaller.
pub(super) const MOST_BYTES: usize = 16 << 20;

/// A line of stdin.
#[derive(Debug)]
pub(super) enum Line {
    Whole(Vec<u8>),
    /// It had too many bytes, and was skipped.
    TooLong,
}

/// Passes each whole line to `sink`, until it returns false or there are no more. A last line without a line break is
/// half a message.
pub(super) fn read_lines(input: &mut impl BufRead, mut sink: impl FnMut(Line) -> bool) {
    let limit = MOST_BYTES as u64 + 1;
    loop {
        let mut line = Vec::new();
        match input.by_ref().take(limit).read_until(b'\n', &mut line) {
            Ok(_) if line.ends_with(b"\n") => {
                if !sink(Line::Whole(line)) {
                    return;
                }
            }
            Ok(read) if read as u64 == limit => {
                if !skip_line(input) || !sink(Line::TooLong) {
                    return;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(_) | Err(_) => return,
        }
    }
}

/// Skips the rest of a line; false if it does not end.
fn skip_line(input: &mut impl BufRead) -> bool {
    loop {
        let (used, is_end) = match input.fill_buf() {
            Ok([]) => return false,
            Ok(bytes) => match bytes.iter().position(|byte| *byte == b'\n') {
                Some(at) => (at + 1, true),
                None => (bytes.len(), false),
            },
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return false,
        };
        input.consume(used);
        if is_end {
            return true;
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "stdout carries the protocol, in which JSON escapes control characters"
)]
pub(super) fn write_all(mut lines: Receiver<Vec<u8>>) {
    // Not through the lock of stdout, which the end of the process would wait for while the client does not read.
    let Ok(mut out) = io::stdout().as_fd().try_clone_to_owned().map(File::from) else { return };
    while let Some(line) = lines.blocking_recv() {
        if out.write_all(&line).and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        read_lines(&mut io::BufReader::with_capacity(7, input), |line| {
            found.push(match line {
                Line::Whole(line) => String::from_utf8_lossy(&line).trim().to_owned(),
                Line::TooLong => "too long".into(),
            });
            true
        });
        found
    }

    #[test]
    fn half_a_line_is_no_message_and_a_long_one_is_skipped() {
        assert_eq!(lines(b"{}\n[1]\r\n{\"half\""), ["{}", "[1]"]);
        let long = [&vec![b'x'; MOST_BYTES + 20][..], b"\n{}\n"].concat();
        assert_eq!(lines(&long), ["too long", "{}"]);
        let just = [&vec![b'x'; MOST_BYTES][..], b"\n"].concat();
        assert_eq!(lines(&just).len(), 1);
        assert_eq!(lines(&just)[0].len(), MOST_BYTES);
    }
}
