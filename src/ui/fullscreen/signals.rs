//! Signals while the terminal is taken over. A thread of its own sees to them, so that the terminal is given back whatever
//! the program does just then.

use std::io;
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Signal, getpid, kill_process};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::{enter, leave};

/// Watches signals, and whether the terminal goes away, until the process ends.
pub(super) fn watch() -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT])?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            if signal == SIGCONT {
                resume();
            } else {
                leave();
                // It ends the process, or stops it until it is continued.
                let _ = emulate_default_handler(signal);
            }
        }
    })?;
    thread::Builder::new().name("hangup".into()).spawn(|| {
        let stdin = io::stdin();
        loop {
            let mut watched = [PollFd::new(&stdin, PollFlags::empty())];
            match poll(&mut watched, None) {
                // Without a controlling terminal, no signal says that it is gone, and reads from it return at once.
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

/// Takes the terminal over again, and has everything drawn.
fn resume() {
    // The shell may have changed its settings meanwhile.
    leave();
    if enter().is_ok() {
        // As if its size had changed, which it may have.
        let _ = kill_process(getpid(), Signal::WINCH);
    }
}
