//! Lines at the bottom of a terminal that are redrawn in place.

use std::io::{self, IsTerminal, Write};

use super::{OutletFilter, Replacement, text};

/// Rows and columns of a terminal that does not report its size.
const USUAL: (usize, usize) = (24, 80);
/// Clears from the cursor to the end of the screen.
const CLEAR_BELOW: &str = "\u{1b}[J";

/// Lines that stay on stderr until this is dropped. Wipe them before anything else is written to the terminal.
pub(crate) struct Live {
    out: Box<dyn Write + Send>,
    /// How many lines are drawn.
    drawn: usize,
}

impl Live {
    /// Uses stderr; `None` if it is not a terminal, cannot move its cursor, or is not wanted (plain or quiet).
    pub(crate) fn start() -> Option<Self> {
        let dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
        // What is drawn passes the filter in `draw`; the escapes around it are constant.
        #[allow(clippy::disallowed_methods)]
        let stderr = io::stderr();
        let settings = super::UiSettings::get();
        let is_wanted = !dumb && !settings.is_plain && !settings.is_quiet;
        (stderr.is_terminal() && is_wanted).then(|| Self { out: Box::new(stderr), drawn: 0 })
    }

    /// The number of lines that fit, and their width in columns.
    pub(crate) fn size() -> (usize, usize) {
        #[allow(clippy::disallowed_methods)] // It only reads a property.
        let size = terminal_size::terminal_size_of(io::stderr());
        let size = size.map(|(terminal_size::Width(columns), terminal_size::Height(rows))| {
            (usize::from(rows), usize::from(columns))
        });
        let (rows, columns) = size.filter(|(rows, columns)| *rows > 1 && *columns > 1).unwrap_or(USUAL);
        // The cursor stays below the lines; a full line would wrap.
        (rows - 1, columns - 1)
    }

    /// Replaces the lines, each cut to the width of the terminal.
    pub(crate) fn draw(&mut self, lines: &[String]) {
        let (rows, columns) = Self::size();
        let mut frame = self.back().into_bytes();
        let lines = &lines[..lines.len().min(rows)];
        for line in lines {
            let line = text::truncate(&text::clean_line(line), columns);
            let mut filter = OutletFilter::new(Replacement::Text);
            filter.push(line.as_bytes(), &mut frame);
            filter.end(&mut frame);
            frame.push(b'\n');
        }
        self.drawn = lines.len();
        // The work continues even if it cannot be shown.
        let _ = self.out.write_all(&frame).and_then(|()| self.out.flush());
    }

    /// Removes the lines.
    pub(crate) fn wipe(&mut self) {
        if self.drawn > 0 {
            let frame = self.back();
            self.drawn = 0;
            let _ = self.out.write_all(frame.as_bytes()).and_then(|()| self.out.flush());
        }
    }

    /// The escapes that move the cursor to the first of the lines and clear them.
    fn back(&self) -> String {
        match self.drawn {
            0 => String::new(),
            n => format!("\r\u{1b}[{n}A{CLEAR_BELOW}"),
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.wipe();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::screen::tests::Written;

    #[test]
    fn lines_are_drawn_in_place_of_the_last_ones_and_wiped_at_the_end() {
        let written = Written::default();
        let mut live = Live { out: Box::new(written.clone()), drawn: 0 };
        live.draw(&["one".into(), "two".into()]);
        live.draw(&["\u{1b}[2Jthree\nfour".into()]);
        live.wipe();
        live.wipe();
        drop(live);
        assert_eq!(written.text(), "one\ntwo\n\r\u{1b}[2A\u{1b}[J\\u{1b}[2Jthree four\n\r\u{1b}[1A\u{1b}[J");
    }
}
