//! The watcher: a process between this program and a command (a test of a plan, or an agent), which outlives neither.
//! It is needed because nothing else can clean up after this program was killed: the kernel then closes the socket
//! between the two, and the watcher ends the command with everything that it started.
//!
//! The socket is the watcher's stdin. This program sends the command's stdin, if it has one, and then orders of one
//! byte. The watcher sends lines: how the command started, and how it ended.

use std::ffi::OsString;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::{descendants, pass};

/// The hidden command by which this program starts itself as a watcher.
pub(crate) const COMMAND: &str = "run-watched";

/// No socket reports the end of a process, so it is polled.
pub(crate) const LOOK: Duration = Duration::from_millis(10);

/// An order to the watcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WatchOrder {
    /// Ask the command to stop.
    Stop,
    /// Kill it.
    Kill,
}

impl WatchOrder {
    fn byte(self) -> u8 {
        match self {
            Self::Stop => b's',
            Self::Kill => b'k',
        }
    }
}

/// A message of the watcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WatcherMessage {
    /// The command runs, in a process group of this number.
    Began(i32),
    /// It ended with this exit code.
    Exited(i32),
    /// It was ended by this signal.
    Signal(i32),
    /// It could not be started.
    Failed(String),
}

impl WatcherMessage {
    fn line(&self) -> String {
        match self {
            Self::Began(group) => format!("began {group}\n"),
            Self::Exited(code) => format!("exited {code}\n"),
            Self::Signal(number) => format!("signal {number}\n"),
            Self::Failed(why) => format!("failed {}\n", why.replace('\n', " ")),
        }
    }

    fn parse(line: &str) -> Option<Self> {
        let (kind, rest) = line.split_once(' ')?;
        Some(match kind {
            "began" => Self::Began(rest.parse().ok()?),
            "exited" => Self::Exited(rest.parse().ok()?),
            "signal" => Self::Signal(rest.parse().ok()?),
            _ => Self::Failed(rest.to_owned()),
        })
    }
}

/// The command of an agent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StartAgent<'a> {
    /// A program and its arguments.
    pub(crate) words: &'a [OsString],
    /// The directory in which it runs.
    pub(crate) folder: &'a Path,
    /// The only variables that it sees; `None` passes those of this program, except the ones by which git tells its
    /// children about their repository.
    pub(crate) environment: Option<&'a [(OsString, OsString)]>,
}

/// The streams of the command.
#[derive(Debug)]
pub(crate) struct Streams {
    /// Its input; without one there is nothing to read.
    pub(crate) stdin: Option<OwnedFd>,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

/// This program's end of the socket. When it is dropped, or when the process ends in whatever way, the command is
/// ended.
#[derive(Debug)]
pub(crate) struct Leash {
    line: UnixStream,
    heard: Vec<u8>,
    has_ended: bool,
}

impl Leash {
    /// Starts a command under a watcher.
    pub(crate) fn start(start: StartAgent<'_>, streams: Streams) -> io::Result<(Child, Self)> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut watcher = Command::new(own_program()?);
        match start.environment {
            Some(only) => watcher.env_clear().envs(only.iter().map(|(name, value)| (name, value))),
            None => {
                crate::git::clear_local_variables(&mut watcher);
                &mut watcher
            }
        };
        watcher.arg0("git-wf").arg(COMMAND);
        if streams.stdin.is_some() {
            watcher.arg("--stdin");
        }
        watcher.arg("--").args(start.words).current_dir(start.folder);
        watcher.stdin(Stdio::from(OwnedFd::from(theirs))).stdout(streams.stdout).stderr(streams.stderr);
        let child = descendants::start_watcher(|| watcher.spawn())?;
        if let Some(stdin) = streams.stdin {
            // If the watcher is already gone, the closed socket shows it.
            let _ = pass::send(&ours, stdin);
        }
        ours.set_nonblocking(true)?;
        Ok((child, Self { line: ours, heard: Vec::new(), has_ended: false }))
    }

    /// Sends an order to the watcher; if it is gone, there is nothing to stop.
    pub(crate) fn order(&mut self, order: WatchOrder) {
        let _ = self.line.write_all(&[order.byte()]);
    }

