//! The binary on a terminal, as people use it.

use std::fs::File;
use std::io::{Read, Write};
use std::process::Stdio;

use nix::pty::{Winsize, openpty};

use super::Repo;

/// The usual width.
const COLUMNS: u16 = 80;

/// What happens once a program has shown some words.
struct Then<'a> {
    words: &'a str,
    /// It is called with the number of the process.
    act: &'a dyn Fn(u32),
}

impl Repo {
    /// Runs the binary on a terminal of 80 columns with colour, where `typed` is typed. Returns its exit code, and
    /// everything that the terminal received, stdout and stderr alike, with plain line ends.
    #[track_caller]
    pub(crate) fn on_terminal(&self, typed: &str, args: &[&str]) -> (i32, String) {
        self.with_terminal(typed, None, args)
    }

    /// The same, interrupted as by Ctrl-C when it has shown these words.
    pub(crate) fn interrupted_on_terminal(&self, typed: &str, words: &str, args: &[&str]) -> (i32, String) {
        let interrupts = |process: u32| drop(self.sh(&["-c", &format!("kill -INT {process}")]).ok());
        self.with_terminal(typed, Some(Then { words, act: &interrupts }), args)
    }

    /// The same, while something else happens once it has shown these words.
    pub(crate) fn on_terminal_then(
        &self,
        typed: &str,
        words: &str,
        act: &dyn Fn(),
        args: &[&str],
    ) -> (i32, String) {
        self.with_terminal(typed, Some(Then { words, act: &|_| act() }), args)
    }

    /// Runs a command on a terminal that can only show lines.
    pub(crate) fn on_dumb_terminal(&self, args: &[&str]) -> (i32, String) {
        self.with_terminal_of_kind(("dumb", COLUMNS), "", None, args)
    }

    /// Runs a command on a terminal of another width.
    pub(crate) fn on_terminal_of(&self, columns: u16, args: &[&str]) -> (i32, String) {
        self.with_terminal_of_kind(("xterm", columns), "", None, args)
    }

    /// Runs git on a terminal of this width.
    pub(crate) fn git_on_terminal(&self, columns: u16, args: &[&str]) -> (i32, String) {
        self.program_on_terminal("git", ("xterm", columns), "", None, args)
    }

    fn with_terminal(&self, typed: &str, then: Option<Then<'_>>, args: &[&str]) -> (i32, String) {
        self.with_terminal_of_kind(("xterm", COLUMNS), typed, then, args)
    }

    fn with_terminal_of_kind(
        &self,
        terminal: (&str, u16),
        typed: &str,
        then: Option<Then<'_>>,
        args: &[&str],
    ) -> (i32, String) {
        self.program_on_terminal(env!("CARGO_BIN_EXE_git-wf"), terminal, typed, then, args)
    }

    fn program_on_terminal(
        &self,
        program: &str,
        (kind, columns): (&str, u16),
        typed: &str,
        mut then: Option<Then<'_>>,
        args: &[&str],
    ) -> (i32, String) {
        let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = openpty(&size, None).unwrap();
        let mut keyboard = File::from(pty.master);
        keyboard.write_all(typed.as_bytes()).unwrap();
        let mut command = self.with_env("TERM", kind).command(program, args);
        let end = || Stdio::from(pty.slave.try_clone().unwrap());
        let mut child = command.stdin(end()).stdout(end()).stderr(end()).spawn().unwrap();
        // From here on, only the program has the terminal open, so its end is the end of the output.
        drop((command, pty.slave));
        let mut shown = Vec::new();
        let mut buffer = [0; 4096];
        while let Ok(n @ 1..) = keyboard.read(&mut buffer) {
            shown.extend(&buffer[..n]);
            let text = String::from_utf8_lossy(&shown);
            if let Some(Then { act, .. }) = then.take_if(|then| text.contains(then.words)) {
                act(child.id());
            }
        }
        let code = child.wait().unwrap().code().unwrap_or(-1);
        (code, String::from_utf8(shown).unwrap().replace("\r\n", "\n"))
    }
}
