//! The board: issues by status on the full screen.
//!
//! [`update`] is a pure function from a model and an event to effects; [`view`] draws a model. This module performs
//! the effects. One thread reads and one writes, each through operations and with its own session, so that a key never
//! waits for the store or the network.

mod act;
mod dag;
mod editor;
mod event;
mod lane;
mod layout;
mod model;
mod overlay;
mod page;
mod read;
#[cfg(test)]
mod tests;
mod update;
mod view;
mod write;

use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::git::{Environment, fault};
use crate::model::Code;
use crate::ops::issues::List;
use crate::ops::{NoProgress, Progress, Refusal, Session};
use crate::store::{Acting, HistoryStep, Store};
use crate::trail::watched::{TICK, WatchedFiles};
use crate::ui::fullscreen::{Fullscreen, suspend};
use crate::ui::{DrawnNode, Input, Screen, Strokes};
use event::{BoardEffect, BoardEvent, RefusedText};
use model::Model;

/// Poll interval while an answer is awaited: well within a frame.
const SOON: Duration = Duration::from_millis(4);

/// What the board is started with.
#[derive(Clone)]
pub(crate) struct BoardSettings {
    /// The directory that the board was started in.
    pub(crate) folder: PathBuf,
    /// The environment of the process.
    pub(crate) environment: Environment,
    /// Who acts.
    pub(crate) acting: Acting,
    /// The initial filter, as typed on the board.
    pub(crate) filter: String,
    pub(crate) lent: Lent,
}

/// Opens the user's editor on a text; returns what was saved, or why that failed and what to do.
type Edit = fn(&Session, &str) -> Result<String, (String, Option<String>)>;

/// Functions of the command line, so that the board and the commands use the same words.
#[derive(Clone, Copy)]
pub(crate) struct Lent {
    /// Parses a filter.
    pub(crate) filter: fn(&str) -> Result<List, String>,
    /// Opens the user's editor.
    pub(crate) edit: Edit,
    /// Prints a step of the log; the number is the current time in milliseconds.
    pub(crate) step: fn(&mut Screen, &HistoryStep, Option<&DrawnNode>, Option<i64>) -> io::Result<()>,
}

impl BoardSettings {
    fn session(&self, progress: Box<dyn Progress>) -> Result<Session, Refusal> {
        let store = Store::open(&self.folder, &self.environment)?.acting(self.acting.clone());
        Ok(Session::new(store, progress))
    }
}

/// Runs the board until the user quits, then restores the terminal.
///
/// # Errors
/// There is no store; the terminal cannot be used; a bug ended the thread that reads or the one that writes.
pub(crate) fn run(settings: &BoardSettings) -> Result<(), Refusal> {
    let mut board = Board::start(settings)?;
    loop {
        for effect in std::mem::take(&mut board.effects) {
            if matches!(effect, BoardEffect::Quit) {
                let Board { screen, mut helpers, .. } = board;
                // Writes in progress are completed first.
                drop(screen);
                return helpers.end();
            }
            board.perform(effect)?;
        }
        board.draw()?;
        if board.effects.is_empty() {
            board.wait()?;
        }
    }
}

/// The board at work.
struct Board<'a> {
    settings: &'a BoardSettings,
    helpers: Helpers,
    screen: Fullscreen,
    session: Session,
    files: WatchedFiles,
    /// When the files were looked at last.
    looked: Instant,
    model: Model,
    /// Whether the screen shows another state of the model.
    is_changed: bool,
    effects: Vec<BoardEffect>,
}

impl<'a> Board<'a> {
    fn start(settings: &'a BoardSettings) -> Result<Self, Refusal> {
        let session = settings.session(Box::new(NoProgress))?;
        session.check_store()?;
        let screen = Fullscreen::enter().map_err(gone)?;
        let helpers = Helpers::start(settings, screen.has_colour())?;
        let files = WatchedFiles::current(session.store());
        let me = session.store().identity().map(|it| it.name).unwrap_or_default();
        let size = screen.size().map_err(gone)?;
        let mut model = Model::new(settings.lent.filter, &settings.filter, me, size);
        model.strokes = Strokes::from_env();
        let (looked, effects) = (Instant::now(), model.begin());
        Ok(Self { settings, helpers, screen, session, files, looked, model, is_changed: true, effects })
    }

    fn tell(&mut self, event: BoardEvent) {
        self.effects.extend(update::update(&mut self.model, event));
        self.is_changed = true;
    }

