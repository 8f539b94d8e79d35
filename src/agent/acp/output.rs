//! What an agent writes, as lines for the thread of the protocol.

use std::time::{Duration, Instant};

use futures::channel::mpsc as lines;

use crate::process::supervise::LOOK;

/// Maximum size of one message, in bytes. An agent that writes a longer line is stopped.
const LONGEST_LINE: usize = 16 * 1024 * 1024;
/// How long a message may wait in the queue.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Splits the agent's output into lines for the protocol.
pub(super) struct OutputLines {
    pub(super) to: Option<lines::Sender<std::io::Result<String>>>,
    line: Vec<u8>,
    /// Lines that are not messages.
    pub(super) strange: String,
    /// Whether a line was too long, or more came than was read.
    pub(super) flooded: bool,
}

impl OutputLines {
    /// Lines that go to the protocol.
    pub(super) fn new(to: lines::Sender<std::io::Result<String>>) -> Self {
        Self { to: Some(to), line: Vec::new(), strange: String::new(), flooded: false }
    }

    /// Queues whole lines; while the queue is full, as long as `waits` says.
    pub(super) fn add(&mut self, bytes: &[u8], waits: &mut dyn FnMut() -> bool) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.line.len() + piece.len() > LONGEST_LINE {
                self.flooded = true;
                self.to = None;
                return;
            }
            self.line.extend_from_slice(piece);
            if self.line.ends_with(b"\n") {
                let line = String::from_utf8_lossy(&self.line).trim().to_owned();
                self.line.clear();
                if line.starts_with(['{', '[']) {
                    self.send(line, waits);
                } else if !line.is_empty() {
                    self.strange.push_str(&line);
                    self.strange.push('\n');
                }
            }
        }
    }

    /// Queues a line; waits briefly if the queue is full. If nobody waits any more, the rest of the output is dropped.
    fn send(&mut self, line: String, waits: &mut dyn FnMut() -> bool) {
        let Some(to) = &mut self.to else { return };
        let end = Instant::now() + LONGEST_WAIT;
        let mut message = Ok(line);
        while let Err(error) = to.try_send(message) {
            if error.is_disconnected() || Instant::now() >= end {
                self.flooded = !error.is_disconnected();
                self.to = None;
                return;
            }
            if !waits() {
                self.to = None;
                return;
            }
            message = error.into_inner();
            std::thread::sleep(LOOK);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_is_not_waited_for_once_the_agent_has_to_end() {
        let (to, _from) = lines::channel(0);
        let mut queue = OutputLines::new(to);
        let mut asked = 0;
        let mut waits = || {
            asked += 1;
            asked < 3
        };
        queue.add(b"[1]\n[2]\n[3]\n", &mut waits);
        assert!(queue.to.is_none() && !queue.flooded);
        // What follows is not queued, and nobody waits for it.
        queue.add(b"[4]\n", &mut waits);
        assert_eq!(asked, 3);
    }
}
