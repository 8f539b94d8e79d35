//! One line on stderr that shows the progress of long work; if stderr is not a terminal, one that stays.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use super::{Painter, UiSettings, outlet, style, text, time};

/// The least time between two updates.
const INTERVAL: Duration = Duration::from_millis(100);
/// An earlier estimate would be a guess.
const WORTH_ESTIMATING: Duration = Duration::from_millis(500);
/// After this time, someone who sees no progress is told once what takes so long.
const NOTICEABLE: Duration = Duration::from_secs(2);
/// Moves to the start of the line and clears it.
const CLEAR: &str = "\r\u{1b}[K";

/// Writes a line that stays.
type Note = Box<dyn FnOnce(&str)>;

fn note(words: &str) {
    let label = Painter::stderr().paint(style::DIM, "note:");
    outlet::say(&format!("{label} {words}"));
}

/// How progress is shown.
#[derive(Debug, PartialEq)]
enum Shown {
    Drawn,
    Noted,
    Not,
}

impl Shown {
    /// If `is_json`, stderr is for JSON.
    fn choose(settings: &UiSettings, is_terminal: bool, is_json: bool) -> Self {
        match settings {
            _ if settings.is_quiet => Self::Not,
            _ if is_terminal && !settings.is_plain => Self::Drawn,
            _ if is_json => Self::Not,
            _ => Self::Noted,
        }
    }
}

/// Shows "importing 1200/5000" until it is dropped. If stderr is not a terminal, it says that once, if the work takes long.
///
/// Drop it before anything else is written to the terminal.
pub(crate) struct ProgressLine {
    label: String,
    total: Option<u64>,
    out: Option<Box<dyn Write>>,
    /// Says it once in a line that stays.
    note: Option<Note>,
    drawn: Option<Instant>,
    begun: Instant,
}

impl ProgressLine {
    /// `label` is a word such as "importing", or "waiting for someone; seconds:", whose first part alone is in a line that
    /// stays; `total` may be unknown. Nothing is drawn before the first [`ProgressLine::at`]. If `is_json`, stderr is for
    /// JSON, so only a terminal shows anything.
    pub(crate) fn start(label: &'static str, total: Option<u64>, is_json: bool) -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        // It writes only its own words and the escapes that clear them; none of it comes from outside.
        #[allow(clippy::disallowed_methods)]
        let stderr = io::stderr();
        let shown = Shown::choose(&UiSettings::get(), stderr.is_terminal() && !dumb, is_json);
        let out = (shown == Shown::Drawn).then(|| Box::new(stderr) as Box<dyn Write>);
        let note = (shown == Shown::Noted).then(|| Box::new(note) as Note);
        Self::on(out, label, total, note)
    }

    fn on(out: Option<Box<dyn Write>>, label: &str, total: Option<u64>, note: Option<Note>) -> Self {
        let (label, begun) = (text::clean_line(label).into_owned(), Instant::now());
        Self { label, total, out, note, drawn: None, begun }
    }

    /// How many items there are, if that is known.
    pub(crate) fn total(&self) -> Option<u64> {
        self.total
    }

    /// Shows that `done` items are finished. Cheap enough to call for every item.
    pub(crate) fn at(&mut self, done: u64) {
        let elapsed = self.begun.elapsed();
        if elapsed >= NOTICEABLE
            && let Some(note) = self.note.take()
        {
            match self.label.split_once("; ") {
                Some((why, _)) => note(why),
                None => note(&self.words(done, elapsed)),
            }
        }
        if self.out.is_none() || self.drawn.is_some_and(|drawn| drawn.elapsed() < INTERVAL) {
            return;
        }
        self.drawn = Some(Instant::now());
        let words = self.words(done, elapsed);
        if let Some(out) = &mut self.out {
            // Work continues even if the progress cannot be shown.
            let _ = write!(out, "{CLEAR}{words}").and_then(|()| out.flush());
        }
    }

