//! The output of a run while it is in progress. A test that waits for words fails if they do not come, instead of
//! hanging.

use std::io::{BufRead, BufReader};
use std::process::ChildStderr;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

/// A run that prints nothing for this long waits for something that the test does not do. This does not measure speed.
const HANGS: Duration = Duration::from_secs(90);

/// The lines that a run prints.
pub(super) struct Told {
    lines: Receiver<String>,
}

impl Told {
    pub(super) fn of(stderr: ChildStderr) -> Self {
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(stderr).lines().map_while(Result::ok);
            lines.take_while(|line| sender.send(line.clone()).is_ok()).for_each(drop);
        });
        Self { lines }
    }

    /// Waits until the run prints a line with these words; returns it.
    #[track_caller]
    pub(super) fn until(&mut self, words: &str) -> String {
        let mut all = Vec::new();
        loop {
            match self.lines.recv_timeout(HANGS) {
                Ok(line) if line.contains(words) => return line,
                Ok(line) => all.push(line),
                Err(error) => panic!("it did not tell `{words}` ({error}):\n{}", all.join("\n")),
            }
        }
    }

    /// All further lines until the run ends.
    #[track_caller]
    pub(super) fn rest(&mut self) -> String {
        let mut all = Vec::new();
        loop {
            match self.lines.recv_timeout(HANGS) {
                Ok(line) => all.push(line),
                Err(RecvTimeoutError::Disconnected) => return all.join("\n"),
                Err(RecvTimeoutError::Timeout) => panic!("it does not end:\n{}", all.join("\n")),
            }
        }
    }
}
