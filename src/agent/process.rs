//! One command of a plan: run to its end, stopped when its time is over or somebody interrupts, with nothing that it
//! started left behind.

use std::collections::VecDeque;
use std::io::{self, PipeReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use sha2::{Digest, Sha256};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::watch::{LOOK, Leash, Order, Word, signal_group};
use super::{AgentError, descendants};
use crate::rules::command_line::CommandLine;

/// How long a command that was told to stop may take to clean up.
const GRACE: Duration = Duration::from_secs(2);

/// How much of the output's end is held. A record keeps less of it; the rest is there so that a secret which begins
/// before the part that is kept is seen whole.
const WINDOW: usize = 64 * 1024;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// With this exit code.
    Exited(i32),
    /// By a signal that did not come from here.
    Signal(i32),
    /// Stopped, as its time was over.
    TimedOut,
    /// Stopped, as somebody interrupted.
    Interrupted,
}

/// What came of a command.
#[derive(Debug)]
pub(crate) struct Ran {
    /// How it ended.
    pub(crate) ended: Ended,
    /// From its start to its end.
    pub(crate) took: Duration,
    /// sha256 over all that it wrote to stdout and stderr, in hex.
    pub(crate) output_sha256: String,
    /// The last of that, at most 64 KiB.
    pub(crate) tail: Vec<u8>,
}

/// Notes that somebody wants to stop: Ctrl-C, a closed terminal, or a request to end.
pub(crate) struct Interrupts(Arc<AtomicBool>);

impl Interrupts {
    /// From now on such a signal does not end this program, but the command that it runs.
    pub(crate) fn catch() -> Result<Self, AgentError> {
        let seen = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&seen)).map_err(AgentError::Signals)?;
        }
        Ok(Self(seen))
    }

    /// Whether one came since the last time that this was asked.
    pub(crate) fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}

/// Runs `command` with `sh -c` in `folder`, without stdin. `sink` is given all output as it comes. Without a `limit` it
/// may take as long as it likes. Whatever becomes of this process, the command does not outlive it (see [`super::watch`]).
pub(crate) fn run(
    command: &CommandLine,
    folder: &Path,
    limit: Option<Duration>,
    interrupts: &Interrupts,
    sink: &mut dyn FnMut(&[u8]),
) -> Result<Ran, AgentError> {
    let failed = |source| AgentError::Start { command: command.as_str().to_owned(), source };
    // A command that kills its watcher leaves what it started to this process.
    let before = descendants::adopt();
    let start = Instant::now();
    let (mut watcher, leash, output) = spawn(command, folder).map_err(failed)?;
    let mut kept = Kept::default();
    let mut run = Run {
        interrupts,
        leash,
        group: None,
        output: read_on_a_thread(output),
        kept: &mut kept,
        sink,
        silent: false,
    };
    let followed = run.follow(&mut watcher, limit.map(|limit| start + limit));
    let took = start.elapsed();
    // The watcher ends with its line, and has cleaned up before, unless the command got it out of its way.
    let group = run.group;
    run.leash = None;
    let _ = watcher.wait();
    if let Some(group) = group {
        signal_group(group, Signal::KILL);
    }
    descendants::end(&before);
    run.drain();
    let ended = followed.map_err(failed)?;
    Ok(Ran { ended, took, output_sha256: kept.digest(), tail: kept.tail.into() })
}

fn spawn(command: &CommandLine, folder: &Path) -> io::Result<(Child, Option<Leash>, PipeReader)> {
    // One pipe for both, so that the order of what was written is kept.
    let (reader, writer) = io::pipe()?;
    let (watcher, leash) = Leash::start(command.as_str(), folder, &writer)?;
    Ok((watcher, Some(leash), reader))
}

/// The channel closes when nobody can write to the pipe any more. It holds little: a command that writes faster than its
/// output is taken waits.
fn read_on_a_thread(mut output: PipeReader) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::sync_channel(8);
    std::thread::spawn(move || {
        let mut buffer = vec![0; 16 * 1024];
        loop {
            match output.read(&mut buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => return,
                Ok(n) if sender.send(buffer[..n].to_vec()).is_err() => return,
                Ok(_) => {}
            }
        }
    });
    receiver
}

/// What was written so far.
#[derive(Default)]
struct Kept {
    hash: Sha256,
    tail: VecDeque<u8>,
}

impl Kept {
    fn add(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.tail.extend(bytes);
        let excess = self.tail.len().saturating_sub(WINDOW);
        self.tail.drain(..excess);
    }

    fn digest(&self) -> String {
        self.hash.clone().finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

struct Run<'a> {
    interrupts: &'a Interrupts,
    leash: Option<Leash>,
    /// The process group of the command, once it runs.
    group: Option<i32>,
    output: Receiver<Vec<u8>>,
    kept: &'a mut Kept,
    sink: &'a mut dyn FnMut(&[u8]),
    silent: bool,
}

impl Run<'_> {
    /// Waits for the command's own process, and says how it ended or why it had to be stopped.
    fn follow(&mut self, watcher: &mut Child, deadline: Option<Instant>) -> io::Result<Ended> {
        let mut stopped: Option<(Ended, Instant)> = None;
        loop {
            if let Some(ended) = self.heard(watcher)? {
                return Ok(stopped.map_or(ended, |(why, _)| why));
            }
            let now = Instant::now();
            match stopped {
                None if deadline.is_some_and(|end| now >= end) => {
                    self.order(Order::Stop);
                    stopped = Some((Ended::TimedOut, now));
                }
                Some((_, since)) if now >= since + GRACE => self.order(Order::Kill),
                _ => {}
            }
            if self.interrupts.take() {
                self.order(if stopped.is_none() { Order::Stop } else { Order::Kill });
                stopped.get_or_insert((Ended::Interrupted, now));
            }
            if self.silent {
                std::thread::sleep(LOOK);
            } else {
                self.take_output(LOOK);
            }
        }
    }

    fn order(&mut self, order: Order) {
        if let Some(leash) = &mut self.leash {
            leash.order(order);
        }
    }

    /// How the command ended, if it has.
    fn heard(&mut self, watcher: &mut Child) -> io::Result<Option<Ended>> {
        let Some(leash) = &mut self.leash else { return Ok(None) };
        match leash.word()? {
            Some(Word::Began(group)) => self.group = Some(group),
            Some(Word::Exited(code)) => return Ok(Some(Ended::Exited(code))),
            Some(Word::Signal(number)) => return Ok(Some(Ended::Signal(number))),
            Some(Word::Failed(why)) => return Err(io::Error::other(why)),
            None if leash.has_ended() => {
                let status = watcher.wait()?;
                // Killed in the middle: what became of the command is not known, and it is ended now.
                return Ok(Some(Ended::Signal(status.signal().unwrap_or(0))));
            }
            None => {}
        }
        Ok(None)
    }

    fn take_output(&mut self, wait: Duration) {
        match self.output.recv_timeout(wait) {
            Ok(bytes) => {
                self.kept.add(&bytes);
                (self.sink)(&bytes);
            }
            Err(RecvTimeoutError::Disconnected) => self.silent = true,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }

    /// Takes what is still in the pipe. Where a process escaped and holds it open, that is not waited for.
    fn drain(&mut self) {
        let end = Instant::now() + GRACE;
        while !self.silent && Instant::now() < end {
            self.take_output(Duration::from_millis(50));
        }
    }
}
