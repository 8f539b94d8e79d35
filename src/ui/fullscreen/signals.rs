//! Handles signals while the terminal is taken over, on a thread of its own, so that the terminal is restored whatever
//! the program is doing.

use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Signal, getpid, kill_process};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::{IS_LENT, enter, leave};

/// Watches for signals and for the loss of the terminal until the process ends.
pub(super) fn watch() -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT])?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            let is_lent = IS_LENT.load(Ordering::Relaxed);
            if signal == SIGCONT {
                if is_lent { settled() } else { resume() }
            } else if is_lent && matches!(signal, SIGINT | SIGQUIT) {
                // Ctrl-C is for the program that has the terminal, as when git runs an editor.
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

/// Whether the signals that came before [`settle`] have been handled.
static SETTLED: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());
/// The longest wait for them.
const PATIENCE: Duration = Duration::from_secs(1);

/// Waits until the signals that have come while the terminal is lent are handled, since each is handled by whether it is
/// lent at that moment.
pub(super) fn settle() {
    let (is_settled, change) = &SETTLED;
    let mut guard = is_settled.lock().unwrap_or_else(PoisonError::into_inner);
    *guard = false;
    // It is handled after those of Ctrl-C, whose numbers are lower.
    if kill_process(getpid(), Signal::CONT).is_ok() {
        drop(change.wait_timeout_while(guard, PATIENCE, |is_settled| !*is_settled));
    }
}

fn settled() {
    let (is_settled, change) = &SETTLED;
    *is_settled.lock().unwrap_or_else(PoisonError::into_inner) = true;
    change.notify_all();
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
