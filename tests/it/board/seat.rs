//! A user in front of a terminal.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ExitStatus, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpid};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcgetattr, tcsetwinsize};
use vt100::Parser;

use crate::support::Repo;

/// If the board writes nothing for this long, in milliseconds, while a test waits, it will not write any more.
const PATIENCE: i64 = 60_000;

/// A board on a pseudoterminal.
pub(super) struct Seat {
    child: Child,
    keyboard: Option<File>,
    terminal: Option<File>,
    parser: Parser,
    /// Everything that the terminal received.
    pub(super) received: Vec<u8>,
    before: String,
}

impl Seat {
    /// Starts the board on a terminal of this size, and waits until it shows `words`.
    #[track_caller]
    pub(super) fn new(repo: &Repo, (columns, rows): (u16, u16), args: &[&str], words: &str) -> Self {
        let mut seat = Self::started(repo, (columns, rows), args);
        seat.until(words);
        seat
    }

    /// Starts the board without waiting.
    pub(super) fn started(repo: &Repo, size: (u16, u16), args: &[&str]) -> Self {
        Self::of(repo, size, env!("CARGO_BIN_EXE_git-wf"), &[&["board"], args].concat())
    }

    /// Starts a program on a terminal of this size.
    pub(super) fn of(repo: &Repo, (columns, rows): (u16, u16), program: &str, args: &[&str]) -> Self {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        // Must not be inherited by programs that other tests start at the same time.
        let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&keyboard).unwrap();
        unlockpt(&keyboard).unwrap();
        let name = ptsname(&keyboard, Vec::new()).unwrap();
        let path = OsStr::from_bytes(name.as_bytes());
        let no_control = i32::try_from(OFlags::NOCTTY.bits()).unwrap();
        let terminal = File::options().read(true).write(true).custom_flags(no_control).open(path).unwrap();
        tcsetwinsize(&terminal, size).unwrap();
        let before = settings(&terminal);
        let mut command = repo.command(program, args);
        let end = || Stdio::from(terminal.try_clone().unwrap());
        // In its own process group, so that it cannot stop the test.
        let child = command.stdin(end()).stdout(end()).stderr(end()).process_group(0).spawn().unwrap();
        Self {
            child,
            keyboard: Some(File::from(keyboard)),
            terminal: Some(terminal),
            parser: Parser::new(rows.try_into().unwrap(), columns.try_into().unwrap(), 0),
            received: Vec::new(),
            before,
        }
    }

    /// A repository whose commands see a terminal with colour.
    pub(super) fn with_colour(repo: &Repo) -> Repo {
        repo.with_env("TERM", "xterm-256color")
    }

    /// The text on the screen.
    pub(super) fn screen(&self) -> String {
        self.parser.screen().contents()
    }

    /// Reads output, waiting for it at most `patience` milliseconds; `false` if there was none.
    fn read(&mut self, patience: i64) -> bool {
        let Some(keyboard) = &mut self.keyboard else { return false };
        let mut watched = [PollFd::from_borrowed_fd(keyboard.as_fd(), PollFlags::IN)];
        let timeout = Timespec { tv_sec: patience / 1000, tv_nsec: patience % 1000 * 1_000_000 };
        if poll(&mut watched, Some(&timeout)).unwrap_or(0) == 0 {
            return false;
        }
        let mut buffer = [0; 65_536];
        let Ok(n @ 1..) = keyboard.read(&mut buffer) else { return false };
        self.received.extend(&buffer[..n]);
        self.parser.process(&buffer[..n]);
        true
    }

    /// Waits until the screen meets a condition; `what` describes it for a failure.
    #[track_caller]
    pub(super) fn waits(&mut self, what: &str, is_so: impl Fn(&vt100::Screen) -> bool) {
        while !is_so(self.parser.screen()) {
            let ended = self.child.try_wait().unwrap();
            assert!(
                self.read(if ended.is_some() { 0 } else { PATIENCE }),
                "no {what}; {ended:?}\n{}",
                self.screen()
            );
        }
    }

    /// Waits until the screen shows `words`.
    #[track_caller]
    pub(super) fn until(&mut self, words: &str) -> &mut Self {
        self.waits(&format!("`{words}`"), |screen| screen.contents().contains(words));
        self
    }

    /// Waits until the screen no longer shows `words`.
    #[track_caller]
    pub(super) fn until_not(&mut self, words: &str) -> &mut Self {
        self.waits(&format!("end of `{words}`"), |screen| !screen.contents().contains(words));
        self
    }

    /// Types keys.
    pub(super) fn types(&mut self, keys: &str) -> &mut Self {
        self.keyboard.as_mut().unwrap().write_all(keys.as_bytes()).unwrap();
        self
    }

    /// Sends a signal to the board.
    pub(super) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// Interrupts the process group, as a terminal does on Ctrl-C.
    pub(super) fn interrupts(&self) {
        kill_process_group(self.pid(), Signal::INT).unwrap();
    }

    /// Continues the process group, as a shell does.
    pub(super) fn continues(&self) {
        kill_process_group(self.pid(), Signal::CONT).unwrap();
    }

    /// Presses a key repeatedly until the board has ended. Once the terminal is restored, it would only echo the keys, over
    /// what the board said last.
    #[track_caller]
    pub(super) fn types_until_it_ends(&mut self, key: &str) {
        while self.child.try_wait().unwrap().is_none() {
            if self.parser.screen().alternate_screen() {
                self.types(key);
            }
            // Its end comes without another output.
            self.read(50);
        }
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Waits until the board is stopped.
    #[track_caller]
    pub(super) fn stops(&mut self) {
        let (_, status) = waitpid(Some(self.pid()), WaitOptions::UNTRACED).unwrap().unwrap();
        assert!(status.stopped(), "{status:?}");
        while self.read(0) {}
    }

    /// Closes the terminal.
    pub(super) fn hangs_up(&mut self) {
        (self.keyboard, self.terminal) = (None, None);
    }

    /// Waits for the end of the board.
    #[track_caller]
    pub(super) fn ends(&mut self) -> ExitStatus {
        // The board may be blocked on a full terminal that nobody reads.
        while self.child.try_wait().unwrap().is_none() && self.keyboard.is_some() {
            self.read(50);
        }
        let status = self.child.wait().unwrap();
        while self.read(0) {}
        status
    }

    /// Asserts that the terminal is in the state it had before the board.
    #[track_caller]
    pub(super) fn is_as_before(&self) {
        let screen = self.parser.screen();
        assert!(!screen.alternate_screen(), "the alternate screen is still shown:\n{}", self.screen());
        assert!(!screen.hide_cursor(), "the cursor is hidden");
        assert!(!screen.bracketed_paste(), "pastes are still in brackets");
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
        let now = settings(self.terminal.as_ref().unwrap());
        assert_eq!(now, self.before, "the terminal has other settings");
    }

    /// Quits the board.
    #[track_caller]
    pub(super) fn quits(&mut self) {
        self.types("q");
        let status = self.ends();
        assert_eq!((status.code(), status.signal()), (Some(0), None), "{}", self.screen());
        self.is_as_before();
    }
}

/// The settings of a terminal.
fn settings(terminal: &File) -> String {
    format!("{:?}", tcgetattr(terminal).unwrap())
}

impl Drop for Seat {
    fn drop(&mut self) {
        // Leave nothing behind if the test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
