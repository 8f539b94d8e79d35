//! Handles signals while the terminal is taken over, on a thread of its own, so that the terminal is restored whatever
//! the program is doing.

use std::io;
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Signal, getpid, kill_process};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::{enter, leave};

/// Watches for signals and for the loss of the terminal until the process ends.
pub(super) fn watch() -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT])?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            if signal == SIGCONT {
                resume();
            } else {
                leave();
                // This ends the process, or stops it until it is continued.
                let _ = emulate_default_handler(signal);
            }
        }
    })?;
    thread::Builder::new().name("hangup".into()).spawn(|| {
        let stdin = io::stdin();
        loop {
            let mut watched = [PollFd::new(&stdin, PollFlags::empty())];
            match poll(&mut watched, None) {
                // Without a controlling terminal, no signal reports a hangup, and reads from it return at once.
                Ok(_)
                    if watched[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) =>
                {
                    let _ = emulate_default_handler(SIGHUP);
                }
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(_) => return,
            }
        }
    })?;
    Ok(())
}

/// Takes over the terminal again, and has everything redrawn.
fn resume() {
    // The shell may have changed the terminal's settings.
    leave();
    if enter().is_ok() {
        // Acts like a resize, since the size may have changed.
        let _ = kill_process(getpid(), Signal::WINCH);
    }
}