    /// "importing 1200/5000, about 20s left"
    fn words(&self, done: u64, elapsed: Duration) -> String {
        let count = self.total.map_or_else(|| done.to_string(), |total| format!("{done}/{total}"));
        let left = self.total.and_then(|total| left(elapsed, done, total));
        let left = left.map(|ms| format!(", about {} left", time::length(ms))).unwrap_or_default();
        format!("{} {count}{left}", self.label)
    }
}

/// The estimated time left in milliseconds; `None` if it is too early to tell.
fn left(elapsed: Duration, done: u64, total: u64) -> Option<u64> {
    if elapsed < WORTH_ESTIMATING || done == 0 || done >= total {
        return None;
    }
    let elapsed = u64::try_from(elapsed.as_millis()).ok()?;
    elapsed.checked_mul(total - done).map(|ms| ms / done)
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if let (Some(out), Some(_)) = (&mut self.out, self.drawn) {
            let _ = out.write_all(CLEAR.as_bytes()).and_then(|()| out.flush());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;
    use crate::ui::screen::tests::Written;

    fn on(written: &Written, total: Option<u64>) -> ProgressLine {
        ProgressLine::on(Some(Box::new(written.clone())), "importing", total, None)
    }

    #[test]
    fn the_line_is_drawn_at_once_and_wiped_at_the_end() {
        let written = Written::default();
        let mut progress = on(&written, Some(5000));
        progress.at(1200);
        drop(progress);
        assert_eq!(written.text(), "\r\u{1b}[Kimporting 1200/5000\r\u{1b}[K");
    }

    #[test]
    fn what_is_left_follows_from_what_was_done() {
        let second = Duration::from_secs(1);
        assert_eq!(left(second, 100, 400), Some(3000));
        assert_eq!(left(second / 10, 100, 400), None, "too early to tell");
        assert_eq!((left(second, 0, 400), left(second, 400, 400)), (None, None));
    }

    #[test]
    fn without_a_total_it_counts() {
        let written = Written::default();
        on(&written, None).at(7);
        assert!(written.text().contains("importing 7\r"));
    }

    #[test]
    fn nothing_drawn_nothing_wiped() {
        let written = Written::default();
        drop(on(&written, Some(1)));
        assert_eq!(written.text(), "");
    }

    /// What is noted of work that has taken this long, of which another part is done twice.
    fn noted(label: &str, took: Duration) -> Vec<String> {
        let all = Rc::new(RefCell::new(Vec::new()));
        let known = Rc::clone(&all);
        let mut line = ProgressLine::on(
            None,
            label,
            Some(5000),
            Some(Box::new(move |words| known.borrow_mut().push(words.to_owned()))),
        );
        line.begun = Instant::now().checked_sub(took).unwrap();
        line.at(1000);
        line.at(2000);
        all.take()
    }

    #[test]
    fn without_a_terminal_long_work_is_told_once() {
        assert!(noted("importing", NOTICEABLE / 2).is_empty(), "it may end soon");
        let all = noted("importing", NOTICEABLE);
        assert!(all.len() == 1 && all[0].starts_with("importing 1000/5000, about 8"), "{all:?}");
        assert_eq!(noted("waiting for someone; seconds:", NOTICEABLE), ["waiting for someone"]);
    }

    #[test]
    fn nothing_is_told_where_nothing_else_may_be_written() {
        let shown = |is_quiet, is_plain, is_terminal, is_json| {
            let settings = UiSettings { is_quiet, is_plain, ..UiSettings::default() };
            Shown::choose(&settings, is_terminal, is_json)
        };
        assert_eq!(shown(false, false, true, false), Shown::Drawn);
        assert_eq!(shown(false, false, true, true), Shown::Drawn);
        assert_eq!(shown(false, true, true, false), Shown::Noted);
        assert_eq!(shown(false, false, false, false), Shown::Noted);
        assert_eq!(shown(false, false, false, true), Shown::Not);
        assert_eq!(shown(true, false, false, false), Shown::Not);
        assert_eq!(shown(true, false, true, false), Shown::Not);
    }
}
