//! A full-screen program: the alternate screen, keys and the mouse. The terminal is restored however the program ends,
//! and while it is suspended.

mod backend;
mod input;
mod job;
mod signals;

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use crossterm::{cursor, event, queue};
use ratatui_core::terminal::{Frame, Terminal};
use rustix::process::{Signal, kill_current_process_group};

use super::Painter;
use backend::Escapes;
pub(crate) use input::{Button, Input, Key};

/// Whether the terminal is taken over now.
static IS_OURS: AtomicBool = AtomicBool::new(false);
/// Whether another program has the terminal, which this one waits for.
static IS_LENT: AtomicBool = AtomicBool::new(false);
/// Held while the terminal is drawn on, taken over, or restored.
static WRITING: Mutex<()> = Mutex::new(());

/// Why a full screen is impossible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoFullscreen {
    /// Stdin or stdout is not a terminal.
    NoTerminal,
    /// The terminal cannot move its cursor.
    Dumb,
}

/// Whether stdin and stdout are a terminal that can show a full screen.
pub(crate) fn check() -> Result<(), NoFullscreen> {
    if !io::stdin().is_terminal() || !stdout().is_terminal() {
        return Err(NoFullscreen::NoTerminal);
    }
    match std::env::var_os("TERM") {
        Some(term) if !term.is_empty() && term != "dumb" => Ok(()),
        _ => Err(NoFullscreen::Dumb),
    }
}

fn stdout() -> io::Stdout {
    #[allow(clippy::disallowed_methods)] // What is drawn passes the filter of the backend.
    io::stdout()
}

/// The terminal, taken over until this is dropped.
pub(crate) struct Fullscreen {
    terminal: Terminal<Escapes>,
    /// Rows with characters whose width differs between terminals.
    unsure: Vec<bool>,
    colour: bool,
    _guard: Guard,
}

/// Restores the terminal when dropped.
struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        leave();
    }
}

impl Fullscreen {
    /// Takes over the terminal. From now on, a panic, or a signal that ends the process, first restores it.
    ///
    /// # Errors
    /// The terminal does not answer.
    pub(crate) fn enter() -> io::Result<Self> {
        signals::watch()?;
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            // This thread may hold the lock, if it panics while drawing.
            let writing = WRITING.try_lock();
            give_back();
            drop(writing);
            before(info);
        }));
        let guard = Guard;
        enter()?;
        let colour = Painter::for_stream(true).is_on();
        Ok(Self { terminal: Terminal::new(Escapes::new(colour))?, unsure: Vec::new(), colour, _guard: guard })
    }

    /// Whether to use colour.
    pub(crate) fn has_colour(&self) -> bool {
        self.colour
    }

    /// The columns and rows.
    ///
    /// # Errors
    /// The terminal does not answer.
    pub(crate) fn size(&self) -> io::Result<(u16, u16)> {
        self.terminal.size().map(|size| (size.width, size.height))
    }

    /// Draws a frame, writing only changed cells. Does nothing while the terminal is not taken over.
    ///
    /// # Errors
    /// The terminal is gone.
    pub(crate) fn draw(&mut self, paint: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        let _writing = writing();
        if IS_OURS.load(Ordering::Relaxed) {
            let before = std::mem::take(&mut self.unsure);
            let unsure = &mut self.unsure;
            self.terminal.draw(|frame| {
                paint(frame);
                *unsure = backend::write_unsure_rows(frame.buffer_mut(), &before);
            })?;
        }
        Ok(())
    }

    /// Makes the next frame redraw every cell.
    ///
    /// # Errors
    /// The terminal is gone.
    pub(crate) fn forget(&mut self) -> io::Result<()> {
        let _writing = writing();
        if IS_OURS.load(Ordering::Relaxed) { self.terminal.clear() } else { Ok(()) }
    }

    /// Gives the terminal back while `work` uses it, such as another program, and then takes it over again.
    ///
    /// # Errors
    /// The terminal is gone.
    pub(crate) fn lend<T>(&mut self, work: impl FnOnce() -> T) -> io::Result<T> {
        IS_LENT.store(true, Ordering::Relaxed);
        leave();
        let done = work();
        // Ctrl-C may have ended the other program just now.
        signals::settle();
        IS_LENT.store(false, Ordering::Relaxed);
        enter()?;
        self.forget()?;
        Ok(done)
    }

    /// The next key, click or resize; `None` if there is none within `patience`.
    ///
    /// # Errors
    /// The terminal is gone.
    pub(crate) fn next(&self, patience: Duration) -> io::Result<Option<Input>> {
        Ok(if event::poll(patience)? { Input::from_event(&event::read()?) } else { None })
    }
}

/// Suspends the process group, as Ctrl-Z does elsewhere, until the shell continues it. Returns `false` if no shell
/// could do so.
pub(crate) fn suspend() -> bool {
    if !job::has_shell() {
        return false;
    }
    // The shell takes the terminal as soon as one process stops. All must stop at once, since one that stopped later
    // would do so only after being continued.
    leave();
    kill_current_process_group(Signal::STOP).is_ok()
}

fn enter() -> io::Result<()> {
    let _writing = writing();
    enable_raw_mode()?;
    IS_OURS.store(true, Ordering::Relaxed);
    let mut out = stdout();
    queue!(out, EnterAlternateScreen, EnableMouseCapture, EnableBracketedPaste, cursor::Hide)?;
    out.flush()
}

fn writing() -> MutexGuard<'static, ()> {
    WRITING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn leave() {
    let _writing = writing();
    give_back();
}

/// Restores the terminal. Errors are ignored: they mean that it is gone.
fn give_back() {
    if !IS_OURS.swap(false, Ordering::Relaxed) {
        return;
    }
    let mut out = stdout();
    let _ = queue!(out, DisableBracketedPaste, DisableMouseCapture, LeaveAlternateScreen, cursor::Show);
    let _ = out.flush();
    let _ = disable_raw_mode();
}