    /// The next message of the watcher, if there is one.
    pub(crate) fn word(&mut self) -> io::Result<Option<WatcherMessage>> {
        let mut buffer = [0; 512];
        loop {
            match self.line.read(&mut buffer) {
                Ok(0) => {
                    self.has_ended = true;
                    break;
                }
                Ok(n) => self.heard.extend(&buffer[..n]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // The watcher was killed with unread orders.
                Err(error) if error.kind() == ErrorKind::ConnectionReset => {
                    self.has_ended = true;
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        let Some(end) = self.heard.iter().position(|byte| *byte == b'\n') else { return Ok(None) };
        let line: Vec<u8> = self.heard.drain(..=end).collect();
        Ok(WatcherMessage::parse(String::from_utf8_lossy(&line).trim_end()))
    }

    /// Whether the watcher has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended
    }
}

/// The path of this program, for scripts that call it later.
pub(crate) fn program() -> io::Result<PathBuf> {
    std::env::current_exe()
}

/// This program, even if its file was replaced while it ran.
fn own_program() -> io::Result<PathBuf> {
    let running = Path::new("/proc/self/exe");
    if running.exists() { Ok(running.to_owned()) } else { std::env::current_exe() }
}

/// Runs as the watcher: runs a program with its arguments until it ends, this process is asked to stop, or the other
/// end of the socket closes. Then ends everything that the command started, as far as the system can find it. With
/// `has_stdin`, the command's input is first received over the socket.
pub(crate) fn watch(words: &[OsString], has_stdin: bool) -> io::Result<()> {
    let mut line = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    // Fails if someone typed this command.
    line.set_read_timeout(Some(LOOK))?;
    // Leave the terminal and the session, since other children of the program are distinguished by their session.
    let _ = rustix::process::setsid();
    let before = descendants::adopt();
    let stdin = if has_stdin { Stdio::from(pass::receive(&line)?) } else { Stdio::null() };
    let Some((program, args)) = words.split_first() else {
        return Err(io::Error::other("there is no command"));
    };
    let mut child = match Command::new(program).args(args).stdin(stdin).process_group(0).spawn() {
        Ok(child) => child,
        Err(error) => return line.write_all(WatcherMessage::Failed(error.to_string()).line().as_bytes()),
    };
    let group = i32::try_from(child.id()).unwrap_or(0);
    let _ = line.write_all(WatcherMessage::Began(group).line().as_bytes());
    let status = wait_for(&mut child, group, &mut line)?;
    // Also end processes that the command left in the background, so that none holds its output open.
    signal_group(group, Signal::KILL);
    descendants::end(&before);
    let word = match status.code() {
        Some(code) => WatcherMessage::Exited(code),
        None => WatcherMessage::Signal(status.signal().unwrap_or(0)),
    };
    // Perhaps nobody is listening any more.
    let _ = line.write_all(word.line().as_bytes());
    Ok(())
}

fn wait_for(child: &mut Child, group: i32, line: &mut UnixStream) -> io::Result<ExitStatus> {
    loop {
        let mut order = [0];
        match line.read(&mut order) {
            Ok(1) if order[0] == WatchOrder::Stop.byte() => signal_command(group, Signal::TERM),
            Ok(1) => signal_command(group, Signal::KILL),
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
                ) => {}
            // The process that asked for the command is gone.
            Ok(_) | Err(_) => {
                signal_command(group, Signal::KILL);
                return child.wait();
            }
        }
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
    }
}

/// Sends a signal to the command and to the group that it began in: it may have moved to another one.
fn signal_command(group: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(group) {
        let _ = kill_process(pid, signal);
    }
    signal_group(group, signal);
}

/// Sends a signal to a process group, which may no longer exist.
pub(crate) fn signal_group(group: i32, signal: Signal) {
    if let Some(group) = Pid::from_raw(group) {
        let _ = kill_process_group(group, signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_understood() {
        for word in [
            WatcherMessage::Began(7),
            WatcherMessage::Exited(0),
            WatcherMessage::Signal(9),
            WatcherMessage::Failed("no sh".into()),
        ] {
            assert_eq!(WatcherMessage::parse(word.line().trim_end()), Some(word));
        }
        assert_eq!(WatcherMessage::parse("began x"), None);
    }
}
