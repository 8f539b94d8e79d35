//! Runs one command of a plan or one agent to its end, or stops it when its time is up or someone interrupts. Nothing
//! that it started is left behind.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use sha2::{Digest, Sha256};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

pub(crate) use super::watch::LOOK;
use super::watch::{Leash, StartAgent, Streams, WatchOrder, WatcherMessage, signal_group};
use super::{ProcessError, descendants};
use crate::git::Environment;
use crate::rules::CommandLine;

/// How long a command may take to clean up after it is asked to stop.
pub(crate) const GRACE: Duration = Duration::from_secs(2);

/// How much of the end of the output is kept. A record stores less; the rest is needed to recognize a secret that
/// begins before the stored part.
const WINDOW: usize = 64 * 1024;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProcessEnd {
    /// With this exit code.
    Exited(i32),
    /// A signal that this program did not send.
    Signal(i32),
    /// Stopped because its time was up.
    TimedOut,
    /// Stopped because someone interrupted.
    Interrupted,
}

/// The result of a command.
#[derive(Debug)]
pub(crate) struct Ran {
    /// How it ended.
    pub(crate) ended: ProcessEnd,
    /// From its start to its end.
    pub(crate) took: Duration,
    /// The SHA-256 of everything that it wrote to stdout and stderr, in hex.
    pub(crate) output_sha256: String,
    /// The end of that output, at most 64 KiB.
    pub(crate) tail: Vec<u8>,
}

/// Catches requests to stop: Ctrl-C, a closed terminal, or a termination signal.
pub(crate) struct Interrupts {
    seen: Arc<AtomicBool>,
    is_uncaught: Arc<AtomicBool>,
    /// Says instead of a signal that the work was cancelled.
    cancelled: Option<Environment>,
}

impl Interrupts {
    /// From now on such a signal ends the running command, not this program. Someone else must say what else it ends: see
    /// [`Environment::interrupted_by`].
    pub(crate) fn catch() -> Result<Self, ProcessError> {
        let (seen, is_uncaught) = <(Arc<AtomicBool>, Arc<AtomicBool>)>::default();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register_conditional_default(signal, Arc::clone(&is_uncaught))
                .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&seen)))
                .map_err(ProcessError::Signals)?;
        }
        Ok(Self { seen, is_uncaught, cancelled: None })
    }

    /// Catches such signals for all of the work in an environment: they end the running command, and they also end a wait
    /// for someone else.
    pub(crate) fn catch_within(environment: &Environment) -> Result<Self, ProcessError> {
        let caught = Self::catch()?;
        let seen = Arc::clone(&caught.seen);
        environment.interrupted_by(move || seen.load(Ordering::Relaxed));
        Ok(caught)
    }

    /// Catches no signals: the request to stop comes once, when the work in this environment is stopped.
    pub(crate) fn asked_by(environment: &Environment) -> Self {
        let (seen, is_uncaught) = Default::default();
        Self { seen, is_uncaught, cancelled: Some(environment.clone()) }
    }

    /// Catches no more signals: from now on, they end this program again.
    pub(crate) fn end(&self) {
        self.is_uncaught.store(true, Ordering::Relaxed);
    }

    /// Whether a request came since the last call.
    pub(crate) fn take(&self) -> bool {
        match &self.cancelled {
            Some(environment) => environment.is_stopped() && !self.seen.swap(true, Ordering::Relaxed),
            None => self.seen.swap(false, Ordering::Relaxed),
        }
    }

    /// Waits for someone's answer. While it waits, a request to stop ends this program, and so all commands that it
    /// runs, as if it were not caught, since nothing else ends a read from a terminal.
    pub(crate) fn while_asking<T>(&self, ask: impl FnOnce() -> T) -> T {
        self.is_uncaught.store(true, Ordering::Relaxed);
        let answer = ask();
        self.is_uncaught.store(false, Ordering::Relaxed);
        answer
    }
}

/// The stream that a command wrote to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    /// Its stdout; if both share one pipe, also its stderr.
    Out,
    /// Its stderr.
    Err,
}

