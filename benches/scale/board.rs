//! How soon the board answers a key: from the key to the first and to the last byte of the next frame, on a terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::pty::{Winsize, openpty};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::measure::command;
use super::{Bench, WF, bound};

/// A frame at 60 Hz, in milliseconds.
const FRAME: f64 = 16.0;
/// Output that comes later than this after a key does not belong to its frame.
const QUIET: Timespec = Timespec { tv_sec: 0, tv_nsec: 150_000_000 };

impl Bench {
    /// Opens the board and presses keys.
    pub(super) fn board(&self) {
        let size = Winsize { ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = openpty(&size, None).unwrap();
        let mut board = command(&self.store, &[&WF, "board"]);
        let end = || Stdio::from(pty.slave.try_clone().unwrap());
        board.env("TERM", "xterm").stdin(end()).stdout(end()).stderr(end()).process_group(0);
        let begun = Instant::now();
        let mut child = board.spawn().unwrap();
        let mut terminal = File::from(pty.master);
        let (_, whole) = answer(&mut terminal, begun);
        println!("{:<34} {:9.1} ms", "board, until it shows everything", whole.as_secs_f64() * 1e3);
        for (name, keys, times) in [
            ("board, down", &["j"][..], 40),
            ("board, another lane", &["l", "h"], 10),
            ("board, a page down", &["\u{1b}[6~"], 20),
            ("board, to the last and the first", &["G", "g"], 5),
            ("board, a letter of a filter", &["/", "t", "o", "k", "e", "n", " ", "c", "a", "\u{1b}"], 2),
            ("board, an issue in full", &["\r", "\u{1b}"], 5),
        ] {
            let (mut first, mut last) = (Vec::new(), Vec::new());
            for key in keys.iter().cycle().take(keys.len() * times) {
                let typed = Instant::now();
                terminal.write_all(key.as_bytes()).unwrap();
                let (begin, end) = answer(&mut terminal, typed);
                first.push(begin.as_secs_f64() * 1e3);
                last.push(end.as_secs_f64() * 1e3);
            }
            first.sort_by(f64::total_cmp);
            last.sort_by(f64::total_cmp);
            bound(name, first[first.len() / 2], "ms", FRAME);
            let worst = first.last().copied().unwrap_or_default();
            println!(
                "{:<34} {worst:9.1} ms at worst; everything is there after {:.1} ms",
                "",
                last[last.len() / 2]
            );
        }
        terminal.write_all(b"\x03").unwrap();
        assert!(child.wait().unwrap().success());
    }
}

/// How long after `since` the first and the last byte arrive.
fn answer(terminal: &mut File, since: Instant) -> (Duration, Duration) {
    let mut times: Option<(Duration, Duration)> = None;
    let mut buffer = [0; 65_536];
    loop {
        let mut watched = [PollFd::from_borrowed_fd(terminal.as_fd(), PollFlags::IN)];
        if poll(&mut watched, Some(&QUIET)).unwrap() == 0 {
            match times {
                Some(times) => return times,
                // The board is still reading the store.
                None if since.elapsed() < Duration::from_secs(30) => continue,
                None => return (since.elapsed(), since.elapsed()),
            }
        }
        assert!(terminal.read(&mut buffer).unwrap() > 0);
        let now = since.elapsed();
        times = Some((times.map_or(now, |it| it.0), now));
    }
}
