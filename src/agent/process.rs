//! One command of a plan: run to its end, stopped when its time is over or somebody interrupts, with nothing that it
//! started left behind.

use std::collections::VecDeque;
use std::io::{self, PipeReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use sha2::{Digest, Sha256};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::{AgentError, descendants};

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
    pub(crate) fn catch() -> io::Result<Self> {
        let seen = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&seen))?;
        }
        Ok(Self(seen))
    }

    /// Whether one came since the last time that this was asked.
    pub(crate) fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}

/// Runs `command` with `sh -c` in `folder`, without stdin. `sink` is given all output as it comes. Without a `limit` it
/// may take as long as it likes.
pub(crate) fn run(
    command: &str,
    folder: &Path,
    limit: Option<Duration>,
    interrupts: &Interrupts,
    sink: &mut dyn FnMut(&[u8]),
) -> Result<Ran, AgentError> {
    let failed = |source| AgentError::Start { command: command.to_owned(), source };
    let before = descendants::adopt();
    let start = Instant::now();
    let (mut child, output) = spawn(command, folder).map_err(failed)?;
    let mut kept = Kept::default();
    let mut run = Run { interrupts, output: read_on_a_thread(output), kept: &mut kept, sink, silent: false };
    let status = run.follow(&mut child, limit.map(|limit| start + limit)).map_err(failed)?;
    let took = start.elapsed();
    // What the command left in the background goes too; then nobody holds the pipe any more.
    stop_group(&child, Signal::KILL);
    descendants::end(&before);
    run.drain();
    let ended = match status {
        (status, None) => match status.code() {
            Some(code) => Ended::Exited(code),
            None => Ended::Signal(status.signal().unwrap_or(0)),
        },
        (_, Some(why)) => why,
    };
    Ok(Ran { ended, took, output_sha256: kept.digest(), tail: kept.tail.into() })
}

fn spawn(command: &str, folder: &Path) -> io::Result<(Child, PipeReader)> {
    // One pipe for both, so that the order of what was written is kept.
    let (reader, writer) = io::pipe()?;
    let mut shell = Command::new("sh");
    crate::store::git::clear_local_variables(&mut shell);
    let child = shell
        .args(["-c", command])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .process_group(0)
        .spawn()?;
    Ok((child, reader))
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

fn stop_group(child: &Child, signal: Signal) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // A group that is gone needs no signal.
        let _ = kill_process_group(group, signal);
    }
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
    output: Receiver<Vec<u8>>,
    kept: &'a mut Kept,
    sink: &'a mut dyn FnMut(&[u8]),
    silent: bool,
}

impl Run<'_> {
    /// Waits for the command's own process. Where it had to be stopped, why.
    fn follow(
        &mut self,
        child: &mut Child,
        deadline: Option<Instant>,
    ) -> io::Result<(ExitStatus, Option<Ended>)> {
        /// The end of a process does not come through the channel, so it is asked for.
        const LOOK: Duration = Duration::from_millis(10);
        let mut stopped: Option<(Ended, Instant)> = None;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok((status, stopped.map(|(why, _)| why)));
            }
            let now = Instant::now();
            match stopped {
                None if deadline.is_some_and(|end| now >= end) => {
                    stop_group(child, Signal::TERM);
                    stopped = Some((Ended::TimedOut, now));
                }
                Some((_, since)) if now >= since + GRACE => stop_group(child, Signal::KILL),
                _ => {}
            }
            if self.interrupts.take() {
                stop_group(child, if stopped.is_none() { Signal::TERM } else { Signal::KILL });
                stopped.get_or_insert((Ended::Interrupted, now));
            }
            if self.silent {
                std::thread::sleep(LOOK);
            } else {
                self.take_output(LOOK);
            }
        }
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