/// A command to run.
pub(crate) struct Command<'a> {
    /// The program and its arguments.
    pub(crate) words: &'a [OsString],
    /// The directory in which it runs.
    pub(crate) folder: &'a Path,
    /// The only variables that it sees; `None` passes all.
    pub(crate) environment: Option<&'a [(OsString, OsString)]>,
    /// Its input, in pieces, until the sender is dropped; `None` gives it no input.
    pub(crate) stdin: Option<Receiver<Vec<u8>>>,
    /// Whether stdout and stderr share one pipe, which keeps the order of the output.
    pub(crate) is_joined: bool,
}

/// A command of a plan to run.
#[derive(Debug)]
pub(crate) struct Shell<'a> {
    /// It, for `sh -c`.
    pub(crate) command: &'a CommandLine,
    /// The directory in which it runs.
    pub(crate) folder: &'a Path,
    /// The only variables that it sees; `None` passes all.
    pub(crate) environment: Option<&'a [(OsString, OsString)]>,
    /// The words before it: a sandbox, if it runs in one.
    pub(crate) within: &'a [OsString],
}

/// Runs a command of a plan without stdin. `sink` receives all output as it comes. Without a `limit`
/// there is no timeout. Whatever happens to this process, the command does not outlive it (see [`super::watch`]).
pub(crate) fn run(
    shell: &Shell<'_>,
    limit: Option<Duration>,
    interrupts: &Interrupts,
    sink: &mut dyn FnMut(&[u8]),
) -> Result<Ran, ProcessError> {
    let mut kept = KeptOutput::default();
    let Shell { command, folder, environment, within } = *shell;
    let words = within.iter().cloned().chain(["sh", "-c", command.as_str()].map(OsString::from));
    let words: Vec<OsString> = words.collect();
    let started = Command { words: &words, folder, environment, stdin: None, is_joined: true };
    let ran = supervise(started, limit, &mut || interrupts.take(), &mut |_, bytes| {
        kept.add(bytes);
        sink(bytes);
    });
    let (ended, took) =
        ran.map_err(|source| ProcessError::Start { command: command.as_str().to_owned(), source })?;
    Ok(Ran { ended, took, output_sha256: kept.digest(), tail: kept.tail.into() })
}

/// Runs a command to its end. The command is asked to end when its time is up or when `stop` returns true; it is
/// killed a moment later, or when `stop` returns true again. `sink` receives all output as it comes.
pub(crate) fn supervise(
    command: Command<'_>,
    limit: Option<Duration>,
    stop: &mut dyn FnMut() -> bool,
    sink: &mut dyn FnMut(Stream, &[u8]),
) -> io::Result<(ProcessEnd, Duration)> {
    let start = Instant::now();
    let (mut watcher, leash, output) = spawn(command)?;
    let mut run =
        Run { stop, leash: Some(leash), group: None, was_killed: false, output, sink, silent: false };
    let followed = run.supervise(&mut watcher, limit.map(|limit| start + limit));
    let took = start.elapsed();
    // The watcher ends when its socket closes. It cleans up first, unless the command killed it.
    run.leash = None;
    let status = watcher.wait();
    let was_killed = run.was_killed || status.is_ok_and(|status| status.signal().is_some());
    if was_killed && let Some(group) = run.group {
        signal_group(group, Signal::KILL);
    }
    descendants::forget_watcher(watcher.id(), was_killed);
    run.drain();
    Ok((followed?, took))
}

/// A piece of output, with its stream.
type OutputChunk = (Stream, Vec<u8>);

fn spawn(command: Command<'_>) -> io::Result<(Child, Leash, Receiver<OutputChunk>)> {
    let (out, stdout) = io::pipe()?;
    let (err, stderr) = if command.is_joined {
        (None, stdout.try_clone()?)
    } else {
        io::pipe().map(|(reader, writer)| (Some(reader), writer))?
    };
    let (stdin, input) = match command.stdin {
        Some(input) => {
            let (reader, writer) = io::pipe()?;
            (Some(reader.into()), Some((writer, input)))
        }
        None => (None, None),
    };
    let streams = Streams { stdin, stdout: stdout.into(), stderr: stderr.into() };
    let start = StartAgent { words: command.words, folder: command.folder, environment: command.environment };
    let (watcher, leash) = Leash::start(start, streams)?;
    if let Some((writer, input)) = input {
        std::thread::spawn(move || write_all(writer, &input));
    }
    // The channel closes when nobody can write to the pipes any more. It is short, so a command that writes faster
    // than its output is read has to wait.
    let (sender, receiver) = mpsc::sync_channel(8);
    if let Some(err) = err {
        let sender = sender.clone();
        std::thread::spawn(move || read_all(err, Stream::Err, &sender));
    }
    std::thread::spawn(move || read_all(out, Stream::Out, &sender));
    Ok((watcher, leash, receiver))
}

