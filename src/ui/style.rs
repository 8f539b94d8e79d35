//! The few ways in which text is set apart, and who decides whether it is.

use std::ffi::OsStr;
use std::fmt::Write;
use std::io::IsTerminal;

use anstyle::{AnsiColor, Style};

use super::text;

/// No style.
pub(crate) const PLAIN: Style = Style::new();
/// An id that can be typed again.
pub(crate) const ID: Style = AnsiColor::Yellow.on_default();
/// A title or heading.
pub(crate) const HEADING: Style = Style::new().bold();
/// Done, passed, ready.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Failed, refused, broken.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// Blocked, held, about to run out.
pub(crate) const WARN: Style = AnsiColor::Magenta.on_default();
/// What may be overlooked: column titles, ages, closed things.
pub(crate) const DIM: Style = Style::new().dimmed();

/// Puts styles on text, or leaves them out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Painter {
    colour: bool,
}

impl Painter {
    /// Paints nothing.
    #[cfg(test)]
    pub(crate) const OFF: Self = Self { colour: false };
    /// Paints whatever the environment says.
    #[cfg(test)]
    pub(crate) const ON: Self = Self { colour: true };

    /// For warnings and errors.
    pub(crate) fn stderr() -> Self {
        Self::for_stream(std::io::stderr().is_terminal())
    }

    /// For a stream that is a terminal or not, as the environment wants it.
    pub(crate) fn for_stream(terminal: bool) -> Self {
        let no_color = std::env::var_os("NO_COLOR");
        let term = std::env::var_os("TERM");
        Self { colour: terminal && wants_colour(no_color.as_deref(), term.as_deref()) }
    }

    /// Whether it paints at all: marks that colour replaces can be left out.
    pub(crate) fn is_on(self) -> bool {
        self.colour
    }

    /// `text`, cleaned to one line, in `style`. The only way by which escapes of ours get between text of others,
    /// so that nothing from outside is painted uncleaned.
    pub(crate) fn paint(self, style: Style, text: &str) -> String {
        let mut painted = String::new();
        self.paint_onto(&mut painted, style, text);
        painted
    }

    /// As [`Painter::paint`], behind what is in `line`.
    pub(crate) fn paint_onto(self, line: &mut String, style: Style, text: &str) {
        let text = text::clean_line(text);
        if !self.colour || text.is_empty() || style.is_plain() {
            line.push_str(&text);
        } else {
            // Writing to a string cannot fail.
            let _ = write!(line, "{}{text}{}", style.render(), style.render_reset());
        }
    }
}

/// <https://no-color.org>: a variable that is set but empty does not count.
fn wants_colour(no_color: Option<&OsStr>, term: Option<&OsStr>) -> bool {
    no_color.is_none_or(OsStr::is_empty) && term.is_none_or(|term| term != "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_decides_on_colour() {
        let wants = |no_color: Option<&str>, term: Option<&str>| {
            wants_colour(no_color.map(OsStr::new), term.map(OsStr::new))
        };
        assert!(wants(None, Some("xterm")));
        assert!(wants(Some(""), None));
        assert!(!wants(Some("1"), Some("xterm")));
        assert!(!wants(None, Some("dumb")));
    }

    #[test]
    fn painted_text_is_clean_and_reset() {
        assert_eq!(Painter::ON.paint(HEADING, "a\u{1b}b\n"), "\u{1b}[1ma\\u{1b}b \u{1b}[0m");
        assert_eq!(Painter::ON.paint(HEADING, ""), "");
        assert_eq!(Painter::ON.paint(PLAIN, "a"), "a");
        assert_eq!(Painter::OFF.paint(BAD, "a\u{1b}"), "a\\u{1b}");
    }

    #[test]
    fn nothing_is_painted_where_there_is_no_terminal() {
        assert_eq!(Painter::for_stream(false), Painter::OFF);
    }
}