    fn perform(&mut self, effect: BoardEffect) -> Result<(), Refusal> {
        match effect {
            BoardEffect::Suspend => {
                if !suspend() {
                    self.model.said = Some("cannot suspend: no shell would resume the board".into());
                    self.is_changed = true;
                }
            }
            BoardEffect::Redraw => {
                self.screen.forget().map_err(gone)?;
                self.is_changed = true;
            }
            BoardEffect::Edit(text) => {
                let (edit, session) = (self.settings.lent.edit, &self.session);
                let edited = self.screen.lend(|| edit(session, &text)).map_err(gone)?;
                let edited = edited.map_err(|(message, hint)| RefusedText { message, details: vec![], hint });
                self.tell(BoardEvent::Edited(edited));
            }
            effect => self.helpers.ask(effect)?,
        }
        Ok(())
    }

    /// Draws what has changed, in the present size.
    fn draw(&mut self) -> Result<(), Refusal> {
        let size = self.screen.size().map_err(gone)?;
        if size != self.model.size {
            self.tell(BoardEvent::Input(Input::Size(size.0, size.1)));
        }
        if !std::mem::take(&mut self.is_changed) {
            return Ok(());
        }
        let model = &self.model;
        let drawn = self.screen.draw(|frame| {
            fault::point("drawn");
            if let Some(cursor) = view::draw(model, frame.buffer_mut()) {
                frame.set_cursor_position(cursor);
            }
        });
        drawn.map_err(gone)
    }

    /// Waits for something to happen, but not for long.
    fn wait(&mut self) -> Result<(), Refusal> {
        let mut patience =
            if self.model.is_waiting() { SOON } else { TICK.saturating_sub(self.looked.elapsed()) };
        // All pending input is handled before the next draw.
        while let Some(input) = self.screen.next(patience).map_err(gone)? {
            self.tell(BoardEvent::Input(input));
            patience = Duration::ZERO;
        }
        while let Some(event) = self.helpers.answer()? {
            self.tell(event);
        }
        if self.looked.elapsed() >= TICK {
            self.looked = Instant::now();
            if self.files.look_again() {
                self.tell(BoardEvent::Moved);
            }
        }
        Ok(())
    }
}

#[allow(clippy::needless_pass_by_value)] // For `map_err`.
fn gone(error: io::Error) -> Refusal {
    Refusal::new(Code::CannotWrite, format!("the terminal cannot be used: {error}"))
        .hint("start the board in another terminal")
}

/// The threads that read and write.
struct Helpers {
    reads: Option<Sender<read::ReadRequest>>,
    writes: Option<Sender<act::Deed>>,
    answers: Receiver<BoardEvent>,
    threads: Vec<JoinHandle<()>>,
}

impl Helpers {
    fn start(settings: &BoardSettings, colour: bool) -> Result<Self, Refusal> {
        let (events, answers) = channel();
        let (reads, asked) = channel();
        let (writes, deeds) = channel();
        let (for_reads, for_writes) = ((settings.clone(), events.clone()), (settings.clone(), events));
        let reader = thread::Builder::new().name("reads".into());
        let reader = reader.spawn(move || read::answer(&for_reads.0, colour, &asked, &for_reads.1));
        let writer = thread::Builder::new().name("writes".into());
        let writer = writer.spawn(move || write::answer(&for_writes.0, &deeds, &for_writes.1));
        let threads = vec![reader.map_err(gone)?, writer.map_err(gone)?];
        Ok(Self { reads: Some(reads), writes: Some(writes), answers, threads })
    }

    fn ask(&self, effect: BoardEffect) -> Result<(), Refusal> {
        let is_asked = match effect {
            BoardEffect::Read(asked) => self.reads.as_ref().is_some_and(|it| it.send(asked).is_ok()),
            BoardEffect::Act(deed) => self.writes.as_ref().is_some_and(|it| it.send(deed).is_ok()),
            BoardEffect::Quit | BoardEffect::Suspend | BoardEffect::Redraw | BoardEffect::Edit(_) => true,
        };
        if is_asked { Ok(()) } else { Err(bug()) }
    }

    fn answer(&self) -> Result<Option<BoardEvent>, Refusal> {
        match self.answers.try_recv() {
            Ok(event) => Ok(Some(event)),
            Err(TryRecvError::Empty) if self.threads.iter().any(JoinHandle::is_finished) => Err(bug()),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(bug()),
        }
    }

    /// Stops the threads after the requests that they already have.
    fn end(&mut self) -> Result<(), Refusal> {
        (self.reads, self.writes) = (None, None);
        let ended: Vec<bool> = self.threads.drain(..).map(|it| it.join().is_ok()).collect();
        if ended.contains(&false) { Err(bug()) } else { Ok(()) }
    }
}

fn bug() -> Refusal {
    Refusal::new(Code::Bug, "the board stopped because of a bug in git-wf; the lines above say where")
        .hint("report it, with these lines")
}