/// Writes the input until there is no more, or until nobody reads it.
fn write_all(mut pipe: PipeWriter, input: &Receiver<Vec<u8>>) {
    while let Ok(bytes) = input.recv() {
        if pipe.write_all(&bytes).is_err() {
            return;
        }
    }
}

fn read_all(mut pipe: PipeReader, stream: Stream, sender: &SyncSender<OutputChunk>) {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        match pipe.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => return,
            Ok(n) if sender.send((stream, buffer[..n].to_vec())).is_err() => return,
            Ok(_) => {}
        }
    }
}

/// The output so far.
#[derive(Default)]
struct KeptOutput {
    hash: Sha256,
    tail: VecDeque<u8>,
}

impl KeptOutput {
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
    stop: &'a mut dyn FnMut() -> bool,
    leash: Option<Leash>,
    /// The process group of the command, once it runs.
    group: Option<i32>,
    /// Whether its watcher ended without a message.
    was_killed: bool,
    output: Receiver<OutputChunk>,
    sink: &'a mut dyn FnMut(Stream, &[u8]),
    silent: bool,
}

impl Run<'_> {
    /// Waits until the command's own process ends. Returns how it ended, or why it was stopped.
    fn supervise(&mut self, watcher: &mut Child, deadline: Option<Instant>) -> io::Result<ProcessEnd> {
        let mut stopped: Option<(ProcessEnd, Instant)> = None;
        loop {
            if let Some(ended) = self.heard(watcher)? {
                return Ok(stopped.map_or(ended, |(why, _)| why));
            }
            let now = Instant::now();
            match stopped {
                None if deadline.is_some_and(|end| now >= end) => {
                    self.order(WatchOrder::Stop);
                    stopped = Some((ProcessEnd::TimedOut, now));
                }
                // Someone stopped the watcher itself, or it cannot end.
                Some((_, since)) if now >= since + GRACE * 3 => drop(watcher.kill()),
                Some((_, since)) if now >= since + GRACE => self.order(WatchOrder::Kill),
                _ => {}
            }
            if (self.stop)() {
                self.order(if stopped.is_none() { WatchOrder::Stop } else { WatchOrder::Kill });
                stopped.get_or_insert((ProcessEnd::Interrupted, now));
            }
            if self.silent {
                std::thread::sleep(LOOK);
            } else {
                self.take_output(LOOK);
            }
        }
    }

    fn order(&mut self, order: WatchOrder) {
        if let Some(leash) = &mut self.leash {
            leash.order(order);
        }
    }

    /// How the command ended, if it has.
    fn heard(&mut self, watcher: &mut Child) -> io::Result<Option<ProcessEnd>> {
        let Some(leash) = &mut self.leash else { return Ok(None) };
        match leash.word()? {
            Some(WatcherMessage::Began(group)) => self.group = Some(group),
            Some(WatcherMessage::Exited(code)) => return Ok(Some(ProcessEnd::Exited(code))),
            Some(WatcherMessage::Signal(number)) => return Ok(Some(ProcessEnd::Signal(number))),
            Some(WatcherMessage::Failed(why)) => return Err(io::Error::other(why)),
            None if leash.has_ended() => {
                let status = watcher.wait()?;
                // The watcher was killed, so the outcome of the command is unknown; end it now.
                self.was_killed = true;
                return Ok(Some(ProcessEnd::Signal(status.signal().unwrap_or(0))));
            }
            None => {}
        }
        Ok(None)
    }

    fn take_output(&mut self, wait: Duration) {
        match self.output.recv_timeout(wait) {
            Ok((stream, bytes)) => (self.sink)(stream, &bytes),
            Err(RecvTimeoutError::Disconnected) => self.silent = true,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }

    /// Reads what is still in the pipes. Does not wait long for an escaped process that holds one open.
    fn drain(&mut self) {
        let end = Instant::now() + GRACE;
        while !self.silent && Instant::now() < end {
            self.take_output(Duration::from_millis(50));
        }
    }
}
