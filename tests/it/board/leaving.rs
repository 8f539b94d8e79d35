//! The terminal is restored, however the board ends.

use std::os::unix::process::ExitStatusExt;

use rustix::process::Signal;

use super::seat::Seat;
use crate::support::{Repo, Sandbox};

fn store(sandbox: &Sandbox) -> Repo {
    let repo = Seat::with_colour(&sandbox.store("a"));
    repo.issue("ISS-001");
    repo
}

#[test]
fn after_q_and_after_ctrl_c() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    for key in ["q", "\u{3}"] {
        let mut seat = Seat::new(&repo, (80, 24), &[], "About ISS-001");
        seat.types(key);
        assert_eq!(seat.ends().code(), Some(0));
        seat.is_as_before();
    }
}

#[test]
fn after_a_signal() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    for signal in [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT] {
        let mut seat = Seat::new(&repo, (80, 24), &[], "About ISS-001");
        seat.types("c").until("comment on");
        seat.signal(signal);
        assert_eq!(seat.ends().signal(), Some(signal.as_raw()), "{signal:?}");
        seat.is_as_before();
    }
}

#[test]
fn after_a_panic_whose_message_is_seen() {
    let sandbox = Sandbox::new();
    // A fault whose script fails becomes a panic, here while a frame is drawn.
    let repo = store(&sandbox).with_env("WF_FAULT", "drawn:4").with_env("WF_FAULT_RUN", "exit 1");
    let mut seat = Seat::started(&repo, (80, 24), &[]);
    seat.types_until_it_ends("j");
    assert_eq!(seat.ends().code(), Some(101));
    seat.is_as_before();
    seat.until("`exit 1` failed");
}

#[test]
fn when_the_terminal_is_gone_so_is_the_board() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    let mut seat = Seat::new(&repo, (80, 24), &[], "About ISS-001");
    seat.hangs_up();
    assert_eq!(seat.ends().signal(), Some(Signal::HUP.as_raw()));
}

#[test]
fn while_it_is_suspended() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    let mut seat = Seat::new(&repo, (80, 24), &[], "About ISS-001");
    seat.types("\u{1a}");
    seat.stops();
    seat.is_as_before();
    assert!(!seat.screen().contains("About ISS-001"));
    seat.continues();
    seat.until("About ISS-001");
    // The signal comes from another process.
    seat.signal(Signal::TSTP);
    seat.stops();
    seat.is_as_before();
    seat.signal(Signal::CONT);
    seat.until("About ISS-001").types("c").until("comment on").types("\u{1b}").until_not("comment on");
    seat.quits();
}

/// git waits for the board, so both must stop for the shell to get the terminal, and neither may stop a second time.
#[test]
fn it_is_suspended_with_the_git_that_started_it() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox);
    let mut seat = Seat::of(&repo, (80, 24), "git", &["wf", "board"]);
    for _ in 0..5 {
        seat.until("About ISS-001").types("\u{1a}");
        seat.stops();
        seat.is_as_before();
        seat.continues();
    }
    seat.until("About ISS-001").quits();
}
